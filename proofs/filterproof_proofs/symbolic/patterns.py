"""The patterns of `match`, as Python reads them."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from filterproof_proofs.symbolic.growing import Growing, Mapped
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.library import is_instance, subscript
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import Class, Opaque, Raised, Scope

BY_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""The types whose one positional sub-pattern stands for the value itself."""


def matches(
    machine: Machine, pattern: ast.pattern, value: Value, scope: Scope, bound: dict[str, Value]
) -> bool:
    """Whether a value has the form of a pattern; names of the pattern are bound on the way."""
    if isinstance(value, (Hidden, Text)):
        raise machine.run.stuck("something that no single round knows is matched")
    if isinstance(value, Opaque):
        raise machine.unsupported(value.what)
    if isinstance(value, (Growing, Mapped, Keyed)) and not isinstance(pattern, ast.MatchAs):
        raise machine.unsupported("a list or dictionary that grows is matched")
    if isinstance(pattern, ast.MatchValue):
        return machine.truth(machine.host(_equal, value, machine.evaluate(pattern.value, scope)))
    if isinstance(pattern, ast.MatchSingleton):
        return value is pattern.value
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None and not matches(
            machine, pattern.pattern, value, scope, bound
        ):
            return False
        if pattern.name is not None:
            bound[pattern.name] = value
        return True
    if isinstance(pattern, ast.MatchOr):
        return any(matches(machine, one, value, scope, bound) for one in pattern.patterns)
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(machine, pattern, value, scope, bound)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(machine, pattern, value, scope, bound)
    if isinstance(pattern, ast.MatchClass):
        return _class(machine, pattern, value, scope, bound)
    raise machine.unsupported(f"a pattern {type(pattern).__name__}")


def _equal(left: Any, right: Any) -> Any:
    return right == left if isinstance(right, Term) else left == right


def _sequence(
    machine: Machine,
    pattern: ast.MatchSequence,
    value: Value,
    scope: Scope,
    bound: dict[str, Value],
) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes, Name)):
        return False
    stars = [i for i, one in enumerate(pattern.patterns) if isinstance(one, ast.MatchStar)]
    parts, count = list(value), len(pattern.patterns)
    if len(parts) < count - len(stars) or (not stars and len(parts) != count):
        return False
    if stars:
        at, rest = stars[0], len(parts) - count + 1
        parts[at : at + rest] = [machine.created(parts[at : at + rest])]
    return all(
        _part(machine, one, part, scope, bound)
        for one, part in zip(pattern.patterns, parts, strict=True)
    )


def _part(
    machine: Machine, pattern: ast.pattern, value: Value, scope: Scope, bound: dict[str, Value]
) -> bool:
    if not isinstance(pattern, ast.MatchStar):
        return matches(machine, pattern, value, scope, bound)
    if pattern.name is not None:
        bound[pattern.name] = value
    return True


def _mapping(
    machine: Machine, pattern: ast.MatchMapping, value: Value, scope: Scope, bound: dict[str, Value]
) -> bool:
    if not isinstance(value, Mapping):
        return False
    keys = [machine.evaluate(one, scope) for one in pattern.keys]
    for key, one in zip(keys, pattern.patterns, strict=True):
        if key not in value:
            return False
        if not matches(machine, one, subscript(machine, value, key), scope, bound):
            return False
    if pattern.rest is not None:
        bound[pattern.rest] = machine.created({k: v for k, v in value.items() if k not in keys})
    return True


def _class(
    machine: Machine, pattern: ast.MatchClass, value: Value, scope: Scope, bound: dict[str, Value]
) -> bool:
    kind = machine.evaluate(pattern.cls, scope)
    if not is_instance(machine, value, kind):
        return False
    names = [*_positional(machine, kind, len(pattern.patterns)), *pattern.kwd_attrs]
    patterns = [*pattern.patterns, *pattern.kwd_patterns]
    for name, one in zip(names, patterns, strict=True):
        part = value if name is None else _attribute(machine, value, name)
        if part is None and name is not None and not _has(machine, value, name):
            return False
        if not matches(machine, one, part, scope, bound):
            return False
    return True


def _attribute(machine: Machine, value: Value, name: str) -> Value:
    return machine.get(value, name) if _has(machine, value, name) else None


def _has(machine: Machine, value: Value, name: str) -> bool:
    try:
        machine.get(value, name)
    except Raised as error:
        if isinstance(error.value, AttributeError):
            return False
        raise
    return True


def _positional(machine: Machine, kind: Value, count: int) -> list[str | None]:
    if not count:
        return []
    if kind in BY_THEMSELVES and count == 1:
        return [None]
    if isinstance(kind, Class) and kind.data is not None and "__match_args__" not in kind.namespace:
        found = [one.name for one in kind.data.fields if one.init and not one.keyword_only]
    else:
        found = list(getattr(kind, "__match_args__", None) or _match_arguments(machine, kind))
    if len(found) < count:
        raise Raised(TypeError(f"{count} positional sub-patterns are too many"))
    return [*found[:count]]


def _match_arguments(machine: Machine, kind: Value) -> list[str]:
    if isinstance(kind, Class) and isinstance(found := kind.find("__match_args__"), tuple):
        return list(found)
    raise machine.unsupported("positional sub-patterns of this class")
