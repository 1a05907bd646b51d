"""What `numpy` offers that is followed: functions, and the methods of an array."""

import math
import operator
from collections.abc import Callable
from typing import Any

from filterproof_proofs.symbolic.arrays import (
    ANSWERS,
    FLOATS,
    OBJECTS,
    Array,
    array_of,
    compared,
    computed,
    joined,
    kind_named,
    made,
    total,
)
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import Opaque


def offered(machine: Machine, name: str) -> Value:
    """Return what numpy offers under a name; what is not followed is opaque."""
    if name == "inf":
        return math.inf
    if name in ("float64", "double", "object_"):
        return float if name != "object_" else object
    if name not in FUNCTIONS:
        return Opaque(f"numpy.{name}")

    def call(*args: Value, **kwargs: Value) -> Value:
        try:
            return FUNCTIONS[name](machine, *args, **kwargs)
        except TypeError as error:
            raise machine.unsupported(f"numpy.{name}: {error}") from None

    return call


def attribute_of_array(machine: Machine, over: Array, name: str) -> Value:
    """Return an attribute or a method of an array."""
    if name == "size":
        return len(over.items)
    if name == "shape":
        return () if over.scalar else (len(over.items),)
    if name not in METHODS:
        raise machine.unsupported(f"{name} of an array (numpy)")

    def call(*args: Value, **kwargs: Value) -> Value:
        try:
            return METHODS[name](machine, over, *args, **kwargs)
        except TypeError as error:
            raise machine.unsupported(f"{name} of an array: {error} (numpy)") from None

    return call


def _of(machine: Machine, value: Value) -> Array:
    return value if isinstance(value, Array) else array_of(machine, value)


def _asarray(machine: Machine, value: Value, dtype: Value = None) -> Array:
    same = isinstance(value, Array) and dtype in (
        None,
        {FLOATS: float, OBJECTS: object}.get(value.kind),
    )
    return value if same else array_of(machine, value, dtype)


def _full(machine: Machine, shape: Value, value: Value, dtype: Value = None) -> Array:
    (count,) = shape if isinstance(shape, tuple) else (shape,)
    if type(count) is not int or count < 1:
        raise machine.unsupported("an array of a length that is not known (numpy)")
    return array_of(machine, [value] * count, dtype)


def _constant(number: float) -> Callable[..., Array]:
    def make(machine: Machine, shape: Value, dtype: Value = float) -> Array:
        value = number if kind_named(machine, dtype) == FLOATS else int(number)
        return _full(machine, shape, value, dtype)

    return make


def _like(number: float) -> Callable[..., Array]:
    def make(machine: Machine, over: Value) -> Array:
        if not isinstance(over, Array) or over.kind != FLOATS:
            raise machine.unsupported("an array like one that may hold machine integers (numpy)")
        return made(machine, [number] * len(over.items), FLOATS)

    return make


def _all(machine: Machine, value: Value) -> Array:
    return made(machine, [all(map(machine.truth, _of(machine, value).items))], ANSWERS, True)


def _any(machine: Machine, value: Value) -> Array:
    return made(machine, [any(map(machine.truth, _of(machine, value).items))], ANSWERS, True)


def _larger(machine: Machine, left: Value, right: Value) -> Array:
    return _where(machine, compared(machine, operator.ge, left, right), left, right)


def _smaller(machine: Machine, left: Value, right: Value) -> Array:
    return _where(machine, compared(machine, operator.le, left, right), left, right)


def _where(machine: Machine, answers: Value, left: Value, right: Value) -> Array:
    """Return elements of one array or the other, as floats where one of them is."""
    if not isinstance(answers, Array) or answers.kind != ANSWERS:
        raise machine.unsupported("where() of something else than answers (numpy)")
    count = len(answers.items)
    sides = [_spread(machine, one, count) for one in (left, right)]
    if len({OBJECTS if one.kind == OBJECTS else FLOATS for one in sides}) > 1:
        raise machine.unsupported("objects and floats in one operation (numpy)")
    items = [
        a if yes else b for yes, a, b in zip(answers.items, *(s.items for s in sides), strict=True)
    ]
    kind = FLOATS if FLOATS in (one.kind for one in sides) else sides[0].kind
    return made(machine, items, kind, answers.scalar)


def _spread(machine: Machine, value: Value, count: int) -> Array:
    found = _of(machine, value if isinstance(value, (Array, list, tuple)) else [value])
    return found if len(found.items) == count else made(machine, found.items * count, found.kind)


def _largest(machine: Machine, value: Value) -> Value:
    return _extreme(machine, _of(machine, value), operator.gt)


def _smallest(machine: Machine, value: Value) -> Value:
    return _extreme(machine, _of(machine, value), operator.lt)


def _extreme(machine: Machine, over: Array, beats: Callable[..., Any]) -> Value:
    found = over.items[0]
    for one in over.items[1:]:
        found = one if machine.truth(machine.host(beats, one, found)) else found
    return found if over.kind == OBJECTS else made(machine, [found], over.kind, True)


def _each(answer: bool) -> Callable[..., Array]:
    """Return a question that is answered alike for every finite number."""

    def ask(machine: Machine, value: Value) -> Array:
        over = _of(machine, value if isinstance(value, (Array, list, tuple)) else [value])
        known = [one for one in over.items if isinstance(one, float) and not math.isfinite(one)]
        if known or over.kind == OBJECTS:
            raise machine.unsupported("whether an object or an infinite number is one (numpy)")
        return made(machine, [answer] * len(over.items), ANSWERS, not isinstance(value, Array))

    return ask


def _item(machine: Machine, over: Array) -> Value:
    if len(over.items) != 1:
        raise machine.unsupported("item() of several elements (numpy)")
    return over.items[0]


def _tolist(machine: Machine, over: Array) -> Value:
    if over.kind not in (FLOATS, OBJECTS):
        raise machine.unsupported("tolist() of perhaps machine integers (numpy)")
    return machine.created([*over.items])


def _binary(meaning: Callable[..., Array], operation: Callable[..., Any]) -> Callable[..., Array]:
    return lambda machine, left, right: meaning(machine, operation, left, right)


def _absolute(machine: Machine, value: Value) -> Array:
    return abs(_of(machine, value))


def _sum(machine: Machine, value: Value) -> Value:
    return total(machine, _of(machine, value))


def _number(machine: Machine, over: Array, dtype: Value) -> Array:
    return array_of(machine, over, dtype)


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "array": array_of,
    "asarray": _asarray,
    "full": _full,
    "zeros": _constant(0.0),
    "ones": _constant(1.0),
    "zeros_like": _like(0.0),
    "ones_like": _like(1.0),
    "all": _all,
    "any": _any,
    "sum": _sum,
    "max": _largest,
    "min": _smallest,
    "amax": _largest,
    "amin": _smallest,
    "maximum": _larger,
    "minimum": _smaller,
    "where": _where,
    "abs": _absolute,
    "isnan": _each(False),
    "isinf": _each(False),
    "isfinite": _each(True),
    "add": _binary(computed, operator.add),
    "subtract": _binary(computed, operator.sub),
    "multiply": _binary(computed, operator.mul),
    "less": _binary(compared, operator.lt),
    "less_equal": _binary(compared, operator.le),
    "greater": _binary(compared, operator.gt),
    "greater_equal": _binary(compared, operator.ge),
    "logical_and": _binary(joined, operator.and_),
    "logical_or": _binary(joined, operator.or_),
}
METHODS: dict[str, Callable[..., Value]] = {
    "all": _all,
    "any": _any,
    "sum": _sum,
    "max": _largest,
    "min": _smallest,
    "copy": array_of,
    "tolist": _tolist,
    "item": _item,
    "astype": _number,
}
"""Functions of numpy, and methods, that are followed; each is given the interpreter first."""
