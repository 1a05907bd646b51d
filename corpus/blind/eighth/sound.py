"""Budgets that look wrong, and are right."""

import heapq
import math
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction


class Closed(Exception):
    """It does not fit."""


class EvictsIntoTotal:
    """Two accounts are kept by name; what is evicted is carried over."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.carried = epsilon, 0.0
        self.accounts: OrderedDict[str, float] = OrderedDict()

    def spend(self, epsilon: float, user: str) -> bool:
        if self.carried + sum(self.accounts.values()) + epsilon > self.total:
            return False
        self.accounts[user] = self.accounts.get(user, 0.0) + epsilon
        self.accounts.move_to_end(user)
        if len(self.accounts) > 2:
            self.carried += self.accounts.popitem(last=False)[1]
        return True


class CachedAnswers:
    """What was asked before is answered from the cache, without the data."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.answered: set[str] = set()

    def spend(self, epsilon: float, query: str) -> str:
        if query in self.answered:
            return "cached"
        if self.spent + epsilon > self.total:
            return "denied"
        self.spent += epsilon
        self.answered.add(query)
        return "run"


class PrepaidTeams:
    """A team takes a tenth of the budget in advance, and more when that is used up."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.lot = epsilon, epsilon / 10
        self.purses: dict[str, float] = {}

    def spend(self, epsilon: float, team: str) -> bool:
        short = epsilon - self.purses.get(team, 0.0)
        if short > 0:
            taken = max(short, min(self.lot, self.left))
            if taken > self.left:
                return False
            self.left -= taken
            self.purses[team] = self.purses.get(team, 0.0) + taken
        self.purses[team] -= epsilon
        return True


class WholePercentUp:
    """Counts whole percent, rounded up."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.percent = Fraction(epsilon), 0

    def spend(self, epsilon: float) -> bool:
        percent = self.percent + math.ceil(100 * Fraction(epsilon) / self.total)
        if percent > 100:
            return False
        self.percent = percent
        return True


class CeilingDecimals:
    """Adds up with three digits, rounded up."""

    def __init__(self, epsilon: Decimal) -> None:
        self.total, self.spent = epsilon, Decimal(0)
        self.context = Context(prec=3, rounding=ROUND_CEILING)

    def spend(self, epsilon: Decimal) -> bool:
        after = self.context.add(self.spent, epsilon)
        if after > self.total:
            return False
        self.spent = after
        return True


class NextUp:
    """Adds up doubles, each sum to the next double above."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        after = math.nextafter(self.spent + epsilon, math.inf) if epsilon else self.spent
        if after > self.total:
            return False
        self.spent = after
        return True


class PaysOnEntry:
    """Pays when a query begins, and keeps that when it raises."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.failures = epsilon, 0.0, 0

    @contextmanager
    def charge(self, epsilon: float) -> Iterator[None]:
        if self.spent + epsilon > self.total:
            raise Closed
        self.spent += epsilon
        try:
            yield
        except Exception:
            self.failures += 1
            raise


class FinesFailures:
    """A failed query costs a tenth more."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        if self.spent + epsilon > self.total:
            raise Closed
        self.spent += epsilon

    def failed(self, epsilon: float) -> None:
        self.spent += epsilon / 10


class ReservedFirst:
    """Reserves before a query, and commits after it; a reservation is never dropped."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.reserved = epsilon, 0.0

    def reserve(self, epsilon: float) -> bool:
        if self.reserved + epsilon > self.total:
            return False
        self.reserved += epsilon
        return True

    def commit(self, epsilon: float) -> None:
        if epsilon > self.reserved:
            raise Closed


class Lapses:
    """What is left shrinks by a percent a day."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.last = epsilon, time.time()

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        self.left *= 0.99 ** max(0.0, (now - self.last) / 86400)
        self.last = now
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


class SixteenAndTheRest:
    """Adds up the sixteen largest spends, and takes the others for as large as the last."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.count = epsilon, 0
        self.largest: list[float] = []

    def spend(self, epsilon: float) -> bool:
        after = heapq.nlargest(16, [*self.largest, epsilon])
        rest = self.count + 1 - len(after)
        if sum(after) + rest * after[-1] > self.total:
            return False
        self.largest, self.count = after, self.count + 1
        return True


class SlidingWithCarry:
    """Keeps the last eight spends, and the sum of all before them."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.older = epsilon, 0.0
        self.recent: deque[float] = deque(maxlen=8)

    def spend(self, epsilon: float) -> bool:
        if self.older + sum(self.recent) + epsilon > self.total:
            return False
        if len(self.recent) == 8:
            self.older += self.recent[0]
        self.recent.append(epsilon)
        return True


class BothOfThePair:
    """Spends pairs of epsilon and delta; each is at most that of the budget."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.total, self.spent = (epsilon, delta), (0.0, 0.0)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = (self.spent[0] + epsilon, self.spent[1] + delta)
        if any(a > b for a, b in zip(after, self.total, strict=True)):
            return False
        self.spent = after
        return True


class PerRegion:
    """A budget for each region, of which each person is in one only."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, region: str) -> bool:
        after = self.spent.get(region, 0.0) + epsilon
        if after > self.total:
            return False
        self.spent[region] = after
        return True


@dataclass(frozen=True)
class Account:
    """What is left; a spend returns the account after it."""

    epsilon: float
    delta: float

    def spend(self, epsilon: float, delta: float) -> "Account":
        if epsilon > self.epsilon or delta > self.delta:
            raise Closed
        return replace(self, epsilon=self.epsilon - epsilon, delta=self.delta - delta)


class RhoAddsUp:
    """Adds up rho."""

    def __init__(self, rho: float) -> None:
        self.left = rho

    def spend(self, rho: float) -> bool:
        if rho > self.left:
            return False
        self.left -= rho
        return True


class RootOfMus:
    """Adds up mu^2 in exact fractions."""

    def __init__(self, mu: float) -> None:
        self.limit, self.squares = Fraction(mu) ** 2, Fraction(0)

    def spend(self, mu: float) -> bool:
        after = self.squares + Fraction(mu) ** 2
        if after > self.limit:
            return False
        self.squares = after
        return True


class AllOrders:
    """Has a limit per Renyi order, and a request fits where it fits at every one."""

    def __init__(self, rdp: list[float]) -> None:
        self.left = list(rdp)

    def spend(self, rdp: list[float]) -> bool:
        if any(cost > left for cost, left in zip(rdp, self.left, strict=True)):
            return False
        self.left = [left - cost for cost, left in zip(rdp, self.left, strict=True)]
        return True


class QueuesShareOne:
    """Urgent requests may use the whole budget, others while a quarter of it is left."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float, queue: str) -> bool:
        limit = self.total if queue == "urgent" else self.total * 0.75
        if self.spent + epsilon > limit:
            return False
        self.spent += epsilon
        return True


class HardStop:
    """After a refusal nothing is granted any more."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.open = epsilon, True

    def spend(self, epsilon: float) -> bool:
        self.open = self.open and epsilon <= self.left
        if self.open:
            self.left -= epsilon
        return self.open


class WarmUpPaid:
    """The first three requests are only let through if they are small, and are paid."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.pings = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if self.pings < 3 and epsilon >= self.total / 4:
            return False
        if self.spent + epsilon > self.total:
            return False
        self.pings += 1
        self.spent += epsilon
        return True
