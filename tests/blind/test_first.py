"""Every witness of the first blind set breaks its filter, exactly; the sound ones hold."""

from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from filterproof import adversary
from filterproof.fast import transcripts, worst_case
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, opening
from filterproof.palette import game, table
from tests.blind.base import NOTHING, Sound
from tests.blind.first import SOUND, WRONG
from tests.blind.first.games import chain

SMALL = 100
"""Transcripts of a game that the plain specification walks, and every sound filter too."""

HEAVY: dict[str, tuple[Fraction | int, ...]] = {
    "!": (Fraction(1, 2), 0),
    "0": (Fraction(499, 1000), Fraction(1, 1000)),
    "1": (Fraction(1, 1000), Fraction(999, 1000)),
}


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
    assert rounds_run(rule, game(chain(*[table(HEAVY)] * 40))) < 40


def rounds_run(rule: Filter[object], played: Game) -> int:
    """Return how many rounds run if every answer is "0"."""
    step, output = opening(played), OPENING
    _, state = ask(rule, start(rule), step)
    for done in range(played.depth):
        state = observe(rule, state, step, output)
        step, output = step.next(output, "ask"), "0"
        decision, state = ask(rule, state, step)
        if decision is not Decision.CONTINUE:
            return done
    return played.depth


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_filter_holds_where_the_others_break(name: str) -> None:
    for other in SMALL_GAMES:
        seen = WRONG[other].witness
        try:
            rule = SOUND[name].target(seen.epsilon, seen.delta)
        except ValueError:
            continue
        assert worst_case(rule, witness_game(other), seen.epsilon).value <= seen.delta, other


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_filter_runs_something_that_tells(name: str) -> None:
    assert any(runs_first(SOUND[name], other) for other in SMALL_GAMES)


def runs_first(one: Sound, other: str) -> bool:
    """Return whether some first request that is not silent runs, at the budget of a witness."""
    seen, step = WRONG[other].witness, opening(witness_game(other))
    try:
        rule = one.target(seen.epsilon, seen.delta)
    except ValueError:
        return False
    _, state = ask(rule, start(rule), step)
    state = observe(rule, state, step, OPENING)
    asked = (step.next(OPENING, request) for request in witness_game(other).menu)
    telling = (here for here in asked if here.mechanism.declared != NOTHING)
    ran = {Decision.CONTINUE, Decision.LAST}
    return any(ask(rule, state, here)[0] in ran for here in telling)


def test_the_set_is_large_and_of_all_levels() -> None:
    levels = Counter(one.level for one in WRONG.values())
    assert len(WRONG) >= 44
    assert len(SOUND) >= 18
    assert all(4 * levels[level] >= len(WRONG) for level in ("easy", "medium", "hard"))
