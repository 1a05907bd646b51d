"""Plans: what a list of requests would cost, the largest that fits, and what to ask instead."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from filterproof.runtime import (
    AddedNoise,
    Bounded,
    BudgetExceeded,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    Geometric,
    Pure,
    randomised_response,
)

TWO = Domain.of([41, 42], [(41, 42)])
NOISE = DiscreteGaussian(36)
ASK = AddedNoise(NOISE)


def guarded(domain: Domain = TWO, **keywords: Any) -> CompensatorFilter:
    return CompensatorFilter(1, Fraction(1, 10**4), domain=domain, **keywords)


def runs(guard: CompensatorFilter, mechanisms: list[Any], rng: Random) -> bool:
    """Whether all of them run with drawn answers."""
    try:
        for one in mechanisms:
            guard.release(one, lambda one=one: one.noise.sample(42, rng))  # type: ignore[misc]
    except BudgetExceeded:
        return False
    return True


# --- would it fit ------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0, Fraction(1, 2), 1])
@pytest.mark.parametrize("domain", [TWO, Domain.counts(40)], ids=["two", "many"])
def test_a_plan_that_fits_runs_whatever_the_answers(share: Any, domain: Domain) -> None:
    sizes = [n for n in range(9) if guarded(domain, share=share).would_fit([ASK] * n).fits]
    assert sizes == [*range(len(sizes))]
    if share:
        assert len(sizes) > 2
    for seed in range(10):
        assert runs(guarded(domain, share=share), [ASK] * sizes[-1], Random(seed))


def test_a_plan_spends_nothing_and_says_what_is_left() -> None:
    guard = guarded()
    before = guard.rounds, guard.spent, guard.left, guard.floor_left
    plan = guard.would_fit([ASK] * 4)
    assert (guard.rounds, guard.spent, guard.left, guard.floor_left) == before
    assert not plan.fits
    assert plan.worst > guard.left > plan.left
    assert guard.would_fit([]) == (True, 0.0, 0.0, guard.left)


def test_the_first_request_of_a_plan_is_quoted_at_the_true_loss() -> None:
    guard = guarded(share=0)
    for output in (44, 50):
        guard.release(ASK, lambda: output)  # noqa: B023
    assert guard.would_fit([ASK]).worst == guard.ask(ASK).asked


@pytest.mark.parametrize("count", [1, 3])
def test_on_average_a_pair_is_charged_no_more_than_expected(count: int) -> None:
    """Drawn from x = 42: the mean charge of (42, 41) over 150 plays, at six standard errors."""
    wide = CompensatorFilter(Fraction(1, 4), Fraction(1, 2), domain=TWO, share=0)
    expected, charges = wide.would_fit([ASK] * count).expected, []
    place = TWO.pairs.index((42, 41))
    for seed in range(150):
        guard = CompensatorFilter(Fraction(1, 4), Fraction(1, 2), domain=TWO, share=0)
        assert runs(guard, [ASK] * count, Random(seed))
        charges.append(float(guard._account.spent[place]))
    mean = sum(charges) / 150
    error = (sum((one - mean) ** 2 for one in charges) / 150 / 149) ** 0.5
    assert mean - 6 * error <= expected
    assert expected <= wide.would_fit([ASK] * count).worst
    assert expected < 2 * (mean + 6 * error)


# --- the largest that fits ---------------------------------------------------------------------


def test_the_largest_of_a_family_fits_and_the_next_does_not() -> None:
    guard = guarded(Domain.counts(40))
    variances = range(4000, 0, -1)
    best = guard.largest(lambda v: AddedNoise(DiscreteGaussian(v)), variances)
    assert best is not None
    assert guard.ask(AddedNoise(DiscreteGaussian(best))).allowed
    assert not guard.ask(AddedNoise(DiscreteGaussian(best - 1))).allowed


def test_where_nothing_fits_there_is_no_largest() -> None:
    guard = CompensatorFilter(0, Fraction(1, 10**9), domain=TWO)
    assert guard.largest(lambda v: AddedNoise(DiscreteGaussian(v)), [36, 16, 4]) is None
    assert guard.largest(lambda v: AddedNoise(DiscreteGaussian(v)), []) is None


# --- refusals that help ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [AddedNoise(Geometric(2)), AddedNoise(DiscreteGaussian(1)), Bounded(Geometric(3), 2), Pure(3)],
    ids=str,
)
def test_a_refusal_names_a_weaker_request_that_fits(mechanism: Any) -> None:
    guard = guarded()
    with pytest.raises(BudgetExceeded) as refusal:
        guard.release(mechanism, lambda: 42)
    smaller = refusal.value.smaller
    assert smaller is not None
    assert f"{smaller} would fit" in str(refusal.value)
    assert guard.ask(smaller).allowed
    guard.release(smaller, lambda: 42)


def test_a_refusal_that_knows_nothing_weaker_says_so() -> None:
    guard = CompensatorFilter(0, Fraction(1, 100), domain=Domain.record([0, 1]))
    with pytest.raises(BudgetExceeded, match="no weaker form was found to fit") as refusal:
        guard.release(randomised_response(Fraction(3, 4), [0, 1]), lambda: 0)
    assert refusal.value.smaller is None
