"""Opacus' accountants read as odometers: a step is booked, run, and ε at δ/2 is read.

`RDPAccountant` takes Gaussian steps of any noise.  `GaussianAccountant` takes equal ones only, and
where it raises ValueError the step is not run; that is no refusal to report, so that what reveals
x, which is no Gaussian step at all, runs and is reported as a loss without a bound.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any

from filterproof.directed_rounding import double_down
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.odometer import INFINITE, Reported
from filterproof_properties.adapters import opacus_steps
from filterproof_properties.adapters.support.ledger import MEMO, Ledger
from filterproof_properties.adapters.support.library import require
from filterproof_properties.adapters.support.metered import Metered, Told, always, fairly
from filterproof_properties.adapters.support.thresholded import LARGEST_ODDS, sigma

EXPOSED = 0.0


def noise(step: Step) -> float | None:
    """Return the noise of the Gaussian step that a mechanism is handed over as; 0 for none."""
    odds, delta = step.mechanism.declared
    if odds == 1 and not delta:
        return None
    return EXPOSED if delta or odds > LARGEST_ODDS else sigma(odds)


def rdp(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return the Renyi accountant with its own orders, the best taken after every round."""
    require("opacus.accountants", "opacus")
    return Metered(always, noise, report=Told(rdp_report, (double_down(delta / 2),)))


@lru_cache(maxsize=MEMO)
def rdp_report(delta: float, spent: tuple[float, ...]) -> Reported:
    """Return ε at δ after these steps."""
    if EXPOSED in spent:
        return INFINITE
    live = require("opacus.accountants", "opacus").RDPAccountant()
    for one in spent:
        live.step(noise_multiplier=one, sample_rate=1.0)
    return fairly(float(live.get_epsilon(delta)), delta)


@dataclass(frozen=True)
class Equal(Metered):
    """The Gaussian accountant: a step that it does not take is not run, and the play goes on."""

    def decide(self, state: tuple[Any, ...], step: Step) -> tuple[Decision, tuple[Any, ...]]:
        """Book the step, and run it unless it is refused; the call is remembered either way."""
        decision, calls = Ledger.decide(self, state, step)
        if calls == state or EXPOSED in calls or opacus_steps.booked(calls):
            return decision, calls
        return Decision.REFUSE, calls


def gaussian(epsilon: Epsilon, delta: Fraction) -> Equal:
    """Return the Gaussian accountant."""
    require("opacus.accountants", "opacus")
    return Equal(always, noise, report=Told(gaussian_report, (double_down(delta / 2),)))


@lru_cache(maxsize=MEMO)
def gaussian_report(delta: float, calls: tuple[float, ...]) -> Reported:
    """Return ε at δ after these calls; nothing is claimed where a step is not Gaussian."""
    if EXPOSED in calls or not opacus_steps.accountant(calls).history:
        return INFINITE
    epsilon = opacus_steps.reported(calls, delta)
    return INFINITE if epsilon == inf else fairly(epsilon, delta)
