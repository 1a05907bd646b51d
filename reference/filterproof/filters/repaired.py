"""Algorithm 1 with one quantifier moved, so that its promise survives adaptive requests.

Published:  for every request r, all but θ of the outputs are safe for r.
Repaired:   all but θ of the outputs are safe for every request r at once.

The adversary sends r_{i+1} *after* it has seen y_i, so the unsafe outputs of different requests
add up.  Only the second reading bounds their union by θ.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filters.algorithm1 import Algorithm1, probability
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import risk


@dataclass(frozen=True)
class Repaired(Algorithm1):
    """Algorithm 1 with the requests inside the probability."""

    def holds(self, step: Step, z: Fraction) -> bool:
        """Inf over x ~ x′ of P_x(Y_i ∈ intersection over r of Ỹ_i(z)) >= 1 - θ."""
        return all(
            probability(step, pair, self.good(step, pair, z)) >= 1 - self.theta
            for pair in step.pairs
        )

    def good(self, step: Step, pair: Pair, z: Fraction) -> list[Output]:
        """G_i: the outputs that are safe for every request that may follow."""
        return [
            y
            for y in step.mechanism.law
            if all(self.safe(step, y, r, pair, z) for r in step.requests_after)
        ]

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: None, step: Step, pair: Pair) -> ExpLinear:
        """Return how likely ε is still exceeded, at most, less what is already lost, h(l).

        On a menu of which every request overshoots with probability δ̃ at most that is `bound`,
        otherwise 1; where nothing is on offer nothing more can be lost.
        """
        x, x_ = pair
        menu = step.menu.values()
        if not menu:
            return ExpLinear(0, 0, self.epsilon)
        safe = all(risk(m.law, pair, step.mass, self.epsilon) <= self.delta_tilde for m in menu)
        most = self.bound(step.index) if safe else Fraction(1)
        if exceeds(step.mass[x], step.mass[x_], self.epsilon):
            return ExpLinear(most - 1, step.mass[x_] / step.mass[x], self.epsilon)
        return ExpLinear(most, 0, self.epsilon)

    def bound(self, index: int) -> Fraction:
        """Return δ̃ + θ(1 - δ̃)(N - i): the most that rounds i to N can risk after a good output."""
        return self.delta_tilde + self.theta * (1 - self.delta_tilde) * (self.N - index)

    def invariant(self, state: None, step: Step) -> bool:
        """Whether no round comes after round N."""
        return step.index <= self.N


@dataclass(frozen=True)
class RepairedSharp(Repaired):
    """The repaired rule under the weakest constraint that its proof needs.

    A bad Y_i has probability at most θ and on a good one stopping costs at most δ̃, while Y_0 is
    fixed and cannot be bad.  So P(L^(T) > ε) <= 1 - (1-δ̃)(1-θ)^(N-1), and this is attained.
    """

    def check_parameters(self) -> None:
        """Require (1-δ̃)(1-θ)^(N-1) >= 1-δ, and θ < 1 so that round 0 is really tested."""
        if self.theta == 1:
            raise ParameterError("need theta < 1: at theta = 1 the test before round 1 is empty")
        kept = (1 - self.delta_tilde) * (1 - self.theta) ** (self.N - 1)
        if kept < 1 - self.delta:
            raise ParameterError(
                "need (1 - delta_tilde)*(1 - theta)**(N - 1) >= 1 - delta; got "
                f"{kept} < {1 - self.delta} ({self.delta_tilde=!s}, {self.theta=!s}, {self.N=})"
            )

    # --- for the prover and the search: no part of the rule ---

    def bound(self, index: int) -> Fraction:
        """Return 1 - (1-δ̃)(1-θ)^(N-i), which the sharp constraint keeps within δ."""
        return 1 - (1 - self.delta_tilde) * (1 - self.theta) ** (self.N - max(index, 1))

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer N = depth with the largest θ (on a grid of δ/1024) for three choices of δ̃."""
        for delta_tilde in (Fraction(0), delta, delta / 2):
            theta = largest_theta(delta, delta_tilde, depth)
            yield {"N": depth, "theta": theta, "delta_tilde": delta_tilde}


def largest_theta(delta: Fraction, delta_tilde: Fraction, N: int) -> Fraction:
    """Return the largest multiple of δ/1024 below 1 that the sharp constraint admits.

    >>> largest_theta(Fraction(1, 10), Fraction(0), 2)
    Fraction(1, 10)
    """
    low, high = 0, 1024  # theta = low * delta / 1024 is admitted
    while low < high:
        middle = (low + high + 1) // 2
        theta = middle * delta / 1024
        fits = theta < 1 and (1 - delta_tilde) * (1 - theta) ** (N - 1) >= 1 - delta
        low, high = (middle, high) if fits else (low, middle - 1)
    return low * delta / 1024
