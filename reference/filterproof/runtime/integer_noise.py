"""Whole-number noise to add to a whole number: geometric and discrete Gaussian, drawn exactly.

Their samplers use exact arithmetic, so that every output has exactly the stated probability.  How
*long* they take depends on the noise that is drawn, and does not depend on the answer: whoever
can measure it learns something about the noise, hence about the answer (see `sampling`).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from random import Random, SystemRandom
from typing import Any

import numpy as np
from mpmath.ctx_mp import MPContext

from filterproof.directed_columns import (
    Column,
    Doubles,
    add_up,
    down,
    exp_down,
    exp_up,
    one_minus_exp_up,
    product_down,
    product_up,
    quantile_down,
    quantile_up,
    same,
    up,
)
from filterproof.directed_rounding import (
    Exact,
    Interval,
    ball,
    ball_ends,
    double_down,
    double_up,
)
from filterproof.runtime import sampling
from filterproof.runtime.mechanism import NO_COST, Cost, MechanismError, PerKey
from filterproof.runtime.noise import Number, positive, pure_mu

MAX_SIGMA = 10_000
"""The widest discrete Gaussian: its table has 40 times as many values."""

TAIL = 40
"""How many standard deviations that table reaches; beyond lies less than 10⁻³⁴⁰."""

_NEIGHBOURS = np.array([[-1], [0], [1]])

VERTICES = 12
"""How many standard deviations of the trade-off curve are looked at; beyond lies the slack."""


def whole(value: Any, what: str) -> Any:
    """Return a whole number, or say that it is none; a column of them is taken as it is."""
    if isinstance(value, np.ndarray):
        return value
    if value.denominator != 1:
        raise MechanismError(f"{what} must be a whole number; got {value}")
    return value.numerator


@dataclass(frozen=True)
class Geometric:
    """Whole-number noise with P(k) proportional to e^(-rate·|k|): the discrete Laplace law."""

    rate: Fraction

    def __init__(self, rate: Number) -> None:
        object.__setattr__(self, "rate", positive(rate, "rate"))

    @cached_property
    def scale(self) -> float:
        """Return 1/rate, the typical size of the noise."""
        return float(1 / self.rate)

    @property
    def unit(self) -> Fraction:
        """Return the rate."""
        return self.rate

    def steps(self, answer: Any, other: Any, output: Any) -> Any:
        """Return |y-other| - |y-answer|."""
        whole(output, "the output")
        return abs(output - other) - abs(output - answer)

    def profile(self, distance: Exact, epsilon: Doubles) -> Doubles:
        """Return the sum over k of P(k)·max(0, 1 - e^(ε-loss)); each term rounded upwards.

        Up to the first answer the loss is rate·distance; k steps further it is 2k·rate less.
        """
        total: Any = np.zeros_like(epsilon)
        for chance, loss in self._terms[distance]:
            below: Any = np.minimum(0.0, down(epsilon - loss))
            term = product_up(np.full_like(below, chance), one_minus_exp_up(below))
            total = np.where(epsilon >= loss, total, add_up(total, term))
        total = np.minimum(1.0, total)
        return same(epsilon, total)

    @cached_property
    def _terms(self) -> PerKey:
        return PerKey(self._positive_losses)

    def _positive_losses(self, distance: Exact) -> list[tuple[float, float]]:
        """Return (chance, loss), both rounded upwards, for the losses above 0."""
        steps = whole(distance, "the distance of two answers")
        alpha = exp_down(-double_up(self.rate))
        each = up(up(1 - alpha) / down(1 + alpha))
        terms = [(up(1 / down(1 + alpha)), double_up(self.rate * steps))]
        for k in range(1, (steps + 1) // 2):
            chance = product_up(each, exp_up(-double_down(self.rate * k)))
            terms.append((chance, double_up(self.rate * (steps - 2 * k))))
        return terms

    def largest_loss(self, distance: Exact) -> Exact:
        """Return distance·rate."""
        return distance * self.rate

    def mu(self, distance: Exact) -> Cost:
        """Return what holds for any mechanism with this largest loss."""
        return pure_mu(self.largest_loss(distance))

    @cached_property
    def _costs(self) -> PerKey:
        return PerKey(self._renyi)

    def renyi(self, distance: Exact, order: float) -> Cost:
        """Return the divergence by its definition: a sum over the distance + 1 losses."""
        found: Cost = self._costs[distance, order]
        return found

    def _renyi(self, distance: Exact, order: float) -> Cost:
        steps = whole(distance, "the distance of two answers")

        def divergence() -> Any:
            rate, less = ball(self.rate), ball(order) - 1
            t = (-rate).exp()
            total = (less * rate * steps).exp() + t**steps * (-less * rate * steps).exp()
            for k in range(1, steps):
                total += (1 - t) * t**k * (less * rate * (steps - 2 * k)).exp()
            return (total / (1 + t)).log() / less

        return Cost(double_up(max(Fraction(0), ball_ends(divergence)[1])))

    def __str__(self) -> str:
        return f"Geometric({self.rate})"

    def wider(self, times: int) -> "Geometric":
        """Return the law with a rate `times` smaller."""
        return Geometric(self.rate / times)

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
        object.__setattr__(self, "sigma_squared", positive(sigma_squared, "sigma_squared"))
        if self.scale > MAX_SIGMA:
            raise MechanismError(f"need sigma <= {MAX_SIGMA}; got {self.scale}")

    @cached_property
    def scale(self) -> float:
        """Return sigma."""
        return math.sqrt(self.sigma_squared)

    @cached_property
    def unit(self) -> Fraction:
        """Return 1/2σ²."""
        return 1 / (2 * self.sigma_squared)

    def steps(self, answer: Any, other: Any, output: Any) -> Any:
        """Return (y-other)² - (y-answer)²."""
        whole(output, "the output")
        return (answer - other) * (2 * output - answer - other)

    def profile(self, distance: Exact, epsilon: Doubles) -> Doubles:
        """Return P(K <= m) - e^ε·P(K <= m - distance) for the best m.

        The loss exceeds ε up to m = the last whole number below distance/2 - εσ²/distance.  That
        edge is computed in doubles, so its neighbours are tried too: the largest value is an
        upper bound.  First term upwards, second downwards.
        """
        steps = whole(distance, "the distance of two answers")
        edge: Any = steps / 2 - epsilon * self.scale**2 / steps
        reach = len(self._tails)
        m = np.maximum(-reach, np.minimum(reach, np.ceil(np.atleast_1d(edge)) - 1))
        near = m.astype(np.int64) + _NEIGHBOURS
        growth: Any = np.atleast_1d(exp_down(epsilon))
        second = product_down(np.broadcast_to(growth, near.shape), self._below(near - steps)[0])
        found = up(self._below(near)[1] - second).max(axis=0)
        found = np.minimum(1.0, np.maximum(0.0, found))
        return same(epsilon, found if isinstance(edge, np.ndarray) else found[0])

    def _below(self, m: Any) -> tuple[Column, Column]:
        """Return columns around P(K <= m)."""
        end = len(self._tails)
        at = np.maximum(-end, np.minimum(end, m)) + end
        low, high = self._ends
        if (missing := np.isnan(low[at])).any():
            for place in np.unique(at[missing]).tolist():
                low[place], high[place] = self._enclose_tail(place - end)
        return low[at], high[at]

    @cached_property
    def _ends(self) -> np.ndarray[Any, Any]:
        """The doubles around P(K <= m) for all m in the table, as far as they were asked for."""
        return np.full((2, 2 * len(self._tails) + 1), np.nan)

    def _enclose_tail(self, m: int) -> Interval:
        """Return doubles around P(K <= m), from the table of tails.

        The tails are carried with 200 bits and moved outwards by a part of 2⁻¹⁰⁰, far more than
        their rounding errors; 2⁻¹⁰⁷⁴ more on the upper side covers what lies beyond the table.
        """
        tails, last = self._tails, len(self._tails) - 1
        total = tails[0] + tails[1]
        mass = tails[min(-m, last)] if m <= 0 else total - tails[min(m + 1, last)]
        share = _dyadic(mass) / _dyadic(total)
        slack, beyond = Fraction(1, 2**100), Fraction(1, 2**1074)
        low = double_down(share * (1 - slack)) if -m < last else 0.0
        return low, min(1.0, double_up(share * (1 + slack) + beyond))

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

    def largest_loss(self, distance: Exact) -> None:
        """Return None: the loss has no bound."""

    @cached_property
    def _mus(self) -> PerKey:
        return PerKey(self._mu)

    def mu(self, distance: Exact) -> Cost:
        """Return the largest μ of a vertex of the trade-off curve up to 12σ; beyond is slack.

        No theorem says that this law is (distance/σ)-GDP, and it is not: far out in the tails
        a little more is needed.  So the vertices are looked at, one by one, and outputs beyond
        the last one are taken together, which is why their probability has to be paid.
        """
        found: Cost = self._mus[distance]
        return found

    def _mu(self, distance: Exact) -> Cost:
        """Return the most that a test "more than m" needs, for m = d-1-M, ..., M.

        Its errors are P(K <= -m-1) and P(K <= m-d); they change places at m and d-1-m.
        """
        steps = whole(distance, "the distance of two answers")
        last = math.ceil(VERTICES * self.scale)
        m = np.arange(steps // 2, last + steps)
        tail, tail_ = self._below(-m - 1)[0], self._below(m - steps)[0]
        if not tail[-1] > 0:
            return NO_COST
        other = quantile_up(np.minimum(0.5, tail_))
        beyond = m >= steps  # the tail is above 1/2: look at the other side of it
        other[beyond] = -quantile_down(self._below(steps - m[beyond] - 1)[1])
        return Cost(float(max(up(quantile_up(tail) + other))), self._slack(last))

    def _slack(self, last: int) -> float:
        beyond = float(self._below(np.array([-last]))[1][0])
        return add_up(beyond, beyond)

    def renyi(self, distance: Exact, order: float) -> Cost:
        """Return α·distance²/2σ², the same as for the Gaussian (Canonne, Kamath and Steinke)."""
        steps = whole(distance, "the distance of two answers")
        return Cost(double_up(Fraction(order) * steps**2 * self.unit))

    def __str__(self) -> str:
        return f"DiscreteGaussian({self.sigma_squared})"

    def wider(self, times: int) -> "DiscreteGaussian":
        """Return the law with `times` σ."""
        return DiscreteGaussian(self.sigma_squared * times**2)

    def sample(self, answer: int, rng: Random | None = None) -> int:
        """Return answer + noise, drawn exactly; the operating system's randomness by default."""
        return answer + sampling.gaussian(self.sigma_squared, rng or SystemRandom())


def _mpf(context: MPContext, value: Fraction) -> Any:
    return context.mpf(value.numerator) / context.mpf(value.denominator)


def _dyadic(value: Any) -> Fraction:
    mantissa, exponent = int(value.man), int(value.exp)
    return Fraction(mantissa) * Fraction(2) ** exponent
