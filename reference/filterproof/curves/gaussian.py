"""Repeated Gaussian counts: Proposition 1, its threshold kappa, and the best parameters.

One count is asked again and again, each answer carries N(0, σ²) noise, and two databases whose
counts differ by one are to be told apart.  Under P_x every round's loss is N(1/(2σ²), 1/σ²),
and l(x′,x) = -l(x,x′).  These are the curves of the paper's section on utility: floating-point
numbers that inform a choice.  No decision of the exact reference rests on them.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

Array = NDArray[np.float64]

PRINTED = (48, 5.60e-4, 9.17e-6)
"""The triple (N, delta_tilde, theta) that the paper prints for δ = 10⁻³."""


class SettingError(ValueError):
    """A number that does not describe repeated Gaussian counts."""


@dataclass(frozen=True)
class Setting:
    """A budget (ε, δ), the noise σ, and how many rounds are wanted at most (the paper's N).

    >>> Setting(epsilon=10, sigma=0, delta=1e-3, rounds=48)
    Traceback (most recent call last):
    filterproof.curves.gaussian.SettingError: need 0 < sigma < inf; got sigma=0
    """

    epsilon: float
    sigma: float = 2.0
    delta: float = 1e-3
    rounds: int = 48

    def __post_init__(self) -> None:
        if not 0 < self.sigma < math.inf:
            raise SettingError(f"need 0 < sigma < inf; got sigma={self.sigma}")
        if not 0 <= self.epsilon < math.inf:
            raise SettingError(f"need 0 <= epsilon < inf; got epsilon={self.epsilon}")
        if not 0 < self.delta < 1:
            raise SettingError(f"need 0 < delta < 1; got delta={self.delta}")
        if type(self.rounds) is not int or self.rounds < 1:
            raise SettingError(f"need a whole number of rounds >= 1; got rounds={self.rounds}")

    @property
    def step(self) -> float:
        """The standard deviation 1/σ of one round's loss."""
        return 1 / self.sigma

    @property
    def drift(self) -> float:
        """The mean 1/(2σ²) of one round's loss under P_x."""
        return self.step**2 / 2


# --- what one round costs -------------------------------------------------------------------


def profile(epsilon: Any, mu: float) -> Any:
    """Return δ(ε) of a Gaussian mechanism whose answers differ by μ standard deviations.

    >>> round(float(profile(1.0, 1.0)), 6)
    0.126937
    """
    head = ndtr(mu / 2 - epsilon / mu)
    return head - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))


def smallest_epsilon(delta: float, mu: float) -> float:
    """Return the paper's ε_i(δ_i): the smallest ε >= 0 at which δ(ε) is at most delta."""
    if profile(0.0, mu) <= delta:
        return 0.0
    high = 1.0
    while profile(high, mu) > delta:
        high *= 2
    return float(brentq(lambda e: profile(e, mu) - delta, 0.0, high, xtol=1e-14, rtol=1e-14))


def charge(loss: Any, epsilon: float, mu: float) -> Any:
    """Return the compensator's charge for one round at realised loss l.

    Below ε it is the profile at what is left, δ(ε - l).  Above ε the same difference
    δ(ε - l) - (1 - e^{ε-l}) equals e^{ε-l}·δ(l - ε), which loses no digits.
    """
    distance = np.abs(loss - epsilon)
    return profile(distance, mu) * np.exp(-np.maximum(loss - epsilon, 0.0))


# --- Proposition 1 --------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameters:
    """The triple (N, δ̃, θ) that Algorithm 1 must be given before it starts."""

    N: int
    delta_tilde: float
    theta: float

    def cost(self) -> float:
        """Return δ̃ + θ(1-δ̃)N, which the paper requires to be at most δ."""
        return self.delta_tilde + self.theta * (1 - self.delta_tilde) * self.N


def kappa(setting: Setting, parameters: Parameters) -> float:
    """Return κ of `prop: equiv condition`: y_{i+1} is released iff every l^(i-1) <= κ (i >= 1).

    >>> chosen = best_parameters(Setting(epsilon=10))
    >>> printed = kappa(Setting(epsilon=10), Parameters(*PRINTED))
    >>> f"{printed:.4f}, and {kappa(Setting(epsilon=10), chosen) - printed:.1e} more at the best"
    '5.9786, and 2.2e-05 more at the best'
    """
    quantiles = ndtri(parameters.delta_tilde) + ndtri(parameters.theta)
    return float(setting.epsilon - setting.step**2 + setting.step * quantiles)


def first_round_opens(setting: Setting, parameters: Parameters) -> bool:
    """Return whether y_1 is released: P_x(L_1 > ε) <= δ̃, because Y_0 is fixed.

    Neither θ nor κ enters.  Where this fails, T = 0; where it holds and κ < 0, T = 1.
    """
    overshoot = ndtr((setting.drift - setting.epsilon) / setting.step)
    return bool(overshoot <= parameters.delta_tilde)


def best_parameters(setting: Setting, *, sharp: bool = False) -> Parameters:
    """Return the (δ̃, θ) that maximise κ for the setting's N and δ.

    With `sharp` the constraint is (1-δ̃)(1-θ)^(N-1) >= 1-δ instead of the paper's.  For N = 1 no
    second output is ever released, so all of δ goes to the first round.

    >>> found = best_parameters(Setting(epsilon=10))
    >>> f"{found.delta_tilde:.3e} {found.theta:.3e}"
    '5.608e-04 9.155e-06'
    """
    N, delta = setting.rounds, setting.delta
    if N == 1:
        return Parameters(1, delta, 0.0)
    theta = _sharp_theta if sharp else _paper_theta

    def slope(delta_tilde: float) -> float:
        value, derivative = theta(delta_tilde, delta, N)
        return _inverse_density(delta_tilde) + derivative * _inverse_density(value)

    margin = 1e-9 * delta
    delta_tilde = float(brentq(slope, margin, delta - margin, xtol=1e-18, rtol=1e-14))
    return Parameters(N, delta_tilde, theta(delta_tilde, delta, N)[0])


def _paper_theta(delta_tilde: float, delta: float, N: int) -> tuple[float, float]:
    """Return the largest θ with δ̃ + θ(1-δ̃)N <= δ, and its derivative in δ̃."""
    kept = 1 - delta_tilde
    return (delta - delta_tilde) / (N * kept), -(1 - delta) / (N * kept**2)


def _sharp_theta(delta_tilde: float, delta: float, N: int) -> tuple[float, float]:
    """Return the largest θ with (1-δ̃)(1-θ)^(N-1) >= 1-δ, and its derivative in δ̃."""
    theta = -math.expm1((math.log1p(-delta) - math.log1p(-delta_tilde)) / (N - 1))
    return theta, -(1 - theta) / ((N - 1) * (1 - delta_tilde))


def _inverse_density(p: float) -> float:
    """Return 1/φ(z) at the p-quantile z: minus the slope of Φ⁻¹(1-p)."""
    return math.sqrt(2 * math.pi) * math.exp(float(ndtri(p)) ** 2 / 2)
