"""Floating-point numbers that are never on the wrong side of the truth.

Python rounds + - * / of doubles correctly, so one step of `nextafter` outwards turns each result
into a bound.  For exp, expm1 and erfc the C library promises no such thing; glibc documents at
most 5 units in the last place, and here a result is widened by 64 of them (2⁻⁴⁶, and 16 of the
smallest subnormals).  `_up` and `_down` in a name say on which side of the exact value it lies.
"""

import math
import sys
from fractions import Fraction
from numbers import Integral
from typing import Any

from mpmath.ctx_iv import MPIntervalContext

from filterproof.exact import interval_ends

Interval = tuple[float, float]
Exact = int | Fraction

_WIDER = 1 + 2.0**-46
_NARROWER = 1 - 2.0**-46
_SUBNORMAL = 2.0**-1070
_ROOT_2_DOWN = math.nextafter(math.sqrt(2.0), 0.0)
_ROOT_2_UP = math.nextafter(math.sqrt(2.0), 2.0)


def exact(value: Any) -> Exact | None:
    """Return a number (also one of numpy's, or a Decimal) as the rational it is; None if none.

    >>> exact(0.5), exact(3), exact(True), exact(math.nan)
    (Fraction(1, 2), 3, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    try:
        return Fraction(*value.as_integer_ratio())
    except (AttributeError, ValueError, OverflowError):
        return None


def up(value: float) -> float:
    """Return the next double above: an upper bound of what was rounded to `value`."""
    return math.nextafter(value, math.inf)


def down(value: float) -> float:
    """Return the next double below: a lower bound of what was rounded to `value`."""
    return math.nextafter(value, -math.inf)


def float_up(value: Exact) -> float:
    """Return the smallest double >= value.

    >>> Fraction(float_up(Fraction(1, 3))) >= Fraction(1, 3) > Fraction(float_down(Fraction(1, 3)))
    True
    """
    return -float_down(-value)


def float_down(value: Exact) -> float:
    """Return the largest double <= value."""
    return float_interval(value)[0]


def float_interval(value: Exact) -> Interval:
    """Return the doubles next to a rational; both are the value itself where it is a double."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        largest = sys.float_info.max
        return (largest, math.inf) if value > 0 else (-math.inf, -largest)
    top, bottom = nearest.as_integer_ratio()
    difference = top * value.denominator - value.numerator * bottom
    return down(nearest) if difference > 0 else nearest, up(nearest) if difference < 0 else nearest


def log_interval(ratio: Fraction) -> Interval:
    """Return doubles around log(ratio), for a positive ratio; log(1) is exactly 0."""
    if ratio == 1:
        return 0.0, 0.0
    context = MPIntervalContext()
    context.prec = 100
    number = context.mpf(ratio.numerator) / context.mpf(ratio.denominator)
    low, high = interval_ends(context.log(number))
    margin = Fraction(1, 2**80)
    return float_down(low - margin * abs(low)), float_up(high + margin * abs(high))


def exp_up(exponent: float) -> float:
    """Return an upper bound of e^exponent."""
    if exponent in (0.0, -math.inf):
        return math.exp(exponent)
    try:
        return math.exp(exponent) * _WIDER + _SUBNORMAL
    except OverflowError:
        return math.inf


def exp_down(exponent: float) -> float:
    """Return a lower bound of e^exponent; where it overflows, the largest double."""
    if exponent == 0:
        return 1.0
    try:
        return max(0.0, math.exp(exponent) * _NARROWER - _SUBNORMAL)
    except OverflowError:
        return sys.float_info.max


def one_minus_exp_up(exponent: float) -> float:
    """Return an upper bound of 1 - e^exponent, for exponent <= 0, without losing digits."""
    return min(1.0, -math.expm1(exponent) * _WIDER + _SUBNORMAL) if exponent else 0.0


def normal_up(z: float) -> float:
    """Return an upper bound of Φ(z)."""
    scaled = down(-z / (_ROOT_2_UP if z <= 0 else _ROOT_2_DOWN))
    return min(1.0, math.erfc(scaled) * 0.5 * _WIDER + _SUBNORMAL)


def normal_down(z: float) -> float:
    """Return a lower bound of Φ(z)."""
    scaled = up(-z / (_ROOT_2_DOWN if z <= 0 else _ROOT_2_UP))
    return max(0.0, math.erfc(scaled) * 0.5 * _NARROWER - _SUBNORMAL)


def add_up(one: float, other: float) -> float:
    """Return an upper bound of a sum; adding 0 changes nothing."""
    return up(one + other) if one and other else one + other


def add_down(one: float, other: float) -> float:
    """Return a lower bound of a sum; adding 0 changes nothing."""
    return down(one + other) if one and other else one + other


def product_up(one: float, other: float) -> float:
    """Return an upper bound of a product of non-negative numbers; 0 stays 0."""
    return up(one * other) if one and other else 0.0


def product_down(one: float, other: float) -> float:
    """Return a lower bound of a product of non-negative numbers."""
    return max(0.0, down(one * other)) if one and other else 0.0
