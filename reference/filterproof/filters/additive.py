"""Filters that add up what each mechanism declares: the additive filter and a broken cousin.

A mechanism declares a true (ε_i, δ_i).  ε_i is carried as odds e^ε_i, so that the sum of the ε_i
is the logarithm of a product of rationals and the test against ε is exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds, rational_odds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.game import Step
from filterproof.game.law import Declared, Pair

NOTHING = Declared(Fraction(1), Fraction(0))


@dataclass(frozen=True)
class Additive:
    """Runs M_i iff ε_1 + ... + ε_i <= ε and δ_1 + ... + δ_i <= δ (Rogers et al.; Dwork et al.)."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Declared:
        """Return that nothing is spent yet: odds 1, δ 0."""
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        """Run M_i iff the sums still fit with its declared pair added."""
        spent = self.spend(state, step.mechanism.declared)
        if exceeds(spent.odds, Fraction(1), self.epsilon) or spent.delta > self.delta:
            return Decision.HALT, state
        return Decision.CONTINUE, spent

    def spend(self, spent: Declared, asked: Declared) -> Declared:
        """Add the asked pair to the spent one."""
        return Declared(spent.odds * asked.odds, spent.delta + asked.delta)

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: Declared, step: Step, pair: Pair) -> Fraction:
        """Return V - h, where V is what randomised response and erasure of the rest would reach.

        With R the odds and d the δ that are left and r = e^(ε-l), V is
        d + (1-d)·(max(0, R-r) + max(0, 1-rR))/(1+R).  A rational e^ε is needed to divide by 1+R.
        """
        odds = rational_odds(self.epsilon)
        left, d = odds / state.odds, self.delta - state.delta
        r = odds * step.mass[pair[1]] / step.mass[pair[0]]
        response = (max(left - r, Fraction(0)) + max(1 - r * left, Fraction(0))) / (1 + left)
        return d + (1 - d) * response - max(1 - r, Fraction(0))

    def invariant(self, state: Declared, step: Step) -> bool:
        """Whether no more is spent than there was."""
        fits = state.odds >= 1 and not exceeds(state.odds, Fraction(1), self.epsilon)
        return fits and 0 <= state.delta <= self.delta


@dataclass(frozen=True)
class PerRoundDelta(Additive):
    """The additive filter that compares each δ_i with δ on its own: a *known-bad specimen*.

    Rounds of δ_i = δ each pass for ever, as erasure shows.
    """

    def spend(self, spent: Declared, asked: Declared) -> Declared:
        """Add the ε; keep the larger δ where the sum is due."""
        return Declared(spent.odds * asked.odds, max(spent.delta, asked.delta))
