from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.exact import ExpLinear
from filterproof.filter import Filter, is_markov, parameter_sets
from filterproof.filters.registry import REGISTRY, Entry, UnknownFilter, entry
from filterproof.witness import worst_case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.specimens import SPECIMENS

SOUND = [one for one in REGISTRY if one.sound]
BAD = [one for one in REGISTRY if not one.sound]
CASES = [case for case in named_cases() if case.name != "guess(20)"]

WORST = {
    "naive": Fraction(199, 10000),
    "algorithm1": Fraction(3, 200),
    "advanced-printed": Fraction(1),
    "rdp-some-order": Fraction(1, 9),
    "rdp-some-order-mironov": Fraction(821083025464885851979777, 1494186269970473680896000000),
    "exact-composition": Fraction(4, 9),
    "exact-composition-pure": Fraction(53, 180),
    "per-round-delta": Fraction(199, 10000),
    "repaired-lower-bound": Fraction(1, 65),
    "compensator-lower-bound": Fraction(1, 65),
    "floor-upside-down": ExpLinear(Fraction(4, 9), Fraction(-1, 9), Fraction(1)),
    "floor-fresh-losses": Fraction(2, 9),
    "floor-double": Fraction(199, 10_000),
    "budget-per-analyst": Fraction(2, 9),
    "refund-on-failure": Fraction(2, 9),
    "missing-key": Fraction(2, 9),
    "clamped-charge": Fraction(1),
    "stale-remaining": Fraction(2, 9),
    "two-ledgers": Fraction(23, 100),
    "rdp-wrong-conversion": Fraction(1, 40),
    "basic-or-advanced": Fraction(6078842266271628463, 60788327295284644005),
    "ledger-in-migration": Fraction(2, 9),
    "divided-by-ratio": Fraction(2, 5),
    "charged-afterwards": Fraction(1),
    "equal-charges": Fraction(2, 9),
    "relative-tolerance": Fraction(1_000_000_001, 10**11),
    "largest-promise": Fraction(2, 9),
    "individual-actual-data": Fraction(2, 9),
    "pay-first-round": Fraction(2, 9),
    "pay-largest": Fraction(2, 9),
}


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
    assert value == WORST[one.name]
    assert value > case.delta


def test_every_specimen_has_a_game_and_every_game_a_specimen() -> None:
    assert set(SPECIMENS) == {one.name for one in BAD} == set(WORST)


@pytest.mark.parametrize("name", sorted(SPECIMENS))
def test_the_compensator_keeps_the_promise_where_the_specimen_breaks_it(name: str) -> None:
    """Where pairs have promises of their own, the filter with an account for each does."""
    case = SPECIMENS[name]()
    sound = "additive-per-pair" if case.game.promises else "compensator"
    rule = entry(sound).target(case.epsilon, case.delta)
    found = worst_case(rule, case.game, case.epsilon)
    assert found.value <= found.allowed(case.game, case.delta)


def test_the_documentation_names_every_filter_and_the_exact_h_of_every_specimen() -> None:
    text = (Path(__file__).parents[3] / "docs" / "internals" / "FILTERS.md").read_text(
        encoding="utf-8"
    )
    assert all(f"`{one.name}`" in text for one in REGISTRY)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    for name, make in SPECIMENS.items():
        (row,) = (line for line in rows if f"`{name}`" in line)
        delta, worst = (cell.strip() for cell in row.split("|")[-3:-1])
        assert (delta, worst) == (str(make().delta), str(WORST[name]))


def test_the_documentation_has_the_public_report_of_every_specimen_that_is_taken_from_one() -> None:
    text = (Path(__file__).parents[3] / "docs" / "internals" / "FILTERS.md").read_text(
        encoding="utf-8"
    )
    reported = {one.name: one.link for one in REGISTRY if one.link}
    assert set(reported) >= {one.name for one in REGISTRY if one.family == "faulty ledger"}
    for name, link in reported.items():
        (row,) = (line for line in text.splitlines() if line.endswith(f"`{name}` |"))
        assert f"]({link})" in row
