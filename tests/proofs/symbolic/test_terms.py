"""Terms do what fractions do, and say so where they cannot."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.exact import ExpLinear, Log, sign
from filterproof.privacy import charge, exceeding, risk
from filterproof_proofs.symbolic.paths import Limits, Paths, TooMuch
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.trees import leaves, reduced

small = st.fractions(min_value=-3, max_value=3, max_denominator=6)
chance = st.fractions(min_value=0, max_value=1, max_denominator=6)

ARITHMETIC: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: 2 - a * b,
    lambda a, b: (a - b) * (a + 1) - b,
    lambda a, b: -a + 3 * b,
    lambda a, b: abs(a) + max(b, Fraction(1, 2)),
    lambda a, b: a**3 - b**0,
    lambda a, b: min(a, b) / (1 + b * b),
    lambda a, b: sum([a, b, 1], Fraction(0)),
    lambda a, b: (ExpLinear(a, b, Log(Fraction(2))) - b).a,
]


def alone(compute: Callable[[Any, Any], Any], a: Fraction, b: Fraction) -> Fraction:
    """What a function of two unknown numbers is at two numbers, along the path they take."""
    paths = Paths(Limits())
    x, y = paths.unknown("x"), paths.unknown("y")
    known = [x.term == value(a), y.term == value(b)]
    found = []
    for case in paths.cases(lambda: compute(x, y)):
        solver = z3.Solver()
        result = z3.Real("result")
        solver.add(*paths.complete([*known, *case.conditions, result == value(case.value)]))
        if solver.check() == z3.sat:
            found.append(Fraction(solver.model().eval(result).as_fraction()))
    (only,) = found
    return only


@pytest.mark.parametrize("compute", ARITHMETIC)
@settings(max_examples=10, deadline=None)
@given(a=small, b=small)
def test_exactly_one_path_fits_two_numbers_and_computes_what_fractions_do(
    compute: Callable[[Any, Any], Any], a: Fraction, b: Fraction
) -> None:
    assert alone(compute, a, b) == compute(a, b)


@settings(max_examples=10, deadline=None)
@given(p=chance, q=chance)
def test_charge_and_risk_are_those_of_fractions(p: Fraction, q: Fraction) -> None:
    def both(a: Any, b: Any) -> Any:
        law = {"0": {"a": a, "b": b}, "1": {"a": 1 - a, "b": 1 - b}}
        mass = {"a": Fraction(1), "b": Fraction(2, 3)}
        odds = Log(Fraction(3, 2) + 0 * a) if isinstance(a, Term) else Log(Fraction(3, 2))
        return charge(law, ("a", "b"), mass, odds).a + 5 * risk(law, ("a", "b"), mass, odds)

    assert alone(both, p, q) == both(p, q)


def test_where_epsilon_is_unknown_no_path_is_forked() -> None:
    paths = Paths(Limits())
    odds, p = paths.unknown("odds"), paths.unknown("p")

    def rows() -> Any:
        paths.assume(odds.term >= 1)
        return exceeding([(p, 1 - p)] * 5, Fraction(1), Fraction(1), Log(odds))

    (case,) = paths.cases(rows)
    assert len(case.value) == 5


STUCK: list[tuple[Callable[[Any], Any], str]] = [
    (float, "a float is made"),
    (math.log, "a float is made"),
    (lambda x: {x: 1}, "used as a key"),
    (lambda x: {ExpLinear(x, 0, Fraction(1))}, "used as a key"),
    (lambda x: [1, 2][x], "whole number is needed"),
    (lambda x: round(x, x), "rounded to digits"),
    (lambda x: x + 0.5, "float is computed"),
    (lambda x: f"{x}", "written as text"),
    (lambda x: x % 2.5, "remainder"),
    (lambda x: 2**x, "known exponent"),
    (lambda x: x**x, "known whole exponent"),
    (lambda x: Fraction(x, 3), "numerator"),
    (lambda x: hash(sign(x)), "used as a key"),
]


@pytest.mark.parametrize(("use", "reason"), STUCK)
def test_what_needs_a_known_number_says_so(use: Callable[[Any], Any], reason: str) -> None:
    paths = Paths(Limits())
    with pytest.raises(NeedsKnown, match=reason):
        paths.cases(lambda: use(paths.unknown("x")))


def test_code_that_swallows_every_error_does_not_swallow_this_one() -> None:
    paths = Paths(Limits())

    def careless() -> str:
        try:
            return str(float(paths.unknown("x")))
        except BaseException:
            return "halt"

    with pytest.raises(NeedsKnown):
        paths.cases(careless)


def test_a_mass_is_not_compared_with_a_number() -> None:
    paths = Paths(Limits())
    mass, other = paths.unknown("m", degree=1), paths.unknown("n", degree=1)
    assert {case.value for case in paths.cases(lambda: mass < other)} == {True, False}
    assert {case.value for case in paths.cases(lambda: mass / other < 1 if other else None)} == {
        True,
        False,
        None,
    }
    for use in (lambda: mass < 1, lambda: mass + 1, lambda: mass * other < mass):
        with pytest.raises(NeedsKnown, match="common factor"):
            Paths(Limits()).cases(use)


def test_a_division_by_zero_is_a_path_of_its_own() -> None:
    paths = Paths(Limits())
    x = paths.unknown("x")

    def inverse() -> str:
        try:
            return "finite" if 1 / x else "never"
        except ZeroDivisionError:
            return "zero"

    assert sorted({case.value for case in paths.cases(inverse)}) == ["finite", "zero"]


def test_whole_numbers_that_differ_differ_by_one() -> None:
    paths = Paths(Limits())
    n, m = paths.unknown("n", python_type=int), paths.unknown("m", python_type=int)
    cases = paths.cases(lambda: n < m and not n + 1 <= m)
    assert [case.value for case in cases if case.value] == []


def test_too_many_paths_are_an_error_not_an_answer() -> None:
    paths = Paths(Limits(paths=10))
    numbers = [paths.unknown(f"x{i}") for i in range(8)]
    with pytest.raises(TooMuch, match="more than 10 paths"):
        paths.cases(lambda: [bool(one) for one in numbers])


def test_a_comparison_that_makes_no_difference_is_left_out() -> None:
    a, b, x, y = z3.Bool("a"), z3.Bool("b"), z3.Real("x"), z3.Real("y")
    no = z3.Not
    same = [((a, b), x), ((a, no(b)), y), ((no(a), b), x), ((no(a), no(b)), y)]
    assert list(leaves(reduced(same))) == [x, y]
    other = [((a, b), x), ((a, no(b)), y), ((no(a),), x)]
    assert list(leaves(reduced(other))) == [x, y, x]


def test_cases_inside_cases_are_told_apart_by_where_they_are_asked() -> None:
    paths = Paths(Limits())
    a, b = paths.unknown("a"), paths.unknown("b")

    def least(one: Any) -> Any:
        return paths.joined(paths.cases(lambda: one if one < 0 else -one))

    def outer() -> list[Any]:
        return [paths.cases(partial(least, number))[0].value for number in (a, b)]

    ((first, second),) = [case.value for case in paths.cases(outer)]
    assert first.term.get_id() != second.term.get_id()
