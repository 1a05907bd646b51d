"""States of interpreted code, taken apart into a shape and its numbers, and put together again."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from filterproof_proofs.refinement.machine import Shape
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.kinds import kind_of
from filterproof_proofs.symbolic.shapes import (
    describe,
    fill,
    names,
    numbers,
    shape_of,
)


def split(state: Any, root: str = "self") -> tuple[Shape, list[Any]]:
    """Return a state's shape and its numbers."""
    form, found = shape_of(state), numbers(state)
    kinds = tuple(kind_of(number) or int for number in found)
    return Shape(form, tuple(names(state, root)), kinds, describe(form)), found


def join(machine: Interpreter, form: Any, left: Iterator[Any]) -> Any:
    """Return a state with the next numbers, of the classes of an interpreter."""
    return fill(form, lambda _: next(left), Fraction(0), machine.find)
