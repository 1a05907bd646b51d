"""The product rule: Algorithm 1 repaired, with realised bad probabilities in place of N and θ.

b_j = P_x(Y_j ∉ G_j | r^j, y^{j-1}) is the probability that the output of round j is bad, that is,
unsafe for some request that may follow.  By the same recursion as for the sharp constant, the
loss exceeds ε with probability at most 1 - (1-δ̃)·(1-b_1)···(1-b_i).  So there is no need to
fix N and θ: multiply what really occurs.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, ExpLinear, exceeds, rational
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    matches_possible_pairs,
    possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import risk

Products = PerPair[Fraction]


@dataclass(frozen=True)
class ProductRule:
    """Releases y_i; goes on iff (1-δ̃)·(1-b_0)···(1-b_i) >= 1-δ for every live ordered pair."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    delta_tilde: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        if not 0 <= rational(self.delta_tilde) <= self.delta:
            raise ParameterError(
                f"need 0 <= delta_tilde <= delta; got {self.delta_tilde} and {self.delta}"
            )

    def start(self) -> Products:
        """Return no products yet; the opening round fills it."""
        return ()

    def decide(self, state: Products, step: Step) -> tuple[Decision, Products]:
        """Run M_i in any case; take another request iff every product is still large enough."""
        kept = list(state or same_for_each_pair(step, Fraction(1)))
        for i, pair, product in possible_pairs(tuple(kept), step):
            kept[i] = product * (1 - self.bad(step, pair))
        products = [product for product in kept if product is not None]
        goes_on = all((1 - self.delta_tilde) * product >= 1 - self.delta for product in products)
        return (Decision.CONTINUE if goes_on else Decision.LAST), tuple(kept)

    def bad(self, step: Step, pair: Pair) -> Fraction:
        """Return b_i: the probability under x of an output that is unsafe for some request."""
        law = step.mechanism.law
        unsafe = (y for y in law if law[y][pair[0]] and not self.safe(step, y, pair))
        return sum((law[y][pair[0]] for y in unsafe), Fraction(0))

    def safe(self, step: Step, y: Output, pair: Pair) -> bool:
        """Whether every request after y overshoots with probability at most δ̃."""
        mass, ahead = step.released(y), step.menu_after(y).values()
        return all(risk(m.law, pair, mass, self.epsilon) <= self.delta_tilde for m in ahead)

    def observe(self, state: Products, step: Step, output: Output) -> Products:
        """Forget the pairs under whose x this output is impossible."""
        return survivors(state, step, output)

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: Products, step: Step, pair: Pair) -> ExpLinear:
        """Return 1 - (1-δ)/product after a good output and 1 after a bad one, less h(l)."""
        x, x_ = pair
        menu = step.menu.values()
        if not menu:
            return ExpLinear(0, 0, self.epsilon)
        safe = all(risk(m.law, pair, step.mass, self.epsilon) <= self.delta_tilde for m in menu)
        most = self.bound(state, step, pair) if safe else Fraction(1)
        if exceeds(step.mass[x], step.mass[x_], self.epsilon):
            return ExpLinear(most - 1, step.mass[x_] / step.mass[x], self.epsilon)
        return ExpLinear(most, 0, self.epsilon)

    def bound(self, state: Products, step: Step, pair: Pair) -> Fraction:
        """Return the most that can still be risked once the kept products are as they are."""
        kept = state[step.game.pairs.index(pair)] if state else Fraction(1)
        return 1 - (1 - self.delta) / kept if kept else Fraction(1)

    def invariant(self, state: Products, step: Step) -> bool:
        """Whether every pair that is still possible has a product that lets the filter go on."""
        if not state:
            return step.index == 0
        kept = [product for product in state if product is not None]
        large = all((1 - self.delta_tilde) * product >= 1 - self.delta for product in kept)
        covered = matches_possible_pairs(state, step)
        return large and all(product <= 1 for product in kept) and covered

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer δ̃ = 0, δ/2 and δ."""
        return ({"delta_tilde": part} for part in (Fraction(0), delta / 2, delta))
