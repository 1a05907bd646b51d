"""The compensator, as somebody keeps it in a file of their own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.game import Step
from filterproof.game.law import Output
from filterproof.privacy import charge

Budgets = PerPair[ExpLinear]


@dataclass(frozen=True)
class Compensator:
    """Runs a mechanism iff the charges of every pair that is still possible stay within δ."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Budgets:
        """Return no budgets yet; the opening round fills it."""
        return ()

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        """Run the mechanism iff every pair's budget covers its charge; keep what is left."""
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            rest = budget - charge(step.mechanism.law, pair, step.mass, self.epsilon)
            if rest.sign() < 0:
                return Decision.HALT, before
            left[i] = rest
        return Decision.CONTINUE, tuple(left)

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        """Forget the pairs under whose x this output is impossible."""
        return survivors(state, step, output)
