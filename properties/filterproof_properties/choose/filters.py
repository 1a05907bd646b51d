"""Filters that stop at a known round: at which, with the parameters that are best for a plan.

What a round costs is that of its worst pair: the largest distance, or any pair of a response.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof.curves import gaussian
from filterproof_properties.choose.losses import Array, Loss

CANDIDATES = 60
"""How many values of δ_i, of the order α and of δ̃ are tried."""


@dataclass(frozen=True)
class Plan:
    """A budget, and the losses of rounds 1..N for the pair that loses most."""

    epsilon: float
    delta: float
    rounds: tuple[Loss, ...]


@dataclass(frozen=True)
class Row:
    """One filter: how many rounds to expect of N, with which parameters.

    `share` is the part of δ that goes to the accounting below the compensator, where it has one.
    """

    filter: str
    parameters: str
    expected: float
    error: float = 0.0
    share: Fraction | None = None


Reach = Callable[[Plan], Iterator[tuple[str, int]]]


def _steps(plan: Plan, deltas: float) -> Array:
    """Return the smallest ε_i of every round at δ_i = deltas, each kind of round once."""
    found = {loss: smallest_epsilon(loss, deltas) for loss in dict.fromkeys(plan.rounds)}
    return np.array([found[loss] for loss in plan.rounds])


@lru_cache(maxsize=4096)
def smallest_epsilon(loss: Loss, delta: float) -> float:
    """Return the smallest ε with δ(ε) <= delta, by bisection (rounded up); it may be infinite."""
    low, high = 0.0, 1.0
    if loss.profile(np.array(0.0)) <= delta:
        return 0.0
    if not math.isfinite(loss.quantile(delta)):
        return math.inf
    while loss.profile(np.array(high)) > delta:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        over = bool(loss.profile(np.array(middle)) > delta)
        low, high = (middle, high) if over else (low, middle)
    return high


def _prefix(fits: NDArray[np.bool_]) -> int:
    """Return how many leading entries are true."""
    return int(np.argmin(np.append(fits, False)))


def _shares(plan: Plan) -> Iterator[float]:
    """Yield values of δ_i worth trying: 0 if every loss is bounded, parts and fractions of δ."""
    if all(math.isfinite(loss.quantile(0.0)) for loss in plan.rounds):
        yield 0.0
    if plan.delta:
        yield from plan.delta * np.geomspace(1e-4 / len(plan.rounds), 1.0, CANDIDATES)
        yield from plan.delta / np.arange(1, len(plan.rounds) + 1)


def additive(plan: Plan) -> Iterator[tuple[str, int]]:
    """Σε_i <= ε and Σδ_i <= δ, with one δ_i for all rounds."""
    index = np.arange(1, len(plan.rounds) + 1)
    for share in _shares(plan):
        fits = (np.cumsum(_steps(plan, share)) <= plan.epsilon) & (index * share <= plan.delta)
        yield f"delta_i = {share:.2e}", _prefix(fits)


def whitehouse(plan: Plan) -> Iterator[tuple[str, int]]:
    """√(2 log(1/δ′) Σε_i²) + Σε_i²/2 <= ε, with δ′ = δ - Nδ_i for the rounds that run."""
    index = np.arange(1, len(plan.rounds) + 1)
    for share in _shares(plan):
        squares = np.cumsum(_steps(plan, share) ** 2)
        slack = np.maximum(plan.delta - index * share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.sqrt(2 * np.log(1 / slack) * squares) + squares / 2
        stop = _prefix(reach <= plan.epsilon)
        yield f"delta_i = {share:.2e}, delta' = {plan.delta - stop * share:.2e}", stop


def rogers(plan: Plan) -> Iterator[tuple[str, int]]:
    """Rogers et al., Theorem 5.1, with δ < 1/e and Σδ_i <= δ/2."""
    if not 0 < plan.delta < math.exp(-1):
        return
    index, log_inverse = np.arange(1, len(plan.rounds) + 1), math.log(1 / plan.delta)
    room = plan.epsilon**2 / (28.04 * log_inverse)
    for share in _shares(plan):
        steps = _steps(plan, share)
        squares, drift = np.cumsum(steps**2), np.cumsum(steps * np.expm1(np.minimum(steps, 700)))
        spread = 2 * (squares + room) * (1 + np.log1p(squares / room) / 2)
        reach = drift / 2 + np.sqrt(spread * (log_inverse + math.log(2)))
        fits = (reach <= plan.epsilon) & (index * share <= plan.delta / 2)
        yield f"delta_i = {share:.2e}", _prefix(fits)


def rdp(plan: Plan) -> Iterator[tuple[str, int]]:
    """One order fixed in advance, and the conversion of Canonne, Kamath and Steinke."""
    if not plan.delta:
        return
    excess = np.geomspace(1e-2, 1e3, 4 * CANDIDATES)
    orders = 1 + excess
    tail = np.log(excess / orders) - (math.log(plan.delta) + np.log(orders)) / excess
    found = {loss: loss.renyi(orders) for loss in dict.fromkeys(plan.rounds)}
    totals = np.cumsum([found[loss] for loss in plan.rounds], axis=0)
    for i, order in enumerate(orders):
        yield f"alpha = {order:.3g}", _prefix(totals[:, i] + tail[i] <= plan.epsilon)


def gaussian_dp(plan: Plan) -> Iterator[tuple[str, int]]:
    """Σμ_i² <= μ², with μ from (ε, δ)."""
    if not plan.delta:
        return
    squares = np.cumsum([loss.mu() ** 2 for loss in plan.rounds])
    curve = gaussian.profile(plan.epsilon, np.sqrt(squares))
    stop = _prefix(np.asarray(curve) <= plan.delta)
    yield f"mu = {math.sqrt(squares[stop - 1] if stop else 0.0):.3g} after the last round", stop


STILL: dict[str, Reach] = {
    "additive": additive,
    "advanced-rogers": rogers,
    "whitehouse": whitehouse,
    "rdp-tight": rdp,
    "gdp": gaussian_dp,
}
"""The mechanism-level filters, by the names of the registry."""


def longest(reach: Reach, plan: Plan) -> tuple[str, int]:
    """Return the parameters that let a filter run longest, and when it stops with them."""
    parameters, stop = max(reach(plan), key=lambda offer: offer[1], default=("", 0))
    return (parameters if stop else "none opens a round"), stop


def still_rows(plan: Plan) -> Iterator[Row]:
    """Yield each mechanism-level filter with the parameters that let it run longest."""
    for name, reach in STILL.items():
        parameters, stop = longest(reach, plan)
        yield Row(name, parameters, float(stop))
