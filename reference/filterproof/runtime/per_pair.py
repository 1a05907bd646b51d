"""A mechanism on all declared pairs at once: a column per quantity, an entry per ordered pair.

`PairByPair` asks any mechanism one pair after the other, and checks what it hears.  Noise on
whole answers goes the quick way, `NoiseColumns`: it is the same arithmetic on arrays.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from filterproof.directed_columns import (
    Column,
)
from filterproof.directed_rounding import (
    Exact,
    Interval,
)
from filterproof.exact import Epsilon, ExpLinear
from filterproof.runtime.domain import Domain
from filterproof.runtime.exact_account import ExactRound, Loss, Places, Which, bound
from filterproof.runtime.mechanism import (
    NO_COST,
    Accountable,
    Cost,
    MechanismError,
    outward,
)

Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Columns(ExactRound, Protocol):
    """What the account asks; `at` names the places of the pairs that are asked for."""

    def mu(self) -> tuple[Column, Column]:
        """Return μ and slack for every pair."""
        ...

    def renyi(self, order: float) -> tuple[Column, Column]:
        """Return the Rényi divergence and slack for every pair."""
        ...

    def profile(self, at: Places, epsilon: Column, backward: Mask) -> Column:
        """Return δ(epsilon) from x to x′, or from x′ to x where `backward` says so."""
        ...

    def loss(self, output: Any) -> tuple[Column, Column, Mask]:
        """Return the ends of every pair's loss, and where P_x(output) > 0."""
        ...

    def plausible(self, output: Any) -> bool:
        """Return whether some declared database explains the output."""
        ...

    def exact_losses(self, output: Any) -> tuple[Which, list[Loss | None]]:
        """Return which of the losses in a list is each pair's; None if unknown."""
        ...


class PairByPair:
    """Any mechanism, asked for one pair at a time."""

    def __init__(self, mechanism: Any, domain: Domain, exact: bool = False) -> None:
        self.mechanism, self.domain = mechanism, domain
        self._exact = exact  # whether it is one of ours, which say what their losses are exactly

    def mu(self) -> tuple[Column, Column]:
        """Return what the mechanism says, or that it cannot say."""
        return self._costs(lambda one, pair: one.mu(*pair))

    def renyi(self, order: float) -> tuple[Column, Column]:
        """Return what the mechanism says, or that it cannot say."""
        return self._costs(lambda one, pair: one.renyi(*pair, order))

    def _costs(self, ask: Callable[[Any, Any], Cost]) -> tuple[Column, Column]:
        if not (self._exact or isinstance(self.mechanism, Accountable)):
            costs = [NO_COST] * len(self.domain.pairs)
        else:
            costs = [Cost(*ask(self.mechanism, pair)) for pair in self.domain.pairs]
        found = np.array([[upper_double(part, "a cost") for part in cost] for cost in costs])
        return found[:, 0], found[:, 1]

    def profile(self, at: Places, epsilon: Column, backward: Mask) -> Column:
        """Ask for each pair, in its direction."""
        rows = zip(at.tolist(), epsilon.tolist(), backward.tolist(), strict=True)
        return np.array([self._profile(*row) for row in rows])

    def _profile(self, place: int, epsilon: float, backward: bool) -> float:
        x, x_ = self.domain.pairs[place]
        pair = (x_, x) if backward else (x, x_)
        return upper_double(self.mechanism.profile(*pair, epsilon), "a profile")

    def loss(self, output: Any) -> tuple[Column, Column, Mask]:
        """Ask for each pair; None becomes a pair that is no longer possible."""
        found = [self.mechanism.loss(*pair, output) for pair in self.domain.pairs]
        ends = np.array([(0.0, 0.0) if one is None else interval(one) for one in found])
        return ends[:, 0], ends[:, 1], np.array([one is not None for one in found])

    def plausible(self, output: Any) -> bool:
        """Ask for each database, until one explains the output."""
        return any(self.mechanism.plausible(x, output) for x in self.domain.databases)

    @property
    def kinds(self) -> Which:
        """Return the places themselves: every pair may be treated differently."""
        return np.arange(len(self.domain.pairs))

    def largest(self, place: int) -> Loss | None:
        """Ask for the pair at the place."""
        found: Loss | None = None
        if self._exact:
            found = self.mechanism.largest(*self.domain.pairs[place])
        return found

    def exact_charge(self, place: int, loss: Loss, epsilon: Epsilon) -> ExpLinear | None:
        """Ask for the pair at the place, if the mechanism is one that knows."""
        ask = getattr(self.mechanism, "exact_charge", None) if self._exact else None
        found: ExpLinear | None = ask(*self.domain.pairs[place], loss, epsilon) if ask else None
        return found

    def exact_losses(self, output: Any) -> tuple[Which, list[Loss | None]]:
        """Ask for each pair."""
        if not self._exact:
            return np.zeros_like(self.kinds), [None]
        return self.kinds, [self.mechanism.exact_loss(*p, output) for p in self.domain.pairs]


def upper_double(value: Any, what: str) -> float:
    """Return an upper bound from outside as a double, at least 0."""
    found = outward(value, what)[1]
    if not found >= 0:
        raise MechanismError(f"{what} must be a number >= 0; got {value!r}")
    return found


def interval(value: Any) -> Interval:
    """Return an interval from outside as doubles, rounded outwards."""
    try:
        low, high = value
    except (TypeError, ValueError):
        raise MechanismError(f"a loss must be an interval or None; got {value!r}") from None
    ends = outward(low, "a loss")[0], outward(high, "a loss")[1]
    if not ends[0] <= ends[1]:
        raise MechanismError(f"a loss must be an interval low <= high; got {value!r}")
    return ends


class NoiseColumns:
    """Noise on the answers of a query, or on answers of which only the distance is known.

    `distances` are the different distances of two answers, `which` says which one is a pair's.
    """

    def __init__(
        self,
        noise: Any,
        distance: np.ndarray[Any, Any],
        losses: Callable[[Any], tuple[Column, Column]],
        exact_losses: Callable[[Any], tuple[Which, list[Loss | None]]],
        plausible: Callable[[Any], bool],
    ) -> None:
        found, self.which = np.unique(distance, return_inverse=True)
        self.distances: list[Exact] = found.tolist()
        self.noise, self.losses, self.plausible_ = noise, losses, plausible
        self.exact_losses = exact_losses

    def mu(self) -> tuple[Column, Column]:
        """Return μ at each distance."""
        return self._costs(lambda distance: self.noise.mu(distance))

    def renyi(self, order: float) -> tuple[Column, Column]:
        """Return the divergence at each distance."""
        return self._costs(lambda distance: self.noise.renyi(distance, order))

    def _costs(self, ask: Callable[[Exact], Cost]) -> tuple[Column, Column]:
        costs = np.array([ask(one) if one else Cost(0.0) for one in self.distances])
        return costs[self.which, 0], costs[self.which, 1]

    def profile(self, at: Places, epsilon: Column, backward: Mask) -> Column:
        """Return the noise's profile, which is the same in both directions."""
        found, which = np.zeros(len(at)), self.which[at]
        for i, distance in enumerate(self.distances):
            here = which == i
            if distance and here.any():
                found[here] = self.noise.profile(distance, epsilon[here])
        return found

    def loss(self, output: Any) -> tuple[Column, Column, Mask]:
        """Return the losses; with noise on all numbers no output is impossible."""
        low, high = self.losses(output)
        return low, high, np.ones(len(self.which), dtype=bool)

    def plausible(self, output: Any) -> bool:
        """Return whether some declared database explains the output."""
        return self.plausible_(output)

    @property
    def kinds(self) -> Which:
        """Return the number of each pair's distance."""
        return self.which

    def largest(self, place: int) -> Loss | None:
        """Return the noise's largest loss at the distance of the pair."""
        return bound(self.noise.largest_loss(self.distances[self.which[place]]))

    def exact_charge(self, place: int, loss: Loss, epsilon: Epsilon) -> None:
        """Return None: what noise costs is no number that is computed with exactly."""
