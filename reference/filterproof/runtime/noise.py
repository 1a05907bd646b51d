"""Noise to add to a number: Gaussian, Laplace, discrete Gaussian and geometric.

The Gaussian and the Laplace law assume noise on the real line.  No program draws such noise: a
floating-point sampler has gaps that give data away, and the filter cannot see them.  Where that
matters use the discrete laws, whose `sample` draws exactly from the stated law.

Every loss here is a rational number (answers, outputs and parameters are), so nothing is rounded
until the last step.  Profiles are rounded upwards, term by term.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from random import Random, SystemRandom
from typing import Any, Protocol

from mpmath.ctx_mp import MPContext

from filterproof.runtime import sampling
from filterproof.runtime.mechanism import MechanismError
from filterproof.runtime.rounding import (
    Exact,
    Interval,
    add_up,
    down,
    exact,
    exp_down,
    exp_up,
    float_down,
    float_up,
    normal_down,
    normal_up,
    one_minus_exp_up,
    product_down,
    product_up,
    up,
)

MAX_SIGMA = 10_000
"""The widest discrete Gaussian: its table has 40 times as many values."""

TAIL = 40
"""How many standard deviations that table reaches; beyond lies less than 10⁻³⁴⁰."""

Number = int | float | Fraction


class Noise(Protocol):
    """A law of noise, symmetric about 0."""

    @property
    def scale(self) -> float:
        """Return the typical size of the noise, to tell an output that cannot be right."""
        ...

    def profile(self, distance: Exact, epsilon: float) -> float:
        """Return an upper bound of δ(epsilon) for two answers at a distance > 0."""
        ...

    def loss(self, answer: Exact, other: Exact, output: Exact) -> Exact:
        """Return log p(output - answer)/p(output - other), exactly."""
        ...

    def largest_loss(self, distance: Exact) -> Exact | None:
        """Return what |loss| cannot exceed for answers at a distance; None if nothing."""
        ...


def number(value: Any, what: str) -> Exact:
    """Return any finite real number as the rational that it is."""
    if type(value) is int:
        return value
    found = exact(value)
    if found is None:
        raise MechanismError(f"{what} must be a finite number; got {value!r}")
    return found


def gap(one: Exact, other: Exact) -> Exact:
    """Return |one - other|."""
    return one - other if one >= other else other - one


class _PerDistance(dict[Exact, Any]):
    """What has to be computed once for each distance of two answers."""

    def __init__(self, compute: Callable[[Exact], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, distance: Exact) -> Any:
        self[distance] = self._compute(distance)
        return self[distance]


def _positive(value: Any, what: str) -> Fraction:
    found = number(value, what)
    if found <= 0:
        raise MechanismError(f"need {what} > 0; got {value!r}")
    return Fraction(found)


def _whole(value: Exact, what: str) -> int:
    if value.denominator != 1:
        raise MechanismError(f"{what} must be a whole number; got {value}")
    return value.numerator


# --- noise on the real line -----------------------------------------------------------------


@dataclass(frozen=True)
class Gaussian:
    """Noise N(0, sigma²) on the real line.

    >>> 0.1269 < Gaussian(1).profile(Fraction(1), 1.0) < 0.1270
    True
    """

    sigma: Fraction

    def __init__(self, sigma: Number) -> None:
        object.__setattr__(self, "sigma", _positive(sigma, "sigma"))

    @cached_property
    def scale(self) -> float:
        """Return sigma."""
        return float(self.sigma)

    @cached_property
    def _twice_variance(self) -> Fraction:
        return 2 * self.sigma**2

    @cached_property
    def _mus(self) -> _PerDistance:
        return _PerDistance(lambda distance: float_up(distance / self.sigma))

    def profile(self, distance: Exact, epsilon: float) -> float:
        """Return Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ) at μ = distance/sigma.

        Upwards: μ, the first term; downwards: the second.  δ increases with μ.
        """
        mu: float = self._mus[distance]
        first = normal_up(up(mu / 2 - down(epsilon / mu)))
        second = normal_down(down(-mu / 2 - up(epsilon / mu)))
        return min(1.0, max(0.0, up(first - product_down(exp_down(epsilon), second))))

    def loss(self, answer: Exact, other: Exact, output: Exact) -> Exact:
        """Return ((y-other)² - (y-answer)²) / 2sigma²."""
        return (answer - other) * (2 * output - answer - other) / self._twice_variance

    def largest_loss(self, distance: Exact) -> None:
        """Return None: a Gaussian loss has no bound."""


@dataclass(frozen=True)
class Laplace:
    """Noise on the real line with density e^(-|z|/b)/2b, b = `spread`."""

    spread: Fraction

    def __init__(self, spread: Number) -> None:
        object.__setattr__(self, "spread", _positive(spread, "spread"))

    @cached_property
    def scale(self) -> float:
        """Return the spread."""
        return float(self.spread)

    @cached_property
    def _largest(self) -> _PerDistance:
        return _PerDistance(lambda distance: float_up(distance / self.spread))

    def profile(self, distance: Exact, epsilon: float) -> float:
        """Return max(0, 1 - e^((ε-a)/2)) at a = distance/spread; a is rounded upwards."""
        largest: float = self._largest[distance]
        if epsilon >= largest:
            return 0.0
        return one_minus_exp_up(down(epsilon - largest) / 2)

    def loss(self, answer: Exact, other: Exact, output: Exact) -> Exact:
        """Return (|y-other| - |y-answer|) / spread."""
        return (gap(output, other) - gap(output, answer)) / self.spread

    def largest_loss(self, distance: Exact) -> Exact:
        """Return distance/spread."""
        return distance / self.spread


# --- noise on the whole numbers -------------------------------------------------------------


@dataclass(frozen=True)
class Geometric:
    """Whole-number noise with P(k) proportional to e^(-rate·|k|): the discrete Laplace law."""

    rate: Fraction

    def __init__(self, rate: Number) -> None:
        object.__setattr__(self, "rate", _positive(rate, "rate"))

    @cached_property
    def scale(self) -> float:
        """Return 1/rate, the typical size of the noise."""
        return float(1 / self.rate)

    def profile(self, distance: Exact, epsilon: float) -> float:
        """Return the sum over k of P(k)·max(0, 1 - e^(ε-loss)); each term rounded upwards.

        Up to the first answer the loss is rate·distance; k steps further it is 2k·rate less.
        """
        total = 0.0
        for chance, loss in self._terms[distance]:
            if loss <= epsilon:
                break
            total = add_up(total, product_up(chance, one_minus_exp_up(down(epsilon - loss))))
        return min(1.0, total)

    @cached_property
    def _terms(self) -> _PerDistance:
        return _PerDistance(self._positive_losses)

    def _positive_losses(self, distance: Exact) -> list[tuple[float, float]]:
        """Return (chance, loss), both rounded upwards, for the losses above 0."""
        steps = _whole(distance, "the distance of two answers")
        alpha = exp_down(-float_up(self.rate))
        each = up(up(1 - alpha) / down(1 + alpha))
        terms = [(up(1 / down(1 + alpha)), float_up(self.rate * steps))]
        for k in range(1, (steps + 1) // 2):
            chance = product_up(each, exp_up(-float_down(self.rate * k)))
            terms.append((chance, float_up(self.rate * (steps - 2 * k))))
        return terms

    def loss(self, answer: Exact, other: Exact, output: Exact) -> Exact:
        """Return (|y-other| - |y-answer|)·rate."""
        _whole(output, "the output")
        return (gap(output, other) - gap(output, answer)) * self.rate

    def largest_loss(self, distance: Exact) -> Exact:
        """Return distance·rate."""
        return distance * self.rate

    def sample(self, answer: int, rng: Random | None = None) -> int:
        """Return answer + noise, drawn exactly; the operating system's randomness by default."""
        return answer + sampling.geometric(self.rate, rng or SystemRandom())


@dataclass(frozen=True)
class DiscreteGaussian:
    """Whole-number noise with P(k) proportional to e^(-k²/2σ²), given σ².

    >>> noise = DiscreteGaussian(sigma_squared=4)
    >>> f"{noise.profile(Fraction(1), 1.0):.6f}"
    '0.007249'
    """

    sigma_squared: Fraction

    def __init__(self, sigma_squared: Number) -> None:
        object.__setattr__(self, "sigma_squared", _positive(sigma_squared, "sigma_squared"))
        if self.scale > MAX_SIGMA:
            raise MechanismError(f"need sigma <= {MAX_SIGMA}; got {self.scale}")

    @cached_property
    def scale(self) -> float:
        """Return sigma."""
        return math.sqrt(self.sigma_squared)

    @cached_property
    def _twice_variance(self) -> Fraction:
        return 2 * self.sigma_squared

    def profile(self, distance: Exact, epsilon: float) -> float:
        """Return P(K <= m) - e^ε·P(K <= m - distance) for the best m.

        The loss exceeds ε up to m = the last whole number below distance/2 - εσ²/distance.  That
        edge is computed in doubles, so its neighbours are tried too: the largest value is an
        upper bound.  First term upwards, second downwards.
        """
        steps = _whole(distance, "the distance of two answers")
        edge = steps / 2 - epsilon * self.scale**2 / steps
        reach = len(self._tails)
        m = int(max(-reach, min(reach, math.ceil(edge) - 1)))
        growth = exp_down(epsilon)
        return max(self._difference(m + i, steps, growth) for i in (-1, 0, 1))

    def loss(self, answer: Exact, other: Exact, output: Exact) -> Exact:
        """Return ((y-other)² - (y-answer)²) / 2σ²."""
        _whole(output, "the output")
        return (answer - other) * (2 * output - answer - other) / self._twice_variance

    def largest_loss(self, distance: Exact) -> None:
        """Return None: the loss has no bound."""

    def sample(self, answer: int, rng: Random | None = None) -> int:
        """Return answer + noise, drawn exactly; the operating system's randomness by default."""
        return answer + sampling.gaussian(self.sigma_squared, rng or SystemRandom())

    def _difference(self, m: int, steps: int, growth: float) -> float:
        second = product_down(growth, self._below(m - steps)[0])
        return min(1.0, max(0.0, up(self._below(m)[1] - second)))

    def _below(self, m: int) -> Interval:
        """Return doubles around P(K <= m)."""
        if m not in self._known:
            self._known[m] = self._enclosed(m)
        return self._known[m]

    def _enclosed(self, m: int) -> Interval:
        """Return the same from the table of tails.

        The tails are carried with 200 bits and moved outwards by a part of 2⁻¹⁰⁰, far more than
        their rounding errors; 2⁻¹⁰⁷⁴ more on the upper side covers what lies beyond the table.
        """
        tails, last = self._tails, len(self._tails) - 1
        total = tails[0] + tails[1]
        mass = tails[min(-m, last)] if m <= 0 else total - tails[min(m + 1, last)]
        share = _dyadic(mass) / _dyadic(total)
        slack, beyond = Fraction(1, 2**100), Fraction(1, 2**1074)
        low = float_down(share * (1 - slack)) if -m < last else 0.0
        return low, min(1.0, float_up(share * (1 + slack) + beyond))

    @cached_property
    def _known(self) -> dict[int, Interval]:
        return {}

    @cached_property
    def _tails(self) -> list[Any]:
        """Return, for k = 0, 1, ..., the sum of e^(-j²/2σ²) over j >= k; the last is all but 0."""
        context = MPContext()
        context.prec = 200
        first = context.exp(-context.mpf(1) / context.mpf(2) / _mpf(context, self.sigma_squared))
        square, weights, ratio = first * first, [context.mpf(1)], first
        for _ in range(math.ceil(TAIL * self.scale) + 1):
            weights.append(weights[-1] * ratio)
            ratio *= square
        return [*accumulate(reversed(weights))][::-1]


def _mpf(context: MPContext, value: Fraction) -> Any:
    return context.mpf(value.numerator) / context.mpf(value.denominator)


def _dyadic(value: Any) -> Fraction:
    mantissa, exponent = int(value.man), int(value.exp)
    return Fraction(mantissa) * Fraction(2) ** exponent
