"""The tilted filter on a workload: mean rounds over seeded plays, its sums taken over a grid.

The rule of thumb for its purses: order 2, which is as good as the compensator on few databases, has
two fifths of δ; the order at which Rényi accounting fits best on this very plan has the rest.
"""

import math
from collections.abc import Iterator

import numpy as np

from filterproof_properties.choose.filters import CANDIDATES, Plan, Row, longest, rdp
from filterproof_properties.choose.losses import Array
from filterproof_properties.choose.plays import Workload, charges, grouped, played

SMALL, SHARE = 2.0, 0.4
"""The order of the first purse, and its part of δ."""
CELLS = 60_000
"""So many paths times pairs are played at most: each of them is a sum over a grid every round."""
LEAST, STEPS = 16, 45
LARGEST = 500.0
"""Exponents are cut there: budgets are cut at 1 long before."""
ROUNDING = 1e-12
"""Where all is lost, budget and need are both 1 up to rounding."""


def tilted_row(work: Workload, paths: int, seed: int) -> Row:
    """Return the tilted filter's mean rounds on a workload, with the purses that it had."""
    orders, weights = np.array([SMALL, best_order(work.plan())]), np.array([SHARE, 1 - SHARE])
    count = min(paths, max(LEAST, CELLS // (len(work.domain.pairs) * len(work.questions))))
    rounds = rounds_run(work, orders, weights, count, seed)
    purses = ", ".join(f"{w:g} at order {a:.3g}" for a, w in zip(orders, weights, strict=True))
    error = 3.3 * float(np.std(rounds)) / math.sqrt(count)
    return Row("tilted", purses, float(np.mean(rounds)), error)


def best_order(plan: Plan) -> float:
    """Return the order at which ε converted from Rényi is smallest, one round after it stops."""
    stop = min(longest(rdp, plan)[1] + 1, len(plan.rounds))
    excess = np.geomspace(1e-2, 1e3, 4 * CANDIDATES)
    total = sum((loss.renyi(1 + excess) for loss in plan.rounds[:stop]), np.zeros(len(excess)))
    tail = np.log(excess / (1 + excess)) - (math.log(plan.delta) + np.log1p(excess)) / excess
    return 1 + float(excess[int(np.argmin(total + tail))])


def rounds_run(work: Workload, orders: Array, weights: Array, paths: int, seed: int) -> Array:
    """Return how many rounds each path runs."""
    shape = paths, len(work.domain.pairs)
    budget, before = np.full(shape, work.delta), np.zeros(shape)
    purses, going, ran = np.tile(weights, (*shape, 1)), np.full(paths, True), np.zeros(paths)
    factor = np.zeros(shape)
    for i, losses in enumerate(played(work, paths, seed)):
        if i:
            told = tilts(work, i - 1, losses - before, orders)
            part = purses * told
            total = part.sum(axis=2)
            lost = overshoot(losses, work.epsilon)
            budget = np.minimum(1.0, np.maximum(lost, factor * total))
            purses = part / np.maximum(total, 1e-300)[..., None]
        needed = charges(work, work.questions[i], losses) + overshoot(losses, work.epsilon)
        going = going & np.all(needed <= budget * (1 + ROUNDING), axis=1)
        ran = ran + going
        if not going.any():
            break
        factor, before = factors(work, i, losses, budget, purses, orders), losses
    return ran


def overshoot(losses: Array, epsilon: float) -> Array:
    """Return h(l) = max(0, 1 - e^(ε-l))."""
    return np.maximum(0.0, -np.expm1(np.minimum(epsilon - losses, LARGEST)))


def tilts(work: Workload, i: int, told: Array, orders: Array) -> Array:
    """Return e^((α-1)L) over its mean for every path, pair and order."""
    found = np.ones((*told.shape, len(orders)))
    for group in grouped(work.domain, work.questions[i]):
        columns = list(group.columns)
        means = (orders - 1) * group.loss.renyi(orders)
        exponent = (orders - 1) * told[:, columns][..., None] - means
        found[:, columns] = np.exp(np.minimum(exponent, LARGEST))
    return found


def factors(
    work: Workload, i: int, losses: Array, budget: Array, purses: Array, orders: Array
) -> Array:
    """Return k with E_x[min(1, max(h(l + L), k·T))] = b, by bisection."""
    found = np.array(budget)
    for group in grouped(work.domain, work.questions[i]):
        columns = list(group.columns)
        values, chances = group.loss.grid()
        means = (orders - 1) * group.loss.renyi(orders)
        table = np.exp(np.minimum((orders[:, None] - 1) * values - means[:, None], LARGEST))
        for column in columns:
            here = overshoot(losses[:, [column]] + values, work.epsilon)
            found[:, column] = _solved(budget[:, column], here, purses[:, column] @ table, chances)
    return found


def _solved(budget: Array, lost: Array, tilt: Array, chances: Array) -> Array:
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
