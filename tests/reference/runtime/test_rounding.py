"""Every rounding of the runtime filter goes outwards: checked against 60-digit arithmetic."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from filterproof import directed_columns
from filterproof.directed_columns import (
    exp_down,
    exp_up,
    normal_down,
    normal_up,
    one_minus_exp_up,
    quantile_down,
    quantile_up,
)
from filterproof.directed_rounding import (
    double_down,
    double_interval,
    double_up,
    log_interval,
)
from filterproof.runtime import (
    AddedNoise,
    Bounded,
    DescribedMechanism,
    DiscreteGaussian,
    Domain,
    Gaussian,
    Geometric,
    Laplace,
    MechanismError,
    Noise,
    Pure,
)
from filterproof.runtime.account import charge, columns, new_account
from filterproof.runtime.budget import Budget, squares
from filterproof.runtime.per_pair import PairByPair
from filterproof.runtime.sampling import gaussian, geometric

DIGITS = 60
TIGHT = mpf(10) ** -9  # how far above the exact value an upper bound may lie, relatively


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    before = mp.dps
    mp.dps = DIGITS
    yield
    mp.dps = before


def exact(value: Fraction) -> mpf:
    return mpf(value.numerator) / mpf(value.denominator)


def phi(z: mpf) -> mpf:
    return mp.erfc(-z / mp.sqrt(2)) / 2


# --- the true profiles, written down a second time ------------------------------------------


def gaussian_profile(noise: Gaussian, distance: Fraction, epsilon: float) -> mpf:
    mu = exact(distance / noise.sigma)
    e = mpf(epsilon)
    return phi(mu / 2 - e / mu) - mp.exp(e) * phi(-mu / 2 - e / mu)


def laplace_profile(noise: Laplace, distance: Fraction, epsilon: float) -> mpf:
    return max(mpf(0), 1 - mp.exp((mpf(epsilon) - exact(distance / noise.spread)) / 2))


def summed_profile(weight: Callable[[int], mpf], reach: int, shift: int, epsilon: float) -> mpf:
    total = mp.fsum(weight(k) for k in range(-reach, reach + 1))
    factor = mp.exp(mpf(epsilon))
    terms = (
        max(mpf(0), weight(k) - factor * weight(k - shift)) for k in range(-reach, reach + shift)
    )
    return mp.fsum(terms) / total


def geometric_profile(noise: Geometric, distance: Fraction, epsilon: float) -> mpf:
    rate = exact(Fraction(noise.rate))
    reach = int(300 / noise.rate)
    return summed_profile(lambda k: mp.exp(-rate * abs(k)), reach, int(distance), epsilon)


def discrete_gaussian_profile(noise: DiscreteGaussian, distance: Fraction, epsilon: float) -> mpf:
    rate = 1 / (2 * exact(Fraction(noise.sigma_squared)))
    reach = int(45 * noise.scale) + 5
    return summed_profile(lambda k: mp.exp(-rate * k * k), reach, int(distance), epsilon)


def cases() -> Iterator[tuple[Noise, Callable[..., mpf], Fraction, float]]:
    rng = Random(7)
    for _ in range(40):
        sigma, spread = Fraction(rng.randint(1, 400), 40), Fraction(rng.randint(1, 90), 9)
        distance, epsilon = Fraction(rng.randint(1, 30), 10), rng.choice([0.0, rng.random() * 12])
        yield Gaussian(sigma), gaussian_profile, distance, epsilon
        yield Laplace(spread), laplace_profile, distance, epsilon
    for _ in range(12):
        steps, epsilon = Fraction(rng.randint(1, 5)), rng.choice([0.0, rng.random() * 4])
        rate, variance = Fraction(rng.randint(2, 60), 10), Fraction(rng.randint(1, 60), 4)
        yield Geometric(rate), geometric_profile, steps, epsilon
        yield DiscreteGaussian(variance), discrete_gaussian_profile, steps, epsilon


@pytest.mark.parametrize(("noise", "truth", "distance", "epsilon"), [*cases()])
def test_a_profile_is_rounded_up_and_only_a_little(
    noise: Noise, truth: Callable[..., mpf], distance: Fraction, epsilon: float
) -> None:
    bound, value = mpf(noise.profile(distance, epsilon)), truth(noise, distance, epsilon)
    assert value <= bound
    assert bound <= value * (1 + TIGHT) + mpf(10) ** -16


def test_the_same_profile_in_plain_doubles_is_sometimes_too_small() -> None:
    """The twin: without outward rounding the bound above fails."""

    def plain(sigma: float, distance: float, epsilon: float) -> float:
        mu = distance / sigma
        first = math.erfc(-(mu / 2 - epsilon / mu) / math.sqrt(2)) / 2
        return first - math.exp(epsilon) * math.erfc((mu / 2 + epsilon / mu) / math.sqrt(2)) / 2

    below = [
        mpf(plain(float(noise.sigma), float(distance), epsilon)) < truth(noise, distance, epsilon)
        for noise, truth, distance, epsilon in cases()
        if isinstance(noise, Gaussian)
    ]
    assert any(below)


@pytest.mark.parametrize("seed", range(5))
def test_elementary_bounds_hold_and_are_tight(seed: int) -> None:
    rng = Random(seed)
    for _ in range(200):
        z = rng.uniform(-37, 37)
        assert exp_down(z) <= mp.exp(mpf(z)) <= exp_up(z)
        assert mpf(exp_up(z)) <= exp_down(z) * (1 + TIGHT)
        assert normal_down(z) <= phi(mpf(z)) <= normal_up(z)
        assert mpf(normal_up(z)) <= normal_down(z) * (1 + TIGHT)
        drop = -rng.random() * 10 ** rng.uniform(-12, 1)
        assert 1 - mp.exp(mpf(drop)) <= one_minus_exp_up(drop)


FAR = [*np.linspace(-60, 10, 701).tolist(), *np.linspace(-38.7, -36.9, 361).tolist()]


def below_the_truth() -> list[float]:
    """Where what should be above Φ is not."""
    return [z for z in FAR if not phi(mpf(z)) <= normal_up(z)]


def test_the_normal_distribution_is_bounded_over_the_whole_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert all(normal_down(z) <= phi(mpf(z)) for z in FAR)
    assert below_the_truth() == []
    assert (normal_up(np.array(FAR)) == [normal_up(z) for z in FAR]).all()
    monkeypatch.setattr(directed_columns, "_FAR", -math.inf)  # the twin: erfc alone
    assert below_the_truth()


@pytest.mark.parametrize("exponent", range(1, 324, 7))
def test_quantiles_are_on_their_side_down_to_the_smallest_tails(exponent: int) -> None:
    tail = 10.0**-exponent
    above = quantile_up(tail)
    assert above == math.inf or phi(-mpf(above)) <= tail
    assert phi(-mpf(quantile_down(tail))) >= tail
    assert (above < math.inf) == (tail >= 2.0**-1070)


@pytest.mark.parametrize("epsilon", [690.0, 709.0, 712.0, 745.0])
def test_the_gaussian_profile_is_bounded_where_it_is_hardly_above_zero(epsilon: float) -> None:
    for distance in (Fraction(1), Fraction(19), Fraction(37), Fraction(38)):
        true = gaussian_profile(Gaussian(1), distance, epsilon)
        assert true <= Gaussian(1).profile(distance, epsilon)


@pytest.mark.parametrize("delta", [1e-6, 1e-12, 1e-15, 1e-100])
def test_at_epsilon_zero_the_budget_of_squares_is_all_that_delta_allows(delta: float) -> None:
    with mp.workdps(250):
        most = (2 * mp.sqrt(2) * mp.erfinv(mpf(delta))) ** 2
        assert most * (1 - mpf(10) ** -6) < squares(0.0, delta) <= most


def test_bounds_hold_at_the_ends_of_the_number_range() -> None:
    assert (exp_up(1e6), exp_up(-math.inf), exp_up(0.0), exp_down(0.0)) == (math.inf, 0.0, 1.0, 1.0)
    assert normal_down(-60.0) == 0 < normal_up(-60.0) < normal_up(60.0) == 1
    assert exp_down(-2000.0) == 0 < exp_up(-2000.0)
    assert exp_down(1e6) == double_down(Fraction(10) ** 400) < double_up(Fraction(10) ** 400)


def test_rationals_are_enclosed_by_neighbouring_doubles() -> None:
    rng = Random(3)
    for _ in range(500):
        value = Fraction(rng.randint(-(10**20), 10**20), rng.randint(1, 10**20))
        low, high = double_interval(value)
        assert Fraction(low) <= value <= Fraction(high)
        assert high in (low, math.nextafter(low, math.inf))
        assert (double_down(value), double_up(value)) == (low, high)


def test_logarithms_are_enclosed() -> None:
    rng = Random(4)
    for _ in range(200):
        ratio = Fraction(rng.randint(1, 10**9), rng.randint(1, 10**9))
        low, high = log_interval(ratio)
        assert low <= mp.log(exact(ratio)) <= high
        assert high - low <= 1e-14 * max(1.0, abs(low))
    assert log_interval(Fraction(1)) == (0.0, 0.0)


def charge_at(mechanism: DescribedMechanism, low: float, high: float, epsilon: float) -> float:
    """The charge of the pair (0, 1) whose loss lies between low and high."""
    domain = Domain.record([0, 1])
    at = np.array([domain.pairs.index((0, 1))])
    account = replace(
        new_account(domain, Budget.of(1, 0)), low=np.full(2, low), high=np.full(2, high)
    )
    ends = (epsilon, epsilon)
    found = [
        float(charge(account, at, one.profile, ends)[0])
        for one in (columns(mechanism, domain), PairByPair(mechanism, domain))
    ]
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("loss", [-3.0, 0.5, 0.999, 1.0, 1.001, 1.7, 9.0])
def test_a_charge_is_the_exact_difference_rounded_up(loss: float) -> None:
    """c = E_x[h(l + L)] - h(l), by quadrature of the definition with 60 digits."""
    epsilon, sigma = 1.0, Fraction(3, 2)

    def h(value: mpf) -> mpf:
        return max(mpf(0), 1 - mp.exp(epsilon - value))

    mean, spread = 1 / (2 * exact(sigma) ** 2), 1 / exact(sigma)
    kink = (epsilon - loss - mean) / spread
    points = sorted({mpf(-14), mpf(14), *([mpf(kink)] if abs(kink) < 14 else [])})
    mean_h = mp.quad(lambda z: h(loss + mean + spread * z) * mp.npdf(z), points)
    bound = charge_at(AddedNoise(Gaussian(sigma)), loss, loss, epsilon)
    truth = mean_h - h(mpf(loss))
    assert truth - mpf(10) ** -25 <= bound <= truth * (1 + TIGHT) + mpf(10) ** -25


def test_an_unknown_loss_is_charged_the_most() -> None:
    mechanism = AddedNoise(Laplace(2))
    unknown = charge_at(mechanism, -math.inf, math.inf, 1.0)
    known = [charge_at(mechanism, v / 8, v / 8, 1.0) for v in range(-8, 24)]
    assert unknown == mechanism.profile(0, 1, 0.0) == max(known)


@pytest.mark.parametrize(
    "noise", [Gaussian(2), Laplace(2), Geometric(Fraction(1, 2)), DiscreteGaussian(4)]
)
def test_a_loss_is_the_exact_log_ratio_enclosed(noise: Any) -> None:
    density: dict[type, Callable[[mpf], mpf]] = {
        Gaussian: lambda z: -z * z / 8,
        DiscreteGaussian: lambda z: -z * z / 8,
        Laplace: lambda z: -abs(z) / 2,
        Geometric: lambda z: -abs(z) / 2,
    }
    for output in range(-9, 10):
        low, high = AddedNoise(noise).loss(1, 3, output)
        truth = density[type(noise)](mpf(output - 1)) - density[type(noise)](mpf(output - 3))
        assert low <= truth <= high


def test_pure_mechanisms_are_charged_as_randomised_response() -> None:
    for claimed, epsilon in [(Fraction(1), 0.0), (Fraction(1, 3), 0.2), (Fraction(3), 2.5)]:
        a, e = mp.exp(exact(claimed)), mp.exp(mpf(epsilon))
        assert (a - e) / (a + 1) <= Pure(claimed).profile(0, 1, epsilon)
        assert mpf(Pure(claimed).profile(0, 1, epsilon)) <= (a - e) / (a + 1) * (1 + TIGHT)
        assert Pure(claimed).profile(0, 1, double_up(claimed)) == 0


def test_a_bounded_mechanism_covers_every_listed_pair() -> None:
    bounded, listed = Bounded(Geometric(Fraction(1, 2)), 2), AddedNoise(Geometric(Fraction(1, 2)))
    for other in (1, 2):
        for output in range(-5, 6):
            assert bounded.loss(0, other, output)[0] <= listed.loss(0, other, output)[0]
            assert bounded.loss(0, other, output)[1] >= listed.loss(0, other, output)[1]
        for epsilon in (0.0, 0.4, 0.9):
            assert bounded.profile(0, 1, epsilon) >= listed.profile(0, other, epsilon)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "2", None])
def test_noise_of_no_width_is_refused_by_name(bad: Any) -> None:
    for family in (Gaussian, Laplace, Geometric, DiscreteGaussian):
        with pytest.raises(MechanismError):
            family(bad)


def test_discrete_noise_refuses_answers_between_whole_numbers() -> None:
    with pytest.raises(MechanismError, match="whole number"):
        DiscreteGaussian(4).profile(Fraction(1, 2), 1.0)
    with pytest.raises(MechanismError, match="whole number"):
        AddedNoise(Geometric(1)).loss(0, 1, 0.5)


@pytest.mark.parametrize(
    ("draw", "weight"),
    [
        (lambda rng: gaussian(Fraction(9, 4), rng), lambda k: math.exp(-k * k / 4.5)),
        (lambda rng: geometric(Fraction(2, 3), rng), lambda k: math.exp(-abs(k) * 2 / 3)),
    ],
)
def test_samplers_draw_from_the_stated_law(
    draw: Callable[[Random], int], weight: Callable[[int], float]
) -> None:
    """Each frequency within Hoeffding's bound that fails with probability below 10⁻⁹ in all."""
    rng, n, reach = Random(11), 12_000, 60
    drawn = [draw(rng) for _ in range(n)]
    total = sum(weight(k) for k in range(-reach, reach + 1))
    allowed = math.sqrt(math.log(2 * 21 / 1e-9) / (2 * n))
    for k in range(-10, 11):
        assert abs(drawn.count(k) / n - weight(k) / total) <= allowed
