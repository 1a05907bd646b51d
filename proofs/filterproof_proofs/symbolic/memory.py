"""What can be changed, and what of it a value holds."""

from collections import deque
from collections.abc import Iterator

from filterproof_proofs.symbolic.library import CONTAINERS
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.values import Class, Instance, Scope, attributes, kind_of_instance


def reachable(value: Value) -> Iterator[Value]:
    """Yield everything of the code's own that is reached from a value and can be changed."""
    todo, seen = [value], set[int]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, (Instance, *CONTAINERS)):
            yield one
        todo += parts(one)


def parts(value: Value) -> list[Value]:
    """Return the values that a value is made of."""
    if isinstance(value, Instance):
        return list(attributes(value).values())
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return list(value)
    return []


def shown(obj: Value) -> str:
    """Say what it is that would be changed."""
    if isinstance(obj, Scope):
        inside = "a function around it" if obj.function else "the module"
        return f"a name of {inside}"
    if isinstance(obj, Instance):
        return f"an older {kind_of_instance(obj).name}"
    if isinstance(obj, Class):
        return f"the class {obj.name}"
    return f"an older {type(obj).__name__}"
