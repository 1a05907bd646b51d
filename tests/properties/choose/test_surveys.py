"""Surveys of one record: the laws are what they are called, the stored table is the real one."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from docs.figures.surveys import (
    COMPARED,
    DELTAS,
    KINDS,
    OPTIMUM,
    PART,
    Cell,
    Survey,
    compared,
    exact_cells,
    read,
    simulated_cells,
    surveys,
)
from filterproof.exact import exceeds
from filterproof.privacy import charge

STORED = read((Path(__file__).parents[3] / "docs/pictures/surveys.csv").read_text("utf-8"))
TABLE = {(cell.survey, cell.filter): cell for cell in STORED}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_each_law_is_a_law_that_treats_no_value_apart(kind: str, k: int) -> None:
    law = KINDS[kind](k, Fraction(1, 4) if kind == "erasure" else Fraction(5, 4))
    values = [str(value) for value in range(k)]
    assert all(sum(row[x] for row in law.values()) == 1 for x in values)
    ends, same = (values[0], values[-1]), dict.fromkeys(values, Fraction(1))
    there, back = (charge(law, pair, same, Fraction(0)) for pair in (ends, ends[::-1]))
    assert there == back
    assert there.sign() > 0


@pytest.mark.parametrize("survey", [one for one in surveys() if one.kind != "erasure"])
def test_the_strength_is_the_largest_of_which_four_rounds_fit(survey: Survey) -> None:
    steps = {"k-ary response": 1, "unary encoding": 2}.get(survey.kind, survey.values - 1)
    rounds, one = PART * steps, Fraction(1)
    assert not exceeds(survey.strength**rounds, one, survey.epsilon)
    assert exceeds((survey.strength + Fraction(1, 100)) ** rounds, one, survey.epsilon)


def test_the_stored_table_is_whole() -> None:
    always = {"additive", "rdp-tight", "gdp", "hybrid", "compensator"}
    for survey in surveys():
        stored = {name for one, name in TABLE if one == survey}
        assert always <= stored <= {*COMPARED, OPTIMUM}
        exact = {name for name in always if TABLE[survey, name].error == "exact"}
        assert exact == (always if survey.exact else set())


@pytest.mark.parametrize("kind", ["k-ary response", "geometric", "erasure"])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 1000)])
def test_stored_cells_are_computed_anew_exactly(kind: str, delta: Fraction) -> None:
    survey = Survey(kind, 2, Fraction(1), delta)
    cells = list(exact_cells(_without_optimum(survey)))
    assert {cell.filter for cell in cells} == {one.name for one in compared()}
    for cell in cells:
        assert TABLE[survey, cell.filter].rounds == cell.rounds


def _without_optimum(survey: Survey) -> Survey:
    return replace(survey, kind="geometric") if survey.small else survey  # the same game


def test_a_simulated_cell_is_drawn_anew() -> None:
    survey = Survey("k-ary response", 16, Fraction(4), Fraction(1, 1000))
    for cell in simulated_cells(survey):
        assert TABLE[survey, cell.filter] == cell


def test_what_the_page_says_of_the_table() -> None:
    """Realised losses pay, δ hardly does, erasure gains nothing, nothing beats the optimum."""
    apart = []
    for survey in surveys():
        cell = {name: float(TABLE[survey, name].rounds) for one, name in TABLE if one == survey}
        if survey.kind == "erasure":
            assert cell["compensator"] - cell["additive"] < 0.01
            continue
        assert max(cell["additive"], cell["gdp"], cell["rdp-tight"]) < cell["compensator"]
        if cell["hybrid"] != cell["compensator"] and survey.exact:
            apart.append(survey)
        if survey.small:
            assert max(cell.values()) == cell[OPTIMUM] <= cell["compensator"] + 0.03
            assert survey.delta == DELTAS[-1] or cell[OPTIMUM] == cell["compensator"]
    assert apart == [Survey("geometric", 4, Fraction(1), Fraction(1, 1000))]


def test_the_file_is_read_as_it_was_written() -> None:
    head = "mechanism,values,epsilon,delta,strength,filter,rounds,error\n"
    cell = Cell(Survey("k-ary response", 2, Fraction(1), Fraction(0)), "additive", "4.000000")
    assert read(head + ",".join(cell.row())) == [cell]
