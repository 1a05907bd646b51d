"""The longest that any (ε, δ)-DP filter can run on repeated Gaussian counts.

By the identity H = E_x[sum of charges of the rounds that run], a filter is (ε, δ)-DP on this
game iff its expected charges are at most δ in both directions.  Which filter then runs longest,
averaged over the two databases, is a stopping problem with one Lagrange multiplier, and the loss
is its only state: with each database equally likely a priori, the loss l leaves x with
probability 1/(1+e^{-l}), and a round is worth running iff its reward 1 - λ·charge plus what may
follow is positive.  Rewards are bounded, so the value is a maximum over stopping rules that may
toss a coin, and no filter does better.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from filterproof.curves.gaussian import Array, Setting, charge
from filterproof.curves.survival import ROUNDING, Curve, density

NAME = "optimum"
RESOLUTION = 16
"""Grid points per standard deviation of one round's loss, on the finer of two grids."""


@dataclass(frozen=True)
class _Chain:
    """The loss as a Markov chain under an even mixture of P_x and P_x′; row 0 is the start."""

    move: Array
    cost: Array


def optimum(setting: Setting, resolution: int = RESOLUTION) -> Curve:
    """Return P(T >= t) of the filter with the most expected rounds, with an error estimate.

    Two grids, one twice as fine, are extrapolated (Richardson, second order); their distance is
    reported as the error.

    >>> f"{optimum(Setting(epsilon=3, rounds=8)).expected:.2f}"
    '7.26'
    """
    coarse = _best(_chain(setting, resolution / 2), setting)
    fine = _best(_chain(setting, resolution), setting)
    error = float(np.max(np.abs(coarse - fine))) + ROUNDING
    limit = np.clip(fine + (fine - coarse) / 3, 0.0, 1.0)
    return Curve(NAME, tuple(map(float, np.minimum.accumulate(limit))), error)


def _chain(setting: Setting, resolution: float) -> _Chain:
    reach = setting.epsilon + 8 * setting.step
    width = setting.step / resolution
    half = math.ceil(reach / width)
    losses: Array = width * np.arange(-half, half + 1, dtype=np.float64)
    states = np.concatenate(([0.0], losses))
    odds = expit(states)
    move = odds[:, None] * _moves(states, losses, setting)
    move += (1 - odds)[:, None] * _moves(-states, -losses, setting)
    cost = odds * charge(states, setting.epsilon, setting.step)
    cost += (1 - odds) * charge(-states, setting.epsilon, setting.step)
    return _Chain(np.hstack([np.zeros((len(states), 1)), move]), cost)


def _moves(states: Array, losses: Array, setting: Setting) -> Array:
    """Return the transition weights under P_x; what leaves the grid waits at its ends."""
    width = abs(losses[1] - losses[0])
    weights: Array = width * density(losses[None, :] - states[:, None], setting)
    low, high = int(np.argmin(losses)), int(np.argmax(losses))
    below = losses[low] - width / 2 - states - setting.drift
    above = states + setting.drift - losses[high] - width / 2
    weights[:, low] += ndtr(below / setting.step)
    weights[:, high] += ndtr(above / setting.step)
    return weights


def _best(chain: _Chain, setting: Setting) -> Array:
    """Return the survival of the best rule: two rules next to each other, mixed to spend δ."""
    free, spent = _play(chain, 0.0, setting.rounds)
    if spent <= setting.delta:
        return free
    low, high = -20.0, 60.0  # the logarithm of the multiplier
    while high - low > 1e-3:  # the mixture below makes the rest of the way
        middle = (low + high) / 2
        over = _play(chain, math.exp(middle), setting.rounds)[1] > setting.delta
        low, high = (middle, high) if over else (low, middle)
    more, more_spent = _play(chain, math.exp(low), setting.rounds)
    less, less_spent = _play(chain, math.exp(high), setting.rounds)
    share = (setting.delta - less_spent) / (more_spent - less_spent)
    mixed: Array = share * more + (1 - share) * less
    return mixed


def _play(chain: _Chain, price: float, rounds: int) -> tuple[Array, float]:
    """Return the survival and the expected charge of the best rule at a price per charge."""
    mass = np.zeros(len(chain.cost))
    mass[0] = 1.0
    survival, spent = [], 0.0
    for runs in reversed(_policy(chain, price, rounds)):
        mass = mass * runs
        survival.append(float(np.sum(mass)))
        spent += float(mass @ chain.cost)
        mass = mass @ chain.move
    return np.array(survival), spent


def _policy(chain: _Chain, price: float, rounds: int) -> list[Array]:
    """Return which part of each cell runs, for 1, 2, ..., N rounds to go."""
    value = np.zeros(len(chain.cost))
    policy = []
    for _ in range(rounds):
        worth = 1 - price * chain.cost + chain.move @ value
        policy.append(np.concatenate(([float(worth[0] > 0)], _positive_part(worth[1:]))))
        value = np.maximum(worth, 0.0)
    return policy


def _positive_part(worth: Array) -> Array:
    """Return the part of each node's cell on which the piecewise linear worth is positive."""
    middles = (worth[:-1] + worth[1:]) / 2
    left = _share(worth, np.concatenate(([worth[0]], middles)))
    right = _share(worth, np.concatenate((middles, [worth[-1]])))
    return (left + right) / 2


def _share(one: Array, other: Array) -> Array:
    """Return the share of a segment from `one` to `other` that is positive."""
    above = np.maximum(np.maximum(one, other), 0.0)
    below = np.maximum(np.maximum(-one, -other), 0.0)
    total = above + below
    return np.where(total > 0, above / np.where(total > 0, total, 1.0), 0.0)
