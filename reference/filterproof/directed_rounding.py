"""Exact numbers as doubles that are never on the wrong side of the truth.

Rationals are rounded to the next double on the side that is asked for.  Logarithms are enclosed by
Arb, whose balls hold the exact value.  `_up` and `_down` in a name say on which side of the exact
value a result lies; `directed_columns.py` computes on with such doubles.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any

import flint

from filterproof.exact import Epsilon, Log

Interval = tuple[float, float]
Exact = int | Fraction

LARGEST = sys.float_info.max
_GUARD_BITS = 192


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
        return Fraction(*map(int, value.as_integer_ratio()))
    except (AttributeError, ValueError, OverflowError, TypeError):
        return None


def double_interval(value: Exact) -> Interval:
    """Return the doubles next to a rational; both are the value itself where it is a double."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return (LARGEST, math.inf) if value > 0 else (-math.inf, -LARGEST)
    top, bottom = nearest.as_integer_ratio()
    difference = top * value.denominator - value.numerator * bottom
    return (
        math.nextafter(nearest, -math.inf) if difference > 0 else nearest,
        math.nextafter(nearest, math.inf) if difference < 0 else nearest,
    )


def double_up(value: Exact) -> float:
    """Return the smallest double that is at least `value`.

    >>> double_up(Fraction(1, 3)), float(Fraction(1, 3))
    (0.33333333333333337, 0.3333333333333333)
    """
    return double_interval(value)[1]


def double_down(value: Exact) -> float:
    """Return the largest double that is at most `value`.

    >>> double_down(Fraction(1, 10))
    0.09999999999999999
    """
    return double_interval(value)[0]


def log_interval(q: Fraction) -> Interval:
    """Return doubles around log(q), for q > 0: the nearest ones, but for ties beyond 192 bits.

    >>> log_interval(Fraction(3)), log_interval(Fraction(1))
    ((1.0986122886681096, 1.0986122886681098), (0.0, 0.0))
    """
    low, high = _log_ends(q)
    return double_down(low), double_up(high)


def log_up(q: Fraction) -> float:
    """Return a double of at least log(q)."""
    return log_interval(q)[1]


def log_down(q: Fraction) -> float:
    """Return a double of at most log(q)."""
    return log_interval(q)[0]


def epsilon_interval(epsilon: Epsilon) -> Interval:
    """Return doubles around ε."""
    return log_interval(epsilon.argument) if isinstance(epsilon, Log) else double_interval(epsilon)


def epsilon_down(epsilon: Epsilon) -> float:
    """Return a double of at most ε."""
    return epsilon_interval(epsilon)[0]


@lru_cache(maxsize=4096)
def _log_ends(q: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose log(q); the precision covers the digits of q, so that q near 1 loses none."""
    if q == 1:
        return Fraction(0), Fraction(0)
    bits = _GUARD_BITS + q.numerator.bit_length() + q.denominator.bit_length()
    return ball_ends(lambda: ball(q).log(), bits)


def ball(value: Exact | float) -> Any:
    """Return a rational or a double as a ball of Arb's, at the precision of the moment."""
    return flint.arb(flint.fmpq(*value.as_integer_ratio()))


def ball_ends(formula: Callable[[], Any], bits: int = _GUARD_BITS) -> tuple[Fraction, Fraction]:
    """Return rationals around the value of a formula over balls.

    >>> low, high = ball_ends(lambda: ball(2).sqrt())
    >>> low**2 < 2 < high**2
    True
    """
    before, flint.ctx.prec = flint.ctx.prec, bits
    try:
        found = formula()
        return _dyadic(found.lower()), _dyadic(found.upper())
    finally:
        flint.ctx.prec = before


def _dyadic(end: Any) -> Fraction:
    mantissa, exponent = map(int, end.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
