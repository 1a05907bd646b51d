"""Common mechanisms on a domain: the loss of each pair, and what an answer says about all of them.

Noise is added to the number of the database; responses name one of the databases.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.special import logsumexp

from filterproof.exact import parse_rational
from filterproof_properties.choose.domains import Guarded, SpecError
from filterproof_properties.choose.losses import (
    Array,
    GaussianLoss,
    LaplaceLoss,
    ListedLoss,
    Loss,
)

REACH = 12
"""How many standard deviations of discrete Gaussian noise are kept; 10⁻³² lies beyond."""

Rng = np.random.Generator


class Question(Protocol):
    """A mechanism on the databases 0, 1, ..., size - 1 of a domain."""

    def loss(self, x: int, x_: int) -> Loss:
        """Return the loss of the ordered pair; equal losses are one object."""
        ...

    def answers(self, rng: Rng, x: int, paths: int) -> Array:
        """Draw under P_x; return log P_j(y) for every path and database j, up to a constant."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Noisy:
    """The number of the database plus noise."""

    size: int
    apart: Callable[[int], Loss]
    draw: Callable[[Rng, int], Array]
    log_density: Callable[[Array], Array]

    def loss(self, x: int, x_: int) -> Loss:
        """Return the loss at their distance: the noise is symmetric."""
        return self.apart(abs(x - x_))

    def answers(self, rng: Rng, x: int, paths: int) -> Array:
        """Return the log-density of the noise that each database would have needed."""
        away = x + self.draw(rng, paths)[:, None] - np.arange(self.size)
        return self.log_density(away)


@dataclass(frozen=True)
class Said:
    """A mechanism whose pairs all have the same loss, and whose answers are drawn as given."""

    same: Loss
    draw: Callable[[Rng, int, int], Array]

    def loss(self, x: int, x_: int) -> Loss:
        """Return the loss of any pair."""
        return self.same

    def answers(self, rng: Rng, x: int, paths: int) -> Array:
        """Draw the log-likelihoods."""
        return self.draw(rng, x, paths)


@dataclass(frozen=True, eq=False)
class Listed:
    """A mechanism given by its law: chances[y][x] = P_x(y), none of them 0."""

    chances: Array

    @classmethod
    def of(cls, law: Mapping[str, Mapping[str, Fraction]]) -> "Listed":
        """Return the mechanism of an exact law."""
        return cls(np.array([[float(p) for p in row.values()] for row in law.values()]))

    def loss(self, x: int, x_: int) -> Loss:
        """Return the pair's losses in falling order, with their chances under P_x."""
        return _by_falling_loss(
            np.log(self.chances[:, x] / self.chances[:, x_]), self.chances[:, x]
        )

    def answers(self, rng: Rng, x: int, paths: int) -> Array:
        """Draw outputs, and look their rows up."""
        drawn = rng.choice(len(self.chances), size=paths, p=self.chances[:, x])
        found: Array = np.log(self.chances)[drawn]
        return found


def _by_falling_loss(losses: Array, chances: Array) -> ListedLoss:
    falling = np.argsort(-losses, kind="stable")
    return ListedLoss(losses[falling], chances[falling] / np.sum(chances))


# --- noise ----------------------------------------------------------------------------------


def gaussian(sigma: Fraction, size: int) -> Question:
    """Return noise N(0, σ²); at distance d it is that of σ/d."""
    s = float(sigma)
    return Noisy(
        size,
        lru_cache(lambda distance: GaussianLoss(s / distance)),
        lambda rng, paths: s * rng.standard_normal(paths),
        lambda away: -(away**2) / (2 * s * s),
    )


def laplace(spread: Fraction, size: int) -> Question:
    """Return Laplace noise of spread b; at distance d it is that of b/d."""
    b = float(spread)
    return Noisy(
        size,
        lru_cache(lambda distance: LaplaceLoss(b / distance)),
        lambda rng, paths: rng.laplace(scale=b, size=paths),
        lambda away: -np.abs(away) / b,
    )


def discrete_gaussian(sigma: Fraction, size: int) -> Question:
    """Return whole-number noise with P(k) proportional to e^(-k²/2σ²)."""
    s = float(sigma)
    return _whole(lambda away: -(away**2) / (2 * s * s), math.ceil(REACH * s), size)


def geometric(rate: Fraction, size: int) -> Question:
    """Return whole-number noise with P(k) proportional to e^(-rate·|k|)."""
    r = float(rate)
    return _whole(lambda away: -r * np.abs(away), math.ceil(75 / r), size)


def _whole(log_density: Callable[[Array], Array], reach: int, size: int) -> Question:
    noise = np.arange(-reach, reach + 1).astype(np.float64)
    weights = log_density(noise)
    chances = np.exp(weights - logsumexp(weights))

    def apart(distance: int) -> Loss:
        return _by_falling_loss(log_density(noise) - log_density(noise - distance), chances)

    def draw(rng: Rng, paths: int) -> Array:
        return rng.choice(noise, size=paths, p=chances)

    return Noisy(size, lru_cache(apart), draw, log_density)


# --- responses ------------------------------------------------------------------------------


def response(truth: Fraction, size: int) -> Question:
    """Return k-ary randomised response: the database with probability `truth`, else another."""
    if not Fraction(1, size) < truth < 1:
        raise SpecError(f"need 1/{size} < truth < 1 for randomised response; got {truth}")
    p, lie = float(truth), float((1 - truth) / (size - 1))
    gain = math.log(p / lie)
    loss = _by_falling_loss(np.array([gain, 0.0, -gain]), np.array([p, (size - 2) * lie, lie]))

    def draw(rng: Rng, x: int, paths: int) -> Array:
        other = (x + rng.integers(1, size, paths)) % size
        said = np.where(rng.random(paths) < p, x, other)
        told: Array = gain * (said[:, None] == np.arange(size))
        return told

    return Said(loss, draw)


def unary(truth: Fraction, size: int) -> Question:
    """Return symmetric unary encoding: one bit per database, each told with this probability."""
    if not Fraction(1, 2) < truth < 1:
        raise SpecError(f"need 1/2 < truth < 1 for unary encoding; got {truth}")
    p = float(truth)
    gain = 2 * math.log(p / (1 - p))
    chances = np.array([p * p, 2 * p * (1 - p), (1 - p) ** 2])

    def draw(rng: Rng, x: int, paths: int) -> Array:
        kept = rng.random((paths, size)) < p
        told: Array = gain * (kept == (np.arange(size) == x))
        return told

    return Said(ListedLoss(np.array([gain, 0.0, -gain]), chances), draw)


def erasure(told: Fraction, size: int) -> Question:
    """Return the database with probability `told`, else nothing."""
    if not told < 1:
        raise SpecError(f"need 0 < told < 1 for erasure; got {told}")
    d = float(told)

    def draw(rng: Rng, x: int, paths: int) -> Array:
        others = np.where(np.arange(size) == x, 0.0, -np.inf)
        return np.where(rng.random(paths)[:, None] < d, others, 0.0)

    return Said(ListedLoss(np.array([np.inf, 0.0]), np.array([d, 1 - d])), draw)


SMALLEST = Fraction(1, 10**100)
"""Parameters of mechanisms lie between this and its inverse, where doubles are at ease."""

KINDS: dict[str, tuple[str, Callable[[Fraction, int], Question]]] = {
    "gaussian": ("sigma", gaussian),
    "laplace": ("spread", laplace),
    "discrete-gaussian": ("sigma", discrete_gaussian),
    "geometric": ("rate", geometric),
    "randomised-response": ("truth", response),
    "unary": ("truth", unary),
    "erasure": ("told", erasure),
}
"""What may stand before the colon of a specification, and what the number after it means."""


@dataclass(frozen=True)
class Spec:
    """A mechanism as it was asked for."""

    kind: str
    number: Fraction

    def on(self, domain: Guarded) -> Question:
        """Return the mechanism on the databases of the domain."""
        return KINDS[self.kind][1](self.number, domain.size)


def parse_mechanism(text: str) -> Spec:
    """Read "kind:number", such as gaussian:2 or randomised-response:3/4.

    >>> str(parse_mechanism("geometric:1/2").number)
    '1/2'
    >>> parse_mechanism("cauchy:1")
    Traceback (most recent call last):
    filterproof_properties.choose.domains.SpecError: no mechanism 'cauchy'; known: gaussian, ...
    """
    kind, _, value = text.partition(":")
    if kind not in KINDS:
        raise SpecError(f"no mechanism {kind!r}; known: {', '.join(KINDS)}")
    meaning = KINDS[kind][0]
    if not value:
        raise SpecError(f"write {kind}:NUMBER, where the number is its {meaning}")
    number = parse_rational(value)
    if not SMALLEST <= number <= 1 / SMALLEST:
        raise SpecError(f"need 1e-100 <= {meaning} <= 1e100 for {kind}; got {value:.60}")
    return Spec(kind, number)
