from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.filter import parameter_sets
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.registry import REGISTRY, Entry, entry
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, History
from filterproof.palette import erasure, game, lottery, repeated, response, reveal
from filterproof.utility.optimum import deterministic_optimum
from filterproof.utility.rounds import comparison_rows, expected_rounds, most_rounds
from filterproof_properties.case import Case
from filterproof_properties.choose.compare import (
    COMPARED,
    comparison_table,
    generated_games,
    short_number,
)
from filterproof_properties.games.named import erasures, guess
from filterproof_properties.strategies import cases
from tests.plays import rounds_run

F = Fraction
REFUSING = (
    "restricted",
    "restricted-product",
    "budget-per-analyst",
    "two-ledgers",
    "ledger-in-migration",
    "divided-by-ratio",
    "pay-once",
    "pay-first-round",
    "pay-largest",
    "pay-once-delta",
    "pay-unchecked",
    "pay-largest-delta",
)
HALTING = [one for one in REGISTRY if one.name not in REFUSING]


def likelihood(one: Game, history: History, x: str) -> Fraction:
    """P_x of the outputs, times the analyst's even choice of requests."""
    weight, menu = F(1), one.menu
    for request, y in history:
        mechanism = menu[request]
        weight *= mechanism.law[y][x] / len(menu)
        menu = mechanism.after[y]  # type: ignore[assignment]
    return weight / len(menu)


def by_transcripts(rule: Any, one: Game) -> Fraction:
    """Add up the probability of every partial transcript that runs, one by one."""
    return sum(
        (
            likelihood(one, history, x)
            for history, _ in rounds_run(rule, one)
            for x in one.databases
        ),
        F(0),
    ) / len(one.databases)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.sampled_from(HALTING), cases(max_requests=2), st.integers(0, 5))
def test_the_expected_number_of_rounds_is_the_sum_over_partial_transcripts(
    entry_: Entry, case: Case, pick: int
) -> None:
    offered = parameter_sets(entry_.target, case.epsilon, case.delta, case.game.depth)
    rule = entry_.target(case.epsilon, case.delta, **offered[pick % len(offered)])
    assert expected_rounds(rule, case.game) == by_transcripts(rule, case.game)


def test_running_everything_runs_every_round_and_a_strict_filter_fewer() -> None:
    one = game(repeated(response(F(2, 3)), 5))
    assert expected_rounds(RunAll(), one) == 5
    assert expected_rounds(Naive(F(1), F(0)), one) < 5


def test_after_a_refusal_the_analyst_sends_one_of_the_other_requests() -> None:
    """restricted admits one guess of four in guess(4), and the analyst finds it in the end."""
    case = guess(4)
    assert most_rounds(entry("restricted"), case) == 2
    assert most_rounds(entry("repaired-sharp"), case) == 1


def test_merging_does_not_mix_up_rounds_that_differ_by_index_only() -> None:
    bad = lottery([F(1, 2), F(1, 2)], {"1": {"go": reveal()}})
    one = game(lottery([F(1, 2), F(1, 2)], {"1": {"go": bad}, "2": {"go": reveal()}}))
    assert expected_rounds(RunAll(), one) == F(9, 4)


def test_the_rows_take_the_best_parameters_that_a_filter_offers() -> None:
    case = erasures(F(1, 10), 3)
    rows = comparison_rows([entry("naive-over-n"), entry("compensator")], [case])
    best = max(
        expected_rounds(entry("naive-over-n").target(case.epsilon, case.delta, N=n), case.game)
        for n in (1, 3)
    )
    kept = expected_rounds(Compensator(case.epsilon, case.delta), case.game)
    assert rows == [("naive-over-n", [best]), ("compensator", [kept])]


def test_the_table_names_every_sound_filter_and_no_specimen() -> None:
    lines = comparison_table().splitlines()
    names = [line.split("|")[1].strip() for line in lines[2:]]
    sound = [one.name for one in REGISTRY if one.sound]
    assert names == [*sound, "optimum for the known game", "optimum with a coin"]
    assert all(line.count("|") == len(COMPARED) + 3 for line in lines)


def test_on_average_over_generated_games_the_compensators_come_close_to_the_optimum() -> None:
    cases = generated_games()
    names = ["repaired-sharp", "compensator", "compensator-capped"]
    rows = comparison_rows([entry(name) for name in names], cases)
    repaired, plain, capped = (sum(numbers) for _, numbers in rows)
    optimum = sum(deterministic_optimum(c.game, c.epsilon, c.delta).rounds for c in cases)
    assert repaired < plain <= capped < optimum


def test_a_number_is_shown_exactly_or_cut_off_visibly() -> None:
    assert [short_number(F(2)), short_number(F(39, 20)), short_number(F(1, 3))] == [
        "2",
        "1.95",
        "0.3333…",
    ]


def test_a_refused_opening_runs_nothing() -> None:
    rule = entry("repaired").target(F(1), F(0), N=1, theta=F(0), delta_tilde=F(0))
    assert expected_rounds(rule, game(erasure(F(1, 2)))) == 0
