"""Classical composition of repeated Gaussian counts, beside which the filters stand.

Every figure here answers "how many rounds fit, if their number and kind are fixed in advance?".
None of them is a filter: used round by round on mechanisms that depend on earlier answers, an
accountant of this kind may be broken.  Each baseline says in which direction it errs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import ndtr

from filterproof.curves.gaussian import Setting, profile
from filterproof.curves.stopping import GRID, additive, exact_gdp, longest, rdp_tight

CELLS = 2**12
"""How many cells of privacy loss the discretised composition uses for one round at most."""

ALL_CELLS = 2**22
"""How many cells it uses for all rounds together; many rounds get wider cells."""


@dataclass(frozen=True)
class Baseline:
    """A composition theorem or accountant: its name, how it errs, and whether t rounds fit."""

    name: str
    error: str
    fits: Callable[[Setting, int], bool]


def advanced_composition(setting: Setting, t: int) -> bool:
    """Dwork, Rothblum and Vadhan: ε = √(2t log(1/δ′))·ε_i + tε_i(e^ε_i - 1), δ = δ′ + tδ_i."""
    each = np.linspace(0.0, setting.epsilon, GRID + 1)
    each = each[each > 0]
    slack = setting.delta - t * profile(each, setting.step)
    each, slack = each[slack > 0], slack[slack > 0]
    reach = np.sqrt(2 * t * np.log(1 / slack)) * each + t * each * np.expm1(each)
    return bool(np.any(reach <= setting.epsilon))


def discretised_delta(setting: Setting, t: int) -> float:
    """Return an upper bound of δ after t rounds, by FFT on a grid of privacy losses.

    The loss of one round is rounded up to the grid, its upper tail counted as infinite loss, and
    the array is long enough for the whole sum, so nothing wraps around.  Each of these raises δ;
    so does the allowance for the rounding errors of the transform that is added at the end.

    >>> setting = Setting(epsilon=10)
    >>> exact = float(profile(10, 24**0.5 * setting.step))
    >>> exact <= discretised_delta(setting, 24) <= 1.05 * exact
    True
    """
    cells = min(CELLS, max(ALL_CELLS // t, 16))
    reach = 8.0 + math.sqrt(2 * math.log(t + 1))
    edges = setting.drift + setting.step * np.linspace(-reach, reach, cells + 1)
    mass = np.diff(ndtr((edges - setting.drift) / setting.step), prepend=0.0)
    infinite = -math.expm1(t * math.log1p(-float(ndtr(-reach))))
    length = t * cells + 1
    size = next_fast_len(length, real=True)
    composed = irfft(rfft(mass, size) ** t, size)[:length]
    losses = t * edges[0] + (edges[1] - edges[0]) * np.arange(length)
    gain = -np.expm1(np.minimum(setting.epsilon - losses, 0.0))
    allowance = 1e-15 * t * math.log2(size)
    return float(np.maximum(composed, 0.0) @ gain) + infinite + allowance


def saddle_point_delta(setting: Setting, t: int) -> float:
    """Return the first-order saddle-point approximation of δ after t rounds (Alghamdi et al.).

    δ is a contour integral of e^F with F(z) = K(z) - εz - log z - log(1+z), K the cumulant
    generating function of the loss; the answer is e^F/√(2πF″) at the saddle.

    >>> setting = Setting(epsilon=10)
    >>> exact = float(profile(10, 24**0.5 * setting.step))
    >>> f"{saddle_point_delta(setting, 24) / exact:.3f}"
    '0.996'
    """
    mean = t * setting.drift

    def slope(z: float) -> float:
        return mean * (1 + 2 * z) - setting.epsilon - 1 / z - 1 / (1 + z)

    saddle = float(brentq(slope, 1e-12, (setting.epsilon + 4) / mean + 4, xtol=1e-14))
    height = mean * (saddle + saddle**2) - setting.epsilon * saddle
    height -= math.log(saddle) + math.log1p(saddle)
    curvature = 2 * mean + saddle**-2 + (1 + saddle) ** -2
    return math.exp(height) / math.sqrt(2 * math.pi * curvature)


def _within(delta: Callable[[Setting, int], float]) -> Callable[[Setting, int], bool]:
    return lambda setting, t: delta(setting, t) <= setting.delta


BASELINES = (
    Baseline("basic composition", "upper bound", additive),
    Baseline("advanced composition", "upper bound", advanced_composition),
    Baseline("RDP, order chosen afterwards", "upper bound", rdp_tight),
    Baseline("FFT on a loss grid", "upper bound", _within(discretised_delta)),
    Baseline("saddle point", "approximation, either side", _within(saddle_point_delta)),
    Baseline("exact (Gaussian DP)", "exact", exact_gdp),
)
"""The classical methods the paper cites, each a composition and not a filter."""


def composition_rows(setting: Setting) -> list[tuple[str, str, int]]:
    """Return (name, "composition, not a filter; <error>", rounds that fit) per baseline."""
    return [
        (one.name, f"composition, not a filter; {one.error}", longest(one.fits, setting))
        for one in BASELINES
    ]
