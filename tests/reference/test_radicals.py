from fractions import Fraction
from math import isqrt

from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.radicals import RadicalSum

F = Fraction
quick = settings(max_examples=150, deadline=None, derandomize=True)
positive = st.fractions(min_value=F(1, 50), max_value=50, max_denominator=60)


def root(radicand: Fraction | int, degree: int = 2) -> RadicalSum:
    return RadicalSum.root(F(radicand), degree)


@quick
@given(positive, st.integers(1, 4))
def test_a_root_to_its_degree_is_the_radicand(radicand: Fraction, degree: int) -> None:
    product = one = root(radicand, degree)
    for _ in range(degree - 1):
        product = product * one
    assert product.rational() == radicand == one.power()


@quick
@given(positive, positive, st.integers(1, 4))
def test_equal_numbers_are_equal_objects_however_they_are_made(
    p: Fraction, q: Fraction, degree: int
) -> None:
    assert root(p, degree) * root(q, degree) == root(p * q, degree)
    assert root(p, degree) + root(q, degree) == root(q, degree) + root(p, degree)


@quick
@given(positive, positive, positive)
def test_the_sign_of_a_difference_of_square_roots_is_that_of_the_squares(
    p: Fraction, q: Fraction, r: Fraction
) -> None:
    """√p + √q against √r:  compare p + q + 2√(pq) with r, that is 4pq with (r-p-q)²."""
    rest = r - p - q
    expected = 1 if rest <= 0 else (4 * p * q > rest**2) - (4 * p * q < rest**2)
    assert (root(p) + root(q) - root(r)).sign() == expected


def test_a_true_tie_between_roots_is_seen_without_refining() -> None:
    assert (root(2) + root(8) - root(18)).sign() == 0
    assert (root(2) + root(8)).power() == 18


def test_a_near_tie_is_not_taken_for_a_tie() -> None:
    close = F(isqrt(2 * 10**400), 10**200)
    assert (root(2) - root(close**2)).sign() == 1


def test_large_prime_factors_are_merged_by_their_ratio() -> None:
    """101 · 10007² under a root: the square is of a prime that no table holds."""
    big = 10007
    assert (root(101 * big**2) - root(101)).power() == 101 * (big - 1) ** 2
