"""The Gaussian step that a finite mechanism is a post-processing of, proved in rational arithmetic.

The sign of N(x, σ²) - 1/2, for x in {0, 1}, is randomised response with p = Φ(1/(2σ)).  Noise on
top of that gives every RR(p′) with 1/2 <= p′ <= p, and every mechanism with odds <= p′/(1-p′) and
δ = 0 is a post-processing of that.  So a mechanism may be declared as a Gaussian step of
sensitivity 1 and noise multiplier σ if Φ(1/(2σ)) >= odds/(1+odds): that is what is proved here.
"""

from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from filterproof.directed_rounding import double_down

PI_UP = Fraction(3141592653589793239, 10**18)
LARGEST_ODDS = 10**9
"""Above these odds no noise multiplier is looked for."""


@lru_cache(maxsize=4096)
def sigma(odds: Fraction) -> float:
    """Return a double σ, close to the largest, with Φ(1/(2σ)) >= odds/(1+odds)."""
    p = odds / (1 + odds)
    z = Fraction(NormalDist().inv_cdf(float(p)))
    margin = Fraction(1, 2**40)
    while not covers(z * (1 + margin) + margin, p):
        margin *= 2
    return double_down(1 / (2 * (z * (1 + margin) + margin)))


def covers(z: Fraction, p: Fraction) -> bool:
    """Return True only if Φ(z) >= p: (p - 1/2)·√(2π) is at most a lower sum of the series.

    >>> covers(Fraction(1), Fraction(84, 100)), covers(Fraction(1), Fraction(85, 100))
    (True, False)
    """
    return (p - Fraction(1, 2)) ** 2 * 2 * PI_UP <= lower_sum(z) ** 2


def lower_sum(z: Fraction) -> Fraction:
    """Return a partial sum below  ∫_0^z e^{-t²/2} dt = Σ_n (-1)^n z^{2n+1} / (n! 2^n (2n+1)).

    The terms alternate and fall once n > z²/2, so a sum that ends there with a negative term is
    a lower bound.
    """
    power, total, n = z, z, 0
    last = int(z * z) + 40
    while n < last or n % 2 == 0:
        n += 1
        power *= -z * z / (2 * n)
        total += power / (2 * n + 1)
    return total
