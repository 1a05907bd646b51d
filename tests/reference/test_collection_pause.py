"""Full searches for garbage go on after a pause, whatever happened in it."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from filterproof.collection_pause import NEVER, full_collection_paused
from filterproof.game import Game, GameError

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def usual_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_an_error_in_the_pause_ends_it() -> None:
    with pytest.raises(ZeroDivisionError), full_collection_paused():
        1 / (gc.get_threshold()[2] - NEVER)
    assert gc.get_threshold() == USUAL


def test_a_game_that_is_refused_leaves_no_pause_behind() -> None:
    with pytest.raises(GameError):
        Game(["0", "1"], [("0", "1")], {"ask": None})  # type: ignore[dict-item]
    assert gc.get_threshold() == USUAL


class Circle(list["Circle"]):
    def __init__(self) -> None:
        super().__init__([self])


def test_circles_that_are_left_behind_young_are_found_in_the_pause() -> None:
    with full_collection_paused():
        gone = weakref.ref(Circle())
        # so many new objects start a search
        held: list[list[int]] = [[] for _ in range(2 * USUAL[0])]
        assert gone() is None
    assert len(held) == 2 * USUAL[0]
