"""The residue filter for Gaussian DP: what it keeps is a residue, and more than adding up keeps."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from filterproof.exact import Epsilon, Log
from filterproof.fast import worst_case
from filterproof.filter import Decision, Filter
from filterproof.filters.gdp import GaussianDP, mechanism_mu
from filterproof.filters.gdp_residue import (
    GaussianResidue,
    Left,
    after,
    is_residue,
    outcomes,
    residue,
)
from filterproof.game import Mechanism, Step, opening
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.strategies import mechanisms

F = Fraction
quick = settings(max_examples=15, deadline=None, derandomize=True)


def placed(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism as one of a game's."""
    return next(iter(game(mechanism).menu.values()))


def kept_after(mechanism: Mechanism, left: F) -> F | None:
    """Return what the filter keeps of `left` after the mechanism; None if that does not run."""
    mu = mechanism_mu(mechanism, None)
    fits = mu is not None and mu**2 <= left
    return residue(after(mechanism, left, mu**2)) if mu is not None and fits else None


def curve(square: F, log_odds: float) -> mpf:
    """Return the curve of √square-GDP at e^l, to 60 digits."""
    mu, at = mp.sqrt(mpf(square.numerator) / square.denominator), mpf(log_odds)
    return mp.ncdf(mu / 2 - at / mu) - mp.exp(at) * mp.ncdf(-mu / 2 - at / mu)


def exceeds_somewhere(mechanism: Mechanism, rest: F, left: F) -> bool:
    """Whether the round and a rest of the curve `rest` rise above the curve of `left` on a grid."""
    with mp.workdps(60):
        return any(
            sum(mpf(float(p)) * curve(rest, at - log(p / q)) for p, q in one) > curve(left, at)
            for pair in mechanism.pairs
            for one in [outcomes(mechanism, *pair)]
            for at in [k / 8 for k in range(-40, 41)]
        )


def rounds(rule: Filter[Any], step: Step) -> int:
    """Return how often the same mechanism runs."""
    state, ran = rule.start(), 0
    while (answer := rule.decide(state, step))[0] is Decision.CONTINUE:
        state, ran = answer[1], ran + 1
    return ran


@pytest.mark.parametrize(
    ("epsilon", "delta", "truth", "adding", "residues"),
    [
        (Log(F(2)), F(1, 4), F(4, 7), 10, 14),
        (F(1), F(1, 10), F(3, 5), 3, 4),
        (F(2), F(1, 1000), F(4, 7), 3, 4),
    ],
)
def test_it_answers_more_than_the_filter_that_adds_up(
    epsilon: Epsilon, delta: F, truth: F, adding: int, residues: int
) -> None:
    step = opening(game(response(truth))).next("⊥", "ask")
    kinds = (GaussianDP, GaussianResidue)
    assert [rounds(kind(epsilon, delta), step) for kind in kinds] == [adding, residues]


@given(mechanisms(), st.sampled_from([F(1, 2), F(1), F(3)]))
@quick
def test_what_is_kept_is_a_residue_and_at_least_what_adding_up_keeps(
    made: Mechanism, left: F
) -> None:
    mechanism = placed(made)
    mu, kept = mechanism_mu(mechanism, None), kept_after(mechanism, left)
    assert (kept is None) == (mu is None or mu**2 > left)
    if mu is not None and kept:
        assert left - mu**2 <= kept <= left
        assert kept == left or not exceeds_somewhere(mechanism, kept, left)


def test_more_than_what_is_kept_is_soon_no_residue() -> None:
    """The twin: a quarter of the round's own cost more, and a point shows it."""
    mechanism, left = placed(response(F(3, 5))), F(1)
    kept, mu = kept_after(mechanism, left), mechanism_mu(mechanism, None)
    assert kept is not None
    assert mu is not None
    more = kept + mu**2 / 4
    assert exceeds_somewhere(mechanism, more, left)
    assert not any(is_residue(outcomes(mechanism, *p), more, left) for p in mechanism.pairs)


def test_after_a_weak_round_nothing_is_kept_but_the_rest() -> None:
    """A round that takes a 255th: v - mu^2, as adding up keeps."""
    mechanism, left = placed(response(F(41, 80))), F(1)
    mu = mechanism_mu(mechanism, None)
    assert mu is not None
    assert mu**2 * 200 < left
    assert kept_after(mechanism, left) == left - mu**2


def test_all_that_was_left_is_no_residue_after_a_round_that_tells_something() -> None:
    mechanism = placed(response(F(3, 5)))
    assert not is_residue(outcomes(mechanism, "0", "1"), F(1), F(1))


def test_what_rules_a_database_out_or_is_too_strong_does_not_run() -> None:
    assert kept_after(placed(erasure(F(1, 100))), F(4)) is None
    assert kept_after(placed(response(F(9, 10))), F(1)) is None


GAMES = [repeated(response(F(4, 7)), 5), repeated(response(F(3, 5)), 4)]


@pytest.mark.parametrize("made", GAMES)
def test_it_keeps_its_promise(made: Mechanism) -> None:
    epsilon, delta = Log(F(3, 2)), F(1, 5)
    found = worst_case(GaussianResidue(epsilon, delta), game(made), epsilon)
    assert 0 < found.value <= delta


@dataclass(frozen=True)
class HalfPrice(GaussianResidue):
    """Keeps what the half of the round's square leaves: more than a residue."""

    def decide(self, state: Left, step: Step) -> tuple[Decision, Left]:
        """Run M_i iff half of its μ² is at most what is left."""
        mu = mechanism_mu(step.mechanism, None)
        if mu is None or mu**2 / 2 > state.before:
            return Decision.HALT, state
        return Decision.CONTINUE, Left(state.before - mu**2 / 2)


def test_a_filter_that_keeps_more_than_residues_does_not() -> None:
    epsilon, delta = Log(F(2)), F(1, 10)
    found = worst_case(HalfPrice(epsilon, delta), game(repeated(response(F(3, 5)), 6)), epsilon)
    assert found.value > delta


def test_the_curve_that_the_tests_compare_with_is_the_gaussian_one() -> None:
    with mp.workdps(60):
        assert abs(curve(F(1), 1.0) - mpf("0.126936737")) < mpf("1e-8")
        assert curve(F(4), -30.0) > 1 - exp(-30) - 1e-12
