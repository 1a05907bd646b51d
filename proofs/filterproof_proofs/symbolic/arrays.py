"""Arrays of numpy with one dimension and a fixed length: floats, Python objects, and answers.

A float array computes element by element as Python's floats do.  An array that is made of numbers
which may be ints, with no dtype, may be one of machine integers, which wrap around and cut off:
it can be compared and added to floats, and nothing is written into it.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof_proofs.symbolic.kinds import kind_of
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import Raised

FLOATS, PERHAPS_INTS, OBJECTS, ANSWERS = "float", "float or int", "object", "bool"
FEW = 8
"""So many floats or more are added up in another order."""
ORDERED = (operator.add, operator.sub, operator.mul)


@dataclass(eq=False)
class Array:
    """An array, or with `scalar` one element of a float array or one answer."""

    machine: Machine
    items: list[Value]
    kind: str
    scalar: bool = False

    def __bool__(self) -> bool:
        if len(self.items) != 1:
            raise Raised(ValueError("the truth value of an array with several elements"))
        return self.machine.truth(self.items[0])

    def __len__(self) -> int:
        if self.scalar:
            raise self._not_interpreted("the length of a number")
        return len(self.items)

    def __iter__(self) -> Iterator[Value]:
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        raise self._not_interpreted("an array as a key")

    def __getitem__(self, key: Value) -> Value:
        found = self.items[self._place(key)]
        return found if self.kind == OBJECTS else made(self.machine, [found], self.kind, True)

    def __setitem__(self, key: Value, value: Value) -> None:
        if isinstance(key, slice) and key == slice(None):
            self.fill_from(value)
        else:
            self.items[self._place(key)] = self._as_element(value)

    def fill_from(self, value: Value) -> None:
        """Put other elements in the place of all of them."""
        there = _items(self.machine, value, len(self))
        self.items[:] = [self._as_element(one) for one in there]

    def _as_element(self, value: Value) -> Value:
        if self.kind == OBJECTS and not isinstance(value, Array):
            return value
        if self.kind != FLOATS:
            raise self._not_interpreted(
                "writing into an array that may hold machine integers: dtype=float"
            )
        return as_float(self.machine, value)

    def _place(self, key: Value) -> int:
        if type(key) is not int or self.scalar:
            raise self._not_interpreted("this kind of place in an array")
        if not -len(self) <= key < len(self):
            raise Raised(IndexError("index is out of bounds"))
        return key

    def _not_interpreted(self, what: str) -> Any:
        return self.machine.unsupported(f"{what} (numpy)")

    def __neg__(self) -> "Array":
        return computed(self.machine, operator.sub, 0.0, self)

    def __abs__(self) -> "Array":
        return made(self.machine, [abs(one) for one in self.items], self.kind, self.scalar)

    def __invert__(self) -> "Array":
        if self.kind != ANSWERS:
            raise self._not_interpreted("the bits of an array")
        return made(self.machine, [not one for one in self.items], ANSWERS, self.scalar)

    def __pow__(self, power: Value) -> "Array":
        if type(power) is not int or power != 2:
            raise self._not_interpreted("a power that is not 2")
        return computed(self.machine, operator.mul, self, self)


def made(machine: Machine, items: list[Value], kind: str, scalar: bool = False) -> Array:
    """Return a new array."""
    return machine.created(Array(machine, items, kind, scalar))  # type: ignore[no-any-return]


def as_float(machine: Machine, value: Value) -> Value:
    """Return a number as an element of a float array."""
    if isinstance(value, Array) and value.kind in (FLOATS, PERHAPS_INTS) and len(value.items) == 1:
        return value.items[0]
    if kind_of(value) not in (int, float):
        raise machine.unsupported("an element that is neither float nor int (numpy)")
    return machine.call(float, value)


def _items(machine: Machine, value: Value, count: int) -> list[Value]:
    """Return so many elements: of an array, or one number again and again."""
    if isinstance(value, (list, tuple)):
        value = array_of(machine, value)
    if not isinstance(value, Array):
        return [value] * count
    if value.scalar or len(value.items) == 1:
        return value.items * count
    if len(value.items) != count:
        raise Raised(ValueError("operands could not be broadcast together"))
    return value.items


def _count(left: Value, right: Value) -> int:
    return max(len(one.items) if isinstance(one, Array) else 1 for one in (left, right))


def _pairs(machine: Machine, left: Value, right: Value) -> list[tuple[Value, Value]]:
    left, right = (
        array_of(machine, one) if isinstance(one, (list, tuple)) else one for one in (left, right)
    )
    count = _count(left, right)
    return list(zip(_items(machine, left, count), _items(machine, right, count), strict=True))


def _scalar(*operands: Value) -> bool:
    return all(not isinstance(one, (list, tuple)) for one in operands) and all(
        one.scalar for one in operands if isinstance(one, Array)
    )


def _kinds(operands: Sequence[Value]) -> set[str]:
    return {one.kind if isinstance(one, Array) else _kind_of_number(one) for one in operands}


def _kind_of_number(value: Value) -> str:
    if isinstance(value, bool):
        return ANSWERS
    if isinstance(value, (list, tuple)):
        return _kind_of_all(value)
    if kind_of(value) in (Fraction, Decimal, None):
        return OBJECTS
    return FLOATS if type(value) is float else PERHAPS_INTS


def _kind_of_all(items: Sequence[Value]) -> str:
    kinds = {one.kind if isinstance(one, Array) else _kind_of_number(one) for one in items}
    if OBJECTS in kinds or kinds == {ANSWERS}:
        return kinds.pop() if len(kinds) == 1 else OBJECTS
    return FLOATS if FLOATS in kinds else PERHAPS_INTS


def computed(machine: Machine, operation: Callable[..., Value], left: Value, right: Value) -> Array:
    """Return what an operator gives, element by element."""
    kinds, scalar = _kinds((left, right)), _scalar(left, right)
    pairs = _pairs(machine, left, right)
    if ANSWERS in kinds:
        raise machine.unsupported("answers are computed with (numpy)")
    if OBJECTS in kinds:
        if any(isinstance(one, Array) and one.kind != OBJECTS for one in (left, right)):
            raise machine.unsupported("objects and floats in one operation (numpy)")
        return made(machine, [machine.host(operation, a, b) for a, b in pairs], OBJECTS)
    if kinds == {PERHAPS_INTS} and operation is not operator.truediv:
        raise machine.unsupported("numbers that may be machine integers: dtype=float (numpy)")
    if operation is operator.truediv:
        if any(machine.truth(machine.host(operator.eq, b, 0)) for _, b in pairs):
            raise machine.unsupported("a division by 0, which gives inf (numpy)")
    elif operation not in ORDERED:
        raise machine.unsupported(f"{operation.__name__} of arrays (numpy)")
    floats = [(as_float(machine, a), as_float(machine, b)) for a, b in pairs]
    return made(machine, [machine.host(operation, a, b) for a, b in floats], FLOATS, scalar)


def compared(machine: Machine, operation: Callable[..., Value], left: Value, right: Value) -> Array:
    """Return what a comparison says, element by element."""
    answers = [
        machine.truth(machine.host(operation, a, b)) for a, b in _pairs(machine, left, right)
    ]
    return made(machine, answers, ANSWERS, _scalar(left, right))


def joined(machine: Machine, operation: Callable[..., Value], left: Value, right: Value) -> Array:
    """Return `&` or `|` of answers."""
    pairs = _pairs(machine, left, right)
    if not all(isinstance(one, bool) for pair in pairs for one in pair):
        raise machine.unsupported("the bits of an array (numpy)")
    return made(machine, [operation(a, b) for a, b in pairs], ANSWERS, _scalar(left, right))


def array_of(machine: Machine, value: Value, dtype: Value = None) -> Array:
    """Return what `np.array` makes of a list, a tuple or an array."""
    if isinstance(value, Array):
        items, kind = [*value.items], value.kind
    elif isinstance(value, (list, tuple)):
        items, kind = [*value], _kind_of_all(value)
        if any(isinstance(one, (list, tuple)) for one in items) or not items:
            raise machine.unsupported("an array of arrays, or an empty one (numpy)")
    else:
        raise machine.unsupported("an array of something else than a list or a tuple (numpy)")
    if dtype is not None:
        kind = kind_named(machine, dtype)
    if kind == OBJECTS:
        if not all(kind_of(one) for one in items):
            raise machine.unsupported("objects that are no numbers (numpy)")
        return made(machine, items, kind)
    if kind == ANSWERS:
        return made(machine, [machine.truth(one) for one in items], kind)
    return made(machine, [as_float(machine, one) for one in items], kind)


def kind_named(machine: Machine, dtype: Value) -> str:
    """Return what a dtype is called here; only floats and objects are followed."""
    if dtype in (float, "float", "float64", "f8", "d"):
        return FLOATS
    if dtype in (object, "object", "O"):
        return OBJECTS
    raise machine.unsupported("this dtype (numpy)")


def total(machine: Machine, over: Array) -> Value:
    """Return the sum of an array, added up from the first element on."""
    if over.kind not in (FLOATS, OBJECTS) or len(over.items) >= FEW:
        raise machine.unsupported("the sum of this array (numpy)")
    found = over.items[0]
    for one in over.items[1:]:
        found = machine.host(operator.add, found, one)
    return found if over.kind == OBJECTS else made(machine, [found], FLOATS, True)


def _operator(operation: Callable[..., Any], meaning: Callable[..., Array], swap: bool) -> Any:
    def operate(self: Array, other: Value) -> Array:
        left, right = (other, self) if swap else (self, other)
        return meaning(self.machine, operation, left, right)

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "matmul"):
    for _prefix in ("", "r"):
        _made = _operator(getattr(operator, _name), computed, bool(_prefix))
        setattr(Array, f"__{_prefix}{_name}__", _made)
for _name in ("and", "or"):
    for _prefix in ("", "r"):
        _made = _operator(getattr(operator, f"{_name}_"), joined, bool(_prefix))
        setattr(Array, f"__{_prefix}{_name}__", _made)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Array, f"__{_name}__", _operator(getattr(operator, _name), compared, False))
