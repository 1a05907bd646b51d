"""What the strategies draw: true games, what breaks filters often, and small counterexamples."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, Mechanism
from filterproof.game.law import Law, tightest
from filterproof_properties.case import Case
from filterproof_properties.games import thresholds
from filterproof_properties.games.drawn import DELTAS, EPSILONS, draw_case
from filterproof_properties.strategies import budgets, cases, games, laws, mechanisms

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)
LONG = settings(QUICK, max_examples=2000)


def broken(target: Any, case: Case) -> bool:
    rule = target(case.epsilon, case.delta, **case.parameters)
    return worst_case(rule, case.game, case.epsilon).value > case.delta


@QUICK
@given(cases())
def test_the_compensator_survives_every_drawn_case(case: Case) -> None:
    assert not broken(Compensator, case)


def test_the_naive_filter_does_not_and_its_counterexample_is_small() -> None:
    case = find(cases(), lambda case: broken(Naive, case), settings=LONG)
    assert case.game.depth == 2
    assert len(case.game.databases) == 2
    assert len(case.game.nodes) <= 3
    assert all(len(menu) <= 1 for menu in case.game.nodes)
    assert case.epsilon == EPSILONS[0]
    assert case.delta in DELTAS


# --- what is drawn --------------------------------------------------------------------------------


@QUICK
@given(laws(("a", "b", "c")))
def test_a_law_is_a_probability_under_every_database(law: Law) -> None:
    for x in ("a", "b", "c"):
        assert sum(row[x] for row in law.values()) == 1
    assert all(p >= 0 for row in law.values() for p in row.values())
    assert all(any(row.values()) for row in law.values())


def test_laws_that_tell_databases_apart_are_drawn_and_shrink_to_two_outputs() -> None:
    found = find(laws(), lambda law: any(len({*row.values()}) > 1 for row in law.values()))
    assert len(found) == 2


@QUICK
@given(st.data())
def test_budgets_are_budgets(data: st.DataObject) -> None:
    game = data.draw(games())
    for one in (budgets(), budgets(game)):
        _, delta = data.draw(one)
        assert 0 <= delta < 1


@QUICK
@given(games(max_rounds=2, max_requests=2, max_databases=4))
def test_sizes_are_kept(game: Game) -> None:
    assert game.depth <= 2
    assert len(game.databases) <= 4
    assert all(len(menu) <= 4 for menu in game.nodes)


@QUICK
@given(mechanisms())
def test_a_mechanism_is_a_round_that_a_game_accepts(mechanism: Mechanism) -> None:
    assert Game(("0", "1"), [("0", "1")], {"ask": mechanism}).depth == 1


@QUICK
@given(cases(parameters=Repaired.parameters))
def test_parameters_are_those_that_the_target_offers(case: Case) -> None:
    assert {"N", "theta", "delta_tilde"} <= set(case.parameters)


@QUICK
@given(cases(epsilon=Fraction(3), delta=Fraction(1, 7)))
def test_a_fixed_budget_stays_fixed(case: Case) -> None:
    assert (case.epsilon, case.delta) == (Fraction(3), Fraction(1, 7))


def has_tie(case: Case) -> bool:
    odds = thresholds.realised_odds(case.game)
    return isinstance(case.epsilon, Log) and case.epsilon.argument in odds


def names_a_symbol(case: Case) -> bool:
    menus = case.game.nodes
    return any(
        len({after[y] for after in mechanism.after.values() if y in after}) == 2
        for menu in menus
        for mechanism in menu.values()
        for y in mechanism.law
    )


def states_another_pair(case: Case) -> bool:
    found = thresholds.mechanisms_of(case.game)
    return any(m.stated and m.stated != tightest(m.law, case.game.pairs) for m in found)


def has_a_gap_in_its_relation(case: Case) -> bool:
    count = len(case.game.databases)
    return len(case.game.pairs) < count * (count - 1)


def shares_a_menu(case: Case) -> bool:
    return any(
        len(m.after) > 1 and len({id(menu) for menu in m.after.values() if menu}) == 1
        for m in thresholds.mechanisms_of(case.game)
        if all(m.after.values())
    )


@pytest.mark.parametrize(
    "wanted",
    [has_tie, names_a_symbol, states_another_pair, has_a_gap_in_its_relation, shares_a_menu],
)
def test_what_breaks_filters_is_drawn_often(wanted: Callable[[Case], bool]) -> None:
    choose = Random(0).randrange
    assert sum(wanted(draw_case(choose)) for _ in range(200)) >= 4


def test_a_drawn_game_shrinks_to_something_readable() -> None:
    case = find(cases(), lambda case: case.game.depth >= 2, settings=QUICK)
    assert len(case.game.nodes) <= 4
    assert case.delta == Fraction(1, 10)


def test_drawing_from_a_seed_is_repeatable() -> None:
    first, second = (str(draw_case(Random(9).randrange)) for _ in range(2))
    assert first == second
