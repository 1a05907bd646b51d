"""Survival curves P(T >= t) of realisation-level filters on repeated Gaussian counts.

Algorithm 1 and the naive rule keep going while the realised loss stays within [-κ, κ].  The
density of the loss on that interval is carried from round to round by Gauss-Legendre
quadrature.  The density is entire, so the error falls faster than any power of the number of
nodes; the same curve on a coarser rule measures it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from filterproof.curves.gaussian import (
    Array,
    Parameters,
    Setting,
    best_parameters,
    first_round_opens,
    kappa,
)

ROUNDING = 1e-13
"""What floating-point rounding may add to a probability, on top of the quadrature's error."""


@dataclass(frozen=True)
class Curve:
    """A filter's survival: `survival[t-1]` is P(T >= t), for t = 1, 2, ..., N.

    `error` bounds, by estimate, how far each value is from the truth.
    """

    name: str
    survival: tuple[float, ...]
    error: float = 0.0

    @property
    def expected(self) -> float:
        """The expected number of rounds, E[min(T, N)]."""
        return sum(self.survival)

    @property
    def expected_error(self) -> float:
        """How far `expected` may be off: every value's error at once."""
        return self.error * len(self.survival)


def fixed_stop(name: str, stop: int, rounds: int) -> Curve:
    """Return the curve of a filter that stops after `stop` rounds whatever is released."""
    return Curve(name, tuple(1.0 if t <= stop else 0.0 for t in range(1, rounds + 1)))


def algorithm1(setting: Setting, parameters: Parameters | None = None) -> Curve:
    """Return P(T >= t) of Algorithm 1: the loss stayed within κ in rounds 1 to t-2.

    The test for y_{t} is made before y_{t-1} is seen, hence t-2.  κ < 0 gives T = 1, and a
    first round that does not open gives T = 0.

    >>> f"{algorithm1(Setting(epsilon=10)).expected:.2f}"
    '39.41'
    """
    chosen = parameters or best_parameters(setting)
    limit, wanted = kappa(setting, chosen), min(setting.rounds, chosen.N)
    if not first_round_opens(setting, chosen):
        return fixed_stop("Algorithm 1", 0, setting.rounds)
    if limit < 0:
        return fixed_stop("Algorithm 1", min(1, wanted), setting.rounds)
    stays, error = stay_within(limit, setting, max(wanted - 2, 0))
    return _curve_with_zeros("Algorithm 1", [1.0, *stays][:wanted], setting.rounds, error)


def naive(setting: Setting) -> Curve:
    """Return P(T >= t) of the naive rule run at δ/N, which a union bound makes sound.

    Round i runs iff P(L_i > ε - l^(i-1)) <= δ/N: the losses of rounds 0 to t-1 stay within the
    rule's own threshold.
    """
    name = "naive at delta/N"
    quantile = float(ndtri(setting.delta / setting.rounds))
    limit = setting.epsilon - setting.drift + setting.step * quantile
    if limit < 0:
        return fixed_stop(name, 0, setting.rounds)
    stays, error = stay_within(limit, setting, setting.rounds - 1)
    return Curve(name, tuple(stays), error)


def stay_within(limit: float, setting: Setting, rounds: int) -> tuple[list[float], float]:
    """Return P(|L^(1)|, ..., |L^(k)| <= limit) for k = 0..rounds, and an error estimate."""
    nodes = 32 + int(6 * limit / setting.step)
    coarse = _share_that_stays(limit, setting, rounds, nodes)
    fine = _share_that_stays(limit, setting, rounds, 2 * nodes)
    error = max(abs(a - b) for a, b in zip(coarse, fine, strict=True))
    return fine, error + ROUNDING


def _share_that_stays(limit: float, setting: Setting, rounds: int, nodes: int) -> list[float]:
    if limit == 0:
        return [1.0] + [0.0] * rounds
    points, weights = np.polynomial.legendre.leggauss(nodes)
    points, weights = points * limit, weights * limit
    transition = density(points[None, :] - points[:, None], setting) * weights[:, None]
    now = density(points, setting)
    stays = [1.0]
    for _ in range(rounds):
        stays.append(float(weights @ now))
        now = now @ transition
    return stays


def density(change: Array, setting: Setting) -> Array:
    """Return the density under P_x of one round's loss."""
    scaled = (change - setting.drift) / setting.step
    found: Array = np.exp(-(scaled**2) / 2) / (setting.step * np.sqrt(2 * np.pi))
    return found


def _curve_with_zeros(name: str, values: list[float], rounds: int, error: float) -> Curve:
    return Curve(name, (*values, *[0.0] * (rounds - len(values))), error)
