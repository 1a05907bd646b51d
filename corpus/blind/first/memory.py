"""Ledgers that forget: windows, buffers, resets, refusals that give something back."""

from fractions import Fraction

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Wrong, answer, covers, plus, within
from corpus.blind.first.games import at, chain, coin, then
from corpus.blind.first.ledgers import CENT, Ledger
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output
from filterproof.palette import reveal, silent

Spends = tuple[Declared, ...]


def total_of(spends: Spends) -> Declared:
    """Add up a list of spends."""
    total = NOTHING
    for spend in spends:
        total = plus(total, spend)
    return total


class WindowOfFive(Rule):
    """Counts the last five rounds only, as a rate limit would."""

    kept = 4

    def start(self) -> Spends:
        return ()

    def decide(self, state: Spends, step: Step) -> Answer:
        spends = (*state, step.mechanism.declared)
        fits = covers(total_of(spends), self.epsilon, self.delta)
        return answer(fits, spends[-self.kept :], state)


class RingBuffer(WindowOfFive):
    """Keeps its log in a ring buffer of 32 entries and adds up the log."""

    kept = 31


class EightLargest(Rule):
    """Keeps the eight largest epsilons to bound its memory; deltas are added up."""

    def start(self) -> tuple[tuple[Fraction, ...], Fraction]:
        return (), Fraction(0)

    def decide(self, state: tuple[tuple[Fraction, ...], Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        largest = tuple(sorted((*state[0], odds), reverse=True)[:8])
        product, spent = ONE, state[1] + delta
        for one in largest:
            product *= one
        fits = within(product, self.epsilon) and spent <= self.delta
        return answer(fits, (largest, spent), state)


class LeakyBucket(Rule):
    """Lets the budget grow back: every round returns odds of 5/4."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        rested = Declared(max(ONE, state.odds * Fraction(4, 5)), state.delta)
        total = plus(rested, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


class HarmonicEpochs(Rule):
    """Opens a new epoch when one is exhausted; epoch j gets eps/(j+1), a sum that diverges."""

    def start(self) -> tuple[int, Declared]:
        return 1, NOTHING

    def decide(self, state: tuple[int, Declared], step: Step) -> Answer:
        epoch, spent = state
        for number, before in ((epoch, spent), (epoch + 1, Declared(ONE, spent.delta))):
            total = plus(before, step.mechanism.declared)
            share = Fraction(1, number + 1)
            if total.delta <= self.delta and within(total.odds, self.epsilon, share):
                return Decision.CONTINUE, (number, total)
        return Decision.HALT, state


class LockoutResets(Rule):
    """Ends the session after three refusals; a new session has a new ledger."""

    def start(self) -> tuple[Declared, int]:
        return NOTHING, 0

    def decide(self, state: tuple[Declared, int], step: Step) -> Answer:
        spent, refusals = state
        total = plus(spent, step.mechanism.declared)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, refusals)
        if refusals == 2:
            return Decision.REFUSE, (NOTHING, 0)
        return Decision.REFUSE, (spent, refusals + 1)


class RollsBackTheLast(Rule):
    """Rolls the log back by one entry on refusal, although the refused one was never entered."""

    def start(self) -> Spends:
        return ()

    def decide(self, state: Spends, step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        spends = (*state, step.mechanism.declared)
        if covers(total_of(spends), self.epsilon, self.delta):
            return Decision.CONTINUE, spends
        return Decision.REFUSE, state[:-1]


class ReleasesReservation(Rule):
    """Releases the reservation of a refused request, although none was made."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        asked = step.mechanism.declared
        total = plus(state, asked)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, total
        odds, delta = max(ONE, state.odds / asked.odds), max(Fraction(0), state.delta - asked.delta)
        return Decision.REFUSE, Declared(odds, delta)


class SameAnswerFree(Rule):
    """Gives back the price of an answer that was given before, as if it had been cached."""

    markov = False

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, state[0]), state)

    def observe(
        self, state: tuple[Declared, Declared], step: Step, output: Output
    ) -> tuple[Declared, Declared]:
        total, before = state
        repeated = (step.request, output) in step.history
        return (before, before) if repeated else (total, total)


class OverdraftFloor(Ledger):
    """Runs what fits the budget by itself; a booking that would overdraw it silently fails."""

    def decide(self, state: Declared, step: Step) -> Answer:
        asked = step.mechanism.declared
        total = plus(state, asked)
        fits = within(state.odds, self.epsilon) and within(asked.odds, self.epsilon)
        capped = total if within(total.odds, self.epsilon) else state
        return answer(fits and total.delta <= self.delta, Declared(capped.odds, total.delta), state)


FIVE_HALVES = Fraction(5, 2)

WRONG = {
    "window-of-five": Wrong(
        WindowOfFive,
        "what was spent more than four rounds ago is not counted",
        "hard",
        at(1, CENT, lambda: chain(coin(FIVE_HALVES), *[silent()] * 4, coin(FIVE_HALVES))),
    ),
    "ring-buffer": Wrong(
        RingBuffer,
        "the log holds 32 entries and older ones are overwritten",
        "hard",
        at(1, CENT, lambda: chain(coin(FIVE_HALVES), *[silent()] * 31, coin(FIVE_HALVES))),
    ),
    "eight-largest": Wrong(
        EightLargest,
        "only the eight largest epsilons are kept",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(113, 100))] * 30)),
    ),
    "leaky-bucket": Wrong(
        LeakyBucket,
        "the budget grows back with time",
        "medium",
        at(1, CENT, lambda: chain(coin(FIVE_HALVES), *[silent()] * 4, coin(FIVE_HALVES))),
    ),
    "harmonic-epochs": Wrong(
        HarmonicEpochs,
        "the shares of the epochs add up to more than the budget",
        "hard",
        at(
            1,
            CENT,
            lambda: chain(*(coin(Fraction(odds, 100)) for odds in (164, 139, 128, 122, 118))),
        ),
    ),
    "lockout-resets": Wrong(
        LockoutResets,
        "three refusals start a new session with a new ledger",
        "medium",
        at(
            1,
            CENT,
            lambda: {
                "ask": then(
                    coin(FIVE_HALVES),
                    {"x": reveal(), "y": reveal(), "z": reveal(), "again": coin(FIVE_HALVES)},
                )
            },
        ),
    ),
    "rolls-back-the-last": Wrong(
        RollsBackTheLast,
        "a refusal deletes the last booking",
        "easy",
        at(
            1,
            CENT,
            lambda: {"ask": then(coin(FIVE_HALVES), {"big": reveal(), "again": coin(FIVE_HALVES)})},
        ),
    ),
    "releases-reservation": Wrong(
        ReleasesReservation,
        "a refused request's price is given back although it was never taken",
        "easy",
        at(
            1,
            CENT,
            lambda: {"ask": then(coin(FIVE_HALVES), {"big": coin(9), "again": coin(FIVE_HALVES)})},
        ),
    ),
    "same-answer-free": Wrong(
        SameAnswerFree,
        "an answer that was given before is not charged",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(8, 5))] * 3)),
    ),
    "overdraft-floor": Wrong(
        OverdraftFloor,
        "an overdraft is not entered in the balance",
        "easy",
        at(1, CENT, lambda: chain(coin(2), coin(2), coin(2))),
    ),
}
