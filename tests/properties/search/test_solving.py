"""Branches that are put to a solver: what stands in the code is found, its sound twin is not."""

import json
import os
import signal
import time
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
import z3

from corpus.conditions import FOR_SOLVER, Pair
from filterproof.exact import Log
from filterproof_properties.audit.record import envelope_text
from filterproof_properties.case import Envelope
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import BRANCHES, VARIED, SearchTask, plan
from filterproof_properties.search.results import merge
from filterproof_properties.search.solving import process
from filterproof_properties.search.solving.branches import numbers_for, with_margin
from filterproof_properties.search.solving.plays import budget_for, case_of
from filterproof_properties.search.solving.process import plays_for
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.targets.connect import open_target

NAMES = [pair.wrong.__name__ for pair in FOR_SOLVER]
FEW, DRAWN = 5, 80
NO_DELTA = Fraction(0)


def played(spec: str, source: str, plays: int) -> Tally:
    """Play a source of a target's code so often."""
    delta = NO_DELTA if "(epsilon)" in spec else Fraction(1, 128)
    budget = (Fraction(1), delta) if source == VARIED else (None, delta if not delta else None)
    with open_target(spec, Limits()) as loaded:
        task = SearchTask(0, source, budget, plays, loaded.spec)
        return Loop(loaded.target, plays).run(SOURCES[source](task, loaded.target))


@pytest.mark.parametrize("pair", FOR_SOLVER, ids=NAMES)
def test_what_several_conditions_allow_is_found(pair: Pair) -> None:
    assert played(pair.spec(), BRANCHES, 40).violation is not None


@pytest.mark.parametrize("pair", FOR_SOLVER, ids=NAMES)
def test_the_sound_twin_is_played_and_not_accused(pair: Pair) -> None:
    tally = played(pair.spec(sound=True), BRANCHES, FEW)
    assert tally.violation is None
    assert not tally.error
    assert tally.tried


@pytest.mark.parametrize("pair", FOR_SOLVER[1:], ids=NAMES[1:])
def test_drawn_rows_miss_it(pair: Pair) -> None:
    """The failing twin: a thin strip is not met by chance."""
    tally = played(pair.spec(), VARIED, DRAWN)
    assert tally.violation is None
    assert tally.tried == DRAWN


def test_the_same_source_gives_the_same_plays() -> None:
    at = budget_for(FOR_SOLVER[0].spec(), None, NO_DELTA)
    assert at is not None
    spec = FOR_SOLVER[0].spec()
    one, other = ([*islice(plays_for(spec, (), at, more=False), 4)] for _ in range(2))
    assert json.dumps(one) == json.dumps(other)
    assert len(one) == 4


def test_code_that_cannot_be_interpreted_or_is_missing_ends_quietly() -> None:
    for spec in ("nowhere:Missing", "corpus.conditions:PURE"):
        at = budget_for(spec, None, None)
        assert at is not None
        assert [*plays_for(spec, (), at, more=False)] == []


def test_the_plan_has_it_where_there_is_code_to_read() -> None:
    some = list(plan(Settings(examples=3000), code="mine.py:Mine"))
    solver = [task for task in some if task.source == BRANCHES]
    assert [task.variant for task in solver] == ["mine.py:Mine"] * 2
    assert all(task.seconds is None for task in solver)
    assert not {BRANCHES, VARIED} & {task.source for task in plan(Settings(examples=3000))}
    timed = next(one for one in plan(Settings(seconds=30), code="m.py:M") if one.source == BRANCHES)
    assert timed.seconds == 3


def test_a_budget_that_the_user_fixes_is_kept() -> None:
    at = budget_for("mine.py:Mine", Fraction(1), Fraction(1, 10))
    assert at is not None
    play = {"size": "2", "delta": "1/10", "any budget": False, "beyond": False, "requests": []}
    case = case_of(play, at)
    assert (case.epsilon, case.delta) == (Fraction(1), Fraction(1, 10))
    assert case.game.depth == 3
    assert case_of({**play, "any budget": True}, at).epsilon == Log(Fraction(2))


def test_an_answer_has_room_for_rounding_where_it_can() -> None:
    x = z3.Real("x")
    roomy = numbers_for([x > 1, z3.Not(x >= 2)])
    assert Fraction(1) < Fraction(roomy.eval(x).as_fraction()) < 2
    assert z3.is_true(roomy.eval(with_margin(x > 1)))
    tight = numbers_for([x >= 1, x <= 1])
    assert Fraction(tight.eval(x).as_fraction()) == 1
    assert numbers_for([x > 1, x < 1]) is None


def dies(*_: object, **__: object) -> None:
    """Stand for a solver that is killed before it has said anything."""
    os.kill(os.getpid(), signal.SIGKILL)


def waits(*_: object, **__: object) -> None:
    """Stand for a solver that does not come to its end."""
    time.sleep(60)


@pytest.mark.parametrize(("solver", "why"), [(dies, "its process: "), (waits, "its time was up")])
def test_a_solver_that_does_not_end_well_is_told(
    solver: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had not come to was not tried, so the report says so, and the search goes on."""
    monkeypatch.setattr(process, "tell_plays", solver)
    with open_target(FOR_SOLVER[0].spec(), Limits()) as loaded:
        task = SearchTask(0, BRANCHES, (None, NO_DELTA), FEW, loaded.spec, seconds=0.2)
        tally = Loop(loaded.target).run(SOURCES[BRANCHES](task, loaded.target))
    assert (tally.tried, tally.error) == (0, "")
    said = envelope_text(Envelope(plays=1), not_tried=merge([tally]).not_tried)
    assert "; not tried: branches of the code that the solver had not come to; " in said
    assert why in said


def test_a_solver_that_comes_to_its_end_has_tried_all() -> None:
    with open_target(FOR_SOLVER[0].spec(), Limits()) as loaded:
        task = SearchTask(0, BRANCHES, (None, NO_DELTA), FEW, "nowhere:Missing")
        tally = Loop(loaded.target).run(SOURCES[BRANCHES](task, loaded.target))
    assert tally.not_tried == ""
