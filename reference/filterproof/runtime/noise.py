"""Noise on the real line to add to a number: Gaussian and Laplace.

No program draws such noise: a floating-point sampler has gaps that give data away, and the filter
cannot see them.  Where that matters use the laws of `integer_noise`, whose `sample` draws exactly
from the stated law.

Every loss is a whole number or a rational times a rational `unit` (answers, outputs and
parameters are rational), so nothing is rounded until the last step.  Profiles are rounded
upwards, term by term, for one ε or a column of them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from filterproof.directed_columns import (
    ROOT_2_PI_DOWN,
    Doubles,
    down,
    exp_down,
    normal_down,
    normal_up,
    one_minus_exp_up,
    product_down,
    quantile_up,
    same,
    up,
)
from filterproof.directed_rounding import (
    Exact,
    ball,
    ball_ends,
    double_down,
    double_up,
)
from filterproof.runtime.mechanism import NO_COST, Cost, MechanismError, PerKey, number

Number = int | float | Fraction
WIDEST = Fraction(2**500)
"""Parameters and their squares must be doubles: these are, with room for a product."""
KEPT = 1024
"""So many costs of pure mechanisms are kept: most requests are like earlier ones."""


class Noise(Protocol):
    """A law of noise, symmetric about 0."""

    @property
    def scale(self) -> float:
        """Return the typical size of the noise, to tell an output that cannot be right."""
        ...

    @property
    def unit(self) -> Exact:
        """Return what one step of `steps` is worth."""
        ...

    def steps(self, answer: Any, other: Any, output: Any) -> Any:
        """Return log p(output - answer)/p(output - other) in units; columns are taken too."""
        ...

    def profile(self, distance: Exact, epsilon: Doubles) -> Doubles:
        """Return an upper bound of δ(epsilon) for two answers at a distance > 0."""
        ...

    def largest_loss(self, distance: Exact) -> Exact | None:
        """Return what |loss| cannot exceed for answers at a distance; None if nothing."""
        ...

    def mu(self, distance: Exact) -> Cost:
        """Return μ of Gaussian DP for two answers at a distance > 0."""
        ...

    def renyi(self, distance: Exact, order: float) -> Cost:
        """Return the Rényi divergence of that order for two answers at a distance > 0."""
        ...

    def wider(self, times: int) -> "Noise":
        """Return the same law, `times` as wide."""
        ...


def positive(value: Any, what: str) -> Fraction:
    """Return a parameter as a rational above 0, or say what is wrong with it."""
    found = number(value, what)
    if found <= 0:
        raise MechanismError(f"need {what} > 0; got {value!r}")
    if not 1 / WIDEST <= found <= WIDEST:
        raise MechanismError(f"need {what} between 2^-500 and 2^500; it has another size")
    return Fraction(found)


# --- what is known of any pure mechanism ----------------------------------------------------


def pure_profile(largest: Exact, epsilon: Doubles) -> Doubles:
    """Return (e^a - e^ε)/(e^a + 1) at a = `largest`: randomised response is the worst."""
    above = double_up(largest)
    share: Any = one_minus_exp_up(np.minimum(0.0, down(epsilon - above)))
    found = np.where(epsilon >= above, 0.0, up(share * up(1 / down(1 + exp_down(-above)))))
    return same(epsilon, found)


@lru_cache(maxsize=KEPT)
def pure_mu(largest: Exact) -> Cost:
    """Return μ of randomised response: 2Φ⁻¹(e^a/(1+e^a)); its trade-off curve has one vertex."""
    low, _ = ball_ends(lambda: 1 / (1 + ball(largest).exp()))
    tail = double_down(low)
    return Cost(2 * quantile_up(tail)) if tail > 0 else NO_COST


@lru_cache(maxsize=KEPT)
def pure_renyi(largest: Exact, order: float) -> Cost:
    """Return the divergence of randomised response, log((e^(αa) + e^((1-α)a))/(e^a + 1))/(α-1)."""

    def divergence() -> Any:
        a, alpha = ball(largest), ball(order)
        total = ((alpha * a).exp() + ((1 - alpha) * a).exp()) / (a.exp() + 1)
        return total.log() / (alpha - 1)

    return Cost(double_up(max(Fraction(0), ball_ends(divergence)[1])))


# --- noise on the real line -----------------------------------------------------------------


def gaussian_profile(mu: float, epsilon: Doubles) -> Doubles:
    """Return Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ), the profile of N(0, 1) against N(μ, 1).

    Upwards: the first term; downwards: the second.  δ increases with μ.  For ε >= 0 it is at most
    μ/√(2π), its slope at ε = 0 and μ = 0 times μ, where the difference would lose all its digits.
    """
    first: Any = normal_up(up(mu / 2 - down(epsilon / mu)))
    second: Any = normal_down(down(-mu / 2 - up(epsilon / mu)))
    found = up(first - product_down(exp_down(epsilon), second))
    found = np.minimum(1.0, np.maximum(0.0, found))
    slope = up(mu / ROOT_2_PI_DOWN)
    return same(epsilon, np.where(epsilon >= 0, np.minimum(found, slope), found))


@dataclass(frozen=True)
class Gaussian:
    """Noise N(0, sigma²) on the real line.

    >>> 0.1269 < Gaussian(1).profile(Fraction(1), 1.0) < 0.1270
    True
    """

    sigma: Fraction

    def __init__(self, sigma: Number) -> None:
        object.__setattr__(self, "sigma", positive(sigma, "sigma"))

    @cached_property
    def scale(self) -> float:
        """Return sigma."""
        return float(self.sigma)

    @cached_property
    def unit(self) -> Fraction:
        """Return 1/2sigma²."""
        return 1 / (2 * self.sigma**2)

    def steps(self, answer: Any, other: Any, output: Any) -> Any:
        """Return (y-other)² - (y-answer)²."""
        return (answer - other) * (2 * output - answer - other)

    @cached_property
    def _mus(self) -> PerKey:
        return PerKey(lambda distance: double_up(distance / self.sigma))

    def profile(self, distance: Exact, epsilon: Doubles) -> Doubles:
        """Return `gaussian_profile` at μ = distance/sigma, rounded upwards."""
        return gaussian_profile(self._mus[distance], epsilon)

    def largest_loss(self, distance: Exact) -> None:
        """Return None: a Gaussian loss has no bound."""

    def mu(self, distance: Exact) -> Cost:
        """Return distance/sigma, by definition."""
        return Cost(self._mus[distance])

    def renyi(self, distance: Exact, order: float) -> Cost:
        """Return α·distance²/2sigma²."""
        return Cost(double_up(Fraction(order) * distance**2 * self.unit))

    def __str__(self) -> str:
        return f"Gaussian({self.sigma})"

    def wider(self, times: int) -> "Gaussian":
        """Return the Gaussian with `times` sigma."""
        return Gaussian(self.sigma * times)


@dataclass(frozen=True)
class Laplace:
    """Noise on the real line with density e^(-|z|/b)/2b, b = `spread`."""

    spread: Fraction

    def __init__(self, spread: Number) -> None:
        object.__setattr__(self, "spread", positive(spread, "spread"))

    @cached_property
    def scale(self) -> float:
        """Return the spread."""
        return float(self.spread)

    @cached_property
    def unit(self) -> Fraction:
        """Return 1/spread."""
        return 1 / self.spread

    def steps(self, answer: Any, other: Any, output: Any) -> Any:
        """Return |y-other| - |y-answer|."""
        return abs(output - other) - abs(output - answer)

    @cached_property
    def _largest(self) -> PerKey:
        return PerKey(lambda distance: double_up(distance / self.spread))

    def profile(self, distance: Exact, epsilon: Doubles) -> Doubles:
        """Return max(0, 1 - e^((ε-a)/2)) at a = distance/spread; a is rounded upwards."""
        largest = self._largest[distance]
        below: Any = np.minimum(0.0, down(epsilon - largest) / 2)
        found = np.where(epsilon >= largest, 0.0, one_minus_exp_up(below))
        return same(epsilon, found)

    def largest_loss(self, distance: Exact) -> Exact:
        """Return distance/spread."""
        return distance / self.spread

    @cached_property
    def _costs(self) -> PerKey:
        return PerKey(self._renyi)

    def mu(self, distance: Exact) -> Cost:
        """Return what holds for any mechanism with this largest loss."""
        return pure_mu(self.largest_loss(distance))

    def renyi(self, distance: Exact, order: float) -> Cost:
        """Return log(α/(2α-1)·e^((α-1)a) + (α-1)/(2α-1)·e^(-αa))/(α-1) at a = distance/spread."""
        found: Cost = self._costs[distance, order]
        return found

    def _renyi(self, distance: Exact, order: float) -> Cost:
        def divergence() -> Any:
            a, alpha = ball(self.largest_loss(distance)), ball(order)
            less = alpha - 1
            total = alpha * (less * a).exp() + less * (-alpha * a).exp()
            return (total / (2 * alpha - 1)).log() / less

        return Cost(double_up(max(Fraction(0), ball_ends(divergence)[1])))

    def __str__(self) -> str:
        return f"Laplace({self.spread})"

    def wider(self, times: int) -> "Laplace":
        """Return the law with `times` the spread."""
        return Laplace(self.spread * times)
