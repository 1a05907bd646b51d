"""Doubles that are never on the wrong side of the truth: one kit for the runtime and the adapters.

Python and numpy round + - * / of doubles correctly, so one step of `nextafter` outwards turns each
result into a bound.  Logarithms are enclosed by Arb, whose balls hold the exact value.  For exp and
expm1 the C library and numpy promise no such thing; they document a few units in the last place,
and here a result is widened by 2⁻⁴⁶, which is 64 of them.  scipy's erfc is documented to 6·10⁻¹⁴
over its whole range, and is widened by 2⁻⁴⁰, which is sixteen times as much.  All of them
move by 2⁻¹⁰⁷⁰ besides, for results below the normal range.  `_up` and `_down` in a name say on
which side of the exact value a result lies.

The functions from `exp_up` on take and return doubles or columns (arrays) of them alike.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeVar

import flint
import numpy as np
from scipy import special

from filterproof.exact import Epsilon, Log

Interval = tuple[float, float]
Exact = int | Fraction
Column = np.ndarray[Any, np.dtype[np.float64]]
Doubles = TypeVar("Doubles", float, Column)

LARGEST = sys.float_info.max
_WIDER, _NARROWER = 1 + 2.0**-46, 1 - 2.0**-46
_ERFC_WIDER, _ERFC_NARROWER = 1 + 2.0**-40, 1 - 2.0**-40
_SUBNORMAL = 2.0**-1070
_ROOT_2_DOWN = math.nextafter(math.sqrt(2.0), 0.0)
_ROOT_2_UP = math.nextafter(math.sqrt(2.0), 2.0)
ROOT_2_PI_DOWN = math.nextafter(math.sqrt(2 * math.pi), 0.0) - 2.0**-50
_FAR = -37.0
"""Below this Φ(z) is bounded by φ(z)/|z|: scipy's erfc is 0 from -37.677 on, and Φ is not."""
_GUARD_BITS = 192


# --- exact numbers as doubles ---------------------------------------------------------------


def exact(value: Any) -> Exact | None:
    """Return a number (also one of numpy's, or a Decimal) as the rational it is; None if none.

    >>> exact(0.5), exact(3), exact(True), exact(math.nan)
    (Fraction(1, 2), 3, None, None)
    """
    if isinstance(value, bool | np.bool_):
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


# --- doubles and columns of doubles ---------------------------------------------------------


def up(value: Doubles) -> Doubles:
    """Return the next double above: an upper bound of what was rounded to `value`."""
    if isinstance(value, float):
        return math.nextafter(value, math.inf)
    return np.nextafter(value, math.inf)


def down(value: Doubles) -> Doubles:
    """Return the next double below: a lower bound of what was rounded to `value`."""
    if isinstance(value, float):
        return math.nextafter(value, -math.inf)
    return np.nextafter(value, -math.inf)


def _pick(where: Any, yes: Any, no: Any) -> Any:
    """Return `yes` or `no`, place by place in a column."""
    if isinstance(where, np.ndarray):
        return np.where(where, yes, no)
    return yes if where else no


def add_up(one: Doubles, other: Doubles) -> Doubles:
    """Return an upper bound of a sum; adding 0 changes nothing."""
    total: Any = one + other
    found: Doubles = _pick((one == 0) | (other == 0), total, up(total))
    return found


def add_down(one: Doubles, other: Doubles) -> Doubles:
    """Return a lower bound of a sum; adding 0 changes nothing."""
    total: Any = one + other
    found: Doubles = _pick((one == 0) | (other == 0), total, down(total))
    return found


def product_up(one: Doubles, other: Doubles) -> Doubles:
    """Return an upper bound of a product of non-negative numbers; 0 stays 0."""
    found: Doubles = _pick((one == 0) | (other == 0), 0.0, up(one * other))
    return found


def product_down(one: Doubles, other: Doubles) -> Doubles:
    """Return a lower bound of a product of non-negative numbers."""
    return same(one, _pick((one == 0) | (other == 0), 0.0, np.maximum(0.0, down(one * other))))


def exp_up(exponent: Doubles) -> Doubles:
    """Return an upper bound of e^exponent."""
    with np.errstate(over="ignore"):
        value: Any = np.exp(exponent)
    above = np.where(exponent == -math.inf, 0.0, value * _WIDER + _SUBNORMAL)
    return same(exponent, np.where(exponent == 0, 1.0, above))


def exp_down(exponent: Doubles) -> Doubles:
    """Return a lower bound of e^exponent; where it overflows, the largest double."""
    with np.errstate(over="ignore"):
        value: Any = np.exp(exponent)
    lower = np.minimum(LARGEST, np.maximum(0.0, value * _NARROWER - _SUBNORMAL))
    return same(exponent, np.where(exponent == 0, 1.0, lower))


def one_minus_exp_up(exponent: Doubles) -> Doubles:
    """Return an upper bound of 1 - e^exponent, for exponent <= 0, without losing digits."""
    value: Any = -np.expm1(exponent) * _WIDER + _SUBNORMAL
    return same(exponent, np.where(exponent == 0, 0.0, np.minimum(1.0, value)))


def normal_up(z: Doubles) -> Doubles:
    """Return an upper bound of Φ(z)."""
    scaled: Any = down(-z / _pick(z <= 0, _ROOT_2_UP, _ROOT_2_DOWN))
    near = np.minimum(1.0, special.erfc(scaled) * 0.5 * _ERFC_WIDER + _SUBNORMAL)
    return same(z, np.where(z < _FAR, _mills_up(np.maximum(1.0, -z)), near))


def _mills_up(t: Any) -> Any:
    """Return an upper bound of φ(t)/t, which is one of Φ(-t), for t > 0."""
    with np.errstate(over="ignore"):
        return up(exp_up(-down(t * t) / 2) / down(t * ROOT_2_PI_DOWN))


def normal_down(z: Doubles) -> Doubles:
    """Return a lower bound of Φ(z)."""
    scaled: Any = up(-z / _pick(z <= 0, _ROOT_2_DOWN, _ROOT_2_UP))
    return same(z, np.maximum(0.0, special.erfc(scaled) * 0.5 * _ERFC_NARROWER - _SUBNORMAL))


def quantile_up(tail: Doubles) -> Doubles:
    """Return z with Φ(-z) <= tail for sure, for tail <= 1/2: close above the exact one.

    No finite z is known to be enough where the tail is smaller than what rounding adds to Φ.

    >>> 1.2815515 < quantile_down(0.1) < quantile_up(0.1) < 1.2815517
    True
    """
    known: Any = np.maximum(tail, _SUBNORMAL)
    found = _quantile(known, 1.0, lambda z: normal_up(-z) > known)
    return same(tail, np.where(known > tail, math.inf, found))


def quantile_down(tail: Doubles) -> Doubles:
    """Return z with Φ(-z) >= tail for sure, for 0 < tail <= 1/2: close below the exact one."""
    return _quantile(tail, -1.0, lambda z: normal_down(-z) < tail)


def _quantile(tail: Doubles, way: float, falls_short: Callable[[Any], Any]) -> Doubles:
    z: Any = np.asarray(-special.ndtri(tail))
    step = way * 2.0**-40 * (1 + abs(z))
    while (short := np.asarray(falls_short(z))).any():
        z, step = np.where(short, z + step, z), 2 * step
    return same(tail, z)


def scaled(whole: Column, unit: Exact) -> tuple[Column, Column]:
    """Return columns around whole numbers times a unit > 0; 0 stays 0."""
    low, high = double_interval(unit)
    below: Any = down(whole * np.where(whole > 0, low, high))
    above: Any = up(whole * np.where(whole > 0, high, low))
    return np.where(whole == 0, 0.0, below), np.where(whole == 0, 0.0, above)


def same(like: Doubles, value: Any) -> Doubles:
    """Return a double for a double, and a column for a column."""
    plain: Any = like
    found: Any = value if isinstance(plain, np.ndarray) else float(value)
    return found  # type: ignore[no-any-return]
