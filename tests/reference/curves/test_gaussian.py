"""Repeated Gaussian counts: the paper's digits, the table of expected rounds, the edge cases."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr

from filterproof.curves.baselines import (
    BASELINES,
    composition_rows,
    discretised_delta,
    saddle_point_delta,
)
from filterproof.curves.compensator import compensator, naive_product
from filterproof.curves.gaussian import (
    PRINTED,
    Parameters,
    Setting,
    SettingError,
    best_parameters,
    charge,
    first_round_opens,
    kappa,
    profile,
    smallest_epsilon,
)
from filterproof.curves.optimum import optimum
from filterproof.curves.stopping import FILTERS, longest
from filterproof.curves.survival import Curve, algorithm1, fixed_stop, naive, stay_within

PAPER = Setting(epsilon=10.0)


# --- Proposition 1 --------------------------------------------------------------------------


def test_the_paper_s_parameters_and_what_they_cost() -> None:
    best = best_parameters(PAPER)
    assert (f"{best.delta_tilde:.3e}", f"{best.theta:.3e}") == ("5.608e-04", "9.155e-06")
    lost = kappa(PAPER, best) - kappa(PAPER, Parameters(*PRINTED))
    assert f"{lost:.1e}" == "2.2e-05"
    assert Parameters(*PRINTED).cost() < PAPER.delta
    assert abs(best.cost() - PAPER.delta) < 1e-15


def test_the_delta_of_the_papers_figure_is_inferred_from_what_it_prints() -> None:
    rounds, delta_tilde, theta = PRINTED
    assert f"{delta_tilde + theta * (1 - delta_tilde) * rounds:.4e}" == "9.9991e-04"


def test_no_parameters_on_a_fine_grid_have_a_larger_kappa() -> None:
    for sharp in (False, True):
        best = best_parameters(PAPER, sharp=sharp)
        top = kappa(PAPER, best)
        for delta_tilde in np.linspace(1e-6, PAPER.delta - 1e-9, 2000):
            kept = 1 - delta_tilde
            theta = (PAPER.delta - delta_tilde) / (48 * kept)
            if sharp:
                theta = 1 - ((1 - PAPER.delta) / kept) ** (1 / 47)
            assert kappa(PAPER, Parameters(48, float(delta_tilde), theta)) <= top + 1e-9


def test_the_sharp_constraint_gives_a_larger_kappa_and_is_met() -> None:
    sharp = best_parameters(PAPER, sharp=True)
    assert kappa(PAPER, sharp) > kappa(PAPER, best_parameters(PAPER))
    assert sharp.cost() > PAPER.delta
    kept = math.log1p(-sharp.delta_tilde) + (sharp.N - 1) * math.log1p(-sharp.theta)
    assert abs(-math.expm1(kept) - PAPER.delta) < 1e-15  # what the repaired rule really spends


@pytest.mark.parametrize("sigma", [0.7, 2.0, 9.0])
def test_at_loss_kappa_the_check_of_algorithm_1_is_an_equality(sigma: float) -> None:
    """P(Y_i safe) = 1 - θ at l = κ, computed from the definition and not from the formula."""
    setting = Setting(epsilon=10.0, sigma=sigma)
    chosen = Parameters(48, 3e-4, 1.3e-5)
    with mp.workdps(40):
        mean, spread = 1 / (2 * mpf(sigma) ** 2), 1 / mpf(sigma)
        quantile = mp.findroot(lambda z: mp.ncdf(-z) - mpf(chosen.delta_tilde), 3.4)
        safe_up_to = 10 - mean - spread * quantile  # the largest l^(i) with overshoot <= δ̃
        limit = mpf(kappa(setting, chosen))
        unsafe = mp.ncdf(-(safe_up_to - limit - mean) / spread)
        assert abs(unsafe - mpf(chosen.theta)) < mpf(10) ** -14
        misprint = 1 - mp.ncdf(sigma * (10 - safe_up_to) - 2 / mpf(sigma))
        assert abs(misprint - mpf(chosen.delta_tilde)) > mpf(10) ** -6  # 2/σ is not 1/(2σ)


def test_the_edge_cases_of_the_stopping_time() -> None:
    below_zero = Setting(epsilon=3.0)
    assert kappa(below_zero, best_parameters(below_zero)) < 0
    assert first_round_opens(below_zero, best_parameters(below_zero))
    assert algorithm1(below_zero).survival == (1.0, *[0.0] * 47)
    closed = Setting(epsilon=1.0)
    assert not first_round_opens(closed, best_parameters(closed))
    for curve in (algorithm1(closed), naive(closed), compensator(closed)):
        assert curve.survival == (0.0,) * 48
    alone = Setting(epsilon=10.0, rounds=1)
    assert best_parameters(alone) == Parameters(1, 1e-3, 0.0)
    assert algorithm1(alone).survival == compensator(alone).survival == (1.0,)
    two = Setting(epsilon=10.0, rounds=2)
    assert algorithm1(two).survival == (1.0, 1.0)
    edge = Parameters(48, 5e-4, 1e-6)
    at_zero = Setting(epsilon=10.0 - kappa(PAPER, edge))
    assert algorithm1(at_zero, edge).survival[:2] == (1.0, 1.0)


@pytest.mark.parametrize(
    "broken",
    [
        {"epsilon": -1.0},
        {"epsilon": math.nan},
        {"epsilon": math.inf},
        {"epsilon": 1.0, "sigma": 0.0},
        {"epsilon": 1.0, "sigma": math.nan},
        {"epsilon": 1.0, "delta": 0.0},
        {"epsilon": 1.0, "delta": 1.0},
        {"epsilon": 1.0, "rounds": 0},
        {"epsilon": 1.0, "rounds": True},
        {"epsilon": 1.0, "rounds": 2.0},
    ],
)
def test_a_setting_that_is_none_is_refused_by_name(broken: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=list(broken)[-1]):
        Setting(**broken)  # type: ignore[arg-type]


# --- one round ------------------------------------------------------------------------------


def test_the_profile_agrees_with_forty_digits() -> None:
    with mp.workdps(40):
        for mu in (0.05, 0.5, 2.0):
            for epsilon in (0.0, 0.3, 2.0, 9.0):
                e, m = mpf(epsilon), mpf(mu)
                truth = mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)
                assert abs(mpf(float(profile(epsilon, mu))) - truth) < mpf(10) ** -15


def test_the_smallest_epsilon_undoes_the_profile() -> None:
    assert smallest_epsilon(0.9, 1.0) == 0.0
    for delta in (1e-6, 1e-3, 0.1):
        found = smallest_epsilon(delta, 0.5)
        assert profile(found * (1 + 1e-9), 0.5) <= delta <= profile(found * (1 - 1e-9), 0.5)


def test_a_charge_rises_to_epsilon_and_falls_from_there() -> None:
    losses = np.linspace(0, 20, 401)
    charges = charge(losses, 10.0, 0.5)
    assert charges[200] == max(charges) == profile(0.0, 0.5)
    assert all(a <= b for a, b in pairwise(charges[:201]))
    assert all(a >= b for a, b in pairwise(charges[200:]))


# --- stopping times --------------------------------------------------------------------------


def printed_table() -> dict[float, dict[str, float]]:
    """The table of docs/internals/ROUNDS.md: a row per epsilon, a cell per filter."""
    manual = Path(__file__).parents[3] / "docs" / "internals" / "ROUNDS.md"
    lines = [line for line in manual.read_text().splitlines() if line.startswith("| ")]
    heads, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[:5])
    return {float(row[0]): dict(zip(heads[1:], map(float, row[1:]), strict=True)) for row in rows}


TABLE = printed_table()


@pytest.mark.parametrize("epsilon", TABLE)
def test_the_stopping_times_are_those_of_the_table(epsilon: float) -> None:
    for name, fits in FILTERS.items():
        assert longest(fits, Setting(epsilon=epsilon)) == TABLE[epsilon][name]
    assert list(TABLE) == [5.0, 8.0, 10.0, 12.0]


@pytest.mark.parametrize("name", FILTERS)
def test_a_stopping_time_is_the_last_that_fits(name: str) -> None:
    for setting in (PAPER, Setting(epsilon=3.0, sigma=8.0, delta=1e-5)):
        stop = longest(FILTERS[name], setting)
        fitting = [t for t in range(1, stop + 4) if FILTERS[name](setting, t)]
        assert fitting == list(range(1, stop + 1))


def test_small_noise_per_round_is_where_advanced_filters_win() -> None:
    setting = Setting(epsilon=2.0, sigma=300.0, delta=1e-5)
    many = {name: longest(fits, setting) for name, fits in FILTERS.items() if "printed" not in name}
    assert many["additive"] < many["advanced (original)"] < many["Whitehouse"]
    assert many["Whitehouse"] < many["RDP"] <= many["RDP, tight conversion"] <= many["exact GDP"]


def test_no_filter_runs_without_a_budget() -> None:
    assert {longest(fits, Setting(epsilon=0.0)) for fits in FILTERS.values()} == {0}


# --- classical composition -------------------------------------------------------------------


@pytest.mark.parametrize("t", [1, 5, 24, 60])
def test_each_accountant_errs_on_the_side_it_says(t: int) -> None:
    exact = float(profile(10.0, math.sqrt(t) * PAPER.step))
    assert exact <= discretised_delta(PAPER, t)
    assert discretised_delta(PAPER, t) <= 1.06 * exact + 1e-11
    assert 0.96 * exact <= saddle_point_delta(PAPER, t) <= 1.04 * exact


def test_every_baseline_is_labelled_as_no_filter() -> None:
    rows = composition_rows(PAPER)
    assert [rounds for _, _, rounds in rows] == [6, 1, 20, 24, 24, 24]
    for (_, kind, _), baseline in zip(rows, BASELINES, strict=True):
        assert kind == f"composition, not a filter; {baseline.error}"
        assert baseline.error in {"upper bound", "exact", "approximation, either side"}


# --- expected rounds -------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", TABLE)
def test_the_expected_rounds_are_those_of_the_table(epsilon: float) -> None:
    """Within the stated error, and half a unit of the last printed digit."""
    setting = Setting(epsilon=epsilon)
    paying = naive_product(setting, 6), compensator(setting, 4)
    found = algorithm1(setting), naive(setting), *paying, optimum(setting, 6)
    for curve in found:
        assert abs(curve.expected - TABLE[epsilon][curve.name]) <= curve.expected_error + 0.005
        assert curve.expected_error < 0.5
    assert [curve.expected for curve in found] == sorted(curve.expected for curve in found)


def test_a_finer_grid_stays_within_the_error_of_a_coarser_one() -> None:
    setting = Setting(epsilon=4.0, rounds=16)
    for family, sizes in ((compensator, (4, 6)), (optimum, (6, 12))):
        coarse, fine = (family(setting, size) for size in sizes)
        gaps = [abs(a - b) for a, b in zip(coarse.survival, fine.survival, strict=True)]
        assert max(gaps) <= coarse.error + fine.error
        assert fine.error < coarse.error < 0.05


def test_where_the_first_round_costs_too_much_the_optimum_tosses_a_coin() -> None:
    setting = Setting(epsilon=1.0, rounds=4)
    share = setting.delta / float(charge(0.0, 1.0, setting.step))
    best = optimum(setting, 6)
    assert 0 < share < 1
    assert share <= best.expected + best.expected_error
    assert compensator(setting).expected == 0


def test_where_nothing_binds_every_round_runs() -> None:
    easy = Setting(epsilon=30.0, rounds=5)
    for curve in (optimum(easy, 4), compensator(easy, 4)):
        assert 1 - curve.error - 1e-12 <= min(curve.survival) <= max(curve.survival) <= 1


def test_a_budget_above_the_total_variation_is_spent_too() -> None:
    """δ exceeds what any single round can cost: the grid of budgets reaches beyond ε."""
    setting = Setting(epsilon=0.05, sigma=20.0, delta=0.05, rounds=12)
    assert charge(0.05, 0.05, setting.step) < setting.delta
    curve = compensator(setting, 4)
    assert curve.survival[0] == 1
    assert 3 < curve.expected <= optimum(setting, 6).expected + curve.expected_error


# --- against simulation ----------------------------------------------------------------------

PATHS = 100_000
SURE = 1e-9
"""With probability at least 1 - SURE a correct curve passes: Hoeffding, all t at once."""


def simulated(setting: Setting, *, under_x: bool, seed: int) -> np.ndarray:
    """Return realised losses l^(0..N-1)(x,x′), one row per round."""
    rng = np.random.default_rng(seed)
    drift = setting.drift if under_x else -setting.drift
    steps = drift + setting.step * rng.standard_normal((setting.rounds - 1, PATHS))
    return np.vstack([np.zeros(PATHS), np.cumsum(steps, axis=0)])


def survived(runs: np.ndarray) -> list[float]:
    """Return the part of all paths that ran rounds 1..t, for each t."""
    return [float(p) for p in np.mean(np.logical_and.accumulate(runs, axis=0), axis=1)]


def agree(curve: Curve, frequencies: list[float]) -> bool:
    allowed = curve.error + math.sqrt(math.log(2 * len(frequencies) / SURE) / (2 * PATHS))
    pairs = zip(curve.survival, frequencies, strict=True)
    return all(abs(a - b) <= allowed for a, b in pairs)


@pytest.mark.parametrize("under_x", [True, False])
def test_the_formula_for_algorithm_1_is_what_happens_under_either_database(under_x: bool) -> None:
    setting = Setting(epsilon=7.0, rounds=30)
    limit = kappa(setting, best_parameters(setting))
    losses = np.abs(simulated(setting, under_x=under_x, seed=1))
    inside = np.vstack([np.ones(PATHS, bool), losses[:-1] <= limit])
    assert agree(algorithm1(setting), survived(inside))
    off_by_one = np.vstack([losses <= limit])
    assert not agree(algorithm1(setting), survived(off_by_one))


@pytest.mark.parametrize("under_x", [True, False])
def test_the_compensator_s_curve_is_what_happens_under_either_database(under_x: bool) -> None:
    setting = Setting(epsilon=4.0, rounds=12)
    losses = simulated(setting, under_x=under_x, seed=2)
    spent = [np.cumsum(charge(sign * losses, 4.0, setting.step), axis=0) for sign in (1, -1)]
    both = survived(np.maximum(*spent) <= setting.delta)
    curve = compensator(setting, 4)
    assert agree(curve, both)
    assert not agree(curve, survived(spent[0 if under_x else 1] <= setting.delta / 20))


@pytest.mark.parametrize("under_x", [True, False])
def test_the_naive_product_s_curve_is_what_happens_under_either_database(under_x: bool) -> None:
    setting = Setting(epsilon=4.0, rounds=12)
    losses = simulated(setting, under_x=under_x, seed=3)
    risks = [ndtr((s * losses + setting.drift - 4.0) / setting.step) for s in (1, -1)]
    kept = np.minimum(*(np.cumprod(1 - risk, axis=0) for risk in risks))
    curve = naive_product(setting, 6)
    assert agree(curve, survived(kept >= 1 - setting.delta))
    assert not agree(curve, survived(kept >= 1 - setting.delta / 20))


def test_the_survival_is_the_same_under_both_databases() -> None:
    """P_x(T >= t) = P_x′(T >= t): the second by a quadrature of its own, with drift reversed."""
    setting, limit = Setting(epsilon=7.0, rounds=12), 2.5
    stays, error = stay_within(limit, setting, 10)
    points, width = np.linspace(-limit, limit, 1201, retstep=True)
    weights = np.full(points.shape, width)
    weights[[0, -1]] /= 2
    spread = setting.step * math.sqrt(2 * math.pi)

    def reversed_density(change: np.ndarray) -> np.ndarray:
        return np.exp(-(((change + setting.drift) / setting.step) ** 2) / 2) / spread

    now = reversed_density(points)
    kernel = reversed_density(points[None, :] - points[:, None]) * weights[:, None]
    for k in range(1, 11):
        assert abs(float(weights @ now) - stays[k]) <= error + 1e-4
        now = now @ kernel


def test_a_curve_adds_up() -> None:
    assert fixed_stop("still", 3, 5).survival == (1.0, 1.0, 1.0, 0.0, 0.0)
    assert Curve("half", (1.0, 0.5), 0.25).expected == 1.5
    assert Curve("half", (1.0, 0.5), 0.25).expected_error == 0.5
