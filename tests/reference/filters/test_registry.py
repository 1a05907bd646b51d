from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.filter import Filter, is_markov, parameter_sets
from filterproof.filters.registry import REGISTRY, Entry, UnknownFilter, entry
from filterproof.witness import worst_case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.specimens import SPECIMENS

SOUND = [one for one in REGISTRY if one.sound]
BAD = [one for one in REGISTRY if not one.sound]
CASES = [case for case in named_cases() if case.name != "guess(20)"]

PAGE = (Path(__file__).parents[3] / "docs/internals/FILTERS.md").read_text(encoding="utf-8")


def stated(name: str) -> tuple[str, str]:
    """What the page says of a specimen: delta, and the exact H on its smallest game."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    (row,) = (line for line in rows if f"`{name}`" in line)
    delta, worst = (cell.strip() for cell in row.split("|")[-3:-1])
    return delta, worst


def by_name(one: Entry) -> str:
    return one.name


def test_names_are_unique_and_written_with_dashes() -> None:
    names = [one.name for one in REGISTRY]
    assert len(set(names)) == len(names)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)


def test_a_specimen_says_why_and_a_sound_filter_has_nothing_to_explain() -> None:
    assert all(bool(one.why) is not one.sound for one in REGISTRY)


def test_an_unknown_name_is_met_with_near_ones() -> None:
    with pytest.raises(UnknownFilter, match="no filter 'additiv'; near: additive"):
        entry("additiv")
    with pytest.raises(UnknownFilter, match="basic-or-advanced, bayesian"):
        entry("?")


@pytest.mark.parametrize("one", REGISTRY, ids=by_name)
def test_a_target_makes_a_filter_that_declares_whether_it_looks_at_the_history(one: Entry) -> None:
    budget = Fraction(1), Fraction(1, 10)
    for parameters in parameter_sets(one.target, *budget, 3):
        rule = one.target(*budget, **parameters)
        assert isinstance(rule, Filter)
        assert is_markov(rule)


@pytest.mark.parametrize("one", SOUND, ids=by_name)
def test_a_sound_filter_keeps_its_promise_on_the_named_games(one: Entry) -> None:
    for case in CASES:
        for parameters in parameter_sets(one.target, case.epsilon, case.delta, case.game.depth):
            rule = one.target(case.epsilon, case.delta, **parameters)
            assert worst_case(rule, case.game, case.epsilon).value <= case.delta


@pytest.mark.parametrize("one", BAD, ids=by_name)
def test_a_specimen_breaks_its_promise_on_its_own_game_by_the_exact_amount(one: Entry) -> None:
    case = SPECIMENS[one.name]()
    rule = one.target(case.epsilon, case.delta, **case.parameters)
    value = worst_case(rule, case.game, case.epsilon).value
    assert (str(case.delta), str(value)) == stated(one.name)
    assert value > case.delta


def test_every_specimen_has_a_game_and_every_game_a_specimen() -> None:
    assert set(SPECIMENS) == {one.name for one in BAD}


@pytest.mark.parametrize("name", sorted(SPECIMENS))
def test_the_compensator_keeps_the_promise_where_the_specimen_breaks_it(name: str) -> None:
    """Where pairs have promises of their own, the filter with an account for each does."""
    case = SPECIMENS[name]()
    sound = "additive-per-pair" if case.game.promises else "compensator"
    rule = entry(sound).target(case.epsilon, case.delta)
    found = worst_case(rule, case.game, case.epsilon)
    assert found.value <= found.allowed(case.game, case.delta)


def test_the_documentation_names_every_filter() -> None:
    assert all(f"`{one.name}`" in PAGE for one in REGISTRY)


def test_the_documentation_has_the_public_report_of_every_specimen_that_is_taken_from_one() -> None:
    reported = {one.name: one.link for one in REGISTRY if one.link}
    assert set(reported) >= {one.name for one in REGISTRY if one.family == "faulty ledger"}
    for name, link in reported.items():
        (row,) = (line for line in PAGE.splitlines() if line.endswith(f"`{name}` |"))
        assert f"]({link})" in row
