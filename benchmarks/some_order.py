"""`python -m benchmarks.some_order EPSILON DELTA ROUNDS`: how far "some order fits" can be driven.

Mironov's conversion, in doubles: nothing here is exact, and nothing is claimed but what was met.
A game is a leak in every round but the last; after a hit, and at the end, comes the one leak that
is worth most to some order.  As many orders as rounds; orders, probabilities and losses are
optimised together.  The table in docs/internals/FILTERS.md was made with it; a test has one game,
exactly.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution, minimize

Floats = NDArray[np.float64]
HIGHEST = 600.0
"""The largest exponent that is used."""


def spread(leak: float, loss: Floats | float, order: Floats | float) -> Floats:
    """Return S(α) of a leak: the loss with probability `leak`, and what is left otherwise."""
    rest = order * np.log1p(-leak) - (order - 1) * np.log1p(-leak * np.exp(-loss))
    hit = np.exp(np.minimum((order - 1) * loss, HIGHEST))
    return np.asarray(leak * hit + np.exp(rest))


def best_leak(loss: float, room: Floats, orders: Floats, epsilon: float, grid: int) -> float:
    """Return the most that one more leak is worth where `room` is what each order still admits."""
    order = orders[:, None]
    losses = max(epsilon - loss, 0) + np.linspace(0.02, 1, grid) ** 1.5 * 6 / (order - 1)
    low, high = np.zeros(losses.shape), np.full(losses.shape, 1 - 1e-12)
    for _ in range(40):
        middle = (low + high) / 2
        fits = np.log(spread(middle, losses, order)) <= room[:, None]
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    worth = low * (1 - np.exp(np.minimum(epsilon - loss - losses, 0)))
    return float(np.where(room[:, None] >= 0, worth, 0).max())


def driven(point: Floats, rounds: int, epsilon: float, delta: float, grid: int = 16) -> float:
    """Return H/δ of the game at a point: log(α-1) of each order, then each leak's -log d and loss.

    One order alone is never driven beyond (α-1)^(α-1)/α^α.
    """
    orders = 1 + np.exp(np.sort(point[:rounds]))
    room, reached, loss, won = np.log(delta) + (orders - 1) * epsilon, 1.0, 0.0, 0.0
    for depth, step in point[rounds:].reshape(-1, 2):
        leak, hit = float(np.exp(-abs(depth))), abs(float(step))
        left = room - np.log(spread(leak, hit, orders))
        if not (left >= 0).any():
            break
        won += reached * leak * best_leak(loss + hit, left, orders, epsilon, grid)
        loss += float(np.log1p(-leak) - np.log1p(-leak * np.exp(-hit)))
        reached, room = reached * (1 - leak), left
    return (won + reached * best_leak(loss, room, orders, epsilon, grid)) / delta


def search(epsilon: float, delta: float, rounds: int, seed: int = 1) -> tuple[float, Floats]:
    """Return the largest H/δ that was met, on a finer grid, and where."""

    def lost(point: Floats) -> float:
        return -driven(point, rounds, epsilon, delta)

    bounds = [(np.log(0.05), np.log(3))] * rounds + [(0.5, 10), (0.05, epsilon)] * (rounds - 1)
    rough = differential_evolution(lost, bounds, maxiter=60, popsize=7, seed=seed, polish=False)
    fine = minimize(lost, rough.x, method="Nelder-Mead", options={"maxiter": 2000})
    return driven(fine.x, rounds, epsilon, delta, grid=100), fine.x


def main() -> None:
    """Search once and print what was met."""
    epsilon, delta, rounds = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    met, point = search(epsilon, delta, rounds)
    orders = 1 + np.exp(np.sort(point[:rounds]))
    print(f"H/delta = {met:.4f} in {rounds} rounds with orders {np.round(orders, 3)}")


if __name__ == "__main__":
    main()
