"""OpenDP's own odometer: fully adaptive composition, asked for its privacy loss after every round.

Mechanisms are handed over as to its filter, so the odometer says (ε, δ′) in sum.  With δ′ = 0 that
ε is the report.  Else, as long as 2δ′ <= δ, it is ε + log 2 (see `metered.at_delta`).
"""

from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from filterproof.directed_rounding import double_down
from filterproof.exact import Epsilon
from filterproof.odometer import Reported
from filterproof_properties.adapters import opendp_filter
from filterproof_properties.adapters.support.ledger import MEMO, Spend, declared_up
from filterproof_properties.adapters.support.metered import Metered, Told, always, at_delta


def target(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return OpenDP's odometer, read at δ."""
    opendp_filter.library()
    return Metered(always, declared_up, report=Told(report, (double_down(delta),)))


@lru_cache(maxsize=MEMO)
def report(delta: float, spent: tuple[Spend, ...]) -> Reported:
    """Return what the odometer says after these measurements, infinite where its δ is too large."""
    queryable = odometer()(True)
    for spend in spent:
        opendp_filter.runs(queryable, spend)
    epsilon, failing = queryable.privacy_loss(1)
    return at_delta(epsilon, failing, delta)


@cache
def odometer() -> Any:
    """Return the odometer for a data set of one bit."""
    return opendp_filter.library().c.make_fully_adaptive_composition(*opendp_filter.space())
