"""Mechanisms that add noise to a query's answer, on listed or on unlisted databases."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from filterproof.directed_columns import (
    Column,
    scale,
)
from filterproof.directed_rounding import (
    Exact,
    Interval,
    double_interval,
    double_up,
)
from filterproof.runtime.domain import Database, Domain
from filterproof.runtime.exact_account import Loss, Which, bound
from filterproof.runtime.mechanism import Cost, MechanismError, itself, number
from filterproof.runtime.noise import Noise, Number, pure_mu, pure_profile, pure_renyi
from filterproof.runtime.per_pair import Columns, NoiseColumns

FAR = 100
"""How many scales from every declared answer an output is a sign of a wrong declaration."""

QUICK = 2**24
"""Whole answers and outputs up to this size have losses that doubles hold without rounding."""


@dataclass(frozen=True)
class AddedNoise:
    """The answer to a query plus noise.  The query is applied to *declared* databases only.

    >>> from filterproof.runtime.noise import Laplace
    >>> AddedNoise(Laplace(2)).loss(3, 4, 10)
    (-0.5, -0.5)
    """

    noise: Noise
    query: Callable[[Any], Any] = itself

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return an upper bound of δ(epsilon), at the distance of the two answers."""
        distance = self._distance(x, x_)
        return self.noise.profile(distance, epsilon) if distance else 0.0

    def mu(self, x: Database, x_: Database) -> Cost:
        """Return the noise's μ at the distance of the two answers."""
        distance = self._distance(x, x_)
        return self.noise.mu(distance) if distance else Cost(0.0)

    def renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return the noise's Rényi divergence at the distance of the two answers."""
        distance = self._distance(x, x_)
        return self.noise.renyi(distance, order) if distance else Cost(0.0)

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the doubles around the exact loss."""
        seen = number(output, "the output")
        steps = self.noise.steps(self._answer(x), self._answer(x_), seen)
        return double_interval(steps * self.noise.unit)

    def largest(self, x: Database, x_: Database) -> Loss | None:
        """Return what the loss cannot exceed, exactly; None if nothing."""
        return bound(self.noise.largest_loss(self._distance(x, x_)))

    def exact_loss(self, x: Database, x_: Database, output: Any) -> Loss | None:
        """Return the loss itself, of noise whose loss has a largest value."""
        if self.noise.largest_loss(1) is None:
            return None
        seen = number(output, "the output")
        return self._in_units(self.noise.steps(self._answer(x), self._answer(x_), seen))

    def plausible(self, x: Database, output: Any) -> bool:
        """Return whether the output is within `FAR` scales of the answer on x."""
        away = Fraction(number(output, "the output")) - self._answer(x)
        return abs(away) <= self._reach

    def columns(self, domain: Domain) -> Columns | None:
        """Return the whole domain at once, where all answers are whole numbers of a usual size."""
        answers = [self.query(x) for x in domain.databases]
        if {*map(type, answers)} != {int} or not -QUICK <= min(answers) <= max(answers) <= QUICK:
            return None
        found = np.array(answers)
        answer, other = (found[places] for places in domain.places)

        def steps(output: Any) -> np.ndarray[Any, Any] | None:
            seen = number(output, "the output")
            if seen.denominator != 1 or not -QUICK <= seen <= QUICK:
                return None
            return np.asarray(self.noise.steps(answer, other, int(seen)))

        def losses(output: Any) -> tuple[Column, Column]:
            if (whole := steps(output)) is not None:
                return scale(whole.astype(np.float64), self.noise.unit)
            low, high = np.array([self.loss(*pair, output) for pair in domain.pairs]).T
            return low, high

        def exact_losses(output: Any) -> tuple[Which, list[Loss | None]]:
            if self.noise.largest_loss(1) is None:
                return np.zeros(len(answer), dtype=np.int64), [None]
            if (whole := steps(output)) is not None:
                found, which = np.unique(whole, return_inverse=True)
                return which, [*map(self._in_units, found.tolist())]
            exact = [self.exact_loss(*pair, output) for pair in domain.pairs]
            return np.arange(len(exact)), exact

        def plausible(output: Any) -> bool:
            seen, _ = double_interval(number(output, "the output"))
            return bool(abs(found - seen).min() <= self._reach)

        return NoiseColumns(self.noise, abs(answer - other), losses, exact_losses, plausible)

    def __str__(self) -> str:
        return f"AddedNoise({self.noise})"

    def weaker(self, times: int) -> "AddedNoise":
        """Return the same query with noise that is `times` as wide."""
        return AddedNoise(self.noise.wider(times), self.query)

    def _in_units(self, steps: Exact) -> Loss:
        return Loss(Fraction(steps * self.noise.unit))

    @property
    def _reach(self) -> float:
        return FAR * (1 + self.noise.scale)

    def _distance(self, x: Database, x_: Database) -> Exact:
        one, other = self._answer(x), self._answer(x_)
        return one - other if one >= other else other - one

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

    def mu(self, x: Database, x_: Database) -> Cost:
        """Return the noise's μ at the sensitivity."""
        return self.noise.mu(self.sensitivity)

    def renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return the noise's Rényi divergence at the sensitivity."""
        return self.noise.renyi(self.sensitivity, order)

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the widest interval that any pair's loss may fill."""
        number(output, "the output")
        largest = self.noise.largest_loss(self.sensitivity)
        return (-inf, inf) if largest is None else _symmetric(largest)

    def largest(self, x: Database, x_: Database) -> Loss | None:
        """Return the noise's largest loss at the sensitivity, exactly; None if it has none."""
        return bound(self.noise.largest_loss(self.sensitivity))

    def exact_loss(self, x: Database, x_: Database, output: Any) -> Loss | None:
        """Return the same, whatever the output."""
        return self.largest(x, x_)

    def plausible(self, x: Database, output: Any) -> bool:
        """Return True: with no list of databases nothing can be ruled out."""
        return True

    def __str__(self) -> str:
        return f"Bounded({self.noise}, {self.sensitivity})"

    def weaker(self, times: int) -> "Bounded":
        """Return the same with noise that is `times` as wide."""
        return Bounded(self.noise.wider(times), self.sensitivity)


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
        return pure_profile(self.epsilon, epsilon)

    def mu(self, x: Database, x_: Database) -> Cost:
        """Return μ of randomised response."""
        return pure_mu(self.epsilon) if self.epsilon else Cost(0.0)

    def renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return the Rényi divergence of randomised response."""
        return pure_renyi(self.epsilon, order)

    def loss(self, x: Database, x_: Database, output: Any) -> Interval:
        """Return the interval from -epsilon to epsilon."""
        return _symmetric(self.epsilon)

    def largest(self, x: Database, x_: Database) -> Loss:
        """Return epsilon, exactly."""
        return Loss(Fraction(self.epsilon), sharp=False)

    def exact_loss(self, x: Database, x_: Database, output: Any) -> Loss:
        """Return the same, whatever the output."""
        return self.largest(x, x_)

    def plausible(self, x: Database, output: Any) -> bool:
        """Return True: nothing is known about outputs."""
        return True

    def __str__(self) -> str:
        return f"Pure({self.epsilon})"

    def weaker(self, times: int) -> "Pure":
        """Return what is known if epsilon is `times` smaller."""
        return Pure(Fraction(self.epsilon, times))


def _symmetric(largest: Exact) -> Interval:
    high = double_up(largest)
    return -high, high
