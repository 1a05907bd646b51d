from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Log, exceeds, exp_enclosure
from filterproof.fast import worst_case
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.game import Game
from filterproof.game.law import tightest
from filterproof_properties.case import Case
from filterproof_properties.games import drawn, over_budget, thresholds
from filterproof_properties.games.drawn import draw_case
from filterproof_properties.strategies import budgets, cases, games, mechanisms

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


@QUICK
@given(cases())
def test_the_compensator_survives_every_drawn_case(case: Case) -> None:
    rule = Compensator(case.epsilon, case.delta)
    assert worst_case(rule, case.game, case.epsilon).value <= case.delta


def test_the_naive_filter_does_not_survive_them() -> None:
    def broken(case: Case) -> bool:
        rule = Naive(case.epsilon, case.delta)
        return worst_case(rule, case.game, case.epsilon).value > case.delta

    choose = Random(0).randrange
    assert any(broken(draw_case(choose)) for _ in range(500))


@QUICK
@given(st.data())
def test_budgets_are_budgets(data: st.DataObject) -> None:
    game = data.draw(games())
    _, delta = data.draw(budgets(game))
    assert 0 <= delta <= 1


@QUICK
@given(games(max_rounds=2, max_requests=2, max_databases=4))
def test_sizes_are_kept(game: Game) -> None:
    assert game.depth <= 2
    assert len(game.databases) <= 4


@QUICK
@given(mechanisms())
def test_a_mechanism_is_a_round_that_a_game_accepts(mechanism: object) -> None:
    assert Game(("0", "1"), [("0", "1")], {"ask": mechanism}).depth == 1  # type: ignore[dict-item]


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


def test_a_fixed_budget_stays_fixed() -> None:
    choose = Random(1).randrange
    drawn = [draw_case(choose, epsilon=Fraction(3), delta=Fraction(1, 7)) for _ in range(20)]
    assert {(case.epsilon, case.delta) for case in drawn} == {(Fraction(3), Fraction(1, 7))}


def test_drawing_is_repeatable() -> None:
    first, second = (
        [str(draw_case(Random(9).randrange)) for _ in range(1)],
        [str(drawn.draw_case(Random(9).randrange)) for _ in range(1)],
    )
    assert first == second


# --- thresholds -------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 10), Log(Fraction(3, 2))])
@pytest.mark.parametrize("gap", [*over_budget.COARSE, *over_budget.FINE])
def test_odds_lie_on_the_side_of_e_to_the_eps_that_their_name_says(
    epsilon: Fraction | Log, gap: int
) -> None:
    above, below = thresholds.odds_above(epsilon, gap), thresholds.odds_below(epsilon, gap)
    assert exceeds(above, Fraction(1), epsilon)
    assert not exceeds(below, Fraction(1), epsilon)
    edge = exp_enclosure(epsilon, 200)[0]
    assert above < edge * (1 + Fraction(1, 2 ** (gap - 1)))
    assert below == 1 or below > edge * (1 - Fraction(1, 2 ** (gap - 1)))


@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_a_root_is_never_too_small(k: int) -> None:
    for odds in (Fraction(2), Fraction(9, 4), Fraction(1025, 1024)):
        root = thresholds.root_above(odds, k, 30)
        assert odds <= root**k <= odds * (1 + Fraction(k, 2**25))


def test_an_epsilon_that_is_too_large_to_build_from_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="need epsilon <= 700 to build games; got 701"):
        thresholds.need_buildable(Fraction(701))
