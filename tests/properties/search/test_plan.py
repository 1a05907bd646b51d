"""The plan of a search, and what is kept of its results."""

import gc
import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import islice, permutations

import pytest

from filterproof.exact import ExpLinear
from filterproof.fast import worst_case
from filterproof.filters.additive import Additive
from filterproof.filters.run_all import RunAll
from filterproof.game.rows import Rows
from filterproof.palette import erasure, game, repeated
from filterproof_properties.case import Case, Scored
from filterproof_properties.games import named
from filterproof_properties.games.contexts import ALL_CONTEXTS, CONTEXTS, combine, context_at
from filterproof_properties.games.named import guess
from filterproof_properties.options.settings import Settings
from filterproof_properties.search.loop import MOST_MENUS, Sample, Tally
from filterproof_properties.search.plan import (
    CONSTANTS,
    LONG_CONSTANTS,
    SearchTask,
    given_first,
    plan,
)
from filterproof_properties.search.results import Merger, merge
from filterproof_properties.search.workers import run_task
from filterproof_properties.targets import remote
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.messages import ToldGame
from filterproof_properties.targets.server import Made
from filterproof_properties.targets.target import Loaded

# --- what is kept ---------------------------------------------------------------------------------


def kept_after(tallies: int) -> int:
    """Return how many bytes a search keeps of so many tasks, each with a sample of its own."""
    merger = Merger()
    for number in range(tallies):
        some = tuple(replace(guess(3), name=f"play {number}.{i}") for i in range(8))
        best = Scored(some[0], ExpLinear(0, 0, Fraction(1)))
        merger.add(Tally(number, "one round", len(some), best=best, sample=some))
    return len(pickle.dumps(merger))


def test_what_a_search_keeps_does_not_grow_with_its_plays() -> None:
    few, some, many = (kept_after(tallies) for tallies in (5, 150, 600))
    assert many < 2 * some, "a sample is thinned to a half when it is full"
    assert 2 * few < some, "or nothing is kept at all"


def live_after(plays: int, most: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return what is left in memory of so many plays, of the audit's side and of the target's."""
    monkeypatch.setattr(remote, "GAMES", most)
    target = connect_here(Loaded("", Additive, ("dp",))).target
    merger, before = Merger(), live()
    merger.sample = Sample(most)
    for number in range(plays):
        task = SearchTask(number, "one round", (Fraction(1), Fraction(1, 100)), 1, str(number))
        merger.add(run_task(task, target))
    assert merger.plays == plays
    return live() - before


def live() -> Counter[str]:
    """Count the plays, games at the target, and its filters that nobody has let go."""
    gc.collect()
    kinds = (Case, ToldGame, Made)
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one) in kinds)


def test_memory_is_flat_on_both_sides_however_many_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (live_after(plays, 8, monkeypatch) for plays in (10, 60))
    assert max(many.values()) <= 20
    assert many["ToldGame"] <= few["ToldGame"] + 8
    endless = live_after(60, 10**6, monkeypatch)  # what would be kept without these bounds
    assert endless["Case"] >= 60
    assert endless["ToldGame"] > 100


def test_a_sample_is_from_all_over_the_search_and_has_no_large_games() -> None:
    sample, large = Sample(8), game(repeated(erasure(Fraction(1, 10)), MOST_MENUS + 1))
    for number in range(1000):
        sample.add(Case(str(number), guess(3).game, Fraction(1), Fraction(1, 10)))
        sample.add(Case("large", large, Fraction(1), Fraction(1, 10)))
    names = [int(case.name) for case in sample.kept]
    assert 4 <= len(names) < 8
    assert min(names) < 250
    assert max(names) > 750


def test_tallies_are_merged_in_order_and_what_follows_a_violation_does_not_count() -> None:
    case = guess(3)
    tallies = [
        Tally(0, "one", tried=1),
        Tally(1, "two", tried=2, violation=case, detail="broken"),
        Tally(2, "three", tried=4, violation=case),
    ]
    for order in permutations(tallies):
        merger = Merger()
        for tally in order:
            merger.add(tally)
        found = merger.result()
        assert (found.tried, found.tasks, found.found_by) == (3, 2, "two")
    merger = Merger()
    merger.add(tallies[2])
    assert merger.result().tried == 4, "what an interrupt leaves is counted, gaps or not"
    hopeless = [Tally(0, tried=1, hopeless=True), Tally(1, tried=2, violation=case)]
    assert merge(hopeless).violation is None


def test_a_plan_is_made_as_it_is_needed_and_draws_by_its_seed() -> None:
    settings = [Settings(seconds=30, seed=seed) for seed in (1, 1, 2)]
    first, same, other = ([*islice(plan(one), 60)] for one in settings)
    assert first == same
    assert first != other
    assert first[:8] == other[:8], "what is tried first does not depend on chance"


def test_two_contexts_at_once_lose_as_much_as_one_of_them() -> None:
    names = {context.name: number for number, context in enumerate(CONTEXTS)}
    both = combine(CONTEXTS[names["split in 4"]], CONTEXTS[names["quiet 3"]])
    plain = named.erasures(Fraction(1, 10), 2).game
    moved = both.transplant(plain)
    assert moved.depth == plain.depth + 3
    value = worst_case(RunAll(), plain, Fraction(1)).value
    assert worst_case(RunAll(), moved, Fraction(1)).value == value
    assert context_at(ALL_CONTEXTS).name == f"{CONTEXTS[-1].name}, {CONTEXTS[-1].name}"
    with pytest.raises(IndexError):
        context_at(ALL_CONTEXTS + 1)


def test_no_context_loses_an_output() -> None:
    """Two relabellings in a row must not give two outputs one name: that was an audit's end."""
    rows: Rows = {"a": (Fraction(1, 2), Fraction(1, 4)), "b": (Fraction(1, 2), Fraction(3, 4))}
    for number in range(ALL_CONTEXTS + 1):
        context = context_at(number)
        law = context.mechanism(rows).law
        assert all(sum(row[x] for row in law.values()) == 1 for x in context.databases), number


@pytest.mark.parametrize("source", ["one round", "repeated spends"])
@pytest.mark.parametrize("number", [37, 500, 617, 930])
def test_every_source_plays_in_two_contexts_at_once(source: str, number: int) -> None:
    task = SearchTask(0, source, (Fraction(1), Fraction(1, 10)), 10, part=number)
    tally = run_task(task, Additive)
    assert (tally.error, tally.violation) == ("", None)
    assert tally.tried > 0


def test_long_plays_leave_time_for_the_others() -> None:
    """A ledger that refuses after a thousand requests was not searched, but for a long play."""
    case = guess(3)
    first = {CONSTANTS: [case], LONG_CONSTANTS: [case]}
    short, long, *_ = given_first(Settings(seconds=30), first)
    assert (short.seconds, long.seconds) == (None, 10)
    assert all(task.seconds is None for task in given_first(Settings(examples=30), first))
