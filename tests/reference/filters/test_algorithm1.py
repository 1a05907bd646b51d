"""Algorithm 1 as published, the repaired rule, and the games that tell them apart."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1, overshoot
from filterproof.filters.parameters import ParameterError
from filterproof.filters.repaired import Repaired, RepairedSharp, largest_theta
from filterproof.game import Game, Step, opening
from filterproof.palette import erasure, game, lottery, repeated, reveal, silent
from filterproof.tail import worst_tail
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import (
    chain,
    closed_menu,
    erasures,
    guess,
    lottery_3_of_4,
    twice_2,
)
from filterproof_properties.strategies import cases

ONE, ZERO, TENTH = Fraction(1), Fraction(0), Fraction(1, 10)
run = settings(
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def worst(target: Any, case: Case) -> Any:
    rule = target(case.epsilon, case.delta, **case.parameters)
    return worst_case(rule, case.game, case.epsilon).value


@pytest.mark.parametrize(
    ("case", "published"),
    [
        (guess(4), 1),
        (guess(20), 1),
        (lottery_3_of_4(), Fraction(3, 20)),
        (twice_2(), Fraction(29, 225)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_theorem_1_is_refuted_and_the_repair_holds(case: Case, published: Fraction) -> None:
    assert worst(Algorithm1, case) == published > case.delta
    assert worst(Repaired, case) == 0
    assert worst(RepairedSharp, case) <= case.delta


@pytest.mark.parametrize("N", [1, 2, 3, 5])
@pytest.mark.parametrize("theta", [TENTH, Fraction(1, 3)])
@pytest.mark.parametrize("delta_tilde", [ZERO, Fraction(1, 7)])
def test_the_sharp_constant_is_attained_on_the_chain(
    N: int, theta: Fraction, delta_tilde: Fraction
) -> None:
    case = chain(N, theta, delta_tilde)
    assert (
        worst(RepairedSharp, case) == case.delta == 1 - (1 - delta_tilde) * (1 - theta) ** (N - 1)
    )


def test_a_smaller_constant_would_be_wrong() -> None:
    case = chain(3, TENTH, Fraction(1, 7))
    with pytest.raises(ParameterError, match=r"\(1 - theta\)\*\*\(N - 1\) >= 1 - delta"):
        RepairedSharp(ONE, case.delta - Fraction(1, 10**40), **case.parameters)


def test_a_closed_request_counts_as_silent() -> None:
    case = closed_menu()
    assert worst(RepairedSharp, case) == case.delta == TENTH

    class Closed(RepairedSharp):
        """The twin: a closed request has no risk."""

        def safe(self, step: Step, y: str, r: str, pair: Any, z: Fraction) -> bool:
            return r not in step.mechanism.after[y] or super().safe(step, y, r, pair, z)

    assert worst(Closed, case) == Fraction(271, 1000)


@pytest.mark.parametrize(
    ("target", "parameters", "rule"),
    [
        (
            Algorithm1,
            {"N": 2, "theta": TENTH, "delta_tilde": TENTH},
            "need delta_tilde .* 7/25 > 1/10",
        ),
        (
            Repaired,
            {"N": 2, "theta": TENTH, "delta_tilde": TENTH},
            "need delta_tilde .* 7/25 > 1/10",
        ),
        (RepairedSharp, {"N": 2, "theta": TENTH, "delta_tilde": TENTH}, "81/100 < 9/10"),
        (Algorithm1, {"N": 0, "theta": ZERO, "delta_tilde": ZERO}, "N >= 1; got 0"),
        (Algorithm1, {"N": 1.0, "theta": ZERO, "delta_tilde": ZERO}, r"integer N >= 1; got 1\.0"),
        (Algorithm1, {"N": 1, "theta": -TENTH, "delta_tilde": ZERO}, "0 <= theta <= 1; got -1/10"),
        (Algorithm1, {"N": 1, "theta": ZERO, "delta_tilde": Fraction(2)}, "0 <= delta_tilde <= 1"),
        (Algorithm1, {"N": 1, "theta": ONE, "delta_tilde": TENTH}, "need delta_tilde"),
        (RepairedSharp, {"N": 1, "theta": ONE, "delta_tilde": TENTH}, "theta < 1"),
    ],
)
def test_parameters_outside_the_promise_are_refused(
    target: Any, parameters: Any, rule: str
) -> None:
    with pytest.raises(ParameterError, match=rule):
        target(ONE, TENTH, **parameters)


@pytest.mark.parametrize("bad", [0.1, float("nan"), "1/10", None])
def test_parameters_must_be_exact(bad: Any) -> None:
    with pytest.raises(ValueError, match="int or a Fraction"):
        Algorithm1(ONE, TENTH, N=1, theta=bad, delta_tilde=ZERO)
    with pytest.raises(ValueError, match="int or a Fraction"):
        Algorithm1(bad, TENTH, N=1, theta=ZERO, delta_tilde=ZERO)


@given(cases(max_rounds=3, parameters=Algorithm1.parameters))
@run
def test_delta_hat_is_at_most_delta_tilde_iff_the_check_holds(case: Case) -> None:
    for target in (Algorithm1, Repaired):
        rule = target(case.epsilon, case.delta, **case.parameters)
        for step in steps(case.game):
            hat = rule.delta_hat(step)
            assert (hat <= rule.delta_tilde) == rule.holds(step, rule.delta_tilde)
            assert rule.holds(step, hat)


def test_with_a_strict_inequality_delta_hat_and_the_check_part_ways() -> None:
    """The twin: defining safe outputs with < instead of <= breaks the equivalence."""

    class Strict(Algorithm1):
        def safe(self, step: Step, y: str, r: str, pair: Any, z: Fraction) -> bool:
            return overshoot(step, y, r, pair, self.epsilon) < z

    rule = Strict(ONE, TENTH, N=1, theta=ZERO, delta_tilde=TENTH)
    step = opening(game(erasure(TENTH)))
    assert not rule.holds(step, TENTH), "yet the infimum over z is 1/10 itself"
    assert all(rule.holds(step, TENTH + Fraction(1, n)) for n in (10, 1000, 10**9))


def steps(one: Game) -> list[Step]:
    """Every partial transcript of a game, breadth first."""
    found = [opening(one)]
    for step in found:
        if len(found) > 60:
            break
        found += [step.next(y, r) for y, menu in step.mechanism.after.items() for r in menu]
    return found


def test_nothing_is_released_if_every_first_request_is_too_risky() -> None:
    case = erasures(Fraction(1, 5), 2, delta=TENTH)
    rule = Repaired(ONE, TENTH, N=2, theta=ZERO, delta_tilde=TENTH)
    decision, _ = rule.decide(None, opening(case.game))
    assert decision is Decision.LAST, "T = 0: only the opening's empty output is released"
    assert worst_case(rule, case.game, ONE).value == 0


def test_the_play_ends_at_round_n() -> None:
    rule = Repaired(ONE, ZERO, N=2, theta=ZERO, delta_tilde=ZERO)
    step = opening(game(repeated(silent(), 4)))
    answers = []
    for _ in range(3):
        answers.append(rule.decide(None, step)[0])
        step = step.next(next(iter(step.mechanism.law)), "ask")
    assert answers == [Decision.CONTINUE, Decision.CONTINUE, Decision.LAST]


def test_an_empty_menu_asks_nothing_of_the_check() -> None:
    rule = Repaired(ONE, ZERO, N=9, theta=ZERO, delta_tilde=ZERO)
    last = opening(game(silent())).next("⊥", "ask")
    assert last.requests_after == ()
    assert rule.delta_hat(last) == 0
    assert rule.decide(None, last)[0] is Decision.CONTINUE


def test_pairs_whose_history_is_impossible_are_skipped() -> None:
    one = game(erasure(TENTH, {"0": {"ask": reveal()}, "1": {"ask": reveal()}}))
    step = opening(one).next("⊥", "ask").next("0", "ask")
    assert step.pairs == (("0", "1"),)
    rule = Algorithm1(ONE, TENTH, N=9, theta=ZERO, delta_tilde=TENTH)
    assert rule.delta_hat(step) == 0


def test_infinite_losses_are_losses() -> None:
    step = opening(game(reveal()))
    assert overshoot(step, "⊥", "ask", ("0", "1"), Fraction(10**5)) == 1


@given(cases(max_rounds=3, max_requests=1, parameters=Algorithm1.parameters))
@run
def test_with_one_request_a_round_published_and_repaired_agree(case: Case) -> None:
    single = all(len(step.requests_after) <= 1 for step in steps(case.game))
    published = Algorithm1(case.epsilon, case.delta, **case.parameters)
    repaired = Repaired(case.epsilon, case.delta, **case.parameters)
    for step in steps(case.game):
        if single:
            assert published.decide(None, step) == repaired.decide(None, step)
        assert repaired.holds(step, case.delta) <= published.holds(step, case.delta)


@given(cases(max_rounds=3, parameters=RepairedSharp.parameters))
@run
def test_the_repaired_rule_bounds_even_the_tail(case: Case) -> None:
    rule = RepairedSharp(case.epsilon, case.delta, **case.parameters)
    assert worst_tail(rule, case.game, case.epsilon, may_stop=False) <= case.delta


def test_the_published_rule_does_not_bound_the_tail() -> None:
    case = lottery_3_of_4()
    rule = Algorithm1(case.epsilon, case.delta, **case.parameters)
    assert worst_tail(rule, case.game, case.epsilon, may_stop=False) == Fraction(3, 20)


def test_early_abort_can_break_the_tail_bound_of_a_private_filter() -> None:
    """H never gains from stopping early, P(L > eps) may: the two claims are kept apart."""
    risky = lottery([TENTH, 1 - TENTH], {"1": {"ask": reveal()}, "2": {"ask": silent()}})
    case_game = game(risky)
    rule = RepairedSharp(ONE, TENTH, N=2, theta=TENTH, delta_tilde=ZERO)
    assert worst_case(rule, case_game, ONE).value == TENTH
    assert worst_tail(rule, case_game, ONE) == TENTH


def test_the_largest_theta_on_the_grid_fits_and_the_next_does_not() -> None:
    delta, delta_tilde, N = Fraction(1, 5), TENTH, 7
    theta = largest_theta(delta, delta_tilde, N)
    assert (1 - delta_tilde) * (1 - theta) ** (N - 1) >= 1 - delta
    assert (1 - delta_tilde) * (1 - theta - delta / 1024) ** (N - 1) < 1 - delta
