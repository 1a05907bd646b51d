"""How the filters relate to one another, over generated games; each relation with a twin."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, Log
from filterproof.filter import Filter, parameter_sets
from filterproof.filters.additive import Additive
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.bounds import CompensatorLower, RepairedUpper
from filterproof.filters.compensator import Capped, Compensator, Recycling
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.filters.pan import Bayesian
from filterproof.filters.product import ProductRule
from filterproof.filters.registry import REGISTRY, Entry, entry
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, one_sided, response, reveal, table
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import guess, wasted_branch
from filterproof_properties.relations import (
    permute_databases,
    rename_outputs,
    rename_requests,
    split_outputs,
)
from filterproof_properties.strategies import cases, games
from tests.plays import rounds_run

F = Fraction
TENTH = F(1, 10)
LOG_2 = Log(F(2))
SOUND = [one for one in REGISTRY if one.sound]

quick = settings(max_examples=60, deadline=None, derandomize=True)
long = settings(max_examples=400, deadline=None, derandomize=True)
small = cases(max_rounds=3, max_requests=2)


# --- soundness -------------------------------------------------------------------------------


@long
@given(st.sampled_from(SOUND), small, st.integers(0, 5))
def test_every_sound_filter_has_h_at_most_delta(one: Entry, case: Case, pick: int) -> None:
    offered = parameter_sets(one.target, case.epsilon, case.delta, case.game.depth)
    rule = one.target(case.epsilon, case.delta, **offered[pick % len(offered)])
    assert worst_case(rule, case.game, case.epsilon).value <= case.delta


def test_the_compensator_attains_delta_exactly() -> None:
    case = game(erasure(TENTH))
    assert worst_case(Compensator(F(1), TENTH), case, F(1)).value == TENTH


@quick
@given(small)
def test_an_upper_bound_in_place_of_a_charge_or_a_risk_stays_sound(case: Case) -> None:
    epsilon, delta = case.epsilon, case.delta
    coarse = CompensatorGrid(epsilon, delta, grid=F(1, 64))
    assert worst_case(coarse, case.game, epsilon).value <= delta
    for parameters in RepairedUpper.parameters(epsilon, delta, case.game.depth):
        rule = RepairedUpper(epsilon, delta, **parameters)
        assert worst_case(rule, case.game, epsilon).value <= delta


def test_a_lower_bound_in_place_of_a_charge_does_not_stay_sound() -> None:
    leak = game(one_sided(F(1, 65)))
    assert worst_case(CompensatorLower(F(1), F(1, 100)), leak, F(1)).value == F(1, 65)


# --- filters that are one and the same -------------------------------------------------------


@quick
@given(small)
def test_at_delta_0_the_compensators_are_the_bayesian_filter(case: Case) -> None:
    bayesian = rounds_run(Bayesian(case.epsilon, F(0)), case.game)
    for kind in (Compensator, Recycling, Capped):
        assert rounds_run(kind(case.epsilon, F(0)), case.game) == bayesian


def test_at_a_positive_delta_the_compensator_runs_what_the_bayesian_filter_does_not() -> None:
    leak = game(erasure(TENTH))
    assert not rounds_run(Bayesian(F(1), TENTH), leak)
    assert rounds_run(Compensator(F(1), TENTH), leak)


def has_one_request_a_round(one: Game) -> bool:
    mechanisms = (m for menu in one.nodes for m in menu.values())
    return len(one.menu) == 1 and all(
        len({r for menu in m.after.values() for r in menu}) <= 1 for m in mechanisms
    )


@quick
@given(cases(max_requests=1, parameters=Algorithm1.parameters))
def test_with_one_request_a_round_the_published_rule_is_the_repaired_one(case: Case) -> None:
    assume(has_one_request_a_round(case.game))
    published, repaired = (
        kind(case.epsilon, case.delta, **case.parameters) for kind in (Algorithm1, Repaired)
    )
    assert rounds_run(published, case.game) == rounds_run(repaired, case.game)


def test_with_three_requests_the_published_rule_runs_more_than_the_repaired_one() -> None:
    case = guess(3)
    published, repaired = (
        rounds_run(kind(case.epsilon, case.delta, **case.parameters), case.game)
        for kind in (Algorithm1, Repaired)
    )
    assert published > repaired


# --- filters that run wherever another one runs ----------------------------------------------


@quick
@given(small)
def test_capped_runs_wherever_recycling_runs_and_recycling_wherever_plain(case: Case) -> None:
    plain, recycling, capped = (
        rounds_run(kind(case.epsilon, case.delta), case.game)
        for kind in (Compensator, Recycling, Capped)
    )
    assert plain <= recycling <= capped


def test_the_plain_recycling_and_capped_compensators_are_three_filters() -> None:
    case = wasted_branch()
    plain, recycling = (
        rounds_run(kind(case.epsilon, case.delta), case.game) for kind in (Compensator, Recycling)
    )
    assert plain < recycling
    recycling, capped = (
        rounds_run(kind(LOG_2, F(9, 10)), deeper_loss()) for kind in (Recycling, Capped)
    )
    assert recycling < capped


def deeper_loss() -> Game:
    """Half of x's mass goes to an output of ratio 4 > e^ε = 2, where only 1/2 is left to lose."""
    after = {"?": {"go": one_sided(F(7, 10))}}
    return game(table({"!": (F(1, 2), F(1, 8)), "?": (F(1, 2), F(7, 8))}, after))


@quick
@given(cases(max_requests=2, parameters=Repaired.parameters))
def test_the_product_rule_runs_wherever_the_repaired_rule_runs(case: Case) -> None:
    repaired = Repaired(case.epsilon, case.delta, **case.parameters)
    product = ProductRule(case.epsilon, case.delta, delta_tilde=repaired.delta_tilde)
    assert rounds_run(repaired, case.game) <= rounds_run(product, case.game)


def test_the_product_rule_runs_more_than_the_repaired_rule_somewhere() -> None:
    third, half = F(1, 3), F(1, 2)
    bad_once = table({"0": (third, third), "1": (2 * third, 2 * third)})
    one = game(
        Mechanism(bad_once.law, {"0": {"go": reveal()}, "1": {"go": response(half)}}),
    )
    repaired = Repaired(F(1), half, N=2, theta=F(1, 4), delta_tilde=F(0))
    product = ProductRule(F(1), half, delta_tilde=F(0))
    assert rounds_run(repaired, one) < rounds_run(product, one)


@st.composite
def pure_games(draw: st.DrawFn) -> Game:
    """Rounds with finite losses only, so that every declared δ_i is 0."""
    chances = st.sampled_from([F(1, 2), F(3, 5), F(2, 3), F(1, 3), F(3, 4)])

    def pure(rounds: int) -> Mechanism:
        p, q = draw(chances), draw(chances)
        after: dict[str, Any] = {}
        if rounds > 1:
            after = {
                y: {r: pure(rounds - 1) for r in "ab"[: draw(st.integers(1, 2))]} for y in "01"
            }
        return table({"0": (p, q), "1": (1 - p, 1 - q)}, after)

    return game(pure(draw(st.integers(1, 3))))


@quick
@given(pure_games(), st.sampled_from([F(1), LOG_2, Log(F(9, 4))]), st.sampled_from([F(0), TENTH]))
def test_the_compensator_runs_wherever_additive_runs_if_every_declared_delta_is_0(
    one: Game, epsilon: Epsilon, delta: Fraction
) -> None:
    assert all(m.declared.delta == 0 for menu in one.nodes for m in menu.values())
    additive, compensator = (
        rounds_run(kind(epsilon, delta), one) for kind in (Additive, Compensator)
    )
    assert additive <= compensator


def test_additive_may_run_longer_than_the_compensator_if_some_declared_delta_is_positive() -> None:
    first = table(
        {"!": (TENTH, F(1, 40)), "?": (F(9, 10), F(39, 40))},
        {"!": {"go": response(F(2, 3))}},
        Declared(F(2), F(1, 20)),
    )
    additive, compensator = (
        rounds_run(kind(Log(F(4)), F(1, 20)), game(first)) for kind in (Additive, Compensator)
    )
    assert additive > compensator


# --- a larger budget --------------------------------------------------------------------------

FIXED: dict[str, dict[str, Any]] = {
    "additive": {},
    "rdp-mironov": {"order": F(3)},
    "rdp-tight": {"order": F(3, 2)},
    "whitehouse": {"delta_prime": F(1, 100)},
    "gdp": {},
    "bayesian": {},
    "hybrid": {},
    "hybrid-charge": {},
    "naive": {},
    "naive-over-n": {"N": 3},
    "product": {"delta_tilde": F(1, 100)},
    "compensator": {},
    "compensator-recycling": {},
    "compensator-capped": {},
    "compensator-upper-bound": {"grid": F(1, 64)},
}
AHEAD = {"N": 3, "theta": F(1, 100), "delta_tilde": F(1, 20)}
NOT_MONOTONE_IN_EPSILON = {
    "hybrid-charge",
    "compensator",
    "compensator-recycling",
    "compensator-capped",
    "compensator-upper-bound",
}
MONOTONE_IN_EPSILON = {
    **{name: fixed for name, fixed in FIXED.items() if name not in NOT_MONOTONE_IN_EPSILON},
    "algorithm1": AHEAD,
    "repaired": AHEAD,
}


def made(name: str, epsilon: Epsilon, delta: Fraction, fixed: dict[str, Any]) -> Filter[Any]:
    rule: Filter[Any] = entry(name).target(epsilon, delta, **fixed)
    return rule


@long
@given(st.sampled_from(sorted(FIXED)), games(max_requests=2), st.sampled_from([F(1), LOG_2]))
def test_a_larger_delta_never_halts_earlier(name: str, one: Game, epsilon: Epsilon) -> None:
    deltas = (F(1, 100), F(1, 20), F(1, 4), F(1, 2))
    runs = [rounds_run(made(name, epsilon, delta, FIXED[name]), one) for delta in deltas]
    assert all(less <= more for less, more in pairwise(runs))


def test_a_larger_delta_halts_the_advanced_filter_where_its_theorem_ends() -> None:
    one = game(response(F(51, 100)))
    small_delta, large_delta = (
        rounds_run(made("advanced-rogers", F(1), delta, {}), one) for delta in (F(1, 4), F(1, 2))
    )
    assert small_delta > large_delta


@long
@given(
    st.sampled_from(sorted(MONOTONE_IN_EPSILON)),
    games(max_requests=2),
    st.sampled_from([F(1, 4), TENTH]),
)
def test_a_larger_epsilon_never_halts_earlier_where_that_is_true(
    name: str, one: Game, delta: Fraction
) -> None:
    epsilons: tuple[Epsilon, ...] = (F(0), Log(F(3, 2)), F(1), Log(F(20)))
    fixed = MONOTONE_IN_EPSILON[name]
    runs = [rounds_run(made(name, epsilon, delta, fixed), one) for epsilon in epsilons]
    assert all(less <= more for less, more in pairwise(runs))


@pytest.mark.parametrize("name", sorted(NOT_MONOTONE_IN_EPSILON - {"hybrid-charge"}))
def test_a_larger_epsilon_can_halt_a_compensator_earlier(name: str) -> None:
    late = {"!": {"go": one_sided(F(1, 20))}}
    law = {"!": (F(1, 100), F(1, 2000)), "?": (F(99, 100), F(1999, 2000))}
    one = game(table(law, late))
    delta = F(1, 32) if name == "compensator-upper-bound" else F(1, 50)
    small_epsilon, large_epsilon = (
        rounds_run(made(name, Log(F(odds)), delta, FIXED[name]), one) for odds in (2, 20)
    )
    assert small_epsilon > large_epsilon


def test_a_larger_epsilon_can_halt_the_hybrid_by_charge_earlier() -> None:
    """At e^ε = 2 the first loss is above ε and the leak is free; at e^ε = 20 it is not."""
    law = {"!": (F(1, 100), F(1, 2000)), "?": (F(99, 100), F(1999, 2000))}
    coin = Mechanism(response(F(2, 3)).law, {}, Declared(F(100), F(0)))
    one = game(table(law, {"!": {"go": coin}}, Declared(F(2), F(9, 1000))))
    small_epsilon, large_epsilon = (
        rounds_run(made("hybrid-charge", Log(F(odds)), F(9, 1000), {}), one) for odds in (2, 20)
    )
    assert small_epsilon > large_epsilon


# --- the same game under other names ---------------------------------------------------------

SAME_GAME = (rename_outputs, rename_requests, permute_databases, split_outputs)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    st.sampled_from(REGISTRY),
    cases(max_rounds=2, max_requests=3),
    st.integers(0, 5),
    st.sampled_from(SAME_GAME),
)
def test_names_order_and_proportional_splits_change_nothing(
    one: Entry, case: Case, pick: int, change: Any
) -> None:
    offered = parameter_sets(one.target, case.epsilon, case.delta, case.game.depth)
    rule = one.target(case.epsilon, case.delta, **offered[pick % len(offered)])
    there = change(case.game)
    here, other = (worst_case(rule, g, case.epsilon).value for g in (case.game, there))
    assert here == other
    assert len(rounds_run(rule, case.game)) <= len(rounds_run(rule, there))
