"""Opacus' GaussianAccountant, used as a filter: a step is booked first, and run if it may be.

`step()` on the live accountant books it.  Where it raises `ValueError` the step is not run and the
play goes on (REFUSE); where the reported ε passes the budget everything stops (HALT).

Opacus knows Gaussian noise only: a mechanism is declared with the noise multiplier of a Gaussian
step that it is a post-processing of (see `thresholded`).
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any, ClassVar

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof_properties.adapters.support.ledger import MEMO
from filterproof_properties.adapters.support.library import require
from filterproof_properties.adapters.support.thresholded import LARGEST_ODDS, sigma

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
    """Return the ε that the accountant reports after these calls.

    Where its root finder has no bracket (no ε in [0, 500] gives this δ) it raises ValueError: ∞.
    """
    try:
        return float(accountant(calls).get_epsilon(delta))
    except ValueError:
        return inf
