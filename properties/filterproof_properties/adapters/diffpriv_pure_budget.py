"""diffpriv-pure's PrivacyBudget: a sum of doubles that is compared before a spend is added.

It takes no ε = 0, so that 5e-324 is handed over, and no δ = 1.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof_properties.adapters.openmed_budgets import positive
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, Spend
from filterproof_properties.adapters.support.library import require


def library() -> Any:
    """Return the package."""
    return require("diffpriv_pure", "diffpriv-pure")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the budget as a filter."""
    library()
    return Ledger(At(admits, (epsilon_down(epsilon), double_down(delta))), positive)


@lru_cache(maxsize=MEMO)
def admits(epsilon: float, delta: float, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Replay the spends on a fresh budget, then ask; one that is rejected grants nothing."""
    try:
        budget = opened(epsilon, delta)
    except ValueError:
        return False
    for spend in spent:
        runs(budget, spend)
    return runs(budget, asked)


def opened(epsilon: float, delta: float) -> Any:
    """Return a fresh budget."""
    return library().PrivacyBudget(epsilon, delta)


def runs(budget: Any, spend: Spend) -> bool:
    """Spend; return whether that was granted."""
    try:
        budget.spend(spend.epsilon, spend.delta)
    except (ValueError, library().PrivacyBudgetExhausted):
        return False
    return True
