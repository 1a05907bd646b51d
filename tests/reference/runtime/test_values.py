"""What laws, budgets and tables are worth by their formulas: on the safe side, and near."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import ceil, inf, nan
from random import Random
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from filterproof.directed_rounding import double_down, log_interval
from filterproof.exact import Log
from filterproof.runtime import (
    AddedNoise,
    Bounded,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    MechanismError,
    Pure,
    Table,
    randomised_response,
)
from filterproof.runtime import budget as budgets
from filterproof.runtime.audited import RuntimeCompensator
from filterproof.runtime.budget import (
    GAUSSIAN,
    ORDERS,
    RENYI,
    Budget,
    BudgetError,
    best_order,
    renyi,
    squares,
)
from filterproof.runtime.finite import _quantile
from filterproof.runtime.integer_noise import TAIL
from filterproof.runtime.mechanism import NO_COST
from filterproof.runtime.noise import gaussian_profile, pure_mu
from filterproof.runtime.sampling import gaussian, geometric

F = Fraction
NEAR = mpf(10) ** -10


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    before = mp.dps
    mp.dps = 80
    yield
    mp.dps = before


def just_above(found: float, truth: mpf) -> bool:
    return bool(truth <= found <= truth + NEAR * (1 + abs(truth)))


def exact(value: Fraction) -> mpf:
    return mpf(value.numerator) / mpf(value.denominator)


def z(tail: mpf) -> mpf:
    """The z with Φ(-z) = tail."""
    return mp.sqrt(2) * mp.erfinv(1 - 2 * tail)


# --- budgets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1.25, 2.0, 7.0, 96.0])
@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 4)])
def test_a_budget_of_divergence_is_that_of_the_tight_conversion(
    order: float, delta: Fraction
) -> None:
    alpha = mpf(order)
    truth = 1 + mp.log(alpha / (alpha - 1)) + (mp.log(exact(delta)) + mp.log(alpha)) / (alpha - 1)
    assert just_above(-renyi(1.0, delta, order), -truth)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (1.0, 1e-6), (3.0, 1e-9), (8.0, 0.1)])
def test_the_order_is_the_one_at_which_most_gaussian_rounds_fit(
    epsilon: float, delta: float
) -> None:
    rounds = {order: renyi(epsilon, F(delta), order) / order for order in ORDERS}
    assert rounds[best_order(epsilon, delta)] == max(rounds.values()) > min(rounds.values())
    assert best_order(epsilon, 0.0) == 2.0


def test_a_delta_of_one_allows_anything_and_of_nothing_nothing() -> None:
    assert squares(1.0, 1.0) > 63**2
    assert squares(1.0, 0.0) == -inf == renyi(1.0, F(0), 2.0)


def test_half_of_delta_is_the_floors_and_split_as_it_is_said() -> None:
    found = Budget.of(1, F(1, 8))
    assert (found.delta, found.rest, found.slack) == (1 / 8, 1 / 16, 1 / 1024)
    assert found.squares == squares(1.0, float(GAUSSIAN / 16))
    assert found.order == best_order(1.0, float(RENYI / 16))
    assert found.renyi == renyi(1.0, RENYI / 16, found.order)
    assert Budget.of(1, F(1, 8), 1).rest == 0
    assert Budget.of(1, F(1, 8), F(1, 4)).rest == 3 / 32


def test_an_epsilon_between_two_doubles_is_the_lower_one(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = log_interval(F(3))
    assert low < high
    monkeypatch.setattr(budgets, "best_order", lambda epsilon, delta: epsilon)
    monkeypatch.setattr(budgets, "squares", lambda epsilon, delta: epsilon)
    monkeypatch.setattr(budgets, "renyi", lambda epsilon, delta, order: epsilon)
    found = Budget.of(Log(F(3)), F(1, 8))
    assert (found.order, found.squares, found.renyi) == (low, low, low)


def test_a_share_is_a_part_of_delta() -> None:
    for bad in (F(-1, 100), F(101, 100), 2):
        with pytest.raises(BudgetError, match="need 0 <= share <= 1"):
            Budget.of(1, F(1, 8), bad)
    assert Budget.of(1, 1, 1).delta == 1


def test_the_audited_filter_needs_no_history_and_offers_three_shares() -> None:
    assert RuntimeCompensator.markov
    shares = [one["share"] for one in RuntimeCompensator.parameters(F(1), F(1, 8), 3)]
    assert shares == [F(1, 2), 0, F(9, 10)]


# --- pure mechanisms and noise on the real line ---------------------------------------------------


@pytest.mark.parametrize("largest", [F(1, 10), F(1), F(7, 2), F(30)])
def test_a_pure_mechanism_has_the_mu_of_randomised_response(largest: Fraction) -> None:
    truth = 2 * z(1 / (1 + mp.exp(exact(largest))))
    assert just_above(pure_mu(largest).amount, truth)
    assert pure_mu(largest).slack == 0


def test_a_loss_beyond_all_doubles_has_no_mu() -> None:
    assert pure_mu(2000) == NO_COST
    assert Pure(2000).mu(0, 1) == NO_COST


def test_an_epsilon_of_nothing_costs_nothing() -> None:
    nothing = Pure(0)
    assert nothing.mu(0, 1) == (0.0, 0.0)
    assert nothing.profile(0, 1, 0.0) == 0
    with pytest.raises(MechanismError, match="need epsilon >= 0"):
        Pure(F(-1, 100))


@pytest.mark.parametrize("order", [1.5, 3.0])
def test_a_gaussian_diverges_by_its_formula(order: float) -> None:
    assert Gaussian(3).renyi(F(2), order).amount == double_up_of(F(order) * 4 / 18)
    assert Gaussian(F(1, 2)).renyi(F(3), order).amount == double_up_of(F(order) * 9 * 2)


def double_up_of(value: Fraction) -> float:
    return -double_down(-value)


@pytest.mark.parametrize(
    "noise", [Gaussian(3), Laplace(3), Geometric(F(1, 3)), DiscreteGaussian(9)]
)
def test_wider_noise_is_so_many_times_as_wide(noise: Any) -> None:
    wider = noise.wider(4)
    assert type(wider) is type(noise)
    assert (noise.scale, wider.scale) == (3.0, 12.0)


def test_of_gaussian_noise_on_unknown_answers_nothing_is_known() -> None:
    assert Bounded(Gaussian(2), 1).loss(0, 1, 3) == (-inf, inf)
    low, high = Bounded(Laplace(2), 1).loss(0, 1, 3)
    assert (low, high) == (-0.5, 0.5)
    for bad in (0, -1):
        with pytest.raises(MechanismError, match="need sensitivity > 0"):
            Bounded(Laplace(2), bad)


@pytest.mark.parametrize("bad", [nan, inf, "1", None, True])
def test_an_answer_is_a_finite_number(bad: Any) -> None:
    mechanism = AddedNoise(Laplace(2), lambda x: bad)
    for ask in (lambda: mechanism.profile(0, 1, 0.0), lambda: mechanism.loss(0, 1, 0)):
        with pytest.raises(MechanismError, match="the query's answer on 0 must be a finite number"):
            ask()


def test_an_output_is_far_off_after_a_hundred_scales_and_one() -> None:
    assert AddedNoise(Laplace(3))._reach == 400.0


# --- tables ---------------------------------------------------------------------------------------


def random_table(rng: Random, outputs: int) -> Table:
    """All outputs are possible on both databases."""
    columns = []
    for _ in range(2):
        weights = [rng.choice([1, 2, 5, 40, 300]) for _ in range(outputs)]
        columns.append([F(one, sum(weights)) for one in weights])
    return Table({y: {x: columns[x][y] for x in (0, 1)} for y in range(outputs)})


@pytest.mark.parametrize("seed", range(6))
def test_a_table_has_the_mu_of_its_dearest_vertex(seed: int) -> None:
    table = random_table(Random(seed), 2 + seed)
    rows = sorted(((row[0], row[1]) for row in table.law.values()), key=lambda row: row[0] / row[1])
    tests = [
        (sum(p for p, _ in rows[:i]), sum(q for _, q in rows[i:])) for i in range(1, len(rows))
    ]
    truth = max(z(exact(F(a))) + z(exact(F(b))) for a, b in tests)
    found = table.mu(0, 1)
    assert just_above(found.amount, truth)
    assert found.slack == 0
    for epsilon in (0.0, 0.5, 1.0, 2.0, 4.0):
        assert table.profile(0, 1, epsilon) <= gaussian_profile(found.amount, epsilon)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", [1.5, 2.0, 5.0])
def test_a_table_diverges_by_its_formula(seed: int, order: float) -> None:
    table = random_table(Random(seed), 2 + seed)
    terms = (exact(row[0]) ** order * exact(row[1]) ** (1 - order) for row in table.law.values())
    found = table.renyi(0, 1, order)
    assert just_above(found.amount, mp.log(mp.fsum(terms)) / (order - 1))
    assert found.slack == 0


def test_outputs_that_rule_a_database_out_are_slack_and_the_rest_is_costed() -> None:
    law = {
        "a": {0: F(5, 10), 1: F(3, 10)},
        "b": {0: F(3, 10), 1: F(5, 10)},
        "x": {0: F(2, 10), 1: F(0)},
        "y": {0: F(0), 1: F(2, 10)},
    }
    table = Table(law)
    for cost in (table.mu(0, 1), table.renyi(0, 1, 2.0)):
        assert cost.slack == double_up_of(F(2, 10))
        assert cost.amount < inf
    terms = [F(25, 30), F(9, 50), F(4, 20)]
    assert just_above(table.renyi(0, 1, 2.0).amount, mp.log(exact(sum(terms, F(0)))))


def test_outputs_are_plausible_where_they_are_possible() -> None:
    sure = Table({"x": {0: F(1), 1: F(0)}, "y": {0: F(0), 1: F(1)}})
    assert [sure.plausible(x, y) for x in (0, 1) for y in "xyz"] == [
        *(True, False, False),
        *(False, True, False),
    ]


def test_a_table_has_rows_of_the_same_databases() -> None:
    laws: list[Any] = [{}, {"y": {}}, {"y": {0: F(1)}, "z": {1: F(1)}}]
    for law in laws:
        with pytest.raises(MechanismError, match="one probability per database each"):
            Table(law)


def test_a_table_is_itself_and_no_other_and_its_text_is_its_law() -> None:
    law = {"y": {0: F(1), 1: F(1)}}
    table = Table(law)
    table.profile(0, 1, 0.0)
    table.loss(0, 1, "y")
    assert table != Table(law)
    assert {table: 1}[table] == 1
    assert repr(table) == f"Table(law={law!r})"


def test_answers_are_told_among_two_or_more_different_values() -> None:
    for bad in (["a"], ["a", "a"], ["a", "b", "a"]):
        with pytest.raises(MechanismError, match="two or more different values"):
            randomised_response(F(1, 2), bad)
    assert randomised_response(F(0), "ab").law["a"] == {"a": 0, "b": 1}
    assert randomised_response(F(1, 2), "abc").law["a"] == {
        "a": F(1, 2),
        "b": F(1, 4),
        "c": F(1, 4),
    }


def test_quantiles_are_near_in_both_tails() -> None:
    for tail in (F(1, 10**30), F(1, 7), F(2, 5), F(1, 2), F(3, 5), 1 - F(1, 10**30)):
        assert just_above(_quantile(tail), z(exact(tail)))


# --- whole-number noise ---------------------------------------------------------------------------


def test_discrete_gaussian_profiles_are_near_at_any_distance() -> None:
    noise = DiscreteGaussian(64)
    rate, points = mpf(1) / 128, range(-400, 480)
    weights = {k: mp.exp(-rate * k * k) for k in range(-480, 480)}
    total = mp.fsum(weights.values())
    for steps in (1, 7, 30, 45):
        for epsilon in (0.0, 0.3, 2.0, 6.0):
            growth = mp.exp(mpf(epsilon))
            terms = (max(mpf(0), weights[k] - growth * weights[k - steps]) for k in points)
            assert just_above(noise.profile(F(steps), epsilon), mp.fsum(terms) / total)


def test_answers_beyond_the_table_are_told_apart_for_sure() -> None:
    noise = DiscreteGaussian(1)
    assert noise.profile(F(3000), 0.0) == 1.0
    assert 0 <= noise.profile(F(1), 600.0) < 1e-300


def enclosed(noise: DiscreteGaussian, m: int) -> tuple[float, float]:
    return noise._enclose_tail(m)


def test_far_out_everything_or_nothing_is_enclosed() -> None:
    noise = DiscreteGaussian(1)
    last = len(noise._tails) - 1
    assert last == TAIL + 1
    for far in (last, last + 1, last + 50):
        low, high = enclosed(noise, -far)
        assert low == 0 < high < 1e-300
        low, high = enclosed(noise, far)
        assert 0.999 < low < high == 1


def test_what_is_all_but_sure_is_not_taken_for_sure() -> None:
    """P(K <= 0) is 1 - e⁻⁵⁰⁰ at σ² = 1/1000: nearer to 1 than any other double is."""
    low, high = enclosed(DiscreteGaussian(F(1, 1000)), 0)
    assert low < 1 == high


def test_shares_that_are_doubles_are_moved_outwards_too() -> None:
    noise = DiscreteGaussian(1)
    vars(noise)["_tails"] = [mpf(3), mpf(1), mpf(1) / 2, mpf(0)]
    for m, share in ((-1, 1 / 4), (0, 3 / 4), (1, 7 / 8), (-2, 1 / 8)):
        low, high = enclosed(noise, m)
        assert (low, high) == (np.nextafter(share, 0), np.nextafter(share, 1))


def test_profiles_and_mus_look_at_the_safe_end_of_each_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noise = DiscreteGaussian(1)
    wide = np.zeros, np.ones
    monkeypatch.setattr(
        DiscreteGaussian, "_below", lambda self, m: tuple(end(m.shape) for end in wide)
    )
    assert noise.profile(F(1), 1.0) == 1.0
    assert noise._mu(1).amount == inf


def test_mus_take_the_lower_end_of_both_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, asked = DiscreteGaussian(1), []

    def below(self: Any, m: Any) -> tuple[Any, Any]:
        asked.append(m)
        return np.full(m.shape, 1e-9), np.full(m.shape, 0.5)

    monkeypatch.setattr(DiscreteGaussian, "_below", below)
    amount, slack = noise._mu(1)
    assert just_above(amount, 2 * z(mpf(1e-9)))
    assert (slack, len(asked)) == (np.nextafter(1.0, 2), 4)
    assert asked[2].tolist() == [one + 1 for one in asked[0].tolist() if one < -1]


@pytest.mark.parametrize(("variance", "steps"), [(F(1, 4), 1), (4, 1), (4, 3), (9, 8)])
def test_a_discrete_gaussian_has_the_mu_of_its_dearest_vertex(variance: Any, steps: int) -> None:
    noise = DiscreteGaussian(variance)
    rate, reach = 1 / (2 * exact(F(variance))), int(60 * noise.scale)
    weights = [mp.exp(-rate * k * k) for k in range(-reach, reach + 1)]
    below = [one / mp.fsum(weights) for one in accumulate(weights)]
    last = ceil(12 * noise.scale)
    tests = [
        (below[reach - m - 1], below[reach + m - steps]) for m in range(steps - 1 - last, last)
    ]
    truth = max(z(a) + z(b) for a, b in tests)
    assert just_above(noise.mu(steps).amount, truth)


def test_noise_is_added_to_the_answer_and_drawn_by_whom_one_likes() -> None:
    for noise, law, width in (
        (Geometric(F(1, 3)), geometric, F(1, 3)),
        (DiscreteGaussian(9), gaussian, F(9)),
    ):
        drawn = [noise.sample(42, Random(seed)) - 42 for seed in range(20)]
        assert drawn == [law(width, Random(seed)) for seed in range(20)]
        assert len(set(drawn)) > 5
        assert isinstance(noise.sample(42), int)


def test_the_vertices_go_as_far_as_the_slack_is_small() -> None:
    for variance in (F(1, 4), 1, 36):
        cost = DiscreteGaussian(variance).mu(1)
        assert 0 < cost.slack < 1e-30


def test_noise_that_is_too_wide_or_too_narrow_has_no_mu() -> None:
    with pytest.raises(MechanismError, match="need sigma <= 10000"):
        DiscreteGaussian(10_001**2)
    assert DiscreteGaussian(10_000**2).scale == 10_000
    assert DiscreteGaussian(F(1, 1000)).mu(40) == NO_COST
