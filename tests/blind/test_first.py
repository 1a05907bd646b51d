"""Every witness of the first blind set breaks its filter, exactly; the sound ones hold."""

from collections import Counter
from functools import cache

import pytest

from filterproof import adversary
from filterproof.fast import transcripts, worst_case
from filterproof.game import Game
from tests.blind.checks import holds, runs_first, stops
from tests.blind.first import SOUND, WRONG

SMALL = 100
"""Transcripts of a game that the plain specification walks, and every sound filter too."""


@cache
def witness_game(name: str) -> Game:
    return WRONG[name].witness.game()


SMALL_GAMES = [name for name in WRONG if transcripts(witness_game(name)) <= SMALL]


@pytest.mark.parametrize("name", WRONG)
def test_the_witness_breaks_the_filter(name: str) -> None:
    seen = WRONG[name].witness
    rule = WRONG[name].target(seen.epsilon, seen.delta)
    assert worst_case(rule, witness_game(name), seen.epsilon).value > seen.delta


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_the_specification_finds_the_same_excess(name: str) -> None:
    seen, played = WRONG[name].witness, witness_game(name)
    rule = WRONG[name].target(seen.epsilon, seen.delta)
    found = adversary.worst_case(rule, played, seen.epsilon).value
    assert found == worst_case(rule, played, seen.epsilon).value > seen.delta


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_filter_stops_something(name: str) -> None:
    seen = WRONG[name].witness
    rule = WRONG[name].target(seen.epsilon, seen.delta)
    assert stops(rule)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_filter_holds_where_the_others_break(name: str) -> None:
    for other in SMALL_GAMES:
        assert holds(SOUND[name], WRONG[other].witness, witness_game(other)), other


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_filter_runs_something_that_tells(name: str) -> None:
    tried = ((WRONG[other].witness, witness_game(other)) for other in SMALL_GAMES)
    assert any(runs_first(SOUND[name], seen, played) for seen, played in tried)


def test_the_set_is_large_and_of_all_levels() -> None:
    levels = Counter(one.level for one in WRONG.values())
    assert len(WRONG) >= 44
    assert len(SOUND) >= 18
    assert all(4 * levels[level] >= len(WRONG) for level in ("easy", "medium", "hard"))
