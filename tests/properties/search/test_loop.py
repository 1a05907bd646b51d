"""One play loop: whatever a source yields is counted, timed and judged in one place."""

import gc
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from filterproof.engine.by_position import graph
from filterproof.exact import Epsilon
from filterproof.filter import Decision, ProtocolError
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.game import Step
from filterproof.palette import erasure, game, repeated, response, reveal
from filterproof_properties.audit import closest_sound, engine
from filterproof_properties.audit.engine import audit_one
from filterproof_properties.audit.record import unanswered_text
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes import gc_pause
from filterproof_properties.search import loop as looping
from filterproof_properties.search import results, workers
from filterproof_properties.search.loop import Loop
from filterproof_properties.search.plan import IDEAS, plan
from filterproof_properties.search.sources import with_parameters
from filterproof_properties.targets import exploring, link, probing, server
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.target import Loaded


@dataclass(frozen=True)
class KeepsAll:
    """Runs everything, and keeps every history apart."""

    epsilon: Epsilon
    delta: Fraction

    def start(self) -> tuple[()]:
        return ()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        return Decision.CONTINUE, (*state, step.history)


def test_games_that_are_too_large_are_counted_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of them, so nothing may look as if they had been played."""
    monkeypatch.setattr(graph, "MOST_PLACES", 100)
    large = game(repeated(response(Fraction(2, 3)), 10))
    cases = [
        Case(name, one, Fraction(9), Fraction(1, 2))
        for name, one in (("large", large), ("small", game(response(Fraction(2, 3)))))
    ]
    tally = Loop(KeepsAll).run(with_parameters(cases, KeepsAll))
    assert (tally.tried, tally.too_large, tally.error) == (1, 1, "")
    merged = results.merge([tally])
    assert merged.too_large == 1
    assert "1 larger games were passed over" in unanswered_text(merged)
    assert (
        unanswered_text(results.merge([Loop(Naive).run(with_parameters(cases[1:], Naive))])) == ""
    )


class Clock:
    """Time that passes only while a target answers."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Slow(Compensator):
    """Takes 20 ms for every answer."""

    def decide(self, state: Any, step: Step) -> Any:
        CLOCK.now += 0.02
        return super().decide(state, step)


CLOCK = Clock()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    CLOCK.now = 0.0
    for module in (looping, results, engine, closest_sound, link, server, exploring, probing):
        monkeypatch.setattr(module, "monotonic", CLOCK)
    monkeypatch.setattr(workers, "time", CLOCK)
    return CLOCK


def test_a_slow_target_is_audited_in_the_time_asked_for_and_searched_in_most_of_it(
    clock: Clock,
) -> None:
    stages: list[tuple[float, str, int]] = []

    def emit(event: Any) -> None:
        if isinstance(event, engine.Progress):
            stages.append((clock.now, event.stage, event.tried))

    watched = connect_here(Loaded("mine.py:Slow", Slow, ("dp",)))
    found = audit_one(watched, Settings(seconds=2), emit)
    assert found.verdict is Verdict.INCONCLUSIVE, "a hundred answers are no search"
    assert clock.now < 2.5  # answers under way may end; then other filters are compared
    sources = {game_cache for _, game_cache, _ in stages}
    assert len(sources - {"named games"}) >= 3, "the search got its share"
    named = max(now for now, game_cache, _ in stages if game_cache == "named games")
    assert named < 0.4


def test_at_20_ms_an_answer_the_usual_time_is_enough_for_a_verdict(clock: Clock) -> None:
    watched = connect_here(Loaded("mine.py:Slow", Slow, ("dp",)))
    found = audit_one(watched, Settings(seconds=30), lambda event: None)
    assert (found.verdict, clock.now < 31.5) == (Verdict.NOT_FOUND, True)


def test_shrinking_has_a_limit_too(clock: Clock) -> None:
    class SlowNaive(Naive):
        def decide(self, state: Any, step: Step) -> Any:
            clock.now += 0.02
            return super().decide(state, step)

    watched = connect_here(Loaded("mine.py:Slow", SlowNaive, ("dp",)))
    found = audit_one(watched, Settings(seconds=20), lambda event: None)
    assert found.verdict is Verdict.VIOLATED
    assert clock.now < 40


@dataclass(frozen=True)
class RaisesOnce(Naive):
    """Cannot count to four."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        if len(step.mechanism.law) == 4:
            raise ZeroDivisionError("four")
        return super().decide(state, step)


def test_a_target_that_raises_on_one_law_is_reported_and_the_search_goes_on() -> None:
    tally = Loop(RaisesOnce).run(with_parameters(named_cases(), RaisesOnce))
    assert "ZeroDivisionError: four" in tally.error
    assert "guess(4), epsilon = 1, delta = 1/2" in tally.error
    assert tally.tried > 0
    assert not tally.hopeless
    result = audit_one(
        Loaded("mine:F", RaisesOnce, ("dp",)), Settings(examples=300), lambda e: None
    )
    assert result.error
    assert result.verdict in (Verdict.VIOLATED, Verdict.FAILED)


def test_a_target_that_does_nothing_but_raise_ends_the_search() -> None:
    class Crashes(Compensator):
        def decide(self, state: Any, step: Step) -> Any:
            raise ProtocolError("no")

    case = Case("one", game(reveal()), Fraction(1), Fraction(1, 10))
    tally = Loop(Crashes).run(with_parameters([case] * 1000, Crashes))
    assert (tally.tried, tally.hopeless) == (0, True)


def test_ideas_are_tried_first() -> None:
    twice = erasure(Fraction(1, 2), {"?": {"go": erasure(Fraction(1, 2))}})
    idea = Case("an idea", game({"go": twice}), Fraction(1), Fraction(1, 2))
    first = next(plan(Settings(), {IDEAS: [idea]}))
    tally = workers.run_task(first, Naive)
    assert tally.violation is not None
    assert (tally.source, tally.violation.name) == (IDEAS, "an idea")


def test_what_is_to_be_broken_is_a_predicate() -> None:
    def odd(target: Any, case: Case) -> str | None:
        return "its name is long" if len(case.name) > 12 else None

    tally = Loop(Compensator, breach=odd).run(with_parameters(named_cases(), Compensator))
    assert (tally.detail, tally.violation and tally.violation.name) == (
        "its name is long",
        "lottery(3 of 4)",
    )


def declines(epsilon: Epsilon, delta: Fraction) -> Any:
    raise ValueError("not here")


def test_a_budget_that_is_declined_is_counted() -> None:
    tally = Loop(declines).run(with_parameters(named_cases(), declines))
    assert (tally.tried, tally.declined, tally.error) == (0, 9, "")


def test_gc_pause_is_looked_for_seldom_while_games_are_played_and_as_before_afterwards() -> None:
    before, during = gc.get_threshold(), []

    def watched(target: Any, case: Case) -> None:
        during.append(gc.get_threshold()[0])

    Loop(Naive, breach=watched).run(with_parameters([next(named_cases())], Naive))
    assert during == [gc_pause.SELDOM]
    assert gc.get_threshold() == before
    gc.set_threshold(0)  # somebody looks for none at all
    try:
        Loop(Naive, breach=watched).run(with_parameters([next(named_cases())], Naive))
    finally:
        gc.set_threshold(*before)
    assert during == [gc_pause.SELDOM, 0]
