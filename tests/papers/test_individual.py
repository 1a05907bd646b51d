"""Individual filters: charging by the actual data leaks, charging by the supremum does not."""

from fractions import Fraction

import pytest

from filterproof.adversary import hockey_stick
from filterproof.certificate import certify
from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filters.run_all import RunAll
from filterproof.game.individual import Query, by_actual_data, by_supremum, individual_game
from filterproof_proofs.certificates import check

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


def test_a_person_pays_where_the_answer_turns_on_them() -> None:
    query = Query(frozenset({1, 2}), 1)
    assert by_actual_data(query, 1, frozenset({1}))
    assert not by_actual_data(query, 1, frozenset({1, 2}))
    assert by_supremum(query, 1, frozenset({1, 2}))
    assert not by_supremum(query, 3, frozenset({1, 2, 3}))
