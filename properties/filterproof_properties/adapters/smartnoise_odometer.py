"""SmartNoise's odometers, used as filters (run iff what they report still fits) and as odometers.

As odometers they say (ε, δ′) after every query, which is read as for OpenDP's odometer.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.odometer import INFINITE, Reported
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, Spend, declared_up
from filterproof_properties.adapters.support.library import require
from filterproof_properties.adapters.support.metered import Metered, Told, always, at_delta

Budget = tuple[float, float]


def library() -> Any:
    """Return the module of odometers."""
    return require("snsql.sql.odometer", "smartnoise")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the wrapper around `Odometer`, which counts equal queries."""
    library()
    return Ledger(At(admits, (_down(epsilon, delta),)), declared_up)


def heterogeneous(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the wrapper around `OdometerHeterogeneous`, which lists the queries."""
    library()
    return Ledger(At(admits_any, (_down(epsilon, delta),)), declared_up)


def _down(epsilon: Epsilon, delta: Fraction) -> Budget:
    return epsilon_down(epsilon), double_down(delta)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Whether the odometer's report after one more equal query fits."""
    return set(spent) <= {asked} and _fits(equal_queries(asked, len(spent) + 1), budget)


@lru_cache(maxsize=MEMO)
def admits_any(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Whether the heterogeneous odometer's report after this query fits."""
    return _fits(listed_queries((*spent, asked)), budget)


def equal_queries(spend: Spend, times: int) -> Any:
    """Return an `Odometer` after so many equal queries."""
    odometer = library().Odometer(privacy(spend))
    odometer.spend(times)
    return odometer


def listed_queries(spends: tuple[Spend, ...]) -> Any:
    """Return an `OdometerHeterogeneous` after these queries."""
    odometer = library().OdometerHeterogeneous(privacy(spends[0]))
    for spend in spends:
        odometer.spend(privacy(spend))
    return odometer


def privacy(spend: Spend) -> Any:
    """Return a declared pair as SmartNoise's privacy parameters."""
    return library().Privacy(epsilon=spend.epsilon, delta=spend.delta)


def _fits(odometer: Any, budget: Budget) -> bool:
    epsilon, delta = _reported_budget(odometer)
    return bool(epsilon <= budget[0] and delta <= budget[1])


def _reported_budget(odometer: Any) -> Budget:
    """Return what it reports; where it divides by a delta of 0, that nothing is bounded."""
    try:
        epsilon, delta = odometer.spent
    except ZeroDivisionError:
        return inf, 1.0
    return float(epsilon), float(delta)


# --- as odometers ---------------------------------------------------------------------------


def equal_report(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return `Odometer`, read at δ."""
    return _odometer(equal_told, delta)


def listed_report(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return `OdometerHeterogeneous`, read at δ."""
    return _odometer(listed_told, delta)


def _odometer(told: Callable[..., Reported], delta: Fraction) -> Metered:
    library()
    return Metered(always, declared_up, report=Told(told, (double_down(delta),)))


@lru_cache(maxsize=MEMO)
def equal_told(delta: float, spent: tuple[Spend, ...]) -> Reported:
    """Return what it says of so many equal queries; of different ones it says nothing."""
    if len(set(spent)) > 1:
        return INFINITE
    return at_delta(*_reported_budget(equal_queries(spent[0], len(spent))), delta)


@lru_cache(maxsize=MEMO)
def listed_told(delta: float, spent: tuple[Spend, ...]) -> Reported:
    """Return what it says of these queries."""
    return at_delta(*_reported_budget(listed_queries(spent)), delta)
