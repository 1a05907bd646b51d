"""SmartNoise's odometers, used as filters: run iff what they report still fits the budget."""

from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.exact import Epsilon
from filterproof.outward import double_down, epsilon_down
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, Spend, declared_up
from filterproof_properties.adapters.support.library import require

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
    try:
        epsilon, delta = odometer.spent
    except ZeroDivisionError:  # what the odometer does where delta is 0
        return False
    return bool(epsilon <= budget[0] and delta <= budget[1])
