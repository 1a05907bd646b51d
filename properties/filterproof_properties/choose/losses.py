"""The loss of one round between two databases: its profile, divergences, quantiles, and μ.

These are floating-point models to choose a filter by; no verdict rests on them.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, ndtri

from filterproof.curves import gaussian

Array = NDArray[np.float64]


class Loss(Protocol):
    """The privacy loss of one round."""

    def profile(self, epsilon: Array) -> Array:
        """Return δ(ε) for each ε >= 0."""
        ...

    def renyi(self, order: Array) -> Array:
        """Return the Renyi divergence of each order > 1."""
        ...

    def quantile(self, tail: float) -> float:
        """Return the smallest v with P_x(L > v) <= tail."""
        ...

    def risk(self, threshold: Array) -> Array:
        """Return P_x(L > v) for each v."""
        ...

    def mu(self) -> float:
        """Return a μ for which the round is μ-Gaussian-DP."""
        ...

    def grid(self) -> tuple[Array, Array]:
        """Return losses and their chances under P_x, close enough for a mean."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class GaussianLoss:
    """Answers one apart, with noise N(0, σ²)."""

    sigma: float

    def profile(self, epsilon: Array) -> Array:
        """Return δ(ε) in closed form."""
        found: Array = np.asarray(gaussian.profile(epsilon, 1 / self.sigma))
        return found

    def renyi(self, order: Array) -> Array:
        """Return α/2σ²."""
        return order / (2 * self.sigma**2)

    def quantile(self, tail: float) -> float:
        """Return the quantile of N(1/2σ², 1/σ²)."""
        return float(1 / (2 * self.sigma**2) - ndtri(tail) / self.sigma)

    def risk(self, threshold: Array) -> Array:
        """Return the upper tail of N(1/2σ², 1/σ²)."""
        found: Array = ndtr(1 / (2 * self.sigma) - threshold * self.sigma)
        return found

    def mu(self) -> float:
        """Return 1/σ."""
        return 1 / self.sigma

    def grid(self) -> tuple[Array, Array]:
        """Return a grid of a tenth of a standard deviation, far into the upper tail."""
        places = np.arange(-90, 141) / 10
        weights = np.exp(-(places**2) / 2)
        return 1 / (2 * self.sigma**2) + places / self.sigma, weights / np.sum(weights)


@dataclass(frozen=True)
class LaplaceLoss:
    """Answers one apart, with Laplace noise of spread b; the loss is at most 1/b."""

    spread: float

    def profile(self, epsilon: Array) -> Array:
        """Return max(0, 1 - e^((ε-1/b)/2))."""
        return np.maximum(0.0, -np.expm1((epsilon - 1 / self.spread) / 2))

    def renyi(self, order: Array) -> Array:
        """Return Mironov's closed form."""
        up = np.log(order / (2 * order - 1)) + (order - 1) / self.spread
        down = np.log((order - 1) / (2 * order - 1)) - order / self.spread
        return np.logaddexp(up, down) / (order - 1)

    def quantile(self, tail: float) -> float:
        """Return 1/b up to a tail of 1/2, from there on the part that is linear in the noise."""
        if tail < 0.5:
            return 1 / self.spread
        return max(-1 / self.spread, 1 / self.spread + 2 * math.log(2 * (1 - min(tail, 1 - 1e-15))))

    def risk(self, threshold: Array) -> Array:
        """Return 1 - e^((v-1/b)/2)/2 between the two ends."""
        inside = np.clip(threshold, -1 / self.spread, 1 / self.spread)
        between = 1 - np.exp((inside - 1 / self.spread) / 2) / 2
        above, below = threshold >= 1 / self.spread, threshold < -1 / self.spread
        found: Array = np.where(above, 0.0, np.where(below, 1.0, between))
        return found

    def mu(self) -> float:
        """Return that of randomised response with the same largest loss."""
        return float(2 * ndtri(1 / (1 + math.exp(-1 / self.spread))))

    def grid(self) -> tuple[Array, Array]:
        """Return the two ends, which have mass, and a grid of what lies between."""
        places = (np.arange(200) + 0.5) / 200
        between = np.exp(-places / self.spread)
        low = math.exp(-1 / self.spread) / 2
        between *= (0.5 - low) / np.sum(between)
        losses = np.concatenate(([1.0], 1 - 2 * places, [-1.0])) / self.spread
        return losses, np.concatenate(([0.5], between, [low]))


@dataclass(frozen=True, eq=False)
class ListedLoss:
    """A list of losses (falling, perhaps from infinity) and their probabilities under P_x."""

    losses: Array
    chances: Array

    def profile(self, epsilon: Array) -> Array:
        """Return the sum of p - e^ε·q over the losses above ε."""
        above = np.searchsorted(-self.losses, -np.asarray(epsilon), side="left")
        p = np.concatenate(([0.0], np.cumsum(self.chances)))
        q = np.concatenate(([0.0], np.cumsum(self.chances * np.exp(-self.losses))))
        found: Array = np.maximum(0.0, p[above] - np.exp(epsilon) * q[above])
        return found

    def renyi(self, order: Array) -> Array:
        """Return log Σ p·e^((α-1)L) / (α-1)."""
        exponents = (order[..., None] - 1) * self.losses
        found: Array = logsumexp(exponents, b=self.chances, axis=-1) / (order - 1)
        return found

    def quantile(self, tail: float) -> float:
        """Return the first loss whose inclusion exceeds the tail."""
        place = int(np.searchsorted(np.cumsum(self.chances), tail, side="right"))
        return float(self.losses[min(place, len(self.losses) - 1)])

    def risk(self, threshold: Array) -> Array:
        """Return the sum of p over the losses above v."""
        above = np.searchsorted(-self.losses, -np.asarray(threshold), side="left")
        found: Array = np.concatenate(([0.0], np.cumsum(self.chances)))[above]
        return found

    def mu(self) -> float:
        """Return the largest μ over the corners of the trade-off curve; infinite as a loss is."""
        if not np.isfinite(self.losses[0]):
            return math.inf
        power = np.cumsum(self.chances)[:-1]
        level = np.cumsum(self.chances * np.exp(-self.losses))[:-1]
        seen = (level > 1e-280) & (power < 1 - 1e-12)
        return float(np.max(ndtri(power[seen]) - ndtri(level[seen])))

    def grid(self) -> tuple[Array, Array]:
        """Return the losses themselves."""
        return self.losses, self.chances
