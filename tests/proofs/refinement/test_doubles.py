"""What is assumed of rounding is true of Python's doubles, and false of worse ones."""

from fractions import Fraction
from random import Random

import pytest
import z3

from filterproof_proofs.refinement.doubles import TINY, Doubles, has_whole_factors, near
from filterproof_proofs.symbolic.paths import Limits
from filterproof_proofs.symbolic.terms import value


def holds(made: float, exact: Fraction, off: Fraction, *beside: float) -> bool:
    doubles = [value(Fraction(one)) for one in beside]
    said = near(value(Fraction(made)), value(exact), value(off), doubles)
    return bool(z3.is_true(z3.simplify(said)))


def numbers(seed: int) -> list[tuple[float, float]]:
    rng = Random(seed)
    return [
        (
            rng.uniform(-1, 1) * 2.0 ** rng.randrange(-1074, 60),
            rng.uniform(-1, 1) * 2.0 ** rng.randrange(-1074, 60),
        )
        for _ in range(300)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_sums_products_and_quotients_are_where_they_are_said_to_be(seed: int) -> None:
    for a, b in numbers(seed):
        assert holds(a + b, Fraction(a) + Fraction(b), Fraction(0), a, b)
        assert holds(a - b, Fraction(a) - Fraction(b), Fraction(0), a, b)
        assert holds(a * b, Fraction(a) * Fraction(b), TINY, a, b)
        if b and abs(a / b) < 2.0**1000:
            assert holds(a / b, Fraction(a) / Fraction(b), TINY, a, b)


def test_a_product_may_vanish_and_a_sum_may_not() -> None:
    small = 2.0**-1074
    assert small * 0.5 == 0.0
    assert holds(0.0, Fraction(small) / 2, TINY)
    assert not holds(0.0, Fraction(small) / 2, Fraction(0))
    x = z3.Real("x")
    assert has_whole_factors(x + 3)
    assert not has_whole_factors(x / 2)


def test_a_result_that_is_two_steps_away_is_no_rounding() -> None:
    exact = Fraction(1, 10)
    assert holds(0.1, exact, Fraction(0))
    assert not holds(0.1 + 2.0**-55, exact, Fraction(0))


def test_a_fraction_is_rounded_before_it_is_added_to_a_float() -> None:
    run = Doubles(Limits())
    third, half = run.given("third", Fraction), run.given("half", float)
    total = third + half
    assert total.python_type is float
    assert len(run.results) == 2  # the fraction as a float, and the sum
    assert len({str(one) for one in run.results}) == 2
    run.results.clear()
    assert (half + half).python_type is float
    assert len(run.results) == 1
