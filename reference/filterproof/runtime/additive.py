"""Mechanisms that add noise to a query's answer, on listed or on unlisted databases."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from filterproof.runtime.domain import Database
from filterproof.runtime.mechanism import MechanismError, itself
from filterproof.runtime.noise import Noise, Number, gap, number
from filterproof.runtime.rounding import (
    Exact,
    Interval,
    down,
    exp_down,
    float_interval,
    one_minus_exp_up,
    product_up,
    up,
)

FAR = 100
"""How many scales from every declared answer an output is a sign of a wrong declaration."""


@dataclass(frozen=True)
class Additive:
    """The answer to a query plus noise.  The query is applied to *declared* databases only.

    >>> from filterproof.runtime.noise import Laplace
    >>> Additive(Laplace(2)).loss(3, 4, 10)
    (-0.5, -0.5)
    """

    noise: Noise
    query: Callable[[Any], Any] = itself

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return an upper bound of δ(epsilon), at the distance of the two answers."""
        distance = gap(self._answer(x), self._answer(x_))
        return self.noise.profile(distance, epsilon) if distance else 0.0

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the doubles around the exact loss."""
        seen = number(output, "the output")
        return float_interval(self.noise.loss(self._answer(x), self._answer(x_), seen))

    def plausible(self, x: Database, output: Any) -> bool:
        """Return whether the output is within `FAR` scales of the answer on x."""
        away = gap(number(output, "the output"), self._answer(x))
        return away <= FAR * (1 + self.noise.scale)

    def _answer(self, x: Database) -> Exact:
        answer = self.query(x)
        if type(answer) is int:
            return answer
        return number(answer, f"the query's answer on {x!r}")


@dataclass(frozen=True)
class Bounded:
    """The same for a domain too large to list: only the query's sensitivity is known.

    The loss of an output then differs between pairs, so it is enclosed by what it can be at most.
    """

    noise: Noise
    sensitivity: Exact

    def __init__(self, noise: Noise, sensitivity: Number) -> None:
        found = number(sensitivity, "the sensitivity")
        if found <= 0:
            raise MechanismError(f"need sensitivity > 0; got {sensitivity!r}")
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "sensitivity", found)

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return an upper bound of δ(epsilon) over all pairs within the sensitivity."""
        return self.noise.profile(self.sensitivity, epsilon)

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the widest interval that any pair's loss may fill."""
        number(output, "the output")
        largest = self.noise.largest_loss(self.sensitivity)
        return (-inf, inf) if largest is None else _symmetric(largest)

    def plausible(self, x: Database, output: Any) -> bool:
        """Return True: with no list of databases nothing can be ruled out."""
        return True


@dataclass(frozen=True)
class Pure:
    """Any mechanism of which only (epsilon, 0)-DP is known; its outputs may be anything."""

    epsilon: Exact

    def __init__(self, epsilon: Number) -> None:
        found = number(epsilon, "epsilon")
        if found < 0:
            raise MechanismError(f"need epsilon >= 0; got {epsilon!r}")
        object.__setattr__(self, "epsilon", found)

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return (e^a - e^ε)/(e^a + 1) at a = `epsilon`: randomised response is the worst."""
        _, largest = float_interval(self.epsilon)
        if epsilon >= self.epsilon:
            return 0.0
        share = one_minus_exp_up(min(0.0, down(epsilon - largest)))
        return product_up(share, up(1 / down(1 + exp_down(-largest))))

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the interval from -epsilon to epsilon."""
        return _symmetric(self.epsilon)

    def plausible(self, x: Database, output: Any) -> bool:
        """Return True: nothing is known about outputs."""
        return True


def _symmetric(largest: Exact) -> Interval:
    high = float_interval(largest)[1]
    return -high, high
