"""Adapters on the real libraries: rounding, replay, refusals, and a library that is missing."""

import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import metadata
from math import inf, log, nextafter
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.equivalence import (
    COMPARISONS,
    PLAIN,
    disagreement,
    granted_by_path,
)
from conformance.findings import failing_twice
from filterproof.directed_rounding import double_down, double_up, epsilon_down, log_down, log_up
from filterproof.exact import Log, exceeds
from filterproof.filter import Decision, ask, start
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.palette import erasure, game, repeated, response, silent
from filterproof.witness import worst_case
from filterproof_properties import adapters
from filterproof_properties.adapters import diffprivlib_budget, opendp_filter, opendp_zcdp
from filterproof_properties.adapters.support import ledger
from filterproof_properties.adapters.support.library import MissingLibrary, require
from filterproof_properties.cli.main import main
from filterproof_properties.games.named import named_cases

LIGHT = ("opendp", "diffprivlib", "dp-accounting-pld", "dp-accounting-rdp")
few = settings(max_examples=60, deadline=None, derandomize=True)
odds = st.fractions(1, 10**6).filter(lambda q: q > 1) | st.integers(1, 10**30).map(
    lambda n: 1 + Fraction(1, n)
)


# --- the catalogue ----------------------------------------------------------------------------


def test_every_adapter_says_what_its_library_promises_and_what_is_assumed() -> None:
    for name, info in adapters.ADAPTERS.items():
        assert info.name == name
        assert info.promise
        assert info.assumption
        assert info.kind in get_args(adapters.Kind)


def test_only_an_accountant_that_promises_neither_is_the_fault_of_the_use() -> None:
    blamed = {info.kind for info in adapters.ADAPTERS.values() if info.fault == "the use"}
    assert blamed == {adapters.USED_AS, adapters.READ_AS}


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(adapters.UnknownAdapter, match=r"near: .*opendp"):
        adapters.load("openpd")


def test_a_missing_library_is_one_line_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    require.cache_clear()
    monkeypatch.setitem(sys.modules, "diffprivlib", None)
    with pytest.raises(MissingLibrary, match=r"pip install 'filterproof\[diffprivlib\]'") as seen:
        adapters.load("diffprivlib")
    assert "\n" not in str(seen.value)


def test_the_command_line_says_no_more_than_that_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    for command in ("audit", "diff"):
        assert main([command, "naive", "dp-accounting-pld"]) == 2
        seen = capsys.readouterr()
        line = "dp-accounting-pld needs dp-accounting: pip install 'filterproof[dp-accounting]'"
        assert (seen.out, seen.err) == ("", f"filterproof {command}: {line}\n")


@pytest.mark.parametrize("name", LIGHT)
def test_the_light_libraries_are_there_and_tell_their_version(name: str) -> None:
    assert adapters.info_of(name).version[0].isdigit()
    assert callable(adapters.load(name))


# --- rounding -----------------------------------------------------------------------------------


@few
@given(st.fractions(-(10**9), 10**9))
def test_doubles_are_rounded_to_the_nearest_one_on_the_stated_side(value: Fraction) -> None:
    up, down = double_up(value), double_down(value)
    assert down <= value <= up
    assert nextafter(up, -inf) < value
    assert nextafter(down, inf) > value


@few
@given(odds)
def test_a_rounded_cost_is_never_below_the_logarithm(q: Fraction) -> None:
    assert not exceeds(q, Fraction(1), Fraction(log_up(q)))
    assert exceeds(q, Fraction(1), Fraction(log_down(q)))
    assert nextafter(log_down(q), inf) == log_up(q)


def test_the_nearest_double_would_be_below_the_truth() -> None:
    third = Fraction(1, 3)
    assert float(third) < third < double_up(third)
    q = next(q for n in range(2, 50) if (q := Fraction(n)) and log(n) < log_up(q))
    assert exceeds(q, Fraction(1), Fraction(log(q.numerator)))


def test_budgets_are_rounded_down() -> None:
    assert epsilon_down(Fraction(1, 10)) < 0.1
    assert epsilon_down(Log(Fraction(3))) == log_down(Fraction(3))


def test_odds_too_large_for_a_double_cost_more_than_any_budget() -> None:
    assert double_up(Fraction(10) ** 400) == inf
    assert double_down(Fraction(10) ** 400) < inf


# --- replay against a live object ----------------------------------------------------------------


OPENDP = ("opendp", "opendp-context", "opendp-zcdp", "opendp-approximate-zcdp")
REPLAYED = (*OPENDP, "diffprivlib", "diffprivlib-slack", "dp-accounting-rdp")


@pytest.mark.parametrize("name", REPLAYED)
def test_replaying_a_path_answers_as_one_live_object_does(name: str) -> None:
    assert disagreement(COMPARISONS[name], samples=10) is None


def test_a_replay_that_forgets_a_spend_is_caught() -> None:
    def forgetful(spent: tuple[ledger.Spend, ...], asked: ledger.Spend) -> bool:
        return diffprivlib_budget.admits(PLAIN, spent[1:], asked)

    broken = replace(
        COMPARISONS["diffprivlib"], replayed=partial(granted_by_path, forgetful, False)
    )
    assert disagreement(broken, samples=10) is not None


def test_an_answer_is_computed_once_per_sequence_of_spends() -> None:
    rule = adapters.load("diffprivlib")(Fraction(1), Fraction(0))
    line = game(repeated(response(Fraction(11, 20)), 3))
    worst_case(rule, line, Fraction(1))
    before = diffprivlib_budget.admits.cache_info()
    worst_case(rule, line, Fraction(1))
    after = diffprivlib_budget.admits.cache_info()
    assert after.misses == before.misses
    assert after.hits > before.hits


# --- zero-concentrated DP ------------------------------------------------------------------------


def test_a_budget_of_rho_is_one_that_opendp_converts_to_it_and_nearly_the_largest() -> None:
    rho = opendp_zcdp.budget(1.0, 0.01)
    assert opendp_zcdp.implied(rho, 1.0) <= 0.01 < opendp_zcdp.implied(rho * (1 + 2.0**-19), 1.0)
    assert opendp_zcdp.budget(1.0, 0.0) == 0.0


def test_a_mechanism_costs_half_its_epsilon_squared_and_none_with_a_delta_is_zcdp() -> None:
    even, leak = first(game(response(Fraction(3, 4)))), first(game(erasure(Fraction(1, 5))))
    asked = opendp_zcdp.concentrated(even)
    assert asked is not None
    assert Fraction(asked.epsilon) >= Fraction(log_up(Fraction(3))) ** 2 / 2
    assert opendp_zcdp.pure(even) == asked
    assert opendp_zcdp.concentrated(leak) == ledger.Spend(0.0, double_up(Fraction(1, 5)))
    assert opendp_zcdp.pure(leak) == ledger.Spend(inf, 0.0)
    assert opendp_zcdp.pure(first(game(silent()))) is None


def test_more_responses_fit_into_zcdp_than_add_up_to_epsilon() -> None:
    line = game(repeated(response(Fraction(11, 20)), 12))
    epsilon, delta = Fraction(2), Fraction(1, 100)
    plain, rho = (adapters.load(one)(epsilon, delta) for one in ("opendp", "opendp-zcdp"))
    values = [worst_case(rule, line, epsilon).value for rule in (plain, rho)]
    assert values[0] == 0 < values[1] <= delta


def test_a_context_answers_as_the_filter_behind_it() -> None:
    epsilon, line = Fraction(1), game(repeated(response(Fraction(3, 5)), 4))
    values = [
        worst_case(make(epsilon, Fraction(0)), line, epsilon).value
        for make in (opendp_filter.target, opendp_filter.in_context)
    ]
    assert values[0] == values[1]


# --- refusals -------------------------------------------------------------------------------------


def first(play: Game) -> Step:
    """The first request of a game."""
    return opening(play).next("⊥", "ask")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("opendp", Decision.HALT),
        ("diffprivlib", Decision.REFUSE),
        ("dp-accounting-pld", Decision.REFUSE),
        ("dp-accounting-rdp", Decision.REFUSE),
    ],
)
def test_a_refusal_that_is_final_halts_and_any_other_goes_on(name: str, answer: Decision) -> None:
    rule = adapters.load(name)(Fraction(1), Fraction(0))
    assert ask(rule, start(rule), first(game(response(Fraction(9, 10)))))[0] is answer


def test_opendp_really_refuses_everything_after_a_refusal() -> None:
    queryable = opendp_filter.opened((1.0, 0.0))
    assert not opendp_filter.runs(queryable, ledger.Spend(2.0, 0.0))
    assert not opendp_filter.runs(queryable, ledger.Spend(0.1, 0.0))


def test_diffprivlib_really_goes_on_after_a_refusal() -> None:
    accountant = diffprivlib_budget.opened(diffprivlib_budget.Budget(1.0, 0.0))
    assert not diffprivlib_budget.runs(accountant, ledger.Spend(2.0, 0.0))
    assert diffprivlib_budget.runs(accountant, ledger.Spend(0.1, 0.0))


def test_a_silent_mechanism_is_not_put_to_the_library() -> None:
    rule = adapters.load("diffprivlib")(Fraction(1), Fraction(0))
    assert ask(rule, start(rule), first(game(silent()))) == (Decision.CONTINUE, ())


def test_a_budget_that_diffprivlib_rejects_grants_nothing() -> None:
    rule = adapters.load("diffprivlib")(Fraction(0), Fraction(0))
    play = game(response(Fraction(3, 5)))
    assert worst_case(rule, play, Fraction(0)).value == 0


# --- what the adapters show ---------------------------------------------------------------------


def never_failing(play: Game) -> bool:
    """Whether no mechanism of a game fails."""
    return not any(ledger.FAILS in m.law for menu in play.nodes for m in menu.values())


@pytest.mark.parametrize("name", [*OPENDP, "diffprivlib", "diffprivlib-slack"])
def test_libraries_that_add_up_keep_the_budget_on_the_named_games(name: str) -> None:
    for case in named_cases():
        assert never_failing(case.game)
        rule = adapters.load(name)(case.epsilon, case.delta)
        assert worst_case(rule, case.game, case.epsilon).value <= case.delta, case.name


@pytest.mark.parametrize("name", ["opendp", "diffprivlib"])
def test_a_mechanism_that_fails_after_touching_the_data_is_not_charged(name: str) -> None:
    epsilon = Fraction(11, 10)
    rule = adapters.load(name)(epsilon, Fraction(0))
    value = worst_case(rule, failing_twice(), epsilon).value
    assert (value.a, value.b) == (Fraction(9, 16), Fraction(-1, 16))  # 0.375 where 0 is allowed


@pytest.mark.parametrize("name", ["opendp", "diffprivlib"])
def test_the_same_mechanism_that_answers_instead_is_charged(name: str) -> None:
    epsilon = Fraction(11, 10)
    rule = adapters.load(name)(epsilon, Fraction(0))
    answering = game(repeated(response(Fraction(3, 4)), 2))
    assert worst_case(rule, answering, epsilon).value == 0


def test_the_refused_measurement_of_opendp_has_run_already() -> None:
    dp = opendp_filter.library()
    ran = []

    def function(data: bool) -> int:
        ran.append(data)
        return 0

    space = dp.atom_domain(T=bool), dp.discrete_distance(), dp.approximate(dp.max_divergence())
    costly = dp.m.make_user_measurement(*space, function, lambda _: (2.0, 0.0), TO=int)
    with pytest.raises(dp.OpenDPException):
        opendp_filter.opened((1.0, 0.0))(costly)
    assert ran == [True]


def test_erasure_beyond_delta_is_refused_by_all() -> None:
    line = game(Mechanism(erasure(Fraction(1, 5)).law))
    for name in LIGHT:
        rule = adapters.load(name)(Fraction(1), Fraction(1, 10))
        assert worst_case(rule, line, Fraction(1)).value == 0
