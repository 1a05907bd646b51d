"""Odometers that report what was really lost, and two broken cousins.

The largest realised loss over all ordered pairs is a report that no loss exceeds, whatever δ is: it
is a function of what was released, so saying it costs nothing.  No smaller report is right on
every path.  With δ > 0 an odometer may be wrong with probability δ, and can spend that on
infinite losses (`Forgiving`).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.game import Step
from filterproof.game.law import Law, Output, Pair
from filterproof.odometer import INFINITE, Reported

Ratio = Fraction | None
"""A likelihood ratio; None is an infinite one."""


def largest(step: Step, y: Output, pairs: list[Pair]) -> Ratio:
    """Return the largest P_x/P_x′ of the transcript that ends with y, at least 1."""
    mass = step.released(y)
    possible = [(mass[x], mass[x_]) for x, x_ in pairs if mass[x]]
    if any(not q for _, q in possible):
        return None
    return max([Fraction(1), *(p / q for p, q in possible)])


@dataclass(frozen=True)
class Realised:
    """Reports the largest realised loss over all ordered pairs; it needs no δ."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Any:
        """Return the ratio of nothing: 1."""
        return Fraction(1)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        """Let it run."""
        return Decision.CONTINUE, state

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        """Return the largest ratio after the output."""
        return largest(step, output, self.watched(step))

    def watched(self, step: Step) -> list[Pair]:
        """Return the pairs whose losses are reported: all of them."""
        return list(step.game.pairs)

    def reported(self, state: Any) -> Reported:
        """Return the logarithm of the largest ratio."""
        return INFINITE if state is None else Log(state)


@dataclass(frozen=True)
class OneDirection(Realised):
    """Reports the losses of (x, x′) and not those of (x′, x): a *known-bad specimen*."""

    def watched(self, step: Step) -> list[Pair]:
        """Return the pairs in the order of the databases."""
        return [(x, x_) for x, x_ in step.game.pairs if x < x_]


Budgets = tuple[Fraction | None, ...]
"""Per ordered pair the probability with which its loss may still exceed; None if it has."""


@dataclass(frozen=True)
class Forgiving(Realised):
    """Reports the largest realised loss of the pairs that were not forgiven an infinite one.

    Every ordered pair has δ to be wrong with.  Before a round whose outputs of infinite loss have
    probability f > 0 under x, with f at most the rest b, they are forgiven: after such an output
    the pair counts no more, after any other (b - f)/(1 - f) is left.  So f + (1-f)·b′ = b in every
    round that forgives, and in all a pair is forgiven with probability at most δ.
    """

    def start(self) -> tuple[Budgets, Ratio]:
        """Return no budgets yet; the opening round gives δ to every pair."""
        return (), Fraction(1)

    def observe(
        self, state: tuple[Budgets, Ratio], step: Step, output: Output
    ) -> tuple[Budgets, Ratio]:
        """Spend on this round, and look at the pairs that still count."""
        before = state[0] or (self.delta,) * len(step.game.pairs)
        kept = zip(before, step.game.pairs, strict=True)
        after = tuple(b if b is None else self.left(b, step, pair, output) for b, pair in kept)
        told = [p for b, p in zip(after, step.game.pairs, strict=True) if b is not None]
        return after, largest(step, output, told)

    def left(self, b: Fraction, step: Step, pair: Pair, y: Output) -> Fraction | None:
        """Return what is left to be wrong with after y; None if it was wrong just now."""
        x, x_ = pair
        f = exposure(step.mechanism.law, pair) if step.mass[x] and step.mass[x_] else Fraction(0)
        if not 0 < f <= b:
            return b
        if not step.mechanism.law[y][x_]:
            return None
        return self.after(b, f)

    def after(self, b: Fraction, f: Fraction) -> Fraction:
        """Return what is left after f was risked in vain; where f = 1, x is impossible by now."""
        return (b - f) / (1 - f) if f < 1 else Fraction(0)

    def reported(self, state: tuple[Budgets, Ratio]) -> Reported:
        """Return the logarithm of the largest ratio that counts."""
        return super().reported(state[1])


@dataclass(frozen=True)
class ForgivingAgain(Forgiving):
    """Forgives every round as if it were the first: a *known-bad specimen*."""

    def after(self, b: Fraction, f: Fraction) -> Fraction:
        """Return all of it."""
        return b


def exposure(law: Law, pair: Pair) -> Fraction:
    """Return the probability under x of the outputs that x′ cannot produce."""
    return sum((row[pair[0]] for row in law.values() if not row[pair[1]]), Fraction(0))
