"""The ends of ranges, which mutants asked for."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from mpmath import mpf, workprec

from filterproof.directed_columns import (
    quantile_up,
)
from filterproof.runtime import (
    AddedNoise,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    Geometric,
    MechanismError,
    Table,
    randomised_response,
)
from filterproof.runtime.domain import DomainError
from filterproof.runtime.finite import _quantile
from filterproof.runtime.mechanism import outward

F = Fraction


def test_counts_go_from_none_to_all_and_each_has_its_neighbours() -> None:
    assert Domain.counts(1) == Domain.of([0, 1], [(0, 1)])
    assert Domain.counts(2) == Domain.of([0, 1, 2], [(0, 1), (1, 2)])
    with pytest.raises(DomainError, match=">= 1; got 0"):
        Domain.counts(0)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_infinite_stays_so_on_its_side(sign: int) -> None:
    assert outward(np.float64(sign * inf), "a loss") == (sign * inf, sign * inf)
    assert outward(np.float64(sign * 0.1), "a loss") == (sign * 0.1, sign * 0.1)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(MechanismError, match="a loss must be a finite number; got"):
        outward(nan, "a loss")


def test_a_probability_is_one_at_most() -> None:
    assert randomised_response(F(1), ["no", "yes"]).law["no"]["no"] == 1
    with pytest.raises(MechanismError, match="0 <= truth <= 1"):
        randomised_response(F(3, 2), ["no", "yes"])


@pytest.mark.parametrize("tail", [F(1, 100), F(1, 2), F(2, 3), F(99, 100)])
def test_a_quantile_is_rounded_up_and_has_the_sign_of_its_half(tail: Fraction) -> None:
    assert _quantile(tail) >= -_quantile(1 - tail)
    assert (_quantile(tail) > 0) == (tail <= F(1, 2))


def test_of_a_sure_tail_nothing_is_known() -> None:
    assert _quantile(F(1)) == -inf


@pytest.mark.parametrize("tail", [0.0, 5e-324, 5e-323])
def test_the_quantile_of_a_tail_that_is_all_but_nothing_is_infinite(tail: float) -> None:
    assert quantile_up(tail) == inf
    assert quantile_up(np.array([tail, 0.25])).tolist() == [inf, quantile_up(0.25)]
    assert 38 < quantile_up(2.0**-1070) < 39


def test_an_output_that_is_all_but_impossible_has_a_cost_and_ends_nothing() -> None:
    tiny = F(1, 10**323)
    table = Table({"y": {0: tiny, 1: F(1, 2)}, "z": {0: 1 - tiny, 1: F(1, 2)}})
    assert table.mu(0, 1).amount == inf
    guard = CompensatorFilter(1, F(1, 4), domain=Domain.record([0, 1]))
    assert not guard.ask(table).allowed


def test_what_lies_beyond_the_table_is_added_to_the_smallest_tails() -> None:
    """A tail just below a double near the smallest: more than a part of itself may be missing."""
    noise, double = DiscreteGaussian(1), 2.0**-1070
    with workprec(300):
        vars(noise)["_tails"] = [mpf(1), mpf(double) * (1 - mpf(2) ** -50), mpf(0), mpf(0)]
    low, high = noise._enclose_tail(-1)
    assert low < double < high


def test_geometric_noise_is_as_wide_as_its_rate_says() -> None:
    assert Geometric(F(1, 4)).scale == 4.0


def test_an_output_is_plausible_up_to_the_reach_of_the_noise() -> None:
    noisy = AddedNoise(Geometric(F(1)))
    reach = noisy._reach
    assert noisy.plausible(42, 42 + reach)
    assert noisy.plausible(42, 42 - reach)
    assert not noisy.plausible(42, 43 + reach)
    assert not noisy.plausible(42, -42 - reach)
    columns = noisy.columns(Domain.of([42, 43], [(42, 43)]))
    assert columns is not None
    assert [columns.plausible(one) for one in (42 - reach, 43 + reach)] == [True, True]
    assert [columns.plausible(one) for one in (41 - reach, 44 + reach)] == [False, False]
