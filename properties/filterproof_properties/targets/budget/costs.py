"""What a mechanism costs in the currency of a budget object, and what a whole budget is in it.

A cost is computed from the law and rounded up, a budget is rounded down: an object that is asked is
never told less than the truth, nor opened for more than it promises.  Where no finite cost in the
currency is true of a mechanism the answer is None, and the object is not asked.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.budget_calls import BudgetCalls
from filterproof.directed_rounding import (
    ball,
    ball_ends,
    double_down,
    double_up,
    epsilon_down,
    log_up,
)
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filters.common import per_mechanism
from filterproof.filters.gdp import budget_mu, mechanism_mu
from filterproof.game import Mechanism
from filterproof.game.law import Law, Pair
from filterproof.privacy import tight_odds
from filterproof_properties.targets.budget.currencies import Budget, Values


def cost(kind: str, calls: BudgetCalls, mechanism: Mechanism, budget: Budget) -> Values | None:
    """Return what a mechanism costs, name by name; None where the currency cannot express it."""
    return _COSTS[kind](mechanism, calls, budget)


def _approx(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values:
    odds, delta = mechanism.declared
    return ("epsilon", log_up(odds)), ("delta", double_up(delta))


def _pure(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values | None:
    odds, delta = mechanism.declared
    tight = odds if delta == 0 else tight_odds(mechanism.law, mechanism.pairs, Fraction(0))
    return None if tight is None else (("epsilon", log_up(tight)),)


def _zcdp(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values | None:
    from filterproof_properties.targets.budget.zcdp import smallest_rho  # loads numpy

    rho = smallest_rho(mechanism, None)
    return None if rho is None else (("rho", rho),)


def _rdp(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values | None:
    if tight_odds(mechanism.law, mechanism.pairs, Fraction(0)) is None:
        return None
    found = tuple(double_up(divergence(mechanism, order)) for order in calls.orders)
    return (("rdp", found),)


def _gdp(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values | None:
    mu = mechanism_mu(mechanism, None)
    return None if mu is None else (("mu", double_up(mu)),)


def _count(mechanism: Mechanism, calls: BudgetCalls, budget: Budget) -> Values | None:
    odds, delta = mechanism.declared
    epsilon, most = budget
    too_much = exceeds(odds**calls.count, Fraction(1), epsilon) or delta * calls.count > most
    return None if too_much else ()


_COSTS: Mapping[str, Callable[[Mechanism, BudgetCalls, Budget], Values | None]] = {
    "approx": _approx,
    "pure": _pure,
    "zcdp": _zcdp,
    "rdp": _rdp,
    "gdp": _gdp,
    "count": _count,
}


# --- Renyi divergences --------------------------------------------------------------------------


@per_mechanism
def divergence(mechanism: Mechanism, order: Fraction) -> Fraction:
    """Return an upper bound, tight to 150 bits, of the largest Renyi divergence over the pairs."""
    return max(_divergence(mechanism.law, pair, order) for pair in mechanism.pairs)


def _divergence(law: Law, pair: Pair, order: Fraction) -> Fraction:
    rows = [(row[pair[0]], row[pair[1]]) for row in law.values() if row[pair[0]]]

    def formula() -> Any:
        alpha = ball(order)
        terms = [(alpha * ball(p).log() + (1 - alpha) * ball(q).log()).exp() for p, q in rows]
        return sum(terms[1:], terms[0]).log() / (alpha - 1)

    return max(Fraction(0), ball_ends(formula)[1])


# --- whole budgets ------------------------------------------------------------------------------


def opening_values(calls: BudgetCalls, budget: Budget) -> Values:
    """Return the budget under every name that the call which makes the object may use.

    Where (epsilon, delta) is nothing in another currency, that name is left out.
    """
    epsilon, delta = budget
    found: list[tuple[str, Any]] = [
        ("epsilon", epsilon_down(epsilon)),
        ("delta", double_down(delta)),
        ("count", calls.count),
    ]
    if delta > 0:
        found.append(("rho", double_down(budget_rho(epsilon, delta))))
        found.append(("mu", double_down(budget_mu(epsilon, delta))))
    if calls.orders and delta > 0:
        found.append(("orders", tuple(map(float, calls.orders))))
        found.append(("rdp", tuple(_at_order(epsilon, delta, order) for order in calls.orders)))
    return tuple(found)


@lru_cache(maxsize=256)
def budget_rho(epsilon: Epsilon, delta: Fraction) -> Fraction:
    """Return a rho, close to the largest, with rho + 2*sqrt(rho*log(1/delta)) <= epsilon.

    >>> f"{float(budget_rho(Fraction(1), Fraction(1, 100000))):.6f}"
    '0.020820'
    """

    def formula() -> Any:
        rest = (1 / ball(delta)).log()
        total = _ball(epsilon)
        return (total / ((rest + total).sqrt() + rest.sqrt())) ** 2

    return Fraction(0) if epsilon == 0 else ball_ends(formula)[0]


def _at_order(epsilon: Epsilon, delta: Fraction, order: Fraction) -> float:
    """Return the Renyi budget at one order: epsilon - log(1/delta)/(order - 1), at least 0."""

    def formula() -> Any:
        return _ball(epsilon) - (1 / ball(delta)).log() / (ball(order) - 1)

    return double_down(max(Fraction(0), ball_ends(formula)[0]))


def _ball(epsilon: Epsilon) -> Any:
    return ball(epsilon.argument).log() if isinstance(epsilon, Log) else ball(epsilon)
