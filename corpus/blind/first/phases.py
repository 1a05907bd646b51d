"""Look-ahead rules and filters in two phases, glued together at the wrong place."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, plus
from corpus.blind.first.games import at, branch, chain, coin, then
from corpus.blind.first.ledgers import CENT, TENTH
from corpus.blind.first.pairs import ChargeLedger, Costs
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.product import ProductRule
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.palette import erasure, one_sided, reveal, silent, table
from filterproof.privacy import charge, risk


@dataclass(frozen=True)
class AheadOf(ProductRule):
    """The product rule with nothing granted to the last round."""

    _: KW_ONLY
    delta_tilde: Fraction = Fraction(0)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        yield {}


class SameRequestAgain(AheadOf):
    """Looks ahead to the request that was just sent, as if it came again."""

    def safe(self, step: Step, y: Output, pair: Pair) -> bool:
        ahead, mass = step.menu_after(y), step.released(y)
        named = {step.request: ahead[step.request]} if step.request in ahead else ahead
        return all(not risk(m.law, pair, mass, self.epsilon) for m in named.values())


class BadUnderTheOther(AheadOf):
    """Weighs the unsafe outputs of (x, x′) with P_x′ instead of P_x."""

    def bad(self, step: Step, pair: Pair) -> Fraction:
        law, (x, x_) = step.mechanism.law, pair
        unsafe = (y for y in law if law[y][x] and not self.safe(step, y, pair))
        return sum((law[y][x_] for y in unsafe), Fraction(0))


class ExpectedRiskAhead(Rule):
    """Goes on while the next round's expected risk is at most delta, every round anew."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        fits = all(self.ahead(step, pair) <= self.delta for pair in step.pairs)
        return (Decision.CONTINUE if fits else Decision.LAST), None

    def ahead(self, step: Step, pair: Pair) -> Fraction:
        law, total = step.mechanism.law, Fraction(0)
        for y in (y for y in law if law[y][pair[0]]):
            mass, menu = step.released(y), step.menu_after(y).values()
            risks = [risk(m.law, pair, mass, self.epsilon) for m in menu]
            total += law[y][pair[0]] * max(risks, default=Fraction(0))
        return total


class FreshDelta(Rule):
    """Adds up until the budget is spent, then goes on with charges against all of delta again."""

    def start(self) -> tuple[Declared, Costs | None]:
        return NOTHING, None

    def decide(self, state: tuple[Declared, Costs | None], step: Step) -> Answer:
        spent, costs = state
        total = plus(spent, step.mechanism.declared)
        if costs is None and covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, None)
        decision, after = ChargeLedger(self.epsilon, self.delta).decide(costs or (), step)
        return decision, (spent, after)


class LossesSinceTheSwitch(Rule):
    """Halves delta between two phases, and lets the second start at a realised loss of 0."""

    def start(self) -> tuple[Declared, ExpLinear, tuple[Fraction, ...]]:
        return NOTHING, ExpLinear(0, 0, self.epsilon), ()

    def decide(self, state: tuple[Declared, ExpLinear, tuple[Fraction, ...]], step: Step) -> Answer:
        spent, costs, origin = state
        total = plus(spent, step.mechanism.declared)
        if not origin and covers(total, self.epsilon, self.delta / 2):
            return Decision.CONTINUE, (total, costs, ())
        since = origin or tuple(step.mass.values())
        names = zip(step.game.databases, since, strict=True)
        mass = {x: step.mass[x] / w if w else Fraction(0) for x, w in names}
        law = step.mechanism.law
        costs += max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        return answer(2 * costs <= self.delta, (spent, costs, since), state)


class BackToTheFirst(Rule):
    """Asks the additive phase first in every round, also after the second phase has begun."""

    def start(self) -> tuple[Declared, Costs]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Costs], step: Step) -> Answer:
        spent, costs = state
        total = plus(spent, step.mechanism.declared)
        if covers(total, self.epsilon, self.delta / 2):
            return Decision.CONTINUE, (total, costs)
        decision, after = ChargeLedger(self.epsilon, self.delta / 2).decide(costs, step)
        return decision, (spent, after)


class SwitchRoundFree(FreshDelta):
    """Halves delta between two phases, and does not charge the round in which it switches."""

    def decide(self, state: tuple[Declared, Costs | None], step: Step) -> Answer:
        spent, costs = state
        total = plus(spent, step.mechanism.declared)
        if costs is None and covers(total, self.epsilon, self.delta / 2):
            return Decision.CONTINUE, (total, None)
        ledger = ChargeLedger(self.epsilon, self.delta / 2)
        if costs is None:
            decision, _ = ledger.decide((), step)
            nothing = (ExpLinear(0, 0, self.epsilon),) * len(step.game.pairs)
            return decision, (spent, nothing)
        decision, after = ledger.decide(costs, step)
        return decision, (spent, after)


TWENTIETH = Fraction(1, 20)
TELLING = {"u": (Fraction(7, 20), TWENTIETH), "v": (Fraction(13, 20), 1 - TWENTIETH)}
STEEP = {
    "+": (Fraction(19, 20), Fraction(19, 58)),
    "-": (TWENTIETH, Fraction(39, 58)),
}
FIVE_HALVES = Fraction(5, 2)

WRONG = {
    "same-request-again": Wrong(
        SameRequestAgain,
        "the look-ahead expects the same request once more",
        "medium",
        at(1, TENTH, lambda: {"a": then(silent(), {"a": silent(), "b": reveal()})}),
    ),
    "bad-under-the-other": Wrong(
        BadUnderTheOther,
        "unsafe outputs are weighed with the other database's law",
        "hard",
        at(
            2,
            TWENTIETH,
            lambda: branch(table(TELLING), u={"ask": one_sided(Fraction(1, 2))}),
        ),
    ),
    "expected-risk-ahead": Wrong(
        ExpectedRiskAhead,
        "the risk of the next round is compared with delta in every round anew",
        "medium",
        at(1, TENTH, lambda: chain(*[erasure(TWENTIETH)] * 4)),
    ),
    "fresh-delta": Wrong(
        FreshDelta,
        "the second phase has all of delta again",
        "easy",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH))),
    ),
    "losses-since-the-switch": Wrong(
        LossesSinceTheSwitch,
        "the second phase forgets the losses of the first",
        "medium",
        at(1, CENT, lambda: chain(coin(FIVE_HALVES), coin(FIVE_HALVES))),
    ),
    "back-to-the-first": Wrong(
        BackToTheFirst,
        "the first phase is asked again after the second has begun",
        "hard",
        at(
            2,
            CENT,
            lambda: branch(
                coin(FIVE_HALVES),
                **{"0": branch(table(STEEP), **{"+": {"ask": coin(FIVE_HALVES)}})},
            ),
        ),
    ),
    "switch-round-free": Wrong(
        SwitchRoundFree,
        "the round in which the phases change is not charged",
        "hard",
        at(
            1,
            TENTH,
            lambda: chain(erasure(TWENTIETH), erasure(TWENTIETH), erasure(TWENTIETH)),
        ),
    ),
}
