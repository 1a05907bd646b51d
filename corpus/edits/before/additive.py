"""The additive filter, as somebody keeps it in a file of their own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.game import Step
from filterproof.game.law import Declared

NOTHING = Declared(Fraction(1), Fraction(0))


@dataclass(frozen=True)
class Additive:
    """Runs a mechanism iff all epsilons add up to at most ε and all deltas to at most δ."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Declared:
        """Return that nothing is spent yet: odds 1, δ 0."""
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        """Run the mechanism iff the sums still fit with its declared pair added."""
        spent = self.spend(state, step.mechanism.declared)
        if exceeds(spent.odds, Fraction(1), self.epsilon) or spent.delta > self.delta:
            return Decision.HALT, state
        return Decision.CONTINUE, spent

    def spend(self, spent: Declared, asked: Declared) -> Declared:
        """Add the asked pair to the spent one."""
        return Declared(spent.odds * asked.odds, spent.delta + asked.delta)
