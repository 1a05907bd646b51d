"""How long each sound filter lasts on a known sequence of mechanisms, and with which parameters.

The sequence repeats the given mechanisms in turn.  Filters that stop at a fixed round get their
best parameters for this very sequence.  The others depend on what is released and are played
many times with a seeded generator.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.curves import gaussian
from filterproof_properties.choose.losses import Array, Loss

CANDIDATES = 60
"""How many values of δ_i, of the order α and of δ̃ are tried."""


@dataclass(frozen=True)
class Plan:
    """A budget and the mechanisms of rounds 1..N."""

    epsilon: float
    delta: float
    rounds: tuple[Loss, ...]


@dataclass(frozen=True)
class Row:
    """One filter: how many rounds to expect of N, with which parameters."""

    filter: str
    parameters: str
    expected: float
    error: float = 0.0


Reach = Callable[[Plan], Iterator[tuple[str, int]]]


# --- filters that stop at a known round ------------------------------------------------------


def _steps(plan: Plan, deltas: float) -> Array:
    """Return the smallest ε_i of every round at δ_i = deltas, each kind of round once."""
    found = {loss: smallest_epsilon(loss, deltas) for loss in dict.fromkeys(plan.rounds)}
    return np.array([found[loss] for loss in plan.rounds])


def smallest_epsilon(loss: Loss, delta: float) -> float:
    """Return the smallest ε with δ(ε) <= delta, by bisection (rounded up)."""
    low, high = 0.0, 1.0
    if loss.profile(np.array(0.0)) <= delta:
        return 0.0
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
    """Yield values of δ_i worth trying: 0 if every loss is bounded, and parts of δ."""
    if all(math.isfinite(loss.quantile(0.0)) for loss in plan.rounds):
        yield 0.0
    yield from plan.delta * np.geomspace(1e-4 / len(plan.rounds), 1.0, CANDIDATES)


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
    if plan.delta >= math.exp(-1):
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
    excess = np.geomspace(1e-2, 1e3, 4 * CANDIDATES)
    orders = 1 + excess
    tail = np.log(excess / orders) - (math.log(plan.delta) + np.log(orders)) / excess
    found = {loss: loss.renyi(orders) for loss in dict.fromkeys(plan.rounds)}
    totals = np.cumsum([found[loss] for loss in plan.rounds], axis=0)
    for i, order in enumerate(orders):
        yield f"alpha = {order:.3g}", _prefix(totals[:, i] + tail[i] <= plan.epsilon)


def gaussian_dp(plan: Plan) -> Iterator[tuple[str, int]]:
    """Σμ_i² <= μ², with μ from (ε, δ)."""
    squares = np.cumsum([loss.mu() ** 2 for loss in plan.rounds])
    curve = gaussian.profile(plan.epsilon, np.sqrt(squares))
    stop = _prefix(np.asarray(curve) <= plan.delta)
    yield f"mu = {math.sqrt(squares[stop - 1] if stop else 0.0):.3g} after the last round", stop


STILL: dict[str, Reach] = {
    "additive": additive,
    "advanced (Rogers et al.)": rogers,
    "Whitehouse et al.": whitehouse,
    "RDP": rdp,
    "Gaussian DP": gaussian_dp,
}


def still_rows(plan: Plan) -> Iterator[Row]:
    """Yield each mechanism-level filter with the parameters that let it run longest."""
    for name, reach in STILL.items():
        offers = list(reach(plan))
        if offers:
            parameters, stop = max(offers, key=lambda offer: offer[1])
            yield Row(name, parameters if stop else "none opens a round", float(stop))


# --- filters that depend on what is released -------------------------------------------------


def moving_rows(plan: Plan, paths: int, seed: int) -> Iterator[Row]:
    """Yield each realisation-level filter: mean rounds over simulated plays, ± 3.3 errors."""
    losses = _played(plan, paths, seed)
    naive = [plan.epsilon - loss.quantile(plan.delta / len(plan.rounds)) for loss in plan.rounds]
    yield _row("naive at delta/N", f"N = {len(plan.rounds)}", _inside(losses, naive))
    yield _repaired(plan, losses)
    yield _row("compensator", "nothing to choose", _affordable(plan, losses))


def _played(plan: Plan, paths: int, seed: int) -> Array:
    """Return l^(0), ..., l^(N-1) for each path, under P_x (the other database mirrors it)."""
    rng = np.random.default_rng(seed)
    steps = [loss.draw(rng, paths) for loss in plan.rounds[:-1]]
    return np.cumsum(np.vstack([np.zeros(paths), *steps]), axis=0)


def _inside(losses: Array, limits: Sequence[float]) -> Array:
    """Return how many leading rounds have |l^(i-1)| within the round's limit, per path."""
    inside = np.abs(losses) <= np.asarray(limits)[:, None]
    ran: Array = np.sum(np.logical_and.accumulate(inside, axis=0), axis=0, dtype=np.float64)
    return ran


def _affordable(plan: Plan, losses: Array) -> Array:
    """Return how many rounds the compensator runs, per path."""
    spent, back, runs = np.zeros(losses.shape[1]), np.zeros(losses.shape[1]), []
    for loss, now in zip(plan.rounds, losses, strict=True):
        spent += charge(loss, now, plan.epsilon)
        back += charge(loss, -now, plan.epsilon)
        runs.append(np.maximum(spent, back) <= plan.delta)
    ran: Array = np.sum(runs, axis=0, dtype=np.float64)
    return ran


def charge(loss: Loss, realised: Array, epsilon: float) -> Array:
    """Return the compensator's charge: δ(ε - l), or e^{ε-l}·δ(l - ε) above ε."""
    distance = realised - epsilon
    return loss.profile(np.abs(distance)) * np.exp(-np.maximum(distance, 0.0))


def _repaired(plan: Plan, losses: Array) -> Row:
    """Return the repaired rule with the δ̃ whose smallest κ_i is largest.

    With one request a round its check is that of Algorithm 1, which is refuted otherwise.

    Round i+1 is open iff |l^(i-1)| <= κ_i = ε - q_{i+1}(δ̃) - q_i(θ); round 1 iff q_1(δ̃) <= ε.
    """
    N = len(plan.rounds)
    offers = [offer for share in _parts(plan.delta) if (offer := _limits(plan, share))]
    if not offers:
        return _row("repaired rule", "none opens a round", np.zeros(losses.shape[1]))
    delta_tilde, theta, limits = max(offers, key=lambda offer: min(offer[2], default=0.0))
    said = f"N = {N}, delta_tilde = {delta_tilde:.2e}, theta = {theta:.2e}"
    return _row("repaired rule", said, 1 + _inside(losses[: N - 1], limits))


def _parts(delta: float) -> Iterator[float]:
    yield from delta * np.linspace(0.0, 1.0, CANDIDATES + 1)[1:]


def _limits(plan: Plan, delta_tilde: float) -> tuple[float, float, list[float]] | None:
    """Return (δ̃, θ, [κ_1, ..., κ_{N-1}]); None where the first round stays closed."""
    theta = (plan.delta - delta_tilde) / (len(plan.rounds) * (1 - delta_tilde))
    inner, outer = _quantiles(plan.rounds, delta_tilde), _quantiles(plan.rounds, theta)
    if inner[0] > plan.epsilon:
        return None
    return (
        delta_tilde,
        theta,
        [plan.epsilon - b - a for a, b in zip(outer, inner[1:], strict=False)],
    )


def _quantiles(rounds: Sequence[Loss], tail: float) -> list[float]:
    found = {loss: loss.quantile(tail) for loss in dict.fromkeys(rounds)}
    return [found[loss] for loss in rounds]


def _row(name: str, parameters: str, ran: Array) -> Row:
    error = 3.3 * float(np.std(ran)) / math.sqrt(len(ran))
    return Row(name, parameters, float(np.mean(ran)), error)
