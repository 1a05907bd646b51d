"""The naive realisation-level filter, and what makes it sound: a union bound over N rounds.

Both run M_i unless one more output would take some pair's realised loss above ε with more than
a given probability.  The naive filter grants δ to every round anew, so the bad events of many
rounds add up (repeated erasure): a *known-bad specimen*.  At δ/N for at most N rounds they add
up to δ at most.

No N is needed if what is really risked is multiplied: as long as no output has taken the loss
above ε, 1/((1-b_1)···(1-b_i)) is worth what it was on average, b_j the risk of round j on this
history.  So ε is exceeded with probability at most 1 - (1-b_1)···(1-b_i), which repeated erasure
attains.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.filters.parameters import ParameterError, is_whole
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import risk


@dataclass(frozen=True)
class Naive:
    """Halts iff P_x(L_i > ε - l^(i-1) | r^i, y^{i-1}) > δ for some pair (paper, section II-B)."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> None:
        """Return the empty state: the step carries all that the rule needs."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Run M_i iff no pair's risk exceeds what one round may risk."""
        return (Decision.CONTINUE if self.fits(step) else Decision.HALT), None

    def fits(self, step: Step) -> bool:
        """Whether every pair's risk stays within δ in this round."""
        return all(self.risk_of(step, pair) <= self.delta for pair in step.pairs)

    def risk_of(self, step: Step, pair: tuple[str, str]) -> Fraction:
        """Return P_x(L_i > ε - l^(i-1)) for one ordered pair."""
        return risk(step.mechanism.law, pair, step.mass, self.epsilon)


@dataclass(frozen=True)
class NaiveOverN(Naive):
    """The naive rule at δ/N for at most N rounds: sound, because N risks of δ/N make δ."""

    _: KW_ONLY
    N: int

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        if not is_whole(self.N) or self.N < 1:
            raise ParameterError(f"need an integer N >= 1; got {self.N!r}")

    def fits(self, step: Step) -> bool:
        """Whether a round is left and every pair's risk stays within δ/N in it."""
        in_time = step.index <= self.N
        return in_time and all(self.risk_of(step, p) * self.N <= self.delta for p in step.pairs)

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: None, step: Step, pair: Pair) -> Fraction:
        """Return δ/N for every round that is left; the opening round is not counted."""
        spent = step.index - 1 if step.index else 0
        return max(self.N - spent, 0) * self.delta / self.N

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer N = depth, and N = 1."""
        yield {"N": depth}
        if depth > 1:
            yield {"N": 1}


@dataclass(frozen=True)
class NaiveProduct:
    """Runs M_i iff (1-b_1)···(1-b_i) >= 1-δ for every live pair, b_j what round j really risks."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> PerPair[Fraction]:
        """Return no products; the opening round makes them."""
        return ()

    def decide(self, state: PerPair[Fraction], step: Step) -> tuple[Decision, PerPair[Fraction]]:
        """Run M_i iff no product falls below 1-δ with this round's risk in it."""
        before = state or same_for_each_pair(step, Fraction(1))
        after: list[Fraction | None] = [None] * len(before)
        for i, pair, product in possible_pairs(before, step):
            after[i] = product * (1 - risk(step.mechanism.law, pair, step.mass, self.epsilon))
        fits = all(product is None or product >= 1 - self.delta for product in after)
        return (Decision.CONTINUE, tuple(after)) if fits else (Decision.HALT, before)

    def observe(self, state: PerPair[Fraction], step: Step, output: Output) -> PerPair[Fraction]:
        """Forget the pairs under whose x this output is impossible."""
        return survivors(state, step, output)
