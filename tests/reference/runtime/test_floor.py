"""The floor of the runtime filter: what it costs, why it is sound, and how far behind it can be."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism
from filterproof.palette import erasure, game, repeated, response
from filterproof.runtime import (
    AddedNoise,
    BudgetExceeded,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    Gaussian,
    Geometric,
    Laplace,
    Pure,
    Table,
    randomised_response,
)
from filterproof.runtime import account as accounts
from filterproof.runtime.audited import RuntimeCompensator
from filterproof.runtime.budget import GAUSSIAN, RENYI, SLACK, Budget, squares
from filterproof.runtime.noise import gaussian_profile
from filterproof.runtime.per_pair import PairByPair
from filterproof.witness import worst_case

F = Fraction
HALF = F(1, 2)
ONE, TWO = F(1), F(2)


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    before = mp.dps
    mp.dps = 40
    yield
    mp.dps = before


# --- what a round costs on the floor ---------------------------------------------------------

EPSILONS = [x / 8 for x in range(160)]
COSTED: list[Any] = [
    *((Gaussian(s), d) for s in (1, 6) for d in (ONE, F(7, 2))),
    *((Laplace(b), d) for b in (F(1, 2), 3) for d in (ONE, F(5, 2))),
    *((Geometric(r), d) for r in (F(1, 5), 2) for d in (1, 4)),
    *((DiscreteGaussian(v), d) for v in (F(1, 4), 1, 36) for d in (1, 5)),
]


@pytest.mark.parametrize(("noise", "distance"), COSTED, ids=str)
def test_a_round_is_no_easier_to_tell_than_normals_at_its_mu(noise: Any, distance: Any) -> None:
    """μ-GDP means δ(ε) <= δ_μ(ε) at every ε; `slack` may be left out."""
    mu, slack = noise.mu(distance)
    for epsilon in EPSILONS:
        below = noise.profile(distance, epsilon) * (1 - 1e-9) - 1e-15
        assert below <= gaussian_profile(mu, epsilon) + slack


def test_the_discrete_gaussian_is_not_gaussian_dp_at_the_same_sigma() -> None:
    """The twin: with μ = distance/σ, which holds for the Gaussian, the test above fails."""
    noise = DiscreteGaussian(F(1, 4))
    beyond = [e for e in EPSILONS if noise.profile(1, e) > gaussian_profile(2.0, e) + 1e-9]
    assert beyond
    assert 2.4 < noise.mu(1).amount < 2.5


def divergence(weight: Callable[[Any], mpf], points: Any, distance: int, order: float) -> mpf:
    total = mp.fsum(weight(k) for k in points)
    terms = (weight(k) ** order * weight(k - distance) ** (1 - order) for k in points)
    return mp.log(mp.fsum(terms) / total) / (order - 1)


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 24.0])
@pytest.mark.parametrize("distance", [1, 4])
def test_divergences_of_whole_noise_are_rounded_up(order: float, distance: int) -> None:
    def near_zero(k: int) -> mpf:
        return mp.exp(-mpf(k * k) / 18)

    def decaying(k: int) -> mpf:
        return mp.exp(-mpf(abs(k)) / 3)

    for noise, weight, reach in (
        (DiscreteGaussian(9), near_zero, 200),
        (Geometric(F(1, 3)), decaying, 700),
    ):
        truth = divergence(weight, range(-reach, reach), distance, order)
        found = noise.renyi(distance, order).amount
        assert truth <= found <= truth * (1 + mpf(10) ** -9) + mpf(10) ** -25


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_divergences_of_laplace_and_of_pure_mechanisms_are_rounded_up(order: float) -> None:
    a = mpf(3) / 4

    def density(z: mpf) -> mpf:
        return mp.exp(-abs(z)) / 2

    truth = mp.quad(lambda z: density(z) ** order * density(z - a) ** (1 - order), [-80, 0, a, 80])
    found = Laplace(1).renyi(F(3, 4), order).amount
    assert mp.log(truth) / (order - 1) <= found + mpf(10) ** -20
    p = mp.exp(a) / (1 + mp.exp(a))
    sums = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
    pure = Pure(F(3, 4)).renyi(0, 1, order).amount
    assert mp.log(sums) / (order - 1) <= pure
    assert Laplace(1).renyi(F(3, 4), order) < Pure(F(3, 4)).renyi(0, 1, order)
    assert Geometric(F(3, 4)).renyi(1, order).amount == pure  # it is randomised response


def test_a_table_is_costed_by_its_vertices_and_certain_outputs_are_slack() -> None:
    response_ = randomised_response(F(3, 4), [0, 1])
    mu = response_.mu(0, 1)
    assert 1.34897 < mu.amount < 1.34899
    assert mu.slack == 0
    leak = Table(
        {
            "0": {0: F(1, 10), 1: F(0)},
            "1": {0: F(0), 1: F(1, 10)},
            "?": {0: F(9, 10), 1: F(9, 10)},
        }
    )
    assert leak.mu(0, 1).amount == 0
    assert leak.mu(0, 1).slack >= F(1, 10)
    one_sided = Table({"!": {0: F(1, 10), 1: F(0)}, "?": {0: F(9, 10), 1: F(1)}})
    assert one_sided.mu(0, 1).amount == one_sided.renyi(0, 1, 2.0).amount == math.inf


def test_columns_say_what_pairs_say() -> None:
    domain, rng = Domain.counts(20), Random(2)
    places = np.arange(len(domain.pairs))
    for noise, _ in COSTED:
        for query in (lambda x: x, lambda x: 3 * (x % 2)):
            mechanism = AddedNoise(noise, query)
            quick, slow = mechanism.columns(domain), PairByPair(mechanism, domain)
            assert quick is not None
            assert np.array_equal(quick.mu(), slow.mu())
            assert np.array_equal(quick.renyi(3.0), slow.renyi(3.0))
            epsilon = np.array([rng.random() * 3 for _ in places])
            backward = np.array([rng.random() < 0.5 for _ in places])
            both = [one.profile(places, epsilon, backward) for one in (quick, slow)]
            assert np.array_equal(both[0], both[1])
            ends, exact = (one.loss(17) for one in (quick, slow))
            assert (ends[0] <= exact[0]).all()
            assert (exact[1] <= ends[1]).all()
            assert np.abs(ends[1] - ends[0]).max() < 1e-9


# --- soundness -------------------------------------------------------------------------------


class EitherBookWhole(RuntimeCompensator):
    """The control: both books get the whole of δ."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        one = Budget.of(epsilon, delta, 1)
        gaussian = squares(one.epsilon[0], float(delta))
        self.budget = Budget(**{**vars(one), "squares": gaussian, "rest": float(delta)})


def test_phases_that_both_get_the_whole_delta_are_caught() -> None:
    delta, epsilon = F(1, 4), F(1, 10)
    play = game(repeated(response(F(3, 5)), 3))
    sound = worst_case(RuntimeCompensator(epsilon, delta), play, epsilon).value
    wrong = worst_case(EitherBookWhole(epsilon, delta), play, epsilon).value
    assert sound <= delta < wrong


def switching(first: Mechanism, second: Mechanism) -> Game:
    """Small rounds that suit one book, or one that suits the other, after every output."""
    menu: dict[str, Mechanism] = {}
    for _ in range(4):
        menu = {
            name: Mechanism(one.law, dict.fromkeys(one.law, menu))
            for name, one in (("first", first), ("second", second))
        }
    return Game(["0", "1"], [("0", "1")], menu)


@pytest.mark.parametrize("epsilon", [F(1, 2), ONE, Log(F(3))])
@pytest.mark.parametrize("delta", [F(1, 100), F(1, 4), F(3, 5)])
def test_choosing_between_the_books_gains_nothing(epsilon: Epsilon, delta: Fraction) -> None:
    for second in (erasure(F(1, 200)), response(F(4, 5))):
        play = switching(response(F(11, 20)), second)
        for share in (HALF, ONE):
            rule = RuntimeCompensator(epsilon, delta, share=share)
            assert worst_case(rule, play, epsilon).value <= delta


def test_the_shares_of_delta_are_all_of_it_and_no_more() -> None:
    assert GAUSSIAN + RENYI + SLACK == 1
    assert min(GAUSSIAN, RENYI, SLACK) > 0


def test_a_floor_that_ignores_the_slack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    play, epsilon, delta = game(repeated(erasure(F(1, 20)), 6)), ONE, F(1, 10)
    assert worst_case(RuntimeCompensator(epsilon, delta), play, epsilon).value <= delta

    def careless(account: Any, budget: Budget) -> Any:
        return account.squares <= budget.squares

    monkeypatch.setattr(accounts, "on_floor", careless)
    assert worst_case(RuntimeCompensator(epsilon, delta), play, epsilon).value > delta


# --- how far behind the accountant -------------------------------------------------------------


def rounds(domain: Domain, noise: Any, seed: int, most: int = 400, **budget: Any) -> int:
    guard, rng = CompensatorFilter(domain=domain, allow_ideal_noise=True, **budget), Random(seed)
    centre = domain.databases[len(domain.databases) // 2]
    try:
        while guard.rounds < most:
            guard.release(AddedNoise(noise), lambda: noise.sample(centre, rng))
    except BudgetExceeded:
        pass
    return guard.rounds


@pytest.mark.parametrize(
    ("epsilon", "delta", "variance"), [(10, F(1, 1000), 4), (1, F(1, 10**4), 36)]
)
def test_on_a_wide_domain_it_runs_what_accounting_with_its_part_of_delta_runs(
    epsilon: int, delta: Fraction, variance: int
) -> None:
    noise = DiscreteGaussian(variance)
    budget = Budget.of(epsilon, delta)
    promised = math.floor(budget.squares / noise.mu(1).amount ** 2)
    accountant = math.floor(squares(float(epsilon), float(delta)) * variance)
    wide = Domain.counts(60)
    for seed in range(3):
        found = rounds(wide, noise, seed, epsilon=epsilon, delta=delta)
        assert found >= promised >= accountant * 0.85 - 1
    alone = [rounds(wide, noise, seed, epsilon=epsilon, delta=delta, share=0) for seed in range(3)]
    assert max(alone) < promised


def test_pure_rounds_that_add_up_to_epsilon_run_on_any_domain_whatever_the_share() -> None:
    noise, epsilon = Geometric(F(1, 10)), F(1001, 1000)  # a little more than ten of them need
    for share in (0, HALF, 1):
        found = rounds(Domain.counts(60), noise, 5, epsilon=epsilon, delta=F(0), share=share)
        assert found >= 10


def test_the_realised_part_still_pays_where_the_domain_is_small() -> None:
    two, wide = Domain.of([41, 42], [(41, 42)]), Domain.counts(60)
    noise = DiscreteGaussian(36)
    narrow, broad = (
        sum(rounds(one, noise, seed, epsilon=1, delta=F(1, 10**4)) for seed in range(4))
        for one in (two, wide)
    )
    assert narrow > 2 * broad
