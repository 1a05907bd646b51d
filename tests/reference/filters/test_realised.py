"""Pan's filters, the product rule, and menus shrunk by the handler."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.exact import ExactError
from filterproof.filter import Decision, is_markov
from filterproof.filters.additive import Additive
from filterproof.filters.advanced import Whitehouse
from filterproof.filters.common import Wrapped
from filterproof.filters.gdp import GaussianDP
from filterproof.filters.naive import Naive, NaiveOverN
from filterproof.filters.pan import Bayesian, Hybrid, HybridCharge
from filterproof.filters.parameters import ParameterError
from filterproof.filters.product import ProductRule
from filterproof.filters.rdp import RenyiTight
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.filters.restricted import Announced, Restricted
from filterproof.game import OPENING, Step, opening
from filterproof.palette import erasure, game, lottery, repeated, response, reveal
from filterproof.tail import worst_tail
from filterproof.utility.rounds import expected_rounds
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import chain, erasures, guess, twice_2
from filterproof_properties.strategies import cases
from tests.plays import rounds_run

F = Fraction
ZERO, TENTH = F(0), F(1, 10)
quick = settings(max_examples=60, deadline=None, derandomize=True)
INNER: tuple[Any, ...] = (
    Additive,
    GaussianDP,
    RenyiTight,
    lambda epsilon, delta: Whitehouse(epsilon, delta, delta_prime=delta / 2),
)


# --- Pan -----------------------------------------------------------------------------------------


@quick
@given(cases(max_requests=2), st.sampled_from(INNER))
def test_a_hybrid_runs_what_its_inner_filter_runs_and_the_one_by_charge_still_more(
    case: Case, inner: Any
) -> None:
    rule = inner(case.epsilon, case.delta)
    runs = [
        rounds_run(one, case.game)
        for one in (rule, Hybrid(rule, case.epsilon), HybridCharge(rule, case.epsilon))
    ]
    assert runs[0] <= runs[1] <= runs[2]


@quick
@given(cases(max_requests=2), st.sampled_from(INNER))
def test_a_hybrid_over_any_sound_mechanism_level_filter_is_sound(case: Case, inner: Any) -> None:
    rule = inner(case.epsilon, case.delta)
    for kind in (Hybrid, HybridCharge):
        value = worst_case(kind(rule, case.epsilon), case.game, case.epsilon).value
        assert value <= case.delta


def test_a_hybrid_over_a_filter_that_is_not_sound_is_not_sound() -> None:
    case = erasures(TENTH, 3)
    rule = Hybrid(Naive(case.epsilon, case.delta), case.epsilon)
    assert worst_case(rule, case.game, case.epsilon).value == F(271, 1000)


def test_the_two_hybrids_differ_above_epsilon() -> None:
    case = erasures(F(1, 20), 3, TENTH)
    inner = Additive(case.epsilon, case.delta)
    pan, by_charge = (kind(inner, case.epsilon) for kind in (Hybrid, HybridCharge))
    assert expected_rounds(pan, case.game) == 2
    assert expected_rounds(by_charge, case.game) == F(839, 400)


@quick
@given(cases(max_requests=2))
def test_the_bayesian_filter_lets_no_loss_above_epsilon(case: Case) -> None:
    assert worst_tail(Bayesian(case.epsilon, case.delta), case.game, case.epsilon) == 0


def test_the_naive_filter_lets_losses_above_epsilon() -> None:
    assert worst_tail(Naive(F(1), TENTH), game(erasure(TENTH)), F(1)) == TENTH


def test_a_wrapped_target_offers_the_inner_parameters_and_its_declaration() -> None:
    target = Wrapped(Hybrid, Whitehouse)
    offered = target.parameters(F(1), TENTH, 3)
    assert offered == [*Whitehouse.parameters(F(1), TENTH, 3)]
    assert all(is_markov(target(F(1), TENTH, **parameters)) for parameters in offered)


# --- naive at δ/N ---------------------------------------------------------------------------------


def test_naive_over_n_stops_after_n_rounds_and_risks_delta_over_n_in_each() -> None:
    one = game(repeated(erasure(F(1, 20)), 3))
    assert worst_case(NaiveOverN(F(1), TENTH, N=2), one, F(1)).value == 1 - F(19, 20) ** 2
    assert worst_case(NaiveOverN(F(1), TENTH, N=3), one, F(1)).value == 0
    assert expected_rounds(NaiveOverN(F(1), F(1), N=2), game(repeated(response(F(1, 2)), 3))) == 2


def test_naive_at_delta_over_n_without_the_limit_on_rounds_is_not_private() -> None:
    one = game(repeated(erasure(F(1, 20)), 3))
    assert worst_case(Naive(F(1), TENTH / 2), one, F(1)).value == 1 - F(19, 20) ** 3 > TENTH


@pytest.mark.parametrize("n", [0, -1, True, 2.0])
def test_a_number_of_rounds_that_is_none_is_refused(n: Any) -> None:
    with pytest.raises(ParameterError, match="integer N >= 1"):
        NaiveOverN(F(1), TENTH, N=n)


# --- the product rule -----------------------------------------------------------------------------


def test_the_product_rule_attains_the_sharp_constant_on_the_chain() -> None:
    case = chain(4, TENTH, F(1, 5))
    rule = ProductRule(case.epsilon, case.delta, delta_tilde=F(1, 5))
    assert worst_case(rule, case.game, case.epsilon).value == case.delta


def test_the_product_rule_with_less_delta_stops_before_the_reveal() -> None:
    case = chain(4, TENTH, F(1, 5))
    rule = ProductRule(case.epsilon, case.delta - F(1, 10**9), delta_tilde=F(1, 5))
    assert worst_case(rule, case.game, case.epsilon).value < case.delta - F(1, 10**9)


def test_a_part_of_delta_larger_than_delta_is_refused() -> None:
    with pytest.raises(ParameterError, match="delta_tilde <= delta"):
        ProductRule(F(1), TENTH, delta_tilde=F(1, 5))
    with pytest.raises(ExactError, match="int or a Fraction"):
        ProductRule(F(1), TENTH, delta_tilde=0.05)  # type: ignore[arg-type]


def test_a_product_rule_that_forgets_earlier_rounds_is_not_private() -> None:
    class Forgetful(ProductRule):
        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            return super().decide((), step)

    case = chain(4, TENTH, ZERO)
    rule = Forgetful(case.epsilon, TENTH, delta_tilde=ZERO)
    assert worst_case(rule, case.game, case.epsilon).value == 1 - F(9, 10) ** 3 > TENTH


# --- handler-restricted requests ------------------------------------------------------------------


def one_guess(m: int) -> Restricted:
    case = guess(m)
    return Restricted(Repaired(case.epsilon, case.delta, **case.parameters), case.epsilon)


def test_a_restricted_menu_admits_one_guess_where_the_inner_rule_stops() -> None:
    case = guess(4)
    inner = Repaired(case.epsilon, case.delta, **case.parameters)
    assert expected_rounds(inner, case.game) == 1
    assert expected_rounds(one_guess(4), case.game) == 2
    assert worst_case(inner, case.game, case.epsilon).value == 0
    assert worst_case(one_guess(4), case.game, case.epsilon).value == F(1, 4)


def test_the_announced_menu_is_fixed_before_the_output_and_the_same_after_each() -> None:
    case = guess(4)
    rule = one_guess(4)
    first = opening(case.game)
    state = rule.observe(rule.decide(rule.start(), first)[1], first, OPENING)
    step = first.next(OPENING, "ask")
    decision, after = rule.decide(state, step)
    assert decision is Decision.CONTINUE
    assert after.allowed == frozenset({"1"})
    for y in step.mechanism.law:
        seen = rule.observe(after, step, y)
        answers = {r: rule.decide(seen, step.next(y, r))[0] for r in step.mechanism.after[y]}
        assert [r for r in answers if answers[r] is not Decision.REFUSE] == ["1"]


def test_a_menu_that_nothing_can_be_asked_of_ends_the_play() -> None:
    one = game(lottery([F(1, 2), F(1, 2)], {"1": {"a": reveal()}, "2": {"b": reveal()}}))
    inner = RepairedSharp(F(1), TENTH, N=2, theta=ZERO, delta_tilde=TENTH)
    rule = Restricted(inner, F(1))
    first = opening(one)
    state = rule.observe(rule.decide(rule.start(), first)[1], first, OPENING)
    assert rule.decide(state, first.next(OPENING, "ask"))[0] is Decision.LAST


def test_a_closed_request_is_forgotten_so_that_equal_situations_are_equal() -> None:
    one = game(lottery([F(1, 2), F(1, 2)], {"1": {"a": response(F(1, 2)), "b": reveal()}}))
    rule = Restricted(RepairedSharp(F(1), ZERO, N=2, theta=ZERO, delta_tilde=ZERO), F(1))
    first = opening(one)
    state = rule.observe(rule.decide(rule.start(), first)[1], first, OPENING)
    step = first.next(OPENING, "ask")
    after = rule.decide(state, step)[1]
    assert after.allowed == frozenset({"a"})
    assert rule.observe(after, step, "1") == Announced(None, frozenset({"a"}))
    assert rule.observe(after, step, "2") == Announced(None, None)


@quick
@given(cases(max_requests=3, parameters=RepairedSharp.parameters))
def test_a_restricted_look_ahead_filter_is_sound_and_runs_what_the_inner_one_runs(
    case: Case,
) -> None:
    inner = RepairedSharp(case.epsilon, case.delta, **case.parameters)
    product = ProductRule(case.epsilon, case.delta, delta_tilde=inner.delta_tilde)
    for look_ahead in (inner, product):
        rule = Restricted(look_ahead, case.epsilon)
        assert worst_case(rule, case.game, case.epsilon).value <= case.delta
        assert rounds_run(look_ahead, case.game) <= rounds_run(rule, case.game)


@dataclass(frozen=True)
class ShrinksAfterward(Naive):
    """Shrinks the menu of round i+1 after y_i is known: refuses what is risky there."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return (Decision.CONTINUE if self.fits(step) else Decision.REFUSE), None


def test_a_menu_that_is_shrunk_after_the_output_is_the_naive_filter_again() -> None:
    case = erasures(TENTH, 3)
    rule = ShrinksAfterward(case.epsilon, case.delta)
    assert worst_case(rule, case.game, case.epsilon).value == F(271, 1000)


def test_restriction_buys_rounds_in_the_double_lottery() -> None:
    case = twice_2()
    parameters = {**case.parameters, "theta": F(1, 30)}
    inner = RepairedSharp(case.epsilon, case.delta, **parameters)
    assert expected_rounds(inner, case.game) < expected_rounds(
        Restricted(inner, case.epsilon), case.game
    )
    value = worst_case(Restricted(inner, case.epsilon), case.game, case.epsilon).value
    assert value <= case.delta
