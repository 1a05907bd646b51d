"""The loss of one round on two databases whose answers differ by one, for common mechanisms.

Each law is symmetric: exchanging the databases changes nothing.  These are floating-point
models to choose a filter by; no verdict rests on them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtri

from filterproof.curves import gaussian
from filterproof.exact import parse_rational

Array = NDArray[np.float64]
REACH = 12
"""How many standard deviations of discrete Gaussian noise are kept; 10⁻³² lies beyond."""


SMALLEST = Fraction(1, 10**100)
"""Parameters of mechanisms lie between this and its inverse, where doubles are at ease."""


class SpecError(ValueError):
    """A mechanism that is not known, or not with this parameter."""


class Loss(Protocol):
    """The privacy loss of one round."""

    @property
    def name(self) -> str:
        """Return the specification it was read from."""
        ...

    def profile(self, epsilon: Array) -> Array:
        """Return δ(ε) for each ε >= 0."""
        ...

    def renyi(self, order: Array) -> Array:
        """Return the Renyi divergence of each order > 1."""
        ...

    def quantile(self, tail: float) -> float:
        """Return the smallest v with P_x(L > v) <= tail."""
        ...

    def mu(self) -> float:
        """Return a μ for which the round is μ-Gaussian-DP."""
        ...

    def draw(self, rng: np.random.Generator, paths: int) -> Array:
        """Return losses drawn under P_x."""
        ...


@dataclass(frozen=True)
class GaussianLoss:
    """A count with noise N(0, σ²)."""

    name: str
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

    def mu(self) -> float:
        """Return 1/σ."""
        return 1 / self.sigma

    def draw(self, rng: np.random.Generator, paths: int) -> Array:
        """Draw from N(1/2σ², 1/σ²)."""
        return 1 / (2 * self.sigma**2) + rng.standard_normal(paths) / self.sigma


@dataclass(frozen=True)
class LaplaceLoss:
    """A count with Laplace noise of spread b; the loss lies between -1/b and 1/b."""

    name: str
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

    def mu(self) -> float:
        """Return that of randomised response with the same largest loss."""
        return float(2 * ndtri(1 / (1 + math.exp(-1 / self.spread))))

    def draw(self, rng: np.random.Generator, paths: int) -> Array:
        """Draw the noise, and from it the loss."""
        noise = rng.laplace(scale=self.spread, size=paths)
        return (np.abs(noise - 1) - np.abs(noise)) / self.spread


@dataclass(frozen=True, eq=False)
class ListedLoss:
    """A mechanism with a list of losses (falling) and their probabilities under P_x."""

    name: str
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

    def mu(self) -> float:
        """Return the largest μ over the corners of the trade-off curve."""
        power = np.cumsum(self.chances)[:-1]
        level = np.cumsum(self.chances * np.exp(-self.losses))[:-1]
        seen = (level > 1e-280) & (power < 1 - 1e-12)
        return float(np.max(ndtri(power[seen]) - ndtri(level[seen])))

    def draw(self, rng: np.random.Generator, paths: int) -> Array:
        """Draw from the list."""
        return rng.choice(self.losses, size=paths, p=self.chances)


def _binary(name: str, odds: float) -> ListedLoss:
    """Return the loss of a mechanism that says x with odds to 1, else x′."""
    size, truth = math.log(odds), odds / (1 + odds)
    return ListedLoss(name, np.array([size, -size]), np.array([truth, 1 - truth]))


def _discrete_gaussian(name: str, sigma: float) -> ListedLoss:
    reach = math.ceil(REACH * sigma)
    noise = np.arange(-reach, reach + 1)
    weights = np.exp(-(noise**2) / (2 * sigma**2))
    return ListedLoss(name, (1 - 2 * noise) / (2 * sigma**2), weights / np.sum(weights))


def _response(name: str, truth: Fraction) -> ListedLoss:
    if not Fraction(1, 2) < truth < 1:
        raise SpecError(f"need 1/2 < truth < 1 for randomised response; got {truth}")
    return _binary(name, float(truth / (1 - truth)))


KINDS: dict[str, tuple[str, Callable[[str, Any], Loss]]] = {
    "gaussian": ("sigma", lambda name, v: GaussianLoss(name, float(v))),
    "laplace": ("spread", lambda name, v: LaplaceLoss(name, float(v))),
    "discrete-gaussian": ("sigma", lambda name, v: _discrete_gaussian(name, float(v))),
    "geometric": ("rate", lambda name, v: _binary(name, math.exp(v))),
    "randomised-response": ("truth", _response),
}
"""What may stand before the colon of a specification, and what the number after it means."""


def parse_loss(text: str) -> Loss:
    """Read "kind:number", such as gaussian:2 or randomised-response:3/4.

    >>> parse_loss("geometric:1/2").name
    'geometric:1/2'
    >>> parse_loss("cauchy:1")
    Traceback (most recent call last):
    filterproof_properties.choose.losses.SpecError: no mechanism 'cauchy'; known: gaussian, ...
    """
    kind, _, value = text.partition(":")
    if kind not in KINDS:
        raise SpecError(f"no mechanism {kind!r}; known: {', '.join(KINDS)}")
    meaning, make = KINDS[kind]
    if not value:
        raise SpecError(f"write {kind}:NUMBER, where the number is its {meaning}")
    number = parse_rational(value)
    if not SMALLEST <= number <= 1 / SMALLEST:
        raise SpecError(f"need 1e-100 <= {meaning} <= 1e100 for {kind}; got {value:.60}")
    return make(text, number)
