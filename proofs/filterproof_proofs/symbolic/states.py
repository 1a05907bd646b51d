"""States of a filter, apart from their numbers: what a state of this shape is made of.

A shape is a state in which every number is replaced by a hole.  A proof starts from the first
state, follows every round, and replaces the numbers of what it reaches by unknown ones; when no new
shape turns up, every state of every play has one of the shapes.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear

Fixed = (str, bool, type(None), Enum)


class BadState(ValueError):
    """A state that is not made of numbers, tuples, None, texts and data classes of these."""


@dataclass(frozen=True)
class Hole:
    """A number; an `ExpLinear` is made again where there was one, an int where it was one."""

    kind: type


@dataclass(frozen=True)
class Constant:
    """What is no number: a text, a truth value, None."""

    value: Any


@dataclass(frozen=True)
class Parts:
    """A tuple, a named tuple or a frozen data class."""

    kind: type
    parts: tuple["Shape", ...]


Shape = Hole | Constant | Parts


def shape_of(state: object) -> Shape:
    """Return the state with holes for its numbers.

    >>> str(describe(shape_of((Fraction(1, 2), None, "phase 2"))))
    "(#, None, 'phase 2')"
    """
    if isinstance(state, Fixed):
        return Constant(str(state) if type(state) is not Enum and isinstance(state, str) else state)
    if isinstance(state, (Fraction, int, ExpLinear)):
        return Hole(_kind(state))
    return Parts(type(state), tuple(shape_of(part) for part in _parts(state)))


def _kind(number: object) -> type:
    if isinstance(number, ExpLinear):
        return ExpLinear
    return Fraction if isinstance(number, Fraction) and not getattr(number, "whole", False) else int


def _parts(state: object) -> list[Any]:
    if isinstance(state, tuple):
        return list(state)
    if is_dataclass(state) and not isinstance(state, type):
        return [getattr(state, one.name) for one in fields(state)]
    raise BadState(
        "a state must be made of numbers, tuples, None and texts to be proved; "
        f"got a {type(state).__name__}"
    )


def numbers(state: object) -> list[Fraction]:
    """Return the numbers of a state, in the order of its holes."""
    if isinstance(state, Fixed):
        return []
    if isinstance(state, ExpLinear):
        return [state.a] if not state.b else [state.a, state.b]
    if isinstance(state, (Fraction, int)):
        return [state if isinstance(state, Fraction) else Fraction(state)]
    return [number for part in _parts(state) for number in numbers(part)]


def fill(shape: Shape, number: Callable[[type], Fraction], epsilon: Epsilon) -> Any:
    """Return a state of this shape, with a number for each hole."""
    if isinstance(shape, Constant):
        return shape.value
    if isinstance(shape, Hole):
        made = number(shape.kind)
        return ExpLinear(made, 0, epsilon) if shape.kind is ExpLinear else made
    parts = [fill(part, number, epsilon) for part in shape.parts]
    if shape.kind is tuple:
        return tuple(parts)
    if issubclass(shape.kind, tuple):
        return shape.kind(*parts)
    made_again = object.__new__(shape.kind)
    kind: Any = shape.kind
    for one, part in zip(fields(kind), parts, strict=True):
        object.__setattr__(made_again, one.name, part)
    return made_again


def describe(shape: Shape) -> str:
    """Write a shape the way a state prints, with # for a number."""
    if isinstance(shape, Hole):
        return "#"
    if isinstance(shape, Constant):
        return repr(shape.value)
    inside = ", ".join(map(describe, shape.parts))
    if shape.kind is tuple:
        return f"({inside},)" if len(shape.parts) == 1 else f"({inside})"
    return f"{shape.kind.__name__}({inside})"
