"""Budgets by the day, by the session and by the analyst: the parts are more than the whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, plus, within
from corpus.blind.first.games import at, chain, coin, then
from corpus.blind.third.base import HALF, TENTH, ZERO, Book, calls
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.filters.naive import NaiveOverN
from filterproof.game import Request, Step
from filterproof.game.law import Declared
from filterproof.palette import erasure, silent
from filterproof.privacy import tight_odds

Counted = tuple[Declared, int]
Shares = tuple[tuple[Request, Declared], ...]


def share_covers(total: Declared, epsilon: Epsilon, delta: Fraction, share: Fraction) -> bool:
    """Return whether a share of the budget covers the total."""
    return within(total.odds, epsilon, share) and total.delta <= share * delta


class DaysAreSeparate(Rule):
    """Grants the budget anew every four requests: a new day."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        today = NOTHING if step.index % 4 == 1 else state
        total = plus(today, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


class HalvingDays(Rule):
    """Grants half as much every day (two requests), beginning with the whole; six days."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        day, hour = divmod(max(step.index - 1, 0), 2)
        total = plus(state if hour else NOTHING, step.mechanism.declared)
        fits = day < 6 and share_covers(total, self.epsilon, self.delta, HALF**day)
        return answer(fits, total, state)


class PaidIn(Rule):
    """Pays in delta/2^i in round i; what is not used is saved, what is overdrawn is forgiven."""

    def start(self) -> tuple[Fraction, Fraction]:
        return Fraction(1), ZERO

    def decide(self, state: tuple[Fraction, Fraction], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        spent, saved = state
        odds, delta = step.mechanism.declared
        today = self.delta / 2**step.index
        fits = within(spent * odds, self.epsilon) and delta <= saved + today
        return answer(fits, (spent * odds, saved + max(ZERO, today - delta)), state)


class WindowOfThree(Rule):
    """Adds up the last three requests: older ones have expired."""

    def start(self) -> tuple[Declared, ...]:
        return ()

    def decide(self, state: tuple[Declared, ...], step: Step) -> Answer:
        window = (*state, step.mechanism.declared)[-3:]
        total = NOTHING
        for one in window:
            total = plus(total, one)
        return answer(covers(total, self.epsilon, self.delta), window, state)


class TwoShards(Rule):
    """Keeps two ledgers that take turns: half of delta for each, and the whole epsilon."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        here, there = state
        total = plus(here, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta / 2), (there, total), state)


class UnlocksForEver(Book):
    """Unlocks a part of the budget with every request that arrives, and does not stop at all."""

    def __init__(self, epsilon: Epsilon, delta: Fraction, *, parts: int = 4) -> None:
        super().__init__(epsilon, delta)
        self.parts = parts

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        unlocked = Fraction(step.index, self.parts)
        if share_covers(total, self.epsilon, self.delta, unlocked):
            return Decision.CONTINUE, total
        return Decision.REFUSE, state

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        yield {"parts": 4}
        yield {"parts": 2}


class FairShare(Rule):
    """Gives the k-th analyst, known by the name of the request, 1/k of the budget."""

    def start(self) -> Shares:
        return ()

    def decide(self, state: Shares, step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        names = [name for name, _ in state]
        known = dict(state)
        total = plus(known.get(step.request, NOTHING), step.mechanism.declared)
        place = names.index(step.request) if step.request in names else len(names)
        fits = share_covers(total, self.epsilon, self.delta, Fraction(1, place + 1))
        return answer(fits, tuple((known | {step.request: total}).items()), state)


class ParallelByName(Rule):
    """Takes requests of different names for queries about disjoint people: the dearest counts."""

    def start(self) -> Shares:
        return ()

    def decide(self, state: Shares, step: Step) -> Answer:
        known = dict(state)
        total = plus(known.get(step.request, NOTHING), step.mechanism.declared)
        after = tuple(sorted((known | {step.request: total}).items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class NewSession(Rule):
    """Refuses what does not fit and opens a new session with half the budget, five in all."""

    def start(self) -> Counted:
        return NOTHING, 0

    def decide(self, state: Counted, step: Step) -> Answer:
        spent, session = state
        total = plus(spent, step.mechanism.declared)
        if share_covers(total, self.epsilon, self.delta, HALF**session):
            return Decision.CONTINUE, (total, session)
        return (Decision.REFUSE if session < 4 else Decision.HALT), (NOTHING, session + 1)


@dataclass(frozen=True)
class OneRoundMore(NaiveOverN):
    """Grants a risk of delta/N to N rounds, and counts them from 0."""

    N: int = 3

    def fits(self, step: Step) -> bool:
        in_time = max(step.index - 1, 0) <= self.N
        return in_time and all(self.risk_of(step, p) * self.N <= self.delta for p in step.pairs)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        yield {"N": 3}
        yield {"N": 1}


class ShareOfRoundsLeft(Book):
    """Lets a round use delta over the number of rounds that are left, itself included."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        left = step.game.depth - max(step.index, 1) + 1
        fits = (
            within(total.odds, self.epsilon) and step.mechanism.declared.delta * left <= self.delta
        )
        return answer(fits, total, state)


class InverseSquares(Rule):
    """Grants delta/i^2 to round i, a convergent series, and adds up the epsilon at that delta."""

    def start(self) -> Fraction:
        return Fraction(1)

    def decide(self, state: Fraction, step: Step) -> Answer:
        granted = self.delta / max(step.index, 1) ** 2
        odds = tight_odds(step.mechanism.law, step.game.pairs, granted)
        if odds is None or not within(state * odds, self.epsilon):
            return Decision.HALT, state
        return Decision.CONTINUE, state * odds


FULL = coin(Fraction(5, 2))

WRONG = {
    "days-are-separate": Wrong(
        DaysAreSeparate,
        "what was released yesterday is still known today",
        "hard",
        at(1, TENTH, lambda: chain(FULL, silent(), silent(), silent(), FULL)),
    ),
    "halving-days": Wrong(
        HalvingDays,
        "1 + 1/2 + 1/4 + ... is 2",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), silent(), erasure(TENTH / 2))),
    ),
    "paid-in": Wrong(
        PaidIn,
        "what is taken from the savings is not taken off them",
        "hard",
        at(
            1,
            TENTH,
            lambda: chain(silent(), erasure(3 * TENTH / 4), erasure(5 * TENTH / 8)),
        ),
    ),
    "window-of-three": Wrong(
        WindowOfThree,
        "losses do not expire",
        "hard",
        at(1, TENTH, lambda: chain(FULL, silent(), silent(), FULL)),
    ),
    "two-shards": Wrong(
        TwoShards,
        "epsilon has to be shared out as well as delta",
        "medium",
        at(1, TENTH, lambda: chain(FULL, FULL)),
    ),
    "unlocks-for-ever": Wrong(
        UnlocksForEver,
        "more than the whole is unlocked after a while",
        "hard",
        at(1, TENTH, lambda: chain(*[silent()] * 4, coin(Fraction(17, 5)))),
    ),
    "fair-share": Wrong(
        FairShare,
        "the first has the whole already when the second gets half",
        "medium",
        at(1, TENTH, lambda: calls(ann=FULL, bob=coin(Fraction(8, 5)))),
    ),
    "parallel-by-name": Wrong(
        ParallelByName,
        "the databases are the same for every request",
        "medium",
        at(1, TENTH, lambda: calls(ann=FULL, bob=FULL)),
    ),
    "new-session": Wrong(
        NewSession,
        "sessions of 1, 1/2, 1/4, ... of the budget make two",
        "hard",
        at(
            1,
            TENTH,
            lambda: {"ask": then(erasure(TENTH), {"big": coin(9), "small": erasure(TENTH / 2)})},
        ),
    ),
    "one-round-more": Wrong(
        OneRoundMore,
        "N rounds counted from 0 up to N are N + 1",
        "hard",
        at(1, TENTH, lambda: chain(*[erasure(TENTH / 3)] * 4)),
    ),
    "share-of-rounds-left": Wrong(
        ShareOfRoundsLeft,
        "what earlier rounds took is not taken off: 1/2 + 1 instead of 1/2 + 1/2",
        "hard",
        at(1, TENTH, lambda: chain(erasure(TENTH / 2), erasure(TENTH))),
    ),
    "inverse-squares": Wrong(
        InverseSquares,
        "the series converges to pi^2/6, which is above 1",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH / 4))),
    ),
}
