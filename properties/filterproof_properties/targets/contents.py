"""What a state consists of beyond what `==` looks at.

Two states are one only if they cannot be told apart.  A data class may leave fields out of its
comparison (`compare=False`), an object may have attributes that are no fields, and 1 equals True
and 1.0.  So states are told apart by the types and attributes of all their parts as well.
"""

from collections.abc import Hashable, Iterator
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.exact import ExpLinear, Log

WHOLE = frozenset({int, str, bool, float, complex, bytes, type(None), Fraction, ExpLinear, Log})
"""Types of which nothing is hidden from `==`."""


def contents(state: Any) -> Hashable:
    """Return the types and attributes of all parts; equal states with equal contents are one.

    >>> contents((1, True)) == contents((1, 1)), contents((1, 2)) == contents((3, 4))
    (False, True)
    """
    return _contents(state, frozenset())


def _contents(state: Any, above: frozenset[int]) -> Hashable:
    kind: Any = type(state)
    if kind in WHOLE or isinstance(state, (Enum, type)):
        return kind  # type: ignore[no-any-return]
    if (known := _KNOWN.get(id(state))) is not None and known[0] is state:
        return known[1]
    if id(state) in above:
        return "itself"
    inside = above | {id(state)}
    if isinstance(state, tuple) and _is_bare(kind):
        return _of_tuple(state, inside)
    if isinstance(state, (tuple, list)):
        return (kind, *(_contents(one, inside) for one in state), *_named_contents(state, inside))
    if isinstance(state, (set, frozenset)):
        return kind, frozenset(_contents(one, inside) for one in state)
    return (kind, *_named_contents(state, inside))


_KNOWN: dict[int, tuple[Any, Hashable]] = {}
UNKNOWN: tuple[Any, Hashable] = (object(), None)
MOST_KNOWN = 20_000
"""Contents of so many tuples at most are remembered: a state often is the last one and more."""


def _of_tuple(state: tuple[Any, ...], above: frozenset[int]) -> Hashable:
    """Return the contents of a tuple; one that cannot change is remembered."""
    found: tuple[Hashable, ...] = (type(state),)
    known = [_KNOWN.get(id(one), UNKNOWN) for one in state]  # most parts of most states are
    if all(one is old for one, (old, _) in zip(state, known, strict=True)):
        found += tuple([inner for _, inner in known])
    else:
        found += tuple(_contents(one, above) for one in state)
    if len(state) <= SHORT and all(type(one) in WHOLE or id(one) in _KNOWN for one in state):
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(state)] = state, found
    return found


SHORT = 16
"""Longer tuples are what grows from round to round, of which none comes twice."""


@lru_cache(maxsize=256)
def _is_bare(kind: type) -> bool:
    """Whether the instances of a kind of tuples have no attributes beyond their items."""
    every = [one.__dict__ for one in kind.__mro__]
    return not any("__dict__" in one or one.get("__slots__") for one in every)


def _named_contents(state: Any, above: frozenset[int]) -> Iterator[Hashable]:
    for name, value in attributes(state):
        yield name, _contents(value, above), _comparable(value)


def attributes(state: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object keeps: in its `__dict__`, and in slots."""
    yield from sorted(getattr(state, "__dict__", {}).items(), key=lambda item: str(item[0]))
    for kind in type(state).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(state, name):
                yield name, getattr(state, name)


def _comparable(value: Any) -> Hashable:
    """Return the value, or what it holds; what cannot be compared is only ever the same as itself.

    >>> _comparable([1, {"a": [2]}]) == _comparable([1, {"a": [2]}])
    True
    """
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_comparable, value))
    if isinstance(value, dict):
        return dict, tuple((_comparable(key), _comparable(one)) for key, one in value.items())
    if type(value).__module__ == "numpy" and hasattr(value, "tobytes"):
        return "numpy", str(value.dtype), value.shape, value.tobytes()
    try:
        hash(value)
    except Exception:
        return "identity", id(value)
    return value  # type: ignore[no-any-return]
