"""Arithmetic on doubles, or columns of them, that stays on a known side of the truth.

Python and numpy round + - * / of doubles correctly, so one step of `nextafter` outwards turns each
result into a bound.  For exp and expm1 the C library and numpy promise no such thing; they document
a few units in the last place, and here a result is widened by 2⁻⁴⁶, which is 64 of them.  scipy's
erfc is documented to 6·10⁻¹⁴ over its whole range, and is widened by 2⁻⁴⁰, which is sixteen times
as much.  All of them move by 2⁻¹⁰⁷⁰ besides, for results below the normal range.  `_up` and `_down`
in a name say on which side of the exact value a result lies.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from scipy import special

from filterproof.directed_rounding import LARGEST, Exact, double_interval

Column = np.ndarray[Any, np.dtype[np.float64]]
Doubles = TypeVar("Doubles", float, Column)

_WIDER, _NARROWER = 1 + 2.0**-46, 1 - 2.0**-46
_ERFC_WIDER, _ERFC_NARROWER = 1 + 2.0**-40, 1 - 2.0**-40
_SUBNORMAL = 2.0**-1070
_ROOT_2_DOWN = math.nextafter(math.sqrt(2.0), 0.0)
_ROOT_2_UP = math.nextafter(math.sqrt(2.0), 2.0)
ROOT_2_PI_DOWN = math.nextafter(math.sqrt(2 * math.pi), 0.0) - 2.0**-50
_FAR = -37.0
"""Below this Φ(z) is bounded by φ(z)/|z|: scipy's erfc is 0 from -37.677 on, and Φ is not."""


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


def scale(whole: Column, unit: Exact) -> tuple[Column, Column]:
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
