"""Decimals: what a float's digits say, and rounding to a number of digits after the point.

`Decimal(x)` of a float is exact; `Decimal(str(x))` is within half a unit in the last place of it.
Sums and products are rounded to the 28 digits of Python's usual context; code that names another
context is not interpreted.
"""

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import Raised

DIGITS = 28
"""Of Python's usual context."""


class Digits(Text):
    """The text that Python writes for a number: it is read back, and nothing else is asked."""

    def __init__(self, machine: Machine, number: Term) -> None:
        super().__init__(machine)
        self.number = number

    def read(self, kind: type) -> Value:
        """Return the number that these digits are."""
        one = self.number
        if kind is float and one.python_type is float:
            return one
        if one.python_type is not float or kind is float:
            raise self.machine.unsupported("digits of this number read as another type")
        return self.machine.run.shortest(one).exact(kind)


def digits_of(machine: Machine, value: Value) -> Text:
    """Return what `str` gives for something that is not known."""
    is_float = isinstance(value, Term) and value.python_type is float
    return Digits(machine, value) if is_float else Text(machine)


def _down(number: Any) -> Any:
    return math.trunc(number)


def _up(number: Any) -> Any:
    return math.ceil(number) if number >= 0 else math.floor(number)


ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    decimal.ROUND_FLOOR: math.floor,
    decimal.ROUND_CEILING: math.ceil,
    decimal.ROUND_DOWN: _down,
    decimal.ROUND_UP: _up,
    decimal.ROUND_HALF_EVEN: round,
    decimal.ROUND_HALF_UP: round,
    decimal.ROUND_HALF_DOWN: round,
}
"""To the nearest is followed as at most a half away, whatever becomes of a half."""


def attribute_of_decimal(machine: Machine, number: Term, name: str) -> Value:
    """Return a method of a Decimal that is not known; None if it is not followed."""
    answers = {"is_nan": False, "is_infinite": False, "is_finite": True}
    if name in answers:
        return lambda: answers[name]
    if name != "quantize":
        return None

    def quantize(places: Value, rounding: Value = None) -> Value:
        how = ROUNDINGS.get(rounding or decimal.ROUND_HALF_EVEN)
        if type(places) is not Decimal or not places.is_finite() or how is None:
            raise machine.unsupported("quantize() with these arguments")
        scale = Fraction(10) ** -int(places.as_tuple().exponent)
        scaled = number.exact(Fraction) * scale
        if abs(scaled) >= 10**DIGITS - 1:
            if abs(scaled) >= 10**DIGITS:
                raise Raised(decimal.InvalidOperation())
            raise machine.unsupported("a quantized Decimal at the limit of its digits")
        return (machine.host(how, scaled).exact(Fraction) / scale).exact(Decimal)

    return quantize
