"""Which type of number Python's arithmetic gives: int, Fraction, float or Decimal.

A float or a Decimal that comes out of an operation is rounded; everything else is exact.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from filterproof.unknown import Unknown

NUMBERS = (int, Fraction, float, Decimal)
ROUNDED = (float, Decimal)


def kind_of(number: object) -> type | None:
    """Return the type that Python's arithmetic sees; None for what is no number."""
    if isinstance(number, Unknown):
        return number.python_type
    kind: Any = type(number)
    return _number_type(kind)


@cache
def _number_type(kind: type) -> type | None:
    return next((one for one in NUMBERS if issubclass(kind, one)), None)


def sum_kind(left: type, right: type) -> type | None:
    """Return the type of a sum, a difference or a product; None where Python raises TypeError.

    >>> sum_kind(int, Fraction).__name__, sum_kind(Decimal, float)
    ('Fraction', None)
    """
    kinds = {left, right}
    if Decimal in kinds:
        return Decimal if kinds <= {Decimal, int} else None
    if float in kinds:
        return float
    return Fraction if Fraction in kinds else int


def quotient_kind(left: type, right: type) -> type | None:
    """Return the type of a quotient: that of two ints is a float."""
    return float if left is right is int else sum_kind(left, right)


def is_finite(number: object) -> bool:
    """Whether a number that is known is neither infinite nor no number at all."""
    if isinstance(number, Decimal):
        return number.is_finite()
    return not isinstance(number, float) or math.isfinite(number)


def exactly(number: Any) -> Any:
    """Return a finite number that is known as an int or a Fraction; an unknown one as it is."""
    return Fraction(number) if isinstance(number, ROUNDED) else number


def of_kind(number: Fraction | int, kind: type) -> Any:
    """Return an exact number as one of a type, where it is one."""
    if kind is Decimal:
        return Decimal(number.numerator) / Decimal(number.denominator)
    return kind(number)


def compare_infinite(other: Any, compare: Callable[[Any, Any], Any]) -> bool:
    """Compare any finite number with an infinite one."""
    return bool(compare(0, 1 if other > 0 else -1))


def times_infinite(number: Any, infinite: float) -> float:
    """Return a finite unknown number times inf, -inf or nan; a Decimal may raise: say so."""
    if kind_of(infinite) is not float:
        raise number.run.stuck("a number that is not known is multiplied by an infinite Decimal")
    if number == 0:
        return float("nan")
    return infinite if number > 0 else -infinite


def operand(number: Any, kind: type) -> Any:
    """Return a known number as Python brings it into an operation, exactly: as a float for floats.

    >>> operand(Fraction(1, 3), Fraction), operand(Fraction(1, 2), float)
    (Fraction(1, 3), Fraction(1, 2))
    """
    return exactly(float(number)) if kind is float else exactly(number)


def in_range(made: Any) -> Any:
    """Return what becomes of an int or a Fraction as a float; Python raises where that is inf."""
    if isinstance(made, float) and not is_finite(made):
        raise OverflowError("int too large to convert to float")
    return made


def opposite(answer: Any) -> Any:
    """Return what `not` makes of the answer to a comparison."""
    return answer if answer is NotImplemented else not answer
