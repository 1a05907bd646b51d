"""Every witness of the blind sets but the second breaks its filter; the sound ones hold."""

from collections import Counter
from functools import cache

import pytest

from corpus.blind import first, fourth, third
from corpus.blind.base import Wrong
from corpus.blind.checks import holds, runs_first, stops
from filterproof import witness
from filterproof.fast import transcripts, worst_case
from filterproof.game import Game

SETS = {"first": first, "third": third, "fourth": fourth}
WRONG = [(which, name) for which, one in SETS.items() for name in one.WRONG]
SOUND = [(which, name) for which, one in SETS.items() for name in one.SOUND]
SMALL = 100
"""Transcripts of a game that the plain specification walks, and every sound filter too."""


def wrong(which: str, name: str) -> Wrong:
    found: Wrong = SETS[which].WRONG[name]
    return found


@cache
def witness_game(which: str, name: str) -> Game:
    return wrong(which, name).witness.game()


SMALL_GAMES = [one for one in WRONG if transcripts(witness_game(*one)) <= SMALL]


@pytest.mark.parametrize(("which", "name"), WRONG)
def test_the_witness_breaks_the_filter(which: str, name: str) -> None:
    seen = wrong(which, name).witness
    rule = wrong(which, name).target(seen.epsilon, seen.delta)
    assert worst_case(rule, witness_game(which, name), seen.epsilon).value > seen.delta


@pytest.mark.parametrize(("which", "name"), SMALL_GAMES)
def test_the_specification_finds_the_same_excess(which: str, name: str) -> None:
    seen, played = wrong(which, name).witness, witness_game(which, name)
    rule = wrong(which, name).target(seen.epsilon, seen.delta)
    found = witness.worst_case(rule, played, seen.epsilon).value
    assert found == worst_case(rule, played, seen.epsilon).value > seen.delta


@pytest.mark.parametrize(("which", "name"), WRONG)
def test_a_wrong_filter_stops_something(which: str, name: str) -> None:
    seen = wrong(which, name).witness
    rule = wrong(which, name).target(seen.epsilon, seen.delta)
    assert stops(rule)


@pytest.mark.parametrize(("which", "name"), SOUND)
def test_a_sound_filter_holds_where_the_others_break(which: str, name: str) -> None:
    for other in (one for one in SMALL_GAMES if one[0] == which):
        assert holds(SETS[which].SOUND[name], wrong(*other).witness, witness_game(*other)), other


@pytest.mark.parametrize(("which", "name"), SOUND)
def test_a_sound_filter_runs_something_that_tells(which: str, name: str) -> None:
    others = (one for one in SMALL_GAMES if one[0] == which)
    tried = ((wrong(*one).witness, witness_game(*one)) for one in others)
    assert any(runs_first(SETS[which].SOUND[name], seen, played) for seen, played in tried)


@pytest.mark.parametrize(
    ("which", "wrongs", "sounds"), [("first", 44, 18), ("third", 45, 16), ("fourth", 44, 16)]
)
def test_the_set_is_large_and_of_all_levels(which: str, wrongs: int, sounds: int) -> None:
    levels = Counter(one.level for one in SETS[which].WRONG.values())
    assert len(SETS[which].WRONG) >= wrongs
    assert len(SETS[which].SOUND) >= sounds
    assert all(4 * levels[one] >= len(SETS[which].WRONG) for one in ("easy", "medium", "hard"))
