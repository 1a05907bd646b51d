"""Individual filters: charging by the actual data leaks, charging by the supremum does not."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.adversary import hockey_stick
from filterproof.certificate import certify
from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filter import Decision, Filter
from filterproof.filters.composition import ExactComposition
from filterproof.filters.gdp import GaussianDP
from filterproof.filters.run_all import RunAll
from filterproof.game import opening
from filterproof.game.individual import Query, by_actual_data, by_supremum, individual_game
from filterproof.palette import game, response
from filterproof_proofs.certificates import check
from filterproof_properties.games.specimens import SPECIMENS

TWO = Fraction(2)


@pytest.mark.parametrize(
    ("rounds", "value"), [(1, "0"), (2, "2/9"), (3, "2/9"), (4, "10/27")], ids=str
)
def test_charging_by_the_actual_data_is_not_private(rounds: int, value: str) -> None:
    found = worst_case(RunAll(), individual_game(by_actual_data, TWO, rounds), Log(TWO))
    assert str(found.value) == value


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_charging_by_the_supremum_is_private(rounds: int) -> None:
    found = worst_case(RunAll(), individual_game(by_supremum, TWO, rounds), Log(TWO))
    assert found.value == 0


def test_the_specification_agrees_and_the_checker_accepts() -> None:
    made = individual_game(by_actual_data, TWO, 2)
    assert str(hockey_stick(RunAll(), made, Log(TWO))) == "2/9"
    found = worst_case(RunAll(), made, Log(TWO))
    check(certify("individual-by-actual-data", {}, made, Log(TWO), Fraction(0), found))


# --- Gaussian accounts of persons, 2209.15596 ---------------------------------------------------

WEAK, TENTH = Fraction(3, 2), Fraction(1, 10)


def queries_that_fit() -> tuple[int, int]:
    """Return how many responses of odds 3/2 fit into (1, 1/10): by mu, and composed exactly."""
    step = opening(game(response(Fraction(3, 5)))).next("⊥", "ask")
    budget = Fraction(1), TENTH
    found = []
    rules: tuple[Filter[Any], ...] = (GaussianDP(*budget), ExactComposition(*budget))
    for rule in rules:
        state, ran = rule.start(), 0
        while (answer := rule.decide(state, step))[0] is Decision.CONTINUE:
            state, ran = answer[1], ran + 1
        found.append(ran)
    return found[0], found[1]


def test_2209_15596_a_gaussian_account_gives_three_queries_and_composed_losses_four() -> None:
    assert queries_that_fit() == (3, 4)


@pytest.mark.parametrize("rounds", [3, 4, 5])
@pytest.mark.parametrize(
    ("each", "values"),
    [
        (3, ["27/125 - 8/125*e^eps"] * 3),
        (4, ["27/125 - 8/125*e^eps"] + ["81/625 - 16/625*e^eps"] * 2),
    ],
)
def test_2209_15596_accounts_of_persons_by_the_supremum_keep_the_budget(
    rounds: int, each: int, values: list[str]
) -> None:
    """Two people at (1, 1/10), every threshold query in every round, of one strength."""
    made = individual_game(by_supremum, WEAK, rounds, {1: each, 2: each})
    found = worst_case(RunAll(), made, Fraction(1))
    assert str(found.value) == values[rounds - 3]
    assert found.value <= TENTH


def test_2209_15596_by_the_actual_data_a_gaussian_account_is_not_enough() -> None:
    made = individual_game(by_actual_data, WEAK, 5, {1: 3, 2: 3})
    found = worst_case(RunAll(), made, Fraction(1))
    assert str(found.value) == "1053/3125 - 272/3125*e^eps"
    assert found.value > TENTH
    check(certify("individual-by-actual-data", {}, made, Fraction(1), TENTH, found))


def test_2209_15596_losses_composed_along_the_way_are_not_enough_with_two_strengths() -> None:
    """One person is enough: what is composed depends on what was answered."""
    case = SPECIMENS["exact-composition-pure"]()
    rule = ExactComposition(case.epsilon, case.delta)
    value = worst_case(rule, case.game, case.epsilon).value
    assert (str(value), str(case.delta)) == ("53/180", "1/4")


def test_a_person_pays_where_the_answer_turns_on_them() -> None:
    query = Query(frozenset({1, 2}), 1)
    assert by_actual_data(query, 1, frozenset({1}))
    assert not by_actual_data(query, 1, frozenset({1, 2}))
    assert by_supremum(query, 1, frozenset({1, 2}))
    assert not by_supremum(query, 3, frozenset({1, 2, 3}))
