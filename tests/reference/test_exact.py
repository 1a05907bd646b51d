"""Comparisons with e^eps are decided: at every size, on both sides, and at real ties."""

from fractions import Fraction
from itertools import pairwise
from math import e, inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.directed_rounding import epsilon_interval
from filterproof.exact import (
    MAX_DIGITS,
    BadEpsilon,
    Epsilon,
    ExactError,
    ExpLinear,
    Log,
    MixedEpsilon,
    NotExact,
    Undecided,
    exceeds,
    exp_enclosure,
    format_epsilon,
    format_rational,
    parse_epsilon,
    parse_rational,
    sign_by_enclosure,
)

rationals = st.fractions(min_value=-50, max_value=50, max_denominator=60)
epsilons = st.one_of(
    st.fractions(min_value=0, max_value=8, max_denominator=40),
    st.fractions(min_value=1, max_value=30, max_denominator=40).map(Log),
)
quick = settings(deadline=None, derandomize=True, max_examples=200)


def taylor(epsilon: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Bound e^eps by its Taylor sum and a geometric tail: independent of mpmath."""
    lo, term = Fraction(0), Fraction(1)
    for k in range(terms):
        lo += term
        term *= epsilon / (k + 1)
    return lo, lo + term / (1 - epsilon / (terms + 1))


def convergents_of_e(digits: int) -> list[Fraction]:
    """Continued fraction [2; 1, 2, 1, 1, 4, 1, 1, 6, ...] until numerators have `digits` digits."""
    p, q, p_, q_ = 1, 0, 2, 1
    found, k = [Fraction(2)], 0
    while len(str(p_)) < digits:
        k += 1
        a = 2 * (k + 1) // 3 if k % 3 == 2 else 1
        p, q, p_, q_ = p_, q_, a * p_ + p, a * q_ + q
        found.append(Fraction(p_, q_))
    return found


@given(st.fractions(min_value=0, max_value=20, max_denominator=99), st.sampled_from([8, 64, 300]))
@quick
def test_the_enclosure_meets_an_independent_taylor_enclosure(epsilon: Fraction, bits: int) -> None:
    lo, hi = exp_enclosure(epsilon, bits)
    low, high = taylor(epsilon, 150)
    assert lo <= high
    assert low <= hi
    assert hi - lo <= hi / 2**bits


def test_a_shifted_enclosure_would_be_noticed() -> None:
    lo, hi = (end * (1 + Fraction(1, 2**60)) for end in exp_enclosure(Fraction(1), 64))
    low, high = taylor(Fraction(1), 150)
    assert not (lo <= high and low <= hi)


@given(rationals, rationals, epsilons)
@quick
def test_the_sign_agrees_with_the_taylor_enclosure(a: Fraction, b: Fraction, eps: Epsilon) -> None:
    ends = [eps.argument] if isinstance(eps, Log) else taylor(eps, 150)
    signs = {(v > 0) - (v < 0) for v in (a + b * end for end in ends)}
    assert ExpLinear(a, b, eps).sign() in signs


@given(rationals, rationals, rationals, rationals, epsilons)
@quick
def test_order_is_total_and_max_is_one_of_both(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction, eps: Epsilon
) -> None:
    here, there = ExpLinear(a, b, eps), ExpLinear(c, d, eps)
    assert (here < there) + (here == there) + (here > there) == 1
    assert (here <= there) == (not there < here)
    assert max(here, there) >= here
    assert max(here, there) >= there
    assert (here - there).sign() == -(there - here).sign()


def test_convergents_of_e_with_500_digits_are_told_apart_on_both_sides() -> None:
    last = convergents_of_e(500)
    assert len(str(last[-1].numerator)) >= 500
    signs = [ExpLinear(-c, 1, Fraction(1)).sign() for c in last]
    assert all(a == -b != 0 for a, b in pairwise(signs))
    assert len({float(c) for c in last[-5:]}) == 1, "a float cannot tell these from e"
    assert float(last[-1]) == e


@pytest.mark.parametrize(
    ("a", "b", "epsilon", "expected"),
    [
        (1, -1, Fraction(0), 0),
        (-1, 1, Fraction(1, 10**300), 1),
        (Fraction(1, 10**301) - 1, 1, Fraction(1, 10**300), 1),
        (-Fraction(2, 10**300) - 1, 1, Fraction(1, 10**300), -1),
        (10**434, -1, Fraction(1000), -1),
        (10**435, -1, Fraction(1000), 1),
        (3, -2, Log(Fraction(3, 2)), 0),
        (-3, 2, Log(Fraction(3, 2)), 0),
        (3 + Fraction(1, 10**99), -2, Log(Fraction(3, 2)), 1),
        (10**4000, -1, Fraction(9210), 1),
        (10**4000, -1, Fraction(9211), -1),
        (0, 0, Fraction(1), 0),
        (0, -1, Fraction(1), -1),
        (1, 1, Fraction(1), 1),
        (-1, -1, Fraction(1), -1),
    ],
)
def test_hard_signs(a: Fraction, b: Fraction, epsilon: Epsilon, expected: int) -> None:
    assert ExpLinear(a, b, epsilon).sign() == expected


@pytest.mark.parametrize(
    ("a", "b", "written"),
    [
        (Fraction(1, 8), Fraction(-1, 20), "1/8 - 1/20*e^eps"),
        (Fraction(-1, 8), Fraction(1, 20), "-1/8 + 1/20*e^eps"),
        (3, -1, "3 - e^eps"),
        (0, 1, "e^eps"),
        (0, Fraction(-11, 2), "-11/2*e^eps"),
        (2, 11, "2 + 11*e^eps"),
        (Fraction(1, 2), 0, "1/2"),
    ],
)
def test_numbers_are_written_as_a_person_writes_them(
    a: Fraction, b: Fraction, written: str
) -> None:
    assert str(ExpLinear(a, b, Fraction(1))) == written


def test_arithmetic_keeps_both_coefficients() -> None:
    one = ExpLinear(Fraction(1, 2), Fraction(-1, 3), Fraction(1))
    assert one + one == one * 2
    assert one - one == 0
    assert (1 - one).a == Fraction(1, 2)
    assert (one / 2).b == Fraction(-1, 6)
    assert str(one) == "1/2 - 1/3*e^eps"
    assert ExpLinear(Fraction(1, 2), 0, Fraction(1)) == Fraction(1, 2)
    assert ExpLinear(Fraction(1, 2), 1, Fraction(1)) != Fraction(1, 2)
    assert hash(ExpLinear(2, 0, Fraction(1))) == hash(ExpLinear(2, 0, Fraction(3)))


def test_a_loss_exceeds_eps_only_strictly() -> None:
    assert not exceeds(Fraction(3), Fraction(2), Log(Fraction(3, 2)))
    assert exceeds(Fraction(3), Fraction(2), Log(Fraction(149, 100)))
    assert exceeds(Fraction(1), Fraction(0), Fraction(10**5))
    assert not exceeds(Fraction(0), Fraction(0), Fraction(0))


@pytest.mark.parametrize("bad", [nan, inf, 0.1, -1, "1", None, True, Fraction(-1, 9), 1j, 10**6])
def test_a_bad_epsilon_is_refused_by_name(bad: Any) -> None:
    with pytest.raises(ExactError, match=r"need .*; got"):
        ExpLinear(1, 1, bad)


@pytest.mark.parametrize("bad", [nan, 0.5, "x", None, True])
def test_a_bad_coefficient_is_refused_by_name(bad: Any) -> None:
    with pytest.raises(NotExact, match="int or a Fraction"):
        ExpLinear(bad, 1, Fraction(1))


def test_a_log_below_one_is_a_negative_budget() -> None:
    with pytest.raises(BadEpsilon, match="q >= 1; got q = 1/2"):
        Log(Fraction(1, 2))


def test_two_different_epsilons_do_not_mix() -> None:
    with pytest.raises(MixedEpsilon):
        ExpLinear(1, 1, Fraction(1)) + ExpLinear(1, 1, Fraction(2))
    with pytest.raises(MixedEpsilon):
        assert ExpLinear(1, 1, Fraction(1)) < ExpLinear(1, 1, Log(Fraction(3)))


def test_formulas_without_a_theorem_are_decided_or_raise() -> None:
    assert sign_by_enclosure(lambda iv: iv.sqrt(2) - iv.mpf(141421) / 100000) == 1
    assert sign_by_enclosure(lambda iv: iv.mpf(0)) == 0
    with pytest.raises(Undecided, match="256 bits"):
        sign_by_enclosure(lambda iv: iv.log(4) - 2 * iv.log(2), cap_bits=256)


@given(st.fractions())
@quick
def test_rationals_survive_text(value: Fraction) -> None:
    assert parse_rational(format_rational(value)) == value


def test_long_rationals_survive_text() -> None:
    value = Fraction(10**9000 - 1, 7**11000)
    assert parse_rational(format_rational(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", "1/10"),
        ("1e-3", "1/1000"),
        ("log(3/2)", "log(3/2)"),
        ("log(1.5)", "log(3/2)"),
        ("2/4", "1/2"),
    ],
)
def test_budgets_are_read_as_written(text: str, value: str) -> None:
    assert format_epsilon(parse_epsilon(text)) == value


@pytest.mark.parametrize(
    "text",
    [*("", "nan", "1/0", "1/00", "0x1", "--1", "1/2/3", "log(-1)", "log()", "-1", "1 /2", "١"),
     "1/2e3", "9" * (2 * MAX_DIGITS + 1)],
)  # fmt: skip
def test_text_that_says_no_budget_is_refused(text: str) -> None:
    with pytest.raises(ExactError, match="need"):
        parse_epsilon(text)


LARGE = 10**400
ODDS = (
    Fraction(1),
    Fraction(3, 2),
    1 + Fraction(1, 10**12),
    Fraction(LARGE),
    Fraction(LARGE + 1, 7),
)


@pytest.mark.parametrize("odds", ODDS)
def test_the_double_of_a_logarithm_lies_between_those_of_slightly_other_odds(
    odds: Fraction,
) -> None:
    little = Fraction(1, 2**40) * min(odds - 1, odds / 2**10)
    below, above = (epsilon_interval(Log(odds + by)) for by in (-little, little))
    assert below[0] <= float(Log(odds)) <= above[1]
