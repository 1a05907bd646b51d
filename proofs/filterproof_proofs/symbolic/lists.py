"""The lists of a state, and what numbers their elements hold."""

from collections.abc import Iterator, Sequence
from typing import Any

from filterproof_proofs.symbolic.growing import Growing
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.shapes import Hole, Object, Parts, Shape, Table, inside


def named_lists(state: Value, root: str) -> list[tuple[str, Value]]:
    """Return the lists of a state that hold something else than what can be told apart by place.

    >>> named_lists({"log": [1, 2], "n": 3}, "self")
    [("self['log']", [1, 2])]
    """
    return [
        (name, one)
        for name, one in _parts_by_name(state, root)
        if type(one) in (list, tuple) or isinstance(one, Growing)
    ]


def named_tables(state: Value, root: str) -> list[tuple[str, Value]]:
    """Return the dictionaries of a state, and those that are keyed by names."""
    return [
        (name, one) for name, one in _parts_by_name(state, root) if isinstance(one, (dict, Keyed))
    ]


def _parts_by_name(state: Value, root: str) -> Iterator[tuple[str, Value]]:
    """Yield every part of a state by its name."""
    todo, seen = [(root, state)], set[int]()
    while todo:
        name, one = todo.pop()
        yield name, one
        parts = [] if isinstance(one, Growing) else inside(one, seen)
        todo += [(f"{name}{label}", part) for label, part in parts]


def element_kinds(lists: Sequence[Parts]) -> dict[Any, type]:
    """Return the type of every number that all elements of some lists have, by its place."""
    elements = {one for some in lists for one in some.parts}
    found = [dict(_places(one, ())) for one in elements]
    return {
        place: kind
        for place, kind in (found[0].items() if found else ())
        if all(other.get(place) is kind for other in found)
    }


def _places(shape: Shape, place: Any) -> Iterator[tuple[Any, type]]:
    if isinstance(shape, Hole):
        yield place, shape.kind
    elif isinstance(shape, Object):
        for name, part in zip(shape.names, shape.parts, strict=True):
            yield from _places(part, (*place, ("attribute", name)))
    elif isinstance(shape, Table):
        for key, part in zip(shape.keys, shape.parts, strict=True):
            yield from _places(part, (*place, ("item", key.value)))  # type: ignore[union-attr]
    elif isinstance(shape, Parts) and shape.kind not in (set, frozenset):
        for i, part in enumerate(shape.parts):
            yield from _places(part, (*place, ("item", i)))
        for i, name in enumerate(getattr(shape.kind, "_fields", ())):
            yield from _places(shape.parts[i], (*place, ("attribute", name)))
