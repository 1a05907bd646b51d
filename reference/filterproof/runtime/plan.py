"""What would fit: quotes for one request, for a list of them, and for the largest of a family."""

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeVar

import numpy as np

from filterproof.directed_columns import (
    Column,
    add_up,
    product_up,
    up,
)
from filterproof.runtime.account import (
    Account,
    charge,
    charge_round,
    floor_left,
    left,
    on_floor,
    within_budget,
    worst,
)
from filterproof.runtime.budget import Budget
from filterproof.runtime.exact_account import Places
from filterproof.runtime.mechanism import DescribedMechanism, MechanismError
from filterproof.runtime.noise import gaussian_profile
from filterproof.runtime.per_pair import Columns, Mask

Value = TypeVar("Value")

DOUBLED = (2, 4, 8, 16, 32, 64)
"""How many times weaker a request is made in search of one that fits."""


class Quote(NamedTuple):
    """What one more round would cost; the first three numbers are about the dearest pair."""

    spent: float
    """What was charged so far, of the part of δ that is charged by what is realised."""
    asked: float
    """What this round would be charged: 0 where the floor takes it."""
    left: float
    allowed: bool
    floor: float
    """Which part of the floor is left, from 0 to 1; 0 where this round ends it."""


class Plan(NamedTuple):
    """What a list of requests would cost."""

    fits: bool
    """Whether all of them would run, whatever the answers turn out to be."""
    worst: float
    """The most that a pair would be charged for them, whatever the answers are."""
    expected: float
    """An upper bound of what a pair would be charged on average under its x."""
    left: float


def quote(before: Account, paid: Account, budget: Budget) -> Quote:
    """Return the quote for the round between two accounts."""
    live = before.live > 0
    dearest = int(np.argmax(np.where(live, paid.spent, -1.0))) if live.any() else 0
    spent, total = float(before.spent[dearest]), float(paid.spent[dearest])
    allowed = within_budget(paid, budget)
    return Quote(spent, total - spent, left(budget, spent), allowed, floor_left(paid, budget))


def plan(account: Account, requests: Sequence[Columns], budget: Budget) -> Plan:
    """Return what a list of requests would cost, in this order.

    After the first one the losses are not known, so later rounds that are charged count
    with their largest possible charge.  On average a pair is charged no more than by one
    Gaussian round with the root of all μ² together, which is what `expected` is.
    """
    paid = account
    for one in requests:
        paid = charge_round(paid, one, budget)
    asked = float(np.max(np.where(account.live > 0, paid.spent - account.spent, 0.0), initial=0.0))
    average = min(asked, _cost_of_one_round(account, paid, requests, budget))
    return Plan(within_budget(paid, budget), asked, average, left(budget, worst(paid)))


def _cost_of_one_round(
    account: Account, paid: Account, requests: Sequence[Columns], budget: Budget
) -> float:
    """Return the charge of one Gaussian round in place of all, and the slack."""
    squares, beyond = np.zeros_like(account.spent), np.zeros_like(account.spent)
    for one in requests:
        mu, slack = one.mu()
        squares, beyond = add_up(squares, product_up(mu, mu)), add_up(beyond, slack)
    mus = up(np.sqrt(squares))
    (at,) = np.nonzero((account.live > 0) & ~on_floor(paid, budget) & (account.low < inf))
    if not len(at):
        return 0.0
    found = add_up(charge(account, at, partial(_together, mus), budget.epsilon), beyond[at])
    return float(np.max(found, initial=0.0))


def _together(mus: Column, at: Places, epsilon: Column, backward: Mask) -> Column:
    """Return the profile of Gaussian rounds; without a finite μ nothing is known."""
    pairs = zip(mus[at].tolist(), epsilon.tolist(), strict=True)
    return np.array([gaussian_profile(mu, one) if mu < inf else 1.0 for mu, one in pairs])


def largest(family: Sequence[Value], fits: Callable[[Value], bool]) -> Value | None:
    """Return the last value that fits, of a family that goes from cheap to dear.

    >>> largest(range(100), lambda n: n * n <= 50)
    7
    """
    low, high = -1, len(family)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(family[middle]) else (low, middle)
    return family[low] if low >= 0 else None


def weaker(mechanism: Any, fits: Callable[[DescribedMechanism], bool]) -> DescribedMechanism | None:
    """Return the mechanism made weaker by the smallest whole factor that lets it fit.

    None if none was found, up to 64 times, or if it cannot be made weaker.
    """
    make = getattr(mechanism, "weaker", None)
    if make is None:
        return None

    def fitting(times: int) -> bool:
        try:
            return fits(make(times))
        except MechanismError:
            return False  # noise wider than any that is on offer

    reach = next((times for times in DOUBLED if fitting(times)), None)
    if reach is None:
        return None
    factor = largest(range(reach, reach // 2, -1), fitting)
    return None if factor is None else make(factor)
