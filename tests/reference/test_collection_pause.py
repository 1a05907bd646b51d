"""Garbage is looked for again after a pause, whatever happened in it, if it was before."""

import gc
from collections.abc import Iterator

import pytest

from filterproof.collection_pause import collection_paused
from filterproof.game import Game, GameError


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_an_error_in_the_pause_ends_it() -> None:
    with pytest.raises(ZeroDivisionError), collection_paused():
        1 / gc.isenabled()  # it is not
    assert gc.isenabled()


def test_who_looks_for_no_garbage_is_left_alone() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


def test_a_game_that_is_refused_leaves_no_pause_behind() -> None:
    with pytest.raises(GameError):
        Game(["0", "1"], [("0", "1")], {"ask": None})  # type: ignore[dict-item]
    assert gc.isenabled()
