"""What each currency of a budget object cannot express, and so is never put to the object."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from filterproof.budget_calls import BudgetCalls
from filterproof.exact import Epsilon

Values = tuple[tuple[str, Any], ...]
"""Names of costs with their values, as a call is given them."""
Budget = tuple[Epsilon, Fraction]

NOT_ASKED: Mapping[str, str] = {
    "approx": "",
    "pure": "mechanisms that are not epsilon-DP for any epsilon (delta > 0)",
    "zcdp": "mechanisms that are not rho-zCDP for any rho (an output that one database rules out)",
    "rdp": "mechanisms of infinite Renyi divergence (an output that one database rules out)",
    "gdp": "mechanisms that are not mu-GDP for any mu (an output that one database rules out)",
    "count": "mechanisms that cost more than one share of the budget",
}
"""What a currency cannot express, and is never put to an object, by currency."""


def not_asked(calls: BudgetCalls) -> str:
    """Say what the currencies of these calls cannot express; "" if they can express all."""
    kinds = sorted({calls.kind(call) for call in calls.spend})
    return "; ".join(NOT_ASKED[kind] for kind in kinds if NOT_ASKED[kind])
