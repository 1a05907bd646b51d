"""SmartNoise's odometers, used as filters: run iff what they report still fits the budget."""

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from filterproof.exact import Epsilon
from filterproof_properties.adapters.ledger import MEMO, Ledger, Spend, declared_up
from filterproof_properties.adapters.library import require
from filterproof_properties.adapters.rounding import double_down, epsilon_down

Budget = tuple[float, float]


def library() -> Any:
    """Return the module of odometers."""
    return require("snsql.sql.odometer", "smartnoise")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the wrapper around `Odometer`, which counts equal queries."""
    library()
    return Ledger(partial(admits, _down(epsilon, delta)), declared_up)


def heterogeneous(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the wrapper around `OdometerHeterogeneous`, which lists the queries."""
    library()
    return Ledger(partial(admits_any, _down(epsilon, delta)), declared_up)


def _down(epsilon: Epsilon, delta: Fraction) -> Budget:
    return epsilon_down(epsilon), double_down(delta)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Whether the odometer's report after one more equal query fits."""
    if any(spend != asked for spend in spent):
        return False
    odometer = library().Odometer(_privacy(asked))
    odometer.spend(len(spent) + 1)
    return _fits(odometer, budget)


@lru_cache(maxsize=MEMO)
def admits_any(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Whether the heterogeneous odometer's report after this query fits."""
    odometer = library().OdometerHeterogeneous(_privacy((*spent, asked)[0]))
    for spend in (*spent, asked):
        odometer.spend(_privacy(spend))
    return _fits(odometer, budget)


def _privacy(spend: Spend) -> Any:
    return library().Privacy(epsilon=spend.epsilon, delta=spend.delta)


def _fits(odometer: Any, budget: Budget) -> bool:
    try:
        epsilon, delta = odometer.spent
    except ZeroDivisionError:  # what the odometer does where delta is 0
        return False
    return bool(epsilon <= budget[0] and delta <= budget[1])
