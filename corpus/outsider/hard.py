"""Wrong filters whose violation the outsider took to be hard to find."""

import math
from fractions import Fraction
from typing import Any

from corpus.outsider.base import (
    ONE,
    ZERO,
    Basic,
    Budgeted,
    Pure,
    Watching,
    nonpositive,
    order_two_sum,
    plus,
    statements,
)
from corpus.zoo.base import Specimen
from filterproof.exact import Epsilon, ExpLinear, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.advanced import Spent, squares
from filterproof.filters.common import multiple, real
from filterproof.filters.compensator import Compensator
from filterproof.filters.composition import ExactComposition
from filterproof.filters.pan import stays_below
from filterproof.game import Step
from filterproof.game.law import Declared, Pair

FAMILY = "hard"

Books = tuple[Declared, Fraction | None]
"""The sums of basic composition, and the product of the Rényi sums; None if infinite."""


class MinOfAccountants(Budgeted):
    """Books every round with basic composition and at Rényi order 2; one of them must fit.

    Wrong: each is a filter on its own, but the adversary chooses per branch which one is to fit.
    """

    def start(self) -> Books:
        return NOTHING, ONE

    def decide(self, state: Books, step: Step) -> tuple[Decision, Books]:
        spent, moment = plus(state[0], step.mechanism.declared), state[1]
        cost = order_two_sum(step)
        moment = None if moment is None or cost is None else moment * cost
        renyi = moment is not None and not exceeds(moment, 4 * self.delta, self.epsilon)
        if renyi or self.fits(spent) or step.index == 0:
            return Decision.CONTINUE, (spent, moment)
        return Decision.REFUSE, state


class RetroactiveChoice(Budgeted):
    """Runs M_i iff some choice of one true statement per round adds up within the budget.

    Wrong: right for a fixed list, but here the statement about round 1 depends on what it said.
    """

    def start(self) -> tuple[Declared, ...]:
        return (NOTHING,)

    def decide(
        self, state: tuple[Declared, ...], step: Step
    ) -> tuple[Decision, tuple[Declared, ...]]:
        sums = {plus(spent, asked) for spent in state for asked in statements(step)}
        within = {spent for spent in sums if self.fits(spent)}
        return (Decision.CONTINUE, undominated(within)) if within else (Decision.REFUSE, state)


def undominated(points: set[Declared]) -> tuple[Declared, ...]:
    """The points that no other point beats in both numbers, in order."""
    kept: list[Declared] = []
    for point in sorted(points):
        if not kept or point.delta < kept[-1].delta:
            kept.append(point)
    return tuple(kept)


class EitherOr(Basic):
    """Runs and books what basic composition has room for, and for free what keeps losses below ε.

    Wrong: after a free round the booked ones must not come back.
    """

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        spent = self.spend(state, step)
        if self.fits(spent):
            return Decision.CONTINUE, spent
        free = stays_below(step, self.epsilon)
        return (Decision.CONTINUE if free else Decision.REFUSE), state


class NegligiblePosterior(Watching):
    """Does not watch (x, x′) where some database is more than 50 times as likely as x.

    Wrong: it is ruled out after the fact, and P_x gives that history some weight.
    """

    def watched(self, step: Step, pair: Pair) -> bool:
        return 50 * step.mass[pair[0]] >= max(step.mass.values())


class SlidingWindow(Budgeted):
    """Basic composition over the last eight answered requests, this one included.

    Wrong: nothing is ever regained.
    """

    def start(self) -> tuple[Declared, ...]:
        return ()

    def decide(
        self, state: tuple[Declared, ...], step: Step
    ) -> tuple[Decision, tuple[Declared, ...]]:
        if step.index == 0:
            return Decision.CONTINUE, state
        window = (*state, step.mechanism.declared)
        spent = NOTHING
        for asked in window:
            spent = plus(spent, asked)
        return (Decision.CONTINUE, window[-7:]) if self.fits(spent) else (Decision.HALT, state)


class AdvancedMeanEpsilon(Budgeted):
    """Advanced composition for k equal rounds, with the mean of the ε_i.

    Wrong: k·mean² is at most the sum of the squares, and silent rounds lower the mean.
    """

    def start(self) -> tuple[int, Fraction]:
        return 0, ONE

    def decide(
        self, state: tuple[int, Fraction], step: Step
    ) -> tuple[Decision, tuple[int, Fraction]]:
        if step.index == 0:
            return Decision.CONTINUE, state
        asked = step.mechanism.declared
        rounds, odds = state[0] + 1, state[1] * asked.odds
        if asked.delta or not 0 < self.delta < 1:
            return Decision.HALT, state
        if odds == 1 or nonpositive(lambda iv: self.gap(iv, rounds, odds)):
            return Decision.CONTINUE, (rounds, odds)
        return Decision.HALT, state

    def gap(self, iv: Any, rounds: int, odds: Fraction) -> Any:
        total = real(iv, Log(odds)) ** 2 / rounds
        root = iv.sqrt(2 * iv.log(1 / real(iv, self.delta)) * total)
        return root + total / 2 - real(iv, self.epsilon)


class AdvancedNoDrift(Pure):
    """Advanced composition without its second term: √(2·log(1/δ)·Σε_i²) <= ε.

    Wrong: the mean of the loss, Σε_i²/2, is negligible for small ε_i only.
    """

    def gap(self, iv: Any, spent: Spent) -> Any:
        root = iv.sqrt(2 * iv.log(1 / real(iv, self.delta)) * squares(iv, spent))
        return root - real(iv, self.epsilon)


class RenyiWrongConversion(Budgeted):
    """A Rényi filter of order α = 2 that converts with ρ + log(1/δ)/α <= ε.

    Wrong: it is log(1/δ)/(α-1).  The slack of the conversion hides it at most budgets.
    """

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> tuple[Decision, Fraction]:
        if step.index == 0:
            return Decision.CONTINUE, state
        cost = order_two_sum(step)
        if cost is None or exceeds((state * cost) ** 2, self.delta, multiple(self.epsilon, 2)):
            return Decision.HALT, state
        return Decision.CONTINUE, state * cost


def exact_composition_half(epsilon: Epsilon, delta: Fraction) -> ExactComposition:
    """Exact composition of the mechanisms that were run, which must be (ε, δ/2)-DP.

    Wrong: choosing the list by what was released is worth more than a factor of 2.
    """
    return ExactComposition(epsilon, delta / 2)


class RecyclingWrongMeasure(Compensator):
    """Divides what is left by P_x′(x stays possible), not to strand budget on other outputs.

    Wrong: the right number is P_x(x′ stays possible).
    """

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        rows = step.mechanism.law.values()
        kept = sum((row[x_] for row in rows if row[x]), ZERO) if step.mass[x_] else ZERO
        return rest / kept if kept else rest * 0


class FloatAccumulator(Budgeted):
    """Basic composition in double precision.

    Wrong: 0.1 + 1e-20 is 0.1, so a small δ_i after a large one is free.
    """

    def start(self) -> tuple[float, float]:
        return 0.0, 0.0

    def decide(
        self, state: tuple[float, float], step: Step
    ) -> tuple[Decision, tuple[float, float]]:
        asked = step.mechanism.declared
        epsilon, delta = state[0] + math.log(asked.odds), state[1] + float(asked.delta)
        if epsilon > as_float(self.epsilon) or delta > float(self.delta):
            return Decision.HALT, state
        return Decision.CONTINUE, (epsilon, delta)


def as_float(epsilon: Epsilon) -> float:
    return math.log(epsilon.argument) if isinstance(epsilon, Log) else float(epsilon)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("min-of-accountants", MinOfAccountants, "one of two sound accountants must fit"),
    _wrong("retroactive-choice", RetroactiveChoice, "chooses old statements anew in every round"),
    _wrong("either-or", EitherOr, "goes back and forth between two phases"),
    _wrong("negligible-posterior", NegligiblePosterior, "x is out when 50 times less likely"),
    _wrong("sliding-window", SlidingWindow, "only the last eight requests count"),
    _wrong("advanced-mean-epsilon", AdvancedMeanEpsilon, "the mean eps_i in advanced composition"),
    _wrong("advanced-no-drift", AdvancedNoDrift, "advanced composition without its second term"),
    _wrong("renyi-wrong-conversion", RenyiWrongConversion, "alpha for alpha - 1"),
    _wrong("exact-composition-half", exact_composition_half, "exact composition within delta/2"),
    _wrong("recycling-wrong-measure", RecyclingWrongMeasure, "recycles by a probability under x'"),
    _wrong("float-accumulator", FloatAccumulator, "sums in double precision"),
)
