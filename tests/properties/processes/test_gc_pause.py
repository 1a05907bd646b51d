"""Garbage is looked for seldom while something goes on, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

from filterproof_properties.processes.gc_pause import SELDOM, collecting_seldom


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("before", "during"),
    [
        ((700, 10, 11), (SELDOM, 10, 11)),
        ((SELDOM + 5, 10, 11), (SELDOM + 5, 10, 11)),  # somebody looks for it more seldom still
        ((0, 10, 11), (0, 10, 11)),  # or for none at all
    ],
)
def test_it_is_looked_for_more_seldom_if_at_all(
    before: tuple[int, int, int], during: tuple[int, int, int]
) -> None:
    gc.set_threshold(*before)
    with collecting_seldom():
        assert gc.get_threshold() == during
    assert gc.get_threshold() == before


def test_what_goes_wrong_changes_nothing() -> None:
    gc.set_threshold(700, 10, 11)
    with pytest.raises(ZeroDivisionError), collecting_seldom():
        raise ZeroDivisionError
    assert gc.get_threshold() == (700, 10, 11)
