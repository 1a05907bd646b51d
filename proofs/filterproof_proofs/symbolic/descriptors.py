"""What a class makes of its own attributes: descriptors, special methods, `total_ordering`."""

import types
from typing import Any

from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Function,
    Instance,
    Method,
    Wrapper,
    attributes,
    kind_of_instance,
    special_method,
)

ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
"""The comparisons, in the order in which `functools.total_ordering` starts from one of them."""
OPPOSITE = {"__lt__": "__ge__", "__le__": "__gt__", "__gt__": "__le__", "__ge__": "__lt__"}


def part_of(descriptor: Value, name: str) -> Value:
    """Return `__get__` or `__set__` of a descriptor of the code's own; MISSING of anything else."""
    return kind_of_instance(descriptor).find(name) if isinstance(descriptor, Instance) else MISSING


def is_descriptor(value: Value) -> bool:
    """Whether a value in a class decides what reading or setting it on an object does."""
    return any(part_of(value, name) is not MISSING for name in ("__get__", "__set__"))


def tell_names(machine: Machine, made: Class) -> None:
    """Tell every descriptor of a new class which name it has there."""
    for name, value in made.namespace.items():
        if (found := part_of(value, "__set_name__")) is not MISSING:
            machine.call(found, value, made, name)


def read_first(machine: Machine, found: Value, obj: Value, kind: Class) -> Value:
    """Return what a descriptor that is also set gives, before the object is looked at; MISSING."""
    if isinstance(found, Wrapper) and found.kind == "property":
        return machine.call(found.function, obj)
    if part_of(found, "__get__") is MISSING or part_of(found, "__set__") is MISSING:
        return MISSING
    return machine.call(part_of(found, "__get__"), found, obj, kind)


def as_read_from(machine: Any, found: Value, obj: Value, kind: Class, name: str) -> Value:
    """Return what an attribute of a class is when it is read from an object of the class."""
    if isinstance(found, (Function, types.FunctionType)):
        return Method(found, obj, machine)
    if (getter := part_of(found, "__get__")) is not MISSING:
        return machine.call(getter, found, obj, kind)
    if not isinstance(found, Wrapper):
        return found
    if found.kind == "classmethod":
        return Method(found.function, kind, machine)
    if found.kind == "staticmethod":
        return found.function
    if found.kind == "contextmanager":
        return Method(found, obj, machine)
    value = machine.call(found.function, obj)
    if not machine.may_change(obj):
        return machine.unchanging(value)
    attributes(obj)[name] = value
    return value


def in_place(machine: Machine, obj: Instance, name: str, other: Value) -> Value:
    """Return what `obj += other` binds; NotImplemented where the class does not say."""
    found = special_method(kind_of_instance(obj), name)
    return NotImplemented if found is MISSING else machine.call(found, obj, other)


def total_ordering(machine: Machine, kind: Value) -> Value:
    """Return a class with all comparisons: those that it lacks by one that it has."""
    defined = [name for name in ORDER if kind.find(name) is not MISSING]
    if not defined or (kind.data is not None and kind.data.order):
        raise machine.unsupported("total_ordering of a class without an order of its own")
    for name in ORDER:
        if name not in defined:
            kind.namespace[name] = _from(machine, defined[0], name)
    return kind


def _from(machine: Machine, root: str, name: str) -> Any:
    """Return one comparison by another: `a <= b` is `a < b or a == b`, `a >= b` is `not a < b`."""

    def compared(one: Value, other: Value) -> Value:
        answer = machine.call(kind_of_instance(one).find(root), one, other)
        if answer is NotImplemented:
            return answer
        first = machine.truth(answer) is (name[2] == root[2])
        if name == OPPOSITE[root]:
            return first
        equal = name in ("__le__", "__ge__")
        if first is equal:
            return first
        return machine.truth(machine.host(lambda: one == other)) is equal

    return compared
