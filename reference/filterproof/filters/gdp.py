"""The Gaussian-DP filter on finite support: the squares of the μ_i stay below the square of μ.

A mechanism is μ-GDP if telling x from x′ by its output is at least as hard as telling N(0, 1)
from N(μ, 1): its trade-off curve lies above that of the two normals.  On finite support the curve
is piecewise linear, and the other one is convex, so it is enough to look at the vertices
(a, b): there μ >= Φ⁻¹(1-a) + Φ⁻¹(1-b).  A vertex on an axis needs an infinite μ.

μ_i is rounded up and the budget's μ is rounded down, both to rationals and with certainty, so the
filter's own test is between rationals.  Sources: Dong, Roth and Su for the definition; Smith and
Thakurta, and Koskela, Tobaben and Honkela, for the filter.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from statistics import NormalDist
from typing import ClassVar

from filterproof.exact import Epsilon, exp_enclosure, interval_context, interval_ends
from filterproof.filter import Decision
from filterproof.filters.common import check_budget, per_mechanism, real
from filterproof.game import Mechanism, Step
from filterproof.game.law import Law, Pair

GRID = Fraction(1, 2**16)
"""All μ and quantiles are multiples of this: each is off by 1.6·10⁻⁵ at most, on the safe side, so
that the filter may halt where exact numbers would have fitted by some 3·10⁻⁵."""

LARGEST = 16
"""Quantiles beyond ±16 are taken as infinite, and μ is never taken above it."""

_BITS = 128
_TINY = Fraction(1, 2**180)  # more than 1 - Φ(16)
_FINE = 2**40  # the normal distribution function is evaluated at multiples of 1/2^40


@dataclass(frozen=True)
class GaussianDP:
    """Runs M_i iff μ_1² + ... + μ_i² <= μ², where μ-GDP implies (ε, δ)-DP."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Fraction:
        """Return that nothing is spent yet."""
        return Fraction(0)

    def decide(self, state: Fraction, step: Step) -> tuple[Decision, Fraction]:
        """Run M_i iff the sum of squares fits with its own added."""
        mu = mechanism_mu(step.mechanism, None)
        if mu is None or state + mu**2 > budget_mu(self.epsilon, self.delta) ** 2:
            return Decision.HALT, state
        return Decision.CONTINUE, state + mu**2


# --- what a mechanism needs -----------------------------------------------------------------


@per_mechanism
def mechanism_mu(mechanism: Mechanism, key: None) -> Fraction | None:
    """Return a μ for which the mechanism is μ-GDP, at most two grid steps too large.

    None if there is no such μ.
    """
    needs = [vertex_mu(a, b) for pair in mechanism.pairs for a, b in vertices(mechanism.law, pair)]
    found = [need for need in needs if need is not None]
    return max(found, default=Fraction(0)) if len(found) == len(needs) else None


def vertices(law: Law, pair: Pair) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the inner vertices (a, b) of the trade-off curve of (x, x′).

    The best tests reject x on the outputs that x′ favours most: a = P_x(reject) is the error
    under x, and b = P_x′(accept) the error under x′.

    >>> coin = {"h": {"0": Fraction(3, 4), "1": Fraction(1, 4)},
    ...         "t": {"0": Fraction(1, 4), "1": Fraction(3, 4)}}
    >>> [(str(a), str(b)) for a, b in vertices(coin, ("0", "1"))]
    [('1/4', '1/4')]
    """
    x, x_ = pair
    rows = sorted(law.values(), key=lambda row: row[x] / (row[x] + row[x_]) if row[x] else 0)
    a, b = Fraction(0), Fraction(1)
    for row in rows[:-1]:
        a, b = a + row[x], b - row[x_]
        yield a, b


def vertex_mu(a: Fraction, b: Fraction) -> Fraction | None:
    """Return Φ⁻¹(1-a) + Φ⁻¹(1-b) rounded up, and at least 0; None if it is infinite."""
    if a + b == 1:
        return Fraction(0)
    if a == 0 or b == 0:
        return None
    above, above_ = quantile_up(1 - a), quantile_up(1 - b)
    return None if above is None or above_ is None else max(Fraction(0), above + above_)


@lru_cache(maxsize=4096)
def quantile_up(p: Fraction) -> Fraction | None:
    """Return the first grid point z with Φ(z) >= p for sure; None if none is found up to 16."""
    near, whole = _around(p), (Fraction(-LARGEST), Fraction(LARGEST))

    def holds(z: Fraction) -> bool:
        return normal_cdf(z)[0] >= p

    return _first(holds, *(near if holds(near[1]) and not holds(near[0]) else whole))


def _around(p: Fraction) -> tuple[Fraction, Fraction]:
    """Return two grid points between which a double says that the quantile is: a guess."""
    inside = min(max(float(p), 1e-300), 1 - 2.0**-53)
    steps = floor(Fraction(NormalDist().inv_cdf(inside)) / GRID)
    largest = Fraction(LARGEST)
    low, high = (max(-largest, min(largest, (steps + k) * GRID)) for k in (-1, 3))
    return low, high


# --- what the budget allows -----------------------------------------------------------------


@lru_cache(maxsize=256)
def budget_mu(epsilon: Epsilon, delta: Fraction) -> Fraction:
    """Return a grid point μ such that μ-GDP implies (ε, δ)-DP for sure: the largest found.

    >>> 1 < budget_mu(Fraction(1), Fraction(127, 1000)) < Fraction(101, 100)
    True
    """
    too_large = _first(lambda mu: gaussian_delta(mu, epsilon) > delta, GRID, Fraction(LARGEST))
    return (Fraction(LARGEST) if too_large is None else too_large) - GRID


def gaussian_delta(mu: Fraction, epsilon: Epsilon) -> Fraction:
    """Return an upper bound of δ(ε) = Φ(-ε/μ + μ/2) - e^ε·Φ(-ε/μ - μ/2) of μ-GDP."""
    iv = interval_context(_BITS)
    low, high = (end / mu for end in interval_ends(real(iv, epsilon)))
    above = normal_cdf(mu / 2 - low)[1]
    below = normal_cdf(-mu / 2 - high)[0]
    return above - exp_enclosure(epsilon, _BITS)[0] * below


def _first(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction | None:
    """Return the grid point at which a test that stays true first becomes true; None if never."""
    if not holds(high):
        return None
    while high - low > GRID:
        middle = low + (high - low) // (2 * GRID) * GRID
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low if holds(low) else high


# --- the normal distribution function -------------------------------------------------------


def normal_cdf(z: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals lo <= Φ(z) <= hi that agree to about twelve digits.

    >>> low, high = normal_cdf(Fraction(1))
    >>> low < high, f"{float(low):.11f}", f"{float(high):.11f}"
    (True, '0.84134474607', '0.84134474607')
    """
    if z < 0:
        low, high = normal_cdf(-z)
        return 1 - high, 1 - low
    if z >= LARGEST:
        return 1 - _TINY, Fraction(1)
    return _cdf(floor(z * _FINE))[0], _cdf(ceil(z * _FINE))[1]


@lru_cache(maxsize=1024)
def _cdf(steps: int) -> tuple[Fraction, Fraction]:
    """Enclose Φ(z) = 1/2 + φ(z)·(z + z³/3 + z⁵/(3·5) + ...) at z = steps/2^40 >= 0."""
    square = Fraction(steps, _FINE) ** 2
    iv = interval_context(_BITS)
    density = iv.exp(-real(iv, square) / 2) / iv.sqrt(2 * iv.pi)
    sums = zip(_series(steps, square), interval_ends(density), strict=True)
    low, high = (Fraction(1, 2) + Fraction(total, 2**_BITS) * phi for total, phi in sums)
    return low, min(high, Fraction(1))


def _series(steps: int, square: Fraction) -> tuple[int, int]:
    """Return 2^128·(z + z³/3 + z⁵/(3·5) + ...) rounded down and rounded up.

    From the point where z²/(2k+1) <= 1/2 on, the terms at least halve, so what is left out is
    at most the last term.
    """
    n, d = square.as_integer_ratio()
    low = high = total_low = total_high = steps * 2**_BITS // _FINE
    k = 1
    while 2 * n > (2 * k - 1) * d or high > 1:
        low, high = low * n // ((2 * k + 1) * d), -(-high * n // ((2 * k + 1) * d))
        total_low, total_high = total_low + low, total_high + high
        k += 1
    return total_low, total_high + high
