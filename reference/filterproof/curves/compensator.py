"""Survival curves of two filters that pay at the realised loss, on repeated Gaussian counts.

Round i runs iff neither direction's costs c_1 + ... + c_i exceed a budget.  The compensator pays
its charges from δ.  The naive product lets the product of the 1 - b_j fall to 1 - δ, b_j the risk
that round j exceeds ε: it pays -log(1 - b_j) from -log(1 - δ).

The state before a round is the realised loss l and what is left for (x,x′) and for (x′,x).  Instead
of the amount left, the grid carries the highest loss z that it could still pay for, c(z) = amount
left: losses and budgets then share one grid, the edge of the region that may run is its diagonal,
and costs that differ by ten orders of magnitude are a few steps apart.

Value iteration on that grid gives P(T >= t) for every t in one pass.  Three grids, each half as
wide as the one before, are extrapolated (Aitken); the distance from the finest of them to the
extrapolated curve is reported as the error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, log1p
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from filterproof.curves.gaussian import Array, Setting, charge
from filterproof.curves.survival import ROUNDING, Curve, density, fixed_stop

RESOLUTION = 10
"""Grid points per standard deviation of one round's loss, on the finest grid."""

MAX_CELLS = 800_000
"""How many cells the finest grid may have; a larger problem gets a coarser grid."""

NEGLIGIBLE = 1e-7
"""The part of δ below which what is left is counted as nothing."""


@dataclass(frozen=True)
class Rule:
    """What a round costs at a loss, what there is to spend, up to which loss a cost rises."""

    name: str
    cost: Callable[[Any, Setting], Any]
    budget: Callable[[Setting], float]
    rises_to: Callable[[Setting], float]


def overshoot(loss: Any, setting: Setting) -> Any:
    """Return -log(1 - b), b the risk that a round at this loss exceeds ε."""
    return -log_ndtr((setting.epsilon - loss - setting.drift) / setting.step)


CHARGES = Rule(
    "compensator",
    lambda loss, setting: charge(loss, setting.epsilon, setting.step),
    lambda setting: setting.delta,
    lambda setting: setting.epsilon,
)
RISKS = Rule("naive product", overshoot, lambda setting: -log1p(-setting.delta), lambda _: inf)


def compensator(setting: Setting, resolution: int = RESOLUTION) -> Curve:
    """Return P(T >= t) of the compensator filter, with an error estimate.

    >>> f"{compensator(Setting(epsilon=2, rounds=8), 8).expected:.1f}"
    '3.1'
    """
    return _curve_of_rule(CHARGES, setting, resolution)


def naive_product(setting: Setting, resolution: int = RESOLUTION) -> Curve:
    """Return P(T >= t) of the naive product, with an error estimate.

    >>> f"{naive_product(Setting(epsilon=2, rounds=8), 8).expected:.1f}"
    '1.7'
    """
    return _curve_of_rule(RISKS, setting, resolution)


def _curve_of_rule(rule: Rule, setting: Setting, resolution: int) -> Curve:
    if rule.cost(0.0, setting) > rule.budget(setting):
        return fixed_stop(rule.name, 0, setting.rounds)
    cells = _affordable(rule, setting, resolution)
    coarse, middle, fine = (_survival(rule, setting, cells * factor) for factor in (1, 2, 4))
    limit = np.clip(fine + _remainder(coarse, middle, fine), 0.0, 1.0)
    error = float(np.max(np.abs(limit - fine))) + ROUNDING
    return Curve(rule.name, tuple(map(float, np.minimum.accumulate(limit))), error)


def _remainder(coarse: Array, middle: Array, fine: Array) -> Array:
    """Return what is left of a geometric convergence, its ratio taken over the whole curve."""
    last, before = fine - middle, middle - coarse
    if not np.any(last):
        return last
    ratio = float(np.clip(np.sum(before) / np.sum(last), 1.5, 4.0)) if np.sum(last) else 4.0
    return last / (ratio - 1)


# --- the grid -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """Evenly spaced losses, and the budgets z among them (up to the full one)."""

    rule: Rule
    setting: Setting
    width: float
    budgets: Array
    losses: Array


def _amount(z: Any, rule: Rule, setting: Setting) -> Any:
    """Return the budget that z stands for: c(z) while c rises, and then a straight line."""
    top = rule.rises_to(setting)
    below = rule.cost(np.minimum(z, top), setting)
    if not isfinite(top):
        return below
    return below + rule.cost(top, setting) * np.maximum(z - top, 0.0) / setting.step


def _mark(amount: float, rule: Rule, setting: Setting) -> float:
    """Return the z that stands for an amount."""
    low, high = setting.epsilon - setting.step, setting.epsilon + setting.step
    while _amount(low, rule, setting) > amount:
        low -= setting.step
    while _amount(high, rule, setting) < amount:
        high += setting.step
    return float(brentq(lambda z: _amount(z, rule, setting) - amount, low, high))


def _ends(rule: Rule, setting: Setting) -> tuple[float, float, float]:
    """Return the highest and the lowest budget mark, and the highest loss worth a node."""
    top = _mark(rule.budget(setting), rule, setting)
    bottom = _mark(rule.budget(setting) * NEGLIGIBLE, rule, setting)
    falls = rule.rises_to(setting) < inf
    return (
        top,
        bottom,
        (max(top, 2 * setting.epsilon - bottom) if falls else top) + 4 * setting.step,
    )


def _affordable(rule: Rule, setting: Setting, resolution: int) -> int:
    """Return how many cells of the coarsest grid lie between -top and top."""
    top, bottom, highest = _ends(rule, setting)
    while resolution > 4:
        per = resolution / setting.step
        if 2 * highest * per * ((top - bottom) * per) ** 2 <= MAX_CELLS:
            break
        resolution -= 1
    return max(1, round(2 * top * resolution / setting.step / 4))


def _grid(rule: Rule, setting: Setting, cells: int) -> _Grid:
    top, bottom, highest = _ends(rule, setting)
    width = min(2 * top / cells, setting.step) if top > 0 else setting.step / 4
    below = int((top - bottom) / width) + 1
    above = int((highest - top) / width) + 1
    budgets = top + width * np.arange(-below, 1, dtype=np.float64)
    losses = top + width * np.arange(-(cells + above), above + 1, dtype=np.float64)
    return _Grid(rule, setting, width, budgets, losses)


# --- one round ------------------------------------------------------------------------------


def _survival(rule: Rule, setting: Setting, cells: int) -> Array:
    """Return P(T >= t), t = 1..N, on one grid."""
    grid = _grid(rule, setting, cells)
    spend, last = _budgets_after(grid, grid.losses)
    spend_back, last_back = _budgets_after(grid, -grid.losses)
    move, start = _moves(grid), grid.width * density(grid.losses, setting)
    opening = _budgets_after(grid, np.zeros(1))[0][0, -1]
    values = last[:, :, None] * last_back[:, None, :]
    curve = [1.0]
    for _ in range(setting.rounds - 1):
        curve.append(float(opening @ np.tensordot(start, values, 1) @ opening))
        after = np.tensordot(move, values, 1)
        values = spend @ after @ spend_back.transpose(0, 2, 1)
    return np.array(curve)


def _budgets_after(grid: _Grid, losses: Array) -> tuple[Array, Array]:
    """Return how budgets change when a round at each loss is paid, and which may pay at all.

    The first array interpolates between budget marks (rows: before, columns: after).  A node on
    the edge of the region counts half, as the end of a trapezoidal rule does.
    """
    amounts = _amount(grid.budgets, grid.rule, grid.setting)
    left = amounts[None, :] - grid.rule.cost(losses, grid.setting)[:, None]
    top = grid.rule.rises_to(grid.setting)
    edge = np.abs(losses[:, None] - np.minimum(grid.budgets, top)[None, :])
    on_edge = edge < grid.width / 4
    last = np.where(on_edge & (np.abs(left) <= 1e-6 * amounts), 0.5, left >= 0)
    return _interpolation(grid, left) * last[:, :, None], last


def _interpolation(grid: _Grid, left: Array) -> Array:
    marks = np.linspace(grid.budgets[0], grid.budgets[-1], 4001)
    logs = np.log(_amount(marks, grid.rule, grid.setting))
    tiny = _amount(grid.budgets[:1], grid.rule, grid.setting)[0]
    place = np.interp(np.log(np.maximum(left, tiny)), logs, marks)
    place = np.clip((place - grid.budgets[0]) / grid.width, 0, len(grid.budgets) - 1)
    lower = np.minimum(place.astype(int), len(grid.budgets) - 2)
    weight = np.where(left > tiny, 1.0, 0.0)
    found = np.zeros((*left.shape, len(grid.budgets)))
    np.put_along_axis(found, lower[..., None], (weight * (1 - place + lower))[..., None], 2)
    np.put_along_axis(found, lower[..., None] + 1, (weight * (place - lower))[..., None], 2)
    return found


def _moves(grid: _Grid) -> Array:
    """Return the transition weights of the loss; what leaves the grid waits at its ends."""
    losses, setting = grid.losses, grid.setting
    weights = grid.width * density(losses[None, :] - losses[:, None], setting)
    below = losses[0] - grid.width / 2 - losses - setting.drift
    above = losses + setting.drift - losses[-1] - grid.width / 2
    weights[:, 0] += ndtr(below / setting.step)
    weights[:, -1] += ndtr(above / setting.step)
    return weights
