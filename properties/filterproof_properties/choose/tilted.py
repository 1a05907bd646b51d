"""The tilted filter on a workload: mean rounds over seeded plays, its sums taken over a grid.

The rule of thumb for its purses: three fifths of δ at order 2, which is as good as the compensator
on few databases; two fifths follow the curve of Gaussian accounting, which is best on many.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import log_ndtr

from filterproof_properties.choose.filters import Row
from filterproof_properties.choose.losses import Array
from filterproof_properties.choose.plays import (
    Group,
    Workload,
    charges,
    pairs_by_loss,
    simulated_losses,
)

ORDER, SHARE = 2.0, 0.6
"""The order of the first purse, and its part of δ; the Gaussian one has the rest."""
CELLS = 60_000
"""So many paths times pairs are played at most: each of them is a sum over a grid every round."""
LEAST, STEPS = 16, 45
LARGEST = 500.0
"""Exponents are cut there: budgets are cut at 1 long before."""
TINY = 1e-300
"""Nothing is divided by less."""
ROUNDING = 1e-12
"""Where all is lost, budget and need are both 1 up to rounding."""


def tilted_row(work: Workload, paths: int, seed: int) -> Row:
    """Return the tilted filter's mean rounds on a workload, with the purses that it had."""
    count = min(paths, max(LEAST, CELLS // (len(work.domain.pairs) * len(work.questions))))
    rounds = rounds_run(work, count, seed)
    purses = f"{SHARE:g} at order {ORDER:g}, {1 - SHARE:g} Gaussian"
    error = 3.3 * float(np.std(rounds)) / math.sqrt(count)
    return Row("tilted", purses, float(np.mean(rounds)), error)


def rounds_run(work: Workload, paths: int, seed: int) -> Array:
    """Return how many rounds each path runs."""
    shape = paths, len(work.domain.pairs)
    budget, before = np.full(shape, work.delta), np.zeros(shape)
    purses, going = np.tile([SHARE, 1 - SHARE], (*shape, 1)), np.full(paths, True)
    factor, ran, squares = np.zeros(shape), np.zeros(paths), squares_left(work)
    for i, losses in enumerate(simulated_losses(work, paths, seed)):
        if i:
            part = purses * tilts(work, i - 1, before, losses - before, squares)
            total = part.sum(axis=2)
            lost = overshoot(losses, work.epsilon)
            budget = np.minimum(1.0, np.maximum(lost, factor * total))
            purses = part / np.maximum(total, TINY)[..., None]
        needed = charges(work, work.questions[i], losses) + overshoot(losses, work.epsilon)
        going = going & np.all(needed <= budget * (1 + ROUNDING), axis=1)
        ran = ran + going
        if not going.any():
            break
        factor, before = factors(work, i, losses, budget, purses, squares), losses
    return ran


def squares_left(work: Workload) -> Array:
    """Return what Gaussian accounting at its part of δ has left of μ² before each round, and after.

    The last round that has no room for it takes all.
    """
    spent = np.cumsum([0.0, *(loss.mu() ** 2 for loss in work.plan().rounds)])
    part = work.delta * (1 - SHARE)
    low, high = 0.0, 1.0 + 40.0 * (1.0 + work.epsilon)
    for _ in range(2 * STEPS):
        middle = (low + high) / 2
        fits = curve(middle, np.array(work.epsilon)) <= part
        low, high = (middle, high) if fits else (low, middle)
    found: Array = np.maximum(0.0, low - spent)
    return found


def curve(square: float, epsilon: Array) -> Array:
    """Return δ(ε) of √square-GDP, at any ε; 1 - e^ε above 0 where the square is 0."""
    if not square:
        return np.maximum(0.0, -np.expm1(np.minimum(epsilon, LARGEST)))
    mu = math.sqrt(square)
    above = log_ndtr(mu / 2 - epsilon / mu)
    below = epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    found: Array = -np.exp(above) * np.expm1(np.minimum(below - above, 0.0))
    return found


def overshoot(losses: Array, epsilon: float) -> Array:
    """Return h(l) = max(0, 1 - e^(ε-l))."""
    return np.maximum(0.0, -np.expm1(np.minimum(epsilon - losses, LARGEST)))


def tilts(work: Workload, i: int, before: Array, told: Array, squares: Array) -> Array:
    """Return both purses' tilts after round i for every path and pair: 1 on average."""
    found = np.ones((*told.shape, 2))
    for group in pairs_by_loss(work.domain, work.questions[i]):
        columns = list(group.columns)
        for column in columns:
            here, new = before[:, [column]], told[:, [column]]
            pair = both(work, i, group, here, new, squares)
            found[:, column] = np.concatenate(pair, axis=1)
    return found


def both(
    work: Workload, i: int, group: Group, before: Array, told: Array, squares: Array
) -> tuple[Array, Array]:
    """Return the tilt by a power and that by the curve, each over its mean."""
    values, chances = group.loss.grid()
    power = np.exp(np.minimum((ORDER - 1) * told - _mean(group), LARGEST)) + 0.0 * before
    if not squares[i + 1]:
        return power, np.ones_like(power)
    shape = curve(squares[i + 1], work.epsilon - before - told)
    mean = curve(squares[i + 1], work.epsilon - before - values) @ chances
    return power, np.maximum(shape, TINY) / np.maximum(mean, TINY)[:, None]


def _mean(group: Group) -> float:
    return float((ORDER - 1) * group.loss.renyi(np.array([ORDER]))[0])


def factors(
    work: Workload, i: int, losses: Array, budget: Array, purses: Array, squares: Array
) -> Array:
    """Return k with E_x[min(1, max(h(l + L), k·T))] = b, by bisection."""
    found = np.array(budget)
    for group in pairs_by_loss(work.domain, work.questions[i]):
        values, chances = group.loss.grid()
        for column in group.columns:
            before = losses[:, [column]]
            here = overshoot(before + values, work.epsilon)
            power, shape = both(work, i, group, before, values[None, :], squares)
            mixed = purses[:, [column], 0] * power + purses[:, [column], 1] * shape
            found[:, column] = _largest_within(budget[:, column], here, mixed, chances)
    return found


def _largest_within(budget: Array, lost: Array, tilt: Array, chances: Array) -> Array:
    """Return the largest k whose mean stays within the budget; the mean rises with k."""
    low, high = np.full(len(budget), -LARGEST), np.full(len(budget), LARGEST / 4)
    for _ in range(STEPS):
        middle = (low + high) / 2
        share = np.minimum(np.exp(middle)[:, None] * tilt, 1.0)
        fits = np.maximum(lost, share) @ chances <= budget
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    found: Array = np.exp(low)
    return found


def tilted_rows(work: Workload, names: set[str], paths: int, seed: int) -> Iterator[Row]:
    """Yield the row of the tilted filter, if there is a δ to share out and no loss is infinite."""
    bounded = all(math.isfinite(loss.mu()) for loss in work.plan().rounds)
    if "tilted" in names and work.delta and bounded:
        yield tilted_row(work, paths, seed)
