"""What suits a target: its settings, what comes first, and the games for its claims."""

from dataclasses import replace
from fractions import Fraction

from filterproof.filters.ledger_bugs import FAILS
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures, guess, switch, wasted_branch
from filterproof_properties.options.settings import Settings
from filterproof_properties.search.constants import constants_in
from filterproof_properties.targets.budget.names import (
    is_budget_object,
    plays_failures,
    promises_no_delta,
)
from filterproof_properties.targets.loading import is_trusted
from filterproof_properties.targets.target import Loaded


def settings_for(spec: str, settings: Settings) -> Settings:
    """Return the settings as they suit a target: what is built in is exact.

    A budget object that counts epsilon only promises delta = 0.
    """
    fitting = replace(settings, exact=settings.exact or is_trusted(spec))
    pure = is_budget_object(spec) and promises_no_delta(spec)
    return replace(fitting, delta=Fraction(0)) if pure and settings.delta is None else fitting


def fails_first(target: Loaded) -> bool:
    """Whether mechanisms that fail are among the first: for budget objects and libraries.

    A filter says that it cares by the name of this output in its code.
    """
    spec, own = target.spec, getattr(target.target, "own", ())
    cares = is_budget_object(spec) and plays_failures(spec)
    return cares or spec in ADAPTERS or FAILS in constants_in(own).names


def small_cases() -> list[Case]:
    """Return a few games on which every claim is tried."""
    return [guess(3), erasures(Fraction(1, 10), 3, Fraction(3, 10)), switch(), wasted_branch()]
