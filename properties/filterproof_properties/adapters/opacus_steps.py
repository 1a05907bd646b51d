"""Opacus' GaussianAccountant, used as a filter: a step is booked first, and run if it may be.

`step()` on the live accountant books it.  Where it raises `ValueError` the step is not run and the
play goes on (REFUSE); where the reported ε passes the budget everything stops (HALT).

Opacus knows Gaussian noise only, and a game has finite laws.  The bridge is exact: the sign of
N(x, σ²) - 1/2, for x in {0, 1}, is randomised response with p = Φ(1/(2σ)), and noise on top of
that gives every RR(p′) with 1/2 <= p′ <= p, of which every mechanism with odds <= p′/(1-p′) and
δ = 0 is a post-processing.  So a mechanism is declared with the largest σ, rounded down, for which
Φ(1/(2σ)) >= odds/(1+odds) is proved in rational arithmetic.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any, ClassVar

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof_properties.adapters.ledger import MEMO
from filterproof_properties.adapters.library import require
from filterproof_properties.adapters.rounding import double_down, epsilon_down

PI_UP = Fraction(3141592653589793239, 10**18)
LARGEST_ODDS = 10**9
Calls = tuple[float, ...]
"""The noise multipliers for which `step` was called, refused ones included."""


@dataclass(frozen=True)
class Steps:
    """The wrapper around one live GaussianAccountant."""

    epsilon: float
    delta: float

    markov: ClassVar[bool] = True

    def start(self) -> Calls:
        """Return that no step was booked yet."""
        return ()

    def decide(self, state: Calls, step: Step) -> tuple[Decision, Calls]:
        """Book the step with Opacus and do what its answer says."""
        odds, delta = step.mechanism.declared
        if odds == 1 and delta == 0:
            return Decision.CONTINUE, state
        if delta or odds > LARGEST_ODDS:  # no Gaussian step that we could declare dominates it
            return Decision.REFUSE, state
        calls = (*state, sigma(odds))
        if not booked(calls):
            return Decision.REFUSE, calls
        fits = reported(calls, self.delta) <= self.epsilon
        return (Decision.CONTINUE if fits else Decision.HALT), calls


def target(epsilon: Epsilon, delta: Fraction) -> Steps:
    """Return the wrapper for the budget, rounded down to doubles."""
    accountant(())
    return Steps(epsilon_down(epsilon), double_down(delta))


def accountant(calls: Calls) -> Any:
    """Return a live accountant on which these steps were tried, one after the other."""
    opacus = require("opacus.accountants", "opacus")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces that it is experimental
        live = opacus.GaussianAccountant()
    for noise in calls:
        taken(live, noise)
    return live


def taken(live: Any, noise: float) -> bool:
    """Whether a live accountant takes one more step; where it raises ValueError it does not."""
    try:
        live.step(noise_multiplier=noise, sample_rate=1.0)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=MEMO)
def booked(calls: Calls) -> bool:
    """Whether `step` takes the last of these calls without raising."""
    return taken(accountant(calls[:-1]), calls[-1])


@lru_cache(maxsize=MEMO)
def reported(calls: Calls, delta: float) -> float:
    """Return the ε that the accountant reports after these calls."""
    return float(accountant(calls).get_epsilon(delta))


# --- the Gaussian step that a mechanism is a post-processing of ------------------------------


@lru_cache(maxsize=4096)
def sigma(odds: Fraction) -> float:
    """Return a double σ, close to the largest, with Φ(1/(2σ)) >= odds/(1+odds)."""
    p = odds / (1 + odds)
    z = Fraction(NormalDist().inv_cdf(float(p)))
    margin = Fraction(1, 2**40)
    while not covers(z * (1 + margin) + margin, p):
        margin *= 2
    return double_down(1 / (2 * (z * (1 + margin) + margin)))


def covers(z: Fraction, p: Fraction) -> bool:
    """Return True only if Φ(z) >= p: (p - 1/2)·√(2π) is at most a lower sum of the series.

    >>> covers(Fraction(1), Fraction(84, 100)), covers(Fraction(1), Fraction(85, 100))
    (True, False)
    """
    return (p - Fraction(1, 2)) ** 2 * 2 * PI_UP <= lower_sum(z) ** 2


def lower_sum(z: Fraction) -> Fraction:
    """Return a partial sum below  ∫_0^z e^{-t²/2} dt = Σ_n (-1)^n z^{2n+1} / (n! 2^n (2n+1)).

    The terms alternate and fall once n > z²/2, so a sum that ends there with a negative term is
    a lower bound.
    """
    power, total, n = z, z, 0
    last = int(z * z) + 40
    while n < last or n % 2 == 0:
        n += 1
        power *= -z * z / (2 * n)
        total += power / (2 * n + 1)
    return total
