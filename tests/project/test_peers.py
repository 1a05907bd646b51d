"""The objects and edits that are put to other tools are what they are said to be."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from benchmarks.peers.objects import EDITS, OBJECTS, Edit, Thing

ROUNDING = 1e-9
STRIP = (0.45, 0.5501)
"""Two spends whose product is in the strip."""


def made(thing: Thing) -> Any:
    """Return a budget of 1."""
    names: dict[str, Any] = {}
    exec(thing.text, names)
    return names["Budget"](1.0)


def runs() -> Iterator[list[float]]:
    """Yield requests: equal ones, the strip, and drawn ones."""
    yield from ([size] * 60 for size in (0.05, 0.3, 0.6, 0.999, 0.009))
    yield [*STRIP, *STRIP]
    yield [0.38, 0.1, 0.9]
    yield [0.9, 0.8995, 0.899]
    random = Random(1)
    for _ in range(20):
        yield [random.random() for _ in range(40)]
    yield [0.02] * 40 + [0.9]


def exceeds(thing: Thing, requests: list[float]) -> bool:
    """Whether more than the budget is granted."""
    budget = made(thing)
    return sum(one for one in requests if budget.spend(one)) > 1 + ROUNDING


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_right_or_goes_too_far_in_one_of_some_runs(name: str) -> None:
    one = OBJECTS[name]
    assert any(exceeds(one, requests) for requests in runs()) is not one.right


def looser(edit: Edit, requests: list[float]) -> bool:
    """Whether the old version refuses something that the new one grants."""
    old, new = made(edit.old), made(edit.new)
    return not all(old.spend(one) for one in requests if new.spend(one))


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_looser_or_not_in_one_of_some_runs(name: str) -> None:
    edit = EDITS[name]
    assert any(looser(edit, requests) for requests in runs()) is edit.looser
