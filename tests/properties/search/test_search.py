import pickle
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from corpus.zoo.base import Rule
from corpus.zoo.protocol import ChargesPerRequest
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.parameters import ParameterError
from filterproof.filters.repaired import Repaired
from filterproof.game import Step
from filterproof_properties.claims import markov
from filterproof_properties.games.small_spaces import (
    Bound,
    bounds_at,
    exchange,
    games_within,
    rounds_of,
    spaces,
)
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.search import loop as looping
from filterproof_properties.search.loop import Breach, Loop, Tally
from filterproof_properties.search.plan import PARTS, SearchTask, plan
from filterproof_properties.search.results import SearchResult, merge, shrink_violation
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.search.workers import run_task
from filterproof_properties.targets import link
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.evaluate import certify_violation
from filterproof_properties.targets.target import Target


def search(target: Target, settings: Settings, breach: Breach | None = None) -> SearchResult:
    """Run all tasks here up to the first violation, and shrink that."""
    tallies = []
    for task in plan(settings):
        loop = Loop(target, task.plays, breach=breach)
        source = SOURCES[task.source](task, target)
        tallies.append(loop.run(source, task.number, task.source))
        if tallies[-1].violation is not None or tallies[-1].hopeless:
            break
    found = merge(tallies)
    if found.violation is None or breach is not None:
        return found
    free = not settings.budget_is_fixed
    return replace(found, violation=shrink_violation(found, target, None, free=free)[0])


# --- what must be found -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 2])
def test_algorithm_1_is_broken_without_attacks_and_shrunk_to_few_symbols(seed: int) -> None:
    found = search(Algorithm1, Settings(seed=seed, attacks=False, examples=20_000))
    assert found.violation is not None
    game = found.violation.game
    assert game.depth == 2
    assert max(len(m.law) for menu in game.nodes for m in menu.values()) <= 4
    assert (
        certify_violation("algorithm1", Algorithm1, found.violation).worst.value
        > found.violation.delta
    )


class SlightlyTooMuch(Rule):
    """Admits one randomised response whose odds exceed e^eps by at most 1e-12."""

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        slack = 1 + Fraction(1, 10**12)
        odds, delta = step.mechanism.declared
        fits = not exceeds(odds / slack, Fraction(1), self.epsilon) and delta == 0
        if step.index == 0:
            return Decision.CONTINUE, None
        return (Decision.LAST if fits else Decision.HALT), None


@pytest.mark.parametrize("q", [Fraction(2), Fraction(3, 2), Fraction(7, 3)])
def test_a_gap_of_one_part_in_a_trillion_is_found_and_certified(q: Fraction) -> None:
    settings = Settings(epsilon=Log(q), delta=Fraction(0), examples=4000)
    found = search(SlightlyTooMuch, settings)
    assert found.violation is not None
    assert (found.violation.epsilon, found.violation.delta) == (Log(q), Fraction(0))
    assert certify_violation("slightly", SlightlyTooMuch, found.violation).worst.value > 0


def test_the_naive_filter_is_broken_at_a_delta_of_one_in_a_billion() -> None:
    delta = Fraction(1, 10**9)
    found = search(Naive, Settings(epsilon=Fraction(1), delta=delta, examples=500))
    assert found.violation is not None
    assert found.violation.game.depth <= 3
    assert certify_violation("naive", Naive, found.violation).worst.value > delta


@pytest.mark.parametrize("target", [Compensator, Repaired])
def test_sound_filters_survive_and_the_worst_ratio_is_kept(target: Any) -> None:
    found = search(target, Settings(seed=1, examples=150))
    assert found.violation is None
    assert found.best is not None
    assert found.best.ratio == 1.0
    assert found.tried >= 100
    assert found.envelope.plays == found.tried


# --- repeatable, wherever it runs ---------------------------------------------------------------


def test_the_same_seed_gives_the_same_result() -> None:
    settings = Settings(seed=5, examples=500)
    first, second = (search(Repaired, settings) for _ in range(2))
    assert (first.tried, first.envelope) == (second.tried, second.envelope)
    assert first.best is not None
    assert second.best is not None
    assert first.best.value == second.best.value


def test_a_plan_is_plain_data_and_keeps_to_the_examples() -> None:
    tasks = [*plan(Settings(seed=3, examples=1000, attacks=False))]
    assert sum(task.plays for task in tasks) == 1000
    assert [task.number for task in tasks] == list(range(len(tasks)))
    assert pickle.loads(pickle.dumps(tasks)) == tasks
    assert tasks == [*plan(Settings(seed=3, examples=1000, attacks=False))]


def test_without_attacks_only_what_the_filter_admits_is_played() -> None:
    sources = {task.source for task in plan(Settings(attacks=False, examples=30_000))}
    rows = {"repeated spends", "equal rounds", "many rounds"}
    assert sources == {"spaces", "one round", "two rounds", "more rounds", *rows}


def test_a_result_travels_between_processes() -> None:
    tasks = plan(Settings(examples=2000))
    broken = next(r for t in tasks if (r := run_task(t, ChargesPerRequest)).violation)
    there = pickle.loads(pickle.dumps(broken))
    assert (there.tried, there.detail) == (broken.tried, broken.detail)
    assert broken.violation is not None
    assert there.violation.game.depth == broken.violation.game.depth


def test_results_are_merged_in_task_order_up_to_the_first_violation() -> None:
    tasks = [*plan(Settings(examples=2000))]
    results = [run_task(task, ChargesPerRequest) for task in tasks[:8]]
    first = min(r.number for r in results if r.violation)
    merged = merge(reversed(results))
    assert merged.tasks == first + 1
    assert merged.violation is next(r.violation for r in results if r.number == first)
    assert merged.found_by == next(r.source for r in results if r.number == first)


class InThreeWays(Compensator):
    """Does the same whatever it is told."""

    def __init__(self, epsilon: Epsilon, delta: Fraction, *, way: int) -> None:
        super().__init__(epsilon, delta)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, int]]:
        return [{"way": way} for way in range(3)]


def test_a_game_is_played_with_all_parameters_and_counts_once() -> None:
    task = next(one for one in plan(Settings(examples=200)) if one.source == "over budget")
    assert run_task(task, Compensator).tried == task.plays
    assert run_task(task, InThreeWays).tried == 3 * task.plays


def test_time_is_a_limit() -> None:
    task = next(plan(Settings(examples=50)))
    assert run_task(task, Compensator, seconds=0.0).tried == 0


def test_a_play_of_a_slow_target_ends_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**6))  # every look at the clock takes a second
    for module in (looping, link):
        monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    spec = "filterproof.filters.compensator:Compensator"
    with open_target(spec, Limits(), in_process=True) as loaded:
        task = next(one for one in plan(Settings(examples=200)) if one.source == "over budget")
        assert run_task(task, loaded.target, seconds=1000).tried > 1
        assert run_task(task, loaded.target, seconds=2).tried == 0
        assert next(clock) < 1100  # stopped in the middle of a play, which takes longer
        rule = loaded.target(Fraction(1), Fraction(1, 10))  # to shrink, it is free again
        assert rule.start() is not None


# --- targets that do not behave -----------------------------------------------------------------


class Picky(Compensator):
    def __post_init__(self) -> None:
        if self.delta > Fraction(1, 3):
            raise ParameterError("need delta <= 1/3")


def test_a_declined_budget_is_counted_and_no_violation() -> None:
    found = search(Picky, Settings(delta=Fraction(1, 2), examples=40))
    assert found.declined > 0
    assert found.violation is None


class Crashes(Rule):
    def fits(self, step: Step) -> bool:
        raise ZeroDivisionError("no")


def test_a_filter_that_raises_is_an_error_and_not_a_pass() -> None:
    found = search(Crashes, Settings(examples=50))
    assert "ZeroDivisionError" in found.error
    assert found.tried == 0


# --- other claims -------------------------------------------------------------------------------


class ReadsHistory(Naive):
    """Declares markov and stops at an unlucky history."""

    def fits(self, step: Step) -> bool:
        return super().fits(step) and not any(y == "0" for _, y in step.history)


def test_another_claim_can_be_searched_for() -> None:
    task = SearchTask(0, "spaces", (Log(Fraction(2)), Fraction(1, 10)), 150)
    found, none = (
        Loop(target, task.plays, breach=markov).run(SOURCES["spaces"](task, target))
        for target in (ReadsHistory, Compensator)
    )
    assert found.violation is not None
    assert "depends on the history" in found.detail
    assert none.violation is None


# --- pieces ---------------------------------------------------------------------------------------


def everything(bound: Bound) -> list[Any]:
    """Every first round of a space of two rounds, both of each symmetric pair."""
    single = sorted(rounds_of(bound, [()]))
    menus = [menu for n in range(bound.requests + 1) for menu in combinations(single, n)]
    return [*rounds_of(bound, menus)]


@pytest.mark.parametrize("requests", [1, 2])
def test_a_small_space_is_played_in_full_up_to_symmetry(requests: int) -> None:
    bound = Bound(2, 2, requests, (Fraction(0), Fraction(1, 2), Fraction(1)))
    every = [*spaces(bound)]
    assert len(set(every)) == len(every)
    assert not {exchange(one) for one in every if exchange(one) != one} & set(every)
    assert len({min(one, exchange(one)) for one in everything(bound)}) == len(every)
    parts = [sum(1 for _ in games_within(bound, part, 3)) for part in range(3)]
    assert sum(parts) == len(every)


def test_a_space_is_reported_as_proved_only_when_it_was_played_in_full() -> None:
    def part(examples: int, number: int = 0) -> Tally:
        budget: tuple[Epsilon, Fraction] = (Log(Fraction(2)), Fraction(1, 4))
        task = SearchTask(number, "spaces", budget, examples, "", number)
        return run_task(task, Compensator)

    assert part(10).proved == ()
    every = [part(10**6, number) for number in range(PARTS)]
    spaces = len(bounds_at(Fraction(1, 4)))
    assert all(len(one.proved) == spaces and one.violation is None for one in every)
    assert len(merge(every).proved) == spaces
    assert merge(every[1:]).proved == (), "one part is missing"
    assert "epsilon = log(2), delta = 1/4" in merge(every).proved[0]


def test_the_small_space_breaks_the_naive_filter() -> None:
    budget = (Log(Fraction(4)), Fraction(1, 2))
    parts = [SearchTask(part, "spaces", budget, 10**6, "", part) for part in range(PARTS)]
    assert any(run_task(task, Naive).violation for task in parts)
