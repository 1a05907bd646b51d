"""Filters that add up what mechanisms cost: their tests against the formulas they come from."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import norm

from filterproof.exact import Epsilon, ExactError, Log, interval_context, interval_ends
from filterproof.filter import Decision, Filter
from filterproof.filters.additive import Additive
from filterproof.filters.advanced import AdvancedPrinted, Rogers, Whitehouse
from filterproof.filters.common import Open, real
from filterproof.filters.composition import (
    ExactComposition,
    ExactCompositionPure,
    losses_of,
    profile_of,
)
from filterproof.filters.gdp import (
    GRID,
    GaussianDP,
    budget_mu,
    mechanism_mu,
    normal_cdf,
    quantile_up,
)
from filterproof.filters.pan import Hybrid, Second
from filterproof.filters.parameters import ParameterError
from filterproof.filters.rdp import RenyiMironov, RenyiSomeOrder, RenyiTight
from filterproof.game import Game, Mechanism, opening
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, k_ary, one_sided, repeated, response, reveal, silent
from filterproof.privacy import delta_at
from filterproof.witness import worst_case
from filterproof_properties.games.specimens import declared_reveal, two_orders
from filterproof_properties.strategies import mechanisms
from tests.plays import rounds_run

F = Fraction
FORWARD = ("0", "1")
quick = settings(max_examples=60, deadline=None, derandomize=True)


def states(rule: Filter[Any], one: Game) -> Iterator[tuple[Decision, Any]]:
    """Yield the answers along the path of first requests and first outputs."""
    step, state = opening(one), rule.start()
    while True:
        decision, state = rule.decide(state, step)
        yield decision, state
        y = next(iter(step.mechanism.law))
        if decision is not Decision.CONTINUE or not step.mechanism.after[y]:
            return
        step = step.next(y, next(iter(step.mechanism.after[y])))


def answers(rule: Filter[Any], one: Game) -> list[Decision]:
    return [decision for decision, _ in states(rule, one)]


def rounds(rule: Filter[Any], mechanism: Mechanism, most: int = 12) -> int:
    """How many rounds of one mechanism a filter that ignores outputs runs."""
    return answers(rule, game(repeated(mechanism, most)))[1:].count(Decision.CONTINUE)


# --- additive ------------------------------------------------------------------------------------


def test_the_sum_of_the_epsilons_is_compared_exactly_at_the_boundary() -> None:
    coin = response(F(2, 3))
    assert rounds(Additive(Log(F(8)), F(0)), coin) == 3
    assert rounds(Additive(Log(F(8) - F(1, 10**30)), F(0)), coin) == 2
    assert rounds(Additive(F(207944154, 10**8), F(0)), coin) == 2
    assert rounds(Additive(F(207944155, 10**8), F(0)), coin) == 3


def test_the_sum_of_the_deltas_is_compared_exactly_at_the_boundary() -> None:
    assert rounds(Additive(F(0), F(3, 10)), erasure(F(1, 10))) == 3
    assert rounds(Additive(F(0), F(3, 10) - F(1, 10**30)), erasure(F(1, 10))) == 2


# --- advanced composition ------------------------------------------------------------------------


def advanced_bound(t: int, e: Any, epsilon: Any, delta: Any) -> Any:
    """`eq: advanced f` for t rounds of the same ε_i, in 50 digits."""
    total, scale = t * e**2, mp.mpf("28.04") * mp.log(1 / delta) / epsilon**2
    spread = 2 * (total + 1 / scale) * (1 + mp.log(scale * total + 1) / 2) * mp.log(2 / delta)
    return t * e * (mp.exp(e) - 1) / 2 + mp.sqrt(spread)


def whitehouse_bound(t: int, e: Any, epsilon: Any, delta: Any) -> Any:
    return mp.sqrt(2 * mp.log(1 / delta) * t * e**2) + t * e**2 / 2


@pytest.mark.parametrize("p", [F(51, 100), F(53, 100), F(3, 5)])
@pytest.mark.parametrize("epsilon", [F(1, 2), F(1), F(3)])
@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        (Rogers, advanced_bound),
        (lambda e, d: AdvancedPrinted(e, d, delta_prime=d), advanced_bound),
        (lambda e, d: Whitehouse(e, d, delta_prime=d), whitehouse_bound),
    ],
)
def test_as_many_rounds_run_as_the_formula_allows(
    p: Fraction, epsilon: Fraction, rule: Callable[..., Any], bound: Callable[..., Any]
) -> None:
    mp.dps = 50
    delta = F(1, 50)
    e = mp.log(mp.mpf(p.numerator) / (p.denominator - p.numerator))
    budget = mp.mpf(epsilon.numerator) / epsilon.denominator
    allowed = [t for t in range(13) if bound(t, e, budget, mp.mpf(1) / 50) <= budget]
    assert rounds(rule(epsilon, delta), response(p)) == max(allowed)


def test_rogers_counts_half_of_delta_for_the_deltas() -> None:
    assert rounds(Rogers(F(1), F(1, 5)), erasure(F(1, 20))) == 2
    assert rounds(Rogers(F(1), F(1, 5)), erasure(F(1, 19))) == 1


@pytest.mark.parametrize(("epsilon", "delta"), [(F(1), F(1, 2)), (F(1), F(0)), (F(0), F(1, 9))])
def test_outside_its_theorem_the_advanced_filter_runs_nothing(
    epsilon: Fraction, delta: Fraction
) -> None:
    assert answers(Rogers(epsilon, delta), game(silent())) == [Decision.CONTINUE, Decision.HALT]


def test_the_printed_filter_charges_less_the_more_is_declared() -> None:
    case = declared_reveal()
    rule = AdvancedPrinted(case.epsilon, case.delta, **case.parameters)
    assert worst_case(rule, case.game, case.epsilon).value == 1
    for odds in (F(14), F(2)):
        honest = game(Mechanism(reveal().law, {}, Declared(odds, F(1))))
        assert worst_case(rule, honest, case.epsilon).value == 0
    assert worst_case(Rogers(case.epsilon, case.delta), case.game, case.epsilon).value == 0


def test_the_printed_filter_takes_a_delta_without_epsilon_as_infinite() -> None:
    rule = AdvancedPrinted(F(60), F(1, 10), delta_prime=F(1, 20))
    assert rounds(rule, erasure(F(1, 1000))) == 0


def threshold_of(odds: Fraction, delta_prime: Fraction, bits: int) -> Fraction:
    """A rational within 2^-bits of the ε that one round of these odds needs (Whitehouse)."""
    iv = interval_context(bits + 64)
    e = real(iv, Log(odds))
    return interval_ends(iv.sqrt(2 * iv.log(1 / real(iv, delta_prime))) * e + e**2 / 2)[0]


def test_a_filter_that_cannot_decide_halts_and_records_why() -> None:
    epsilon = threshold_of(F(2), F(1, 10), 5000)
    rule = Whitehouse(epsilon, F(1, 10), delta_prime=F(1, 10))
    *_, (decision, state) = states(rule, game(response(F(2, 3))))
    assert decision is Decision.HALT
    assert isinstance(state, Open)
    assert "4096 bits" in state.reason


def test_a_hybrid_goes_on_after_an_undecided_halt_and_keeps_the_record() -> None:
    epsilon = threshold_of(F(2), F(1, 10), 5000)
    rule = Hybrid(Whitehouse(epsilon, F(1, 10), delta_prime=F(1, 10)), epsilon)
    *_, (decision, state) = states(rule, game(response(F(2, 3))))
    assert decision is Decision.CONTINUE
    assert isinstance(state, Second)
    assert isinstance(state.undecided, Open)


def test_close_to_the_threshold_but_above_the_cap_it_decides() -> None:
    near = threshold_of(F(2), F(1, 10), 2000)
    rules = [
        Whitehouse(near + shift, F(1, 10), delta_prime=F(1, 10))
        for shift in (F(-1, 2**1900), F(1, 2**1900))
    ]
    assert [rounds(rule, response(F(2, 3)), 1) for rule in rules] == [0, 1]


@pytest.mark.parametrize("kind", [AdvancedPrinted, Whitehouse])
def test_a_part_of_delta_larger_than_delta_is_refused(kind: Callable[..., Any]) -> None:
    with pytest.raises(ParameterError, match="delta_prime <= delta"):
        kind(F(1), F(1, 10), delta_prime=F(1, 5))
    with pytest.raises(ExactError, match="int or a Fraction"):
        kind(F(1), F(1, 10), delta_prime=0.05)


# --- Rényi ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [F(2), F(5), F(3, 2), F(7, 3)])
@pytest.mark.parametrize("p", [F(3, 5), F(9, 16)])
def test_the_renyi_filters_run_as_many_rounds_as_their_conversions_allow(
    order: Fraction, p: Fraction
) -> None:
    mp.dps = 50
    epsilon, delta = F(2), F(1, 20)
    a, p_, d = (
        mp.mpf(order.numerator) / order.denominator,
        mp.mpf(p.numerator) / p.denominator,
        mp.mpf(1) / 20,
    )
    total = p_**a * (1 - p_) ** (1 - a) + (1 - p_) ** a * p_ ** (1 - a)
    rho = mp.log(total) / (a - 1)
    mironov = [t for t in range(13) if t * rho + mp.log(1 / d) / (a - 1) <= 2]
    tight = [
        t
        for t in range(13)
        if t * rho + mp.log((a - 1) / a) - (mp.log(d) + mp.log(a)) / (a - 1) <= 2
    ]
    coin = response(p)
    assert rounds(RenyiMironov(epsilon, delta, order=order), coin) == max(mironov, default=0)
    assert rounds(RenyiTight(epsilon, delta, order=order), coin) == max(tight, default=0)


@pytest.mark.parametrize(
    ("order", "delta"), [(F(2), F(13, 16)), (F(3, 2), F(17, 20))], ids=["integer", "fraction"]
)
def test_a_tie_at_a_rational_odds_is_seen_exactly(order: Fraction, delta: Fraction) -> None:
    """RR(4/5) at e^ε = 4: S(2) = 13/4 = δ·4 and S(3/2) = 17/10 = δ·√4."""
    coin = response(F(4, 5))
    epsilon = Log(F(4))
    assert rounds(RenyiMironov(epsilon, delta, order=order), coin, 1) == 1
    assert rounds(RenyiMironov(epsilon, delta - F(1, 10**40), order=order), coin, 1) == 0


def test_an_infinite_renyi_sum_halts_for_good() -> None:
    one = game(repeated(silent(), 2))
    assert answers(RenyiMironov(F(9), F(1, 2)), one) == [Decision.CONTINUE] * 3
    assert rounds(RenyiMironov(F(9), F(1, 2)), one_sided(F(1, 100))) == 0


def test_some_order_with_one_order_is_the_filter_of_that_order() -> None:
    case = two_orders()
    for order in case.parameters["orders"]:
        some = RenyiSomeOrder(case.epsilon, case.delta, orders=(order,))
        fixed = RenyiTight(case.epsilon, case.delta, order=order)
        assert rounds_run(some, case.game) == rounds_run(fixed, case.game)
        assert worst_case(some, case.game, case.epsilon).value <= case.delta


def test_no_orders_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        RenyiSomeOrder(F(1), F(1, 10), orders=())
    with pytest.raises(ExactError, match="order above 1"):
        RenyiTight(F(1), F(1, 10), order=F(1))


# --- Gaussian DP ----------------------------------------------------------------------------------


@quick
@given(st.fractions(F(1, 10**6), 1 - F(1, 10**6)))
def test_a_quantile_is_rounded_up_by_less_than_two_grid_steps(p: Fraction) -> None:
    z = quantile_up(p)
    assert z is not None
    assert normal_cdf(z)[0] >= p
    assert normal_cdf(z - 2 * GRID)[0] < p


@quick
@given(st.fractions(-8, 8, max_denominator=64))
def test_the_normal_distribution_function_is_enclosed(z: Fraction) -> None:
    low, high = normal_cdf(z)
    assert low <= high <= low + F(1, 2**38)
    assert float(low) <= norm.cdf(float(z)) * (1 + 2**-40)
    assert norm.cdf(float(z)) <= float(high) * (1 + 2**-40)


@pytest.mark.parametrize(("epsilon", "delta"), [(F(1), F(1, 10)), (Log(F(9)), F(1, 1000))])
def test_the_budget_is_the_largest_mu_that_the_grid_allows(
    epsilon: Epsilon, delta: Fraction
) -> None:
    mu = budget_mu(epsilon, delta)
    value = float(real(mp, epsilon))

    def true(m: float) -> float:
        curve = norm.cdf(-value / m + m / 2) - float(mp.exp(value)) * norm.cdf(-value / m - m / 2)
        return float(curve)

    assert true(float(mu)) < delta < true(float(mu + 2 * GRID))


def test_randomised_response_needs_the_mu_of_its_one_vertex() -> None:
    one = game(response(F(3, 4)))
    mu = mechanism_mu(one.menu["ask"], None)
    assert mu is not None
    needed = 2 * norm.ppf(0.75)
    assert needed < mu < needed + 2 * GRID


def test_a_mechanism_that_rules_a_database_out_is_no_gaussian() -> None:
    assert rounds(GaussianDP(F(5), F(1, 2)), one_sided(F(1, 100))) == 0
    assert rounds(GaussianDP(F(5), F(1, 2)), silent()) == 12
    assert rounds(GaussianDP(F(1), F(0)), response(F(51, 100))) == 0


def test_gaussian_rounds_run_until_the_squares_are_used_up() -> None:
    epsilon, delta = F(1), F(1, 10)
    one = game(k_ary(3, F(2, 5)))
    mu = mechanism_mu(one.menu["ask"], None)
    assert mu is not None
    expected = int(budget_mu(epsilon, delta) ** 2 / mu**2)
    assert rounds(GaussianDP(epsilon, delta), k_ary(3, F(2, 5)), 60) == expected > 1


# --- exact composition ----------------------------------------------------------------------------


@quick
@given(mechanisms(), st.sampled_from([F(1), Log(F(2)), F(0)]))
def test_the_composed_profile_of_one_mechanism_is_its_profile(
    mechanism: Mechanism, epsilon: Epsilon
) -> None:
    losses = losses_of(mechanism.law, FORWARD)
    assert profile_of(losses, epsilon) == delta_at(mechanism.law, FORWARD, epsilon)


@quick
@given(mechanisms(), st.integers(1, 3), st.sampled_from([F(1), Log(F(2))]))
def test_on_a_fixed_list_exact_composition_is_private(
    mechanism: Mechanism, times: int, epsilon: Epsilon
) -> None:
    one = game(repeated(mechanism, times))
    for kind in (ExactComposition, ExactCompositionPure):
        assert worst_case(kind(epsilon, F(1, 10)), one, epsilon).value <= F(1, 10)


def test_optimal_composition_does_not_run_a_mechanism_with_a_declared_delta() -> None:
    assert rounds(ExactCompositionPure(F(5), F(1, 2)), erasure(F(1, 100))) == 0
    assert rounds(ExactComposition(F(5), F(1, 2)), erasure(F(1, 100))) == 12
