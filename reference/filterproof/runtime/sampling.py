"""Exact samplers for whole-number noise, after Canonne, Kamath and Steinke.

They use uniform whole numbers and rational arithmetic only: every output has exactly the stated
probability, with no floating-point number on the way.
"""

from fractions import Fraction
from math import isqrt
from random import Random


def bernoulli_exp(gamma: Fraction, rng: Random) -> bool:
    """Return True with probability e^-gamma, for gamma >= 0."""
    while gamma > 1:
        if not _bernoulli_exp_small(Fraction(1), rng):
            return False
        gamma -= 1
    return _bernoulli_exp_small(gamma, rng)


def _bernoulli_exp_small(gamma: Fraction, rng: Random) -> bool:
    """Return True with probability e^-gamma for gamma <= 1: the parity of a run of coins."""
    k = 1
    while rng.randrange(gamma.denominator * k) < gamma.numerator:
        k += 1
    return k % 2 == 1


def geometric(rate: Fraction, rng: Random) -> int:
    """Return k with probability proportional to e^(-rate·|k|)."""
    s, t = rate.numerator, rate.denominator
    while True:
        low = rng.randrange(t)
        if not bernoulli_exp(Fraction(low, t), rng):
            continue
        high = 0
        while bernoulli_exp(Fraction(1), rng):
            high += 1
        size = (low + t * high) // s
        negative = rng.randrange(2) == 1
        if not (negative and size == 0):
            return -size if negative else size


def gaussian(sigma_squared: Fraction, rng: Random) -> int:
    """Return k with probability proportional to e^(-k²/2σ²), by rejection from a geometric."""
    t = isqrt(sigma_squared.numerator // sigma_squared.denominator) + 1
    while True:
        k = geometric(Fraction(1, t), rng)
        if bernoulli_exp((abs(k) - sigma_squared / t) ** 2 / (2 * sigma_squared), rng):
            return k
