"""The naive filter with a product of risks, as somebody keeps it in a file of their own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon
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
from filterproof.privacy import risk

Products = PerPair[Fraction]


@dataclass(frozen=True)
class NaiveProduct:
    """Runs a mechanism iff (1-b_1)···(1-b_i) >= 1-δ for every live pair, b the risks."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Products:
        """Return no products; the opening round makes them."""
        return ()

    def decide(self, state: Products, step: Step) -> tuple[Decision, Products]:
        """Run the mechanism iff no product falls below 1-δ with this round's risk in it."""
        before = state or same_for_each_pair(step, Fraction(1))
        after: list[Fraction | None] = [None] * len(before)
        for i, pair, product in possible_pairs(before, step):
            after[i] = product * (1 - risk(step.mechanism.law, pair, step.mass, self.epsilon))
        fits = all(product is None or product >= 1 - self.delta for product in after)
        return (Decision.CONTINUE, tuple(after)) if fits else (Decision.HALT, before)

    def observe(self, state: Products, step: Step, output: Output) -> Products:
        """Forget the pairs under whose x this output is impossible."""
        return survivors(state, step, output)
