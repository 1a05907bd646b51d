"""States of a filter: when two are the same, and which pairs they have an entry for."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import z3

from filterproof.exact import ExpLinear
from filterproof.filters.common import Open
from filterproof_proofs.symbolic.terms import value
from filterproof_proofs.symbolic.values import Instance, attributes, kind_of_instance
from filterproof_proofs.ties.contracts import Books, books_of
from filterproof_proofs.ties.world import Moment

State = tuple[Any, Any]
"""When a state may be like this, and what it is."""


def equal(actual: Any, expected: Any) -> Any:
    """Return where two states are the same, as a formula; None if they are of different form."""
    if isinstance(expected, Books):
        if not (isinstance(actual, Books) or actual == ()):
            return None
        kept = books_of(actual)
        return z3.And(
            *(getattr(kept, one.name) == getattr(expected, one.name) for one in fields(Books))
        )
    if _is_number(expected):
        return value(actual) == value(expected) if _is_number(actual) else None
    if type(actual) is not type(expected):
        return None
    if isinstance(expected, ExpLinear):
        return equal((actual.a, actual.b), (expected.a, expected.b))
    if isinstance(expected, tuple):
        return _all_equal(actual, expected)
    if isinstance(expected, Instance):
        if kind_of_instance(actual) is not kind_of_instance(expected):
            return None
        return _all_equal([*attributes(actual).items()], [*attributes(expected).items()])
    if isinstance(expected, Open):
        return z3.BoolVal(True)  # why it could not decide makes no difference
    if is_dataclass(expected):
        names = [one.name for one in fields(expected)]
        return _all_equal(
            [getattr(actual, n) for n in names], [getattr(expected, n) for n in names]
        )
    return z3.BoolVal(True) if actual is expected or _same_text(actual, expected) else None


def _is_number(one: Any) -> bool:
    return isinstance(one, (int, Fraction)) and not isinstance(one, bool)


def _same_text(actual: Any, expected: Any) -> bool:
    return isinstance(expected, (str, bool)) and bool(actual == expected)


def _all_equal(actual: Sequence[Any], expected: Sequence[Any]) -> Any:
    if len(actual) != len(expected):
        return None
    found = [equal(one, other) for one, other in zip(actual, expected, strict=True)]
    return None if any(one is None for one in found) else z3.And(*found)


def alive_states(moment: Moment, make: Callable[[tuple[str, ...]], Any]) -> list[State]:
    """Return a state for every set of databases that may still be possible."""
    every = tuple(moment.mass)
    sets = [kept for many in range(len(every), 0, -1) for kept in combinations(every, many)]
    found = []
    for kept in sets:
        live = [moment.alive(x) if x in kept else moment.mass[x] == 0 for x in every]
        found.append((z3.And(*live), make(kept)))
    return found
