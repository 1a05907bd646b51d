"""What the solver found, as games: a play with numbers becomes rounds one after the other.

A play that is not over its budget has spends after it, so that it is worth something to get there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.budget_calls import COSTS, BudgetCalls, complete
from filterproof.exact import Epsilon, Log, exp_enclosure
from filterproof.game import Game, Mechanism
from filterproof_properties.case import Case
from filterproof_properties.games.families import ASK, chain_rounds
from filterproof_properties.games.thresholds import odds_below
from filterproof_properties.search.solving.rounds import (
    NEIGHBOURS,
    Kind,
    Solved,
    as_round,
    law_of,
)
from filterproof_properties.targets.budget.costs import cost, opening_values
from filterproof_properties.targets.budget.names import is_budget_object, named

EPSILON, DELTA, ODDS = Fraction(1), Fraction(1, 1024), Fraction(2)
"""The budget of most plays where the user fixes none; the odds are those of a filter's epsilon."""
BITS = 60
"""So precisely odds are found for a loss: what is charged is the next double."""
WHOLE, AFTER, MANY_AFTER = Fraction(9, 10), 3, 12
"""Spends of this share of the budget follow, a few; more where rho or mu is counted."""
HALVINGS = 40
"""So often the odds of a rho or a mu are halved in."""


@dataclass(frozen=True)
class Counted:
    """A budget, and what the target counts it in: odds, epsilon, rho or mu."""

    epsilon: Epsilon
    delta: Fraction
    cost: str = "odds"
    calls: BudgetCalls | None = None
    free: bool = False

    @property
    def size(self) -> Fraction:
        """The budget in what is counted."""
        if self.calls is None:
            return exp_enclosure(self.epsilon, BITS)[0]
        values = dict(opening_values(self.calls, (self.epsilon, self.delta)))
        return Fraction(values[self.cost])

    @property
    def adds_up(self) -> bool:
        """Whether a play beyond the budget is one that breaks it: not where it is converted."""
        return self.cost in ("odds", "epsilon")


def budget_for(spec: str, epsilon: Epsilon | None, delta: Fraction | None) -> Counted | None:
    """Return the budget that plays of a target have; None where it counts something else."""
    most = DELTA if delta is None else delta
    if not is_budget_object(spec):
        usual = Log(ODDS) if epsilon is None else epsilon
        return Counted(usual, most, free=epsilon is None and delta is None)
    calls = complete(named(spec)[1])
    names = COSTS[calls.kind(calls.spend[0])]
    if not {*names} & {"epsilon", "rho", "mu"} or (names[0] != "epsilon" and not most):
        return None
    none = calls.promises_no_delta
    free = epsilon is None and delta in (None, Fraction(0) if none else None)
    usual = EPSILON if epsilon is None else epsilon
    return Counted(usual, Fraction(0) if none else most, names[0], calls, free)


def case_of(play: dict[str, Any], at: Counted) -> Case:
    """Return a play as a case."""
    epsilon, delta = at.epsilon, Fraction(play["delta"])
    if play["any budget"]:
        epsilon = Log(Fraction(play["size"])) if at.calls is None else Fraction(play["size"])
    here = Counted(epsilon, delta, at.cost, at.calls)
    odds = odds_of_cost(here)
    some = [
        Solved(Kind(kind), odds(Fraction(size)), Fraction(leak), name, fails)
        for kind, size, leak, name, fails in play["requests"]
    ]
    whole = Solved(Kind.RESPONSE, odds(_share(here)), Fraction(0), some[-1].name if some else ASK)
    after = [whole] * (AFTER if at.adds_up else MANY_AFTER)
    rounds = [*some, *(() if play["beyond"] and at.adds_up else after)]
    menu = chain_rounds([as_round(one) for one in rounds], {})
    return Case("branches in the code", Game(NEIGHBOURS, [NEIGHBOURS], menu), epsilon, delta)


def _share(here: Counted) -> Fraction:
    """Return most of the budget in what is counted."""
    return 1 + WHOLE * (here.size - 1) if here.calls is None else WHOLE * here.size


def odds_of_cost(here: Counted) -> Callable[[Fraction], Fraction]:
    """Return the function that gives the odds of a response at this cost."""
    if here.calls is None:
        return lambda size: size
    if here.cost == "epsilon":
        return lambda size: odds_below(size, BITS)
    return lambda size: _odds_at(here, size)


@lru_cache(maxsize=64)
def _odds_at(here: Counted, size: Fraction) -> Fraction:
    """Return the largest odds found at which a response costs no more than this."""
    assert here.calls is not None
    kind = here.calls.kind(here.calls.spend[0])
    low, high = Fraction(1), Fraction(64)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        law = law_of(Kind.RESPONSE, middle / (1 + middle), Fraction(0))
        one = Game(NEIGHBOURS, [NEIGHBOURS], {ASK: Mechanism(law)}).menu[ASK]
        charged = cost(kind, here.calls, one, (here.epsilon, here.delta))
        fits = charged is not None and Fraction(dict(charged)[here.cost]) <= size
        low, high = (middle, high) if fits else (low, middle)
    return low
