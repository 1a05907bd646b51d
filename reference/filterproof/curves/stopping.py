"""How long the mechanism-level filters run on repeated Gaussian counts.

With equal rounds each of them stops after a fixed number of rounds.  As in the appendix
`section: appendix MLST`, the free parameters (ε_i, δ_i, δ′ and the order α) are chosen for that
very sequence, so that each filter runs as long as it ever could.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from filterproof.curves.gaussian import Array, Setting, profile

Fits = Callable[[Setting, int], bool]
"""Whether t rounds stay within the budget, for the best parameters."""

CAP = 1_000_000
"""The largest number of rounds that is looked for."""

GRID, SHARES = 4000, 60
"""How many candidates for ε_i, and for δ′ where it is free too, are tried for the best one."""


def longest(fits: Fits, setting: Setting) -> int:
    """Return the largest t that fits, by doubling and halving (fitting is monotone in t).

    >>> longest(additive, Setting(epsilon=10)), longest(exact_gdp, Setting(epsilon=10))
    (6, 24)
    """
    if not fits(setting, 1):
        return 0
    low, high = 1, 2
    while high <= CAP and fits(setting, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(setting, middle) else (low, middle)
    return low


def additive(setting: Setting, t: int) -> bool:
    """Basic composition: t·ε_i <= ε with t·δ_i <= δ."""
    return bool(t * profile(setting.epsilon / t, setting.step) <= setting.delta)


def exact_gdp(setting: Setting, t: int) -> bool:
    """Gaussian DP: t rounds of μ_i = 1/σ are one round of μ = √t/σ."""
    return bool(profile(setting.epsilon, math.sqrt(t) * setting.step) <= setting.delta)


def rdp(setting: Setting, t: int) -> bool:
    """Mironov's conversion at the best order: tα/(2σ²) + log(1/δ)/(α-1) <= ε."""
    rho = t * setting.drift
    best = rho + 2 * math.sqrt(rho * math.log(1 / setting.delta))
    return best <= setting.epsilon


def rdp_tight(setting: Setting, t: int) -> bool:
    """Canonne, Kamath and Steinke's conversion at the best order."""
    rho = t * setting.drift

    def epsilon(log_excess: float) -> float:
        excess = math.exp(log_excess)
        order = 1 + excess
        tail = math.log(excess / order) - (math.log(setting.delta) + math.log(order)) / excess
        return rho * order + tail

    found = minimize_scalar(epsilon, bounds=(-14.0, 14.0), method="bounded")
    return bool(found.fun <= setting.epsilon)


def whitehouse(setting: Setting, t: int) -> bool:
    """Whitehouse et al.: √(2 log(1/δ′) Σε_i²) + Σε_i²/2 <= ε with δ′ + Σδ_i <= δ."""
    each = _candidates(setting)
    slack = setting.delta - t * profile(each, setting.step)
    each, slack = each[slack > 0], slack[slack > 0]
    squares = t * each**2
    return bool(np.any(np.sqrt(2 * np.log(1 / slack) * squares) + squares / 2 <= setting.epsilon))


def advanced_original(setting: Setting, t: int) -> bool:
    """Rogers et al., Theorem 5.1 as they state it: 0 < δ < 1/e and Σδ_i <= δ/2."""
    if setting.delta >= math.exp(-1):
        return False
    each = _candidates(setting)
    each = each[t * profile(each, setting.step) <= setting.delta / 2]
    return bool(np.any(_advanced_sum(each, t, setting.epsilon, setting.delta) <= setting.epsilon))


def advanced_printed(setting: Setting, t: int) -> bool:
    """The paper's `eq: advanced f`, whose test of the δ_i is not sound in general.

    Both ε_i and δ′ are free, so the minimum is taken over a grid of pairs.
    """
    each = _candidates(setting)
    slack = setting.delta - 2 * t * profile(each, setting.step) / (each * np.exp(each))
    each, slack = each[slack > 0], slack[slack > 0]
    shares = np.geomspace(1e-6, 1.0, SHARES)
    reach = _advanced_sum(each[:, None], t, setting.epsilon, slack[:, None] * shares)
    return bool(np.any(reach <= setting.epsilon))


def _candidates(setting: Setting) -> Array:
    """Return values of ε_i to choose from: none above ε is of use in any of the formulas."""
    grid = np.linspace(0.0, setting.epsilon, GRID + 1)
    return grid[grid > 0]


def _advanced_sum(each: Array, t: int, epsilon: float, delta: object) -> Array:
    """Return the left-hand side of `eq: advanced f` for t rounds of ε_i = each."""
    log_inverse = np.log(1 / np.asarray(delta))
    squares = t * each**2
    room = epsilon**2 / (28.04 * log_inverse)
    spread = 2 * (squares + room) * (1 + np.log1p(squares / room) / 2) * (log_inverse + np.log(2))
    reach: Array = t * each * np.expm1(each) / 2 + np.sqrt(spread)
    return reach


FILTERS: dict[str, Fits] = {
    "additive": additive,
    "advanced (printed)": advanced_printed,
    "advanced (original)": advanced_original,
    "RDP": rdp,
    "RDP, tight conversion": rdp_tight,
    "Whitehouse": whitehouse,
    "exact GDP": exact_gdp,
}
"""Every mechanism-level filter by the name it has in the table."""
