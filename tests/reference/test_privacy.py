import math
from fractions import Fraction
from typing import Any

import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, ExpLinear, Log, exceeds, exp_enclosure
from filterproof.game.law import Law, Pair, profile
from filterproof.palette import erasure, k_ary, one_sided, response, table
from filterproof.privacy import (
    BadOrder,
    best_event,
    charge,
    delta_at,
    largest_renyi_sum,
    renyi_sum,
    risk,
    tight_delta,
    tight_odds,
)

F = Fraction
FORWARD, BACKWARD = ("0", "1"), ("1", "0")
BOTH = (FORWARD, BACKWARD)
EVEN = {"0": F(1), "1": F(1)}
LEAN = {"!": (F(1, 8), F(1, 64)), "?": (F(1, 2), F(3, 8)), "-": (F(3, 8), F(39, 64))}
SAMPLES = [
    response(F(3, 4)).law,
    erasure(F(1, 8)).law,
    one_sided(F(1, 4)).law,
    k_ary(4, F(5, 8)).law,
    table(LEAN).law,
]

weights = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=4)
quick = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def laws(draw: st.DrawFn) -> Law:
    rows = [row for row in draw(weights) if any(row)]
    left, right = sum(p for p, _ in rows), sum(q for _, q in rows)
    if not left or not right:
        return response(F(2, 3)).law
    return {str(i): {"0": F(p, left), "1": F(q, right)} for i, (p, q) in enumerate(rows)}


epsilons: st.SearchStrategy[Epsilon] = st.sampled_from(
    [F(0), F(1, 3), F(2), Log(F(3, 2)), Log(F(4))]
)


# --- risk and charge -------------------------------------------------------------------------


def lost(w: Fraction, w_: Fraction, epsilon: Epsilon) -> ExpLinear:
    """h(l) for l = log(w / w_): max(0, 1 - e^ε·w_/w)."""
    if exceeds(w, w_, epsilon):
        return ExpLinear(1, -w_ / w, epsilon)
    return ExpLinear(0, 0, epsilon)


def expected_loss(law: Law, pair: Pair, mass: dict[str, Fraction], epsilon: Epsilon) -> ExpLinear:
    x, x_ = pair
    rows = [row for row in law.values() if row[x]]
    return sum(
        (lost(mass[x] * row[x], mass[x_] * row[x_], epsilon) * row[x] for row in rows),
        start=ExpLinear(0, 0, epsilon),
    )


@quick
@given(laws(), st.integers(1, 9), st.integers(0, 9), epsilons, st.sampled_from(BOTH))
def test_a_charge_is_the_expected_growth_of_h_and_never_negative(
    law: Law, w: int, w_: int, epsilon: Epsilon, pair: Pair
) -> None:
    mass = {pair[0]: F(w), pair[1]: F(w_)}
    growth = expected_loss(law, pair, mass, epsilon) - lost(F(w), F(w_), epsilon)
    assert charge(law, pair, mass, epsilon) == growth
    assert growth >= 0


def test_the_growth_without_what_was_lost_before_is_another_number() -> None:
    mass = {"0": F(9), "1": F(1)}
    law = response(F(3, 4)).law
    assert charge(law, FORWARD, mass, F(1)) != expected_loss(law, FORWARD, mass, F(1))


@quick
@given(laws(), epsilons, st.sampled_from(BOTH))
def test_at_the_start_the_charge_is_the_profile_and_at_most_the_risk(
    law: Law, epsilon: Epsilon, pair: Pair
) -> None:
    first = charge(law, pair, EVEN, epsilon)
    assert first == delta_at(law, pair, epsilon)
    assert first <= risk(law, pair, EVEN, epsilon)


# --- the profile ---------------------------------------------------------------------------------


@quick
@given(laws(), epsilons, st.sampled_from(BOTH))
def test_the_profile_at_a_negative_epsilon_mirrors_the_other_direction(
    law: Law, epsilon: Epsilon, pair: Pair
) -> None:
    if isinstance(epsilon, Log):
        odds = epsilon.argument
        other = profile(law, (pair[1], pair[0]), odds)
        assert profile(law, pair, 1 / odds) == 1 - 1 / odds + other / odds
        return
    p, q = best_event(law, pair, -epsilon)
    there = delta_at(law, (pair[1], pair[0]), epsilon)
    assert ExpLinear(-q, p, epsilon) == there + ExpLinear(-1, 1, epsilon)


def test_the_mirror_needs_the_other_direction() -> None:
    law, odds = table(LEAN).law, F(2)
    same = profile(law, FORWARD, odds)
    assert profile(law, FORWARD, 1 / odds) != 1 - 1 / odds + same / odds


@quick
@given(laws(), st.integers(0, 20), st.sampled_from(BOTH))
def test_tight_odds_and_tight_delta_are_inverse_to_each_other(
    law: Law, twentieths: int, pair: Pair
) -> None:
    delta = F(twentieths, 20)
    odds = tight_odds(law, [pair], delta)
    infinite = sum((row[pair[0]] for row in law.values() if row[pair[1]] == 0), F(0))
    assert (odds is None) == (infinite > delta)
    if odds is not None:
        assert tight_delta(law, [pair], odds) <= delta
        assert odds == 1 or tight_delta(law, [pair], odds) == delta


def test_tight_parameters_look_at_both_directions() -> None:
    law = one_sided(F(1, 4)).law
    assert tight_odds(law, [FORWARD], F(0)) is None
    assert tight_odds(law, [BACKWARD], F(0)) == F(4, 3)
    assert tight_odds(law, BOTH, F(1, 4)) == F(4, 3) * F(3, 4)
    assert tight_delta(law, [FORWARD], F(100)) == F(1, 4)
    assert tight_delta(law, [BACKWARD], F(100)) == 0


# --- Rényi sums ---------------------------------------------------------------------------------


def test_a_renyi_sum_is_infinite_exactly_where_the_other_database_cannot_give_an_output() -> None:
    law = one_sided(F(1, 4)).law
    assert renyi_sum(law, FORWARD, 2) is None
    backward = renyi_sum(law, BACKWARD, 2)
    assert backward is not None
    assert backward.rational() == F(4, 3)
    assert largest_renyi_sum(law, BOTH, 2) is None


def test_the_largest_renyi_sum_is_the_larger_direction() -> None:
    law = table({"0": (F(1, 2), F(1, 8)), "1": (F(1, 2), F(7, 8))}).law
    sums = [one.rational() for pair in BOTH if (one := renyi_sum(law, pair, 3)) is not None]
    largest = largest_renyi_sum(law, BOTH, 3)
    assert largest is not None
    assert largest.rational() == max(one for one in sums if one is not None)
    assert len(set(sums)) == 2


@quick
@given(laws())
def test_a_renyi_sum_of_rational_order_lies_between_the_integer_ones_in_logarithm(law: Law) -> None:
    """log S is convex in the order and 0 at order 1: S(3/2)² <= S(2), and S(3/2) >= 1."""
    two, between = (renyi_sum(law, FORWARD, order) for order in (2, F(3, 2)))
    if two is None or between is None:
        assert two is between is None
        return
    square = two.rational()
    assert square is not None
    power = renyi_sum(law, FORWARD, F(4, 2))
    assert power == two
    squared = between * between
    assert (squared - type(squared).root(square**2, 2)).sign() <= 0
    assert (between - type(between).root(F(1), 2)).sign() >= 0


@pytest.mark.parametrize("order", [1, F(1, 2), 0, -3])
def test_an_order_of_one_or_less_is_refused(order: Fraction) -> None:
    with pytest.raises(BadOrder, match="order above 1"):
        renyi_sum(response(F(3, 4)).law, FORWARD, order)


# --- dp-accounting as a second opinion -----------------------------------------------------------

INTERVAL = F(1, 1024)  # dp-accounting rounds losses to multiples of this
DOUBLE = F(1, 2**40)  # and computes in doubles


def second_opinion(law: Law, pair: Pair, *, pessimistic: bool) -> Any:
    upper, lower = ({y: math.log(row[x]) for y, row in law.items() if row[x]} for x in pair)
    return privacy_loss_distribution.from_two_probability_mass_functions(
        lower,
        upper,
        pessimistic_estimate=pessimistic,
        value_discretization_interval=float(INTERVAL),
    )


def delta_enclosure(law: Law, pair: Pair, epsilon: Epsilon, bits: int = 64) -> tuple[F, F]:
    """Return rationals lo <= δ(ε) <= hi, for ε of either sign."""
    p, q = best_event(law, pair, epsilon)
    if isinstance(epsilon, F) and epsilon < 0:
        low, high = exp_enclosure(-epsilon, bits)
        return p - q / low, p - q / high
    low, high = exp_enclosure(epsilon, bits)
    return p - q * high, p - q * low


def agrees(law: Law, pair: Pair, theirs: Pair, epsilon: Fraction) -> bool:
    """Whether dp-accounting's bounds for `theirs` enclose our δ(ε) as its rounding allows."""
    above, below = (
        F(second_opinion(law, theirs, pessimistic=side).get_delta_for_epsilon(float(epsilon)))
        for side in (True, False)
    )
    lowest = delta_enclosure(law, pair, epsilon + INTERVAL)[0]
    low, high = delta_enclosure(law, pair, epsilon)
    highest = delta_enclosure(law, pair, epsilon - INTERVAL)[1]
    return (
        low <= above + DOUBLE
        and below <= high + DOUBLE
        and above <= highest + DOUBLE
        and lowest <= below + DOUBLE
    )


EPSILONS = [F(n, 4) for n in (-6, -2, 0, 1, 3, 8)]


@pytest.mark.parametrize("law", SAMPLES, ids=["response", "erasure", "leak", "k-ary", "lean"])
def test_the_profile_agrees_with_dp_accounting_in_both_directions(law: Law) -> None:
    assert all(agrees(law, pair, pair, epsilon) for pair in BOTH for epsilon in EPSILONS)


def test_the_profile_of_the_wrong_direction_does_not_agree() -> None:
    law = table(LEAN).law
    assert not all(agrees(law, FORWARD, BACKWARD, epsilon) for epsilon in EPSILONS)
