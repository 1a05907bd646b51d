"""What can be changed, and what of it a value holds."""

import functools
from collections import deque
from collections.abc import Iterable, Iterator

from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.growing import Growing
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.library import CONTAINERS
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.modules import Cached
from filterproof_proofs.symbolic.values import (
    Class,
    Function,
    Instance,
    Method,
    Module,
    Scope,
    Wrapper,
    attributes,
    kind_of_instance,
)


def reachable(value: Value, without: Iterable[int] = ()) -> Iterator[Value]:
    """Yield everything of the code's own that is reached from a value and can be changed."""
    todo, seen = [value], {*without}
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, (Instance, Growing, Keyed, Array, *CONTAINERS)):
            yield one
        todo += parts(one)


def held_by(value: Value) -> dict[int, tuple[str, str]]:
    """Return what a filter holds and can be changed: its state must not hold it too."""
    return {id(one): ("", "") for one in reachable(value)}


def public(modules: Iterable[Module]) -> dict[int, tuple[str, str]]:
    """Return what modules, classes, defaults and closures hold and can be changed.

    Each has the module and the name under which it is found again, or no name.
    """
    found: dict[int, tuple[str, str]] = {}
    for module in modules:
        for name, one in module.names.items():
            found.setdefault(id(one), (module.name, name))
    todo, seen = [one for module in modules for one in module.names.values()], set[int]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        found.setdefault(id(one), ("", ""))
        todo += [*parts(one), *_behind(one)]
    return found


def _behind(value: Value) -> list[Value]:
    """Return what a class or a function holds."""
    if isinstance(value, Class):
        return list(value.namespace.values())
    if isinstance(value, Method):
        return [value.function, value.receiver]
    if isinstance(value, (Wrapper, Cached)):
        return [value.function, getattr(value, "setter", None)]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if not isinstance(value, Function):
        return []
    held: list[Value] = [
        *value.defaults,
        *value.keyword_defaults.values(),
        *value.attributes.values(),
    ]
    scope: Scope | None = value.scope
    while scope is not None and scope.parent is not None:
        held += scope.names.values()
        scope = scope.parent
    return held


def parts(value: Value) -> list[Value]:
    """Return the values that a value is made of."""
    if isinstance(value, Instance):
        return list(attributes(value).values())
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, Keyed):
        return [*value.entries.values()]
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
