"""Budget classes that look like those with reports, and keep their promise."""

import time
from math import ceil


class OverBudget(Exception):
    """There is not enough left."""


class TupleKeys:
    """Books per organisation and team, under a pair of names; all of them together are capped."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.books: dict[tuple[str, str], float] = {}

    def spend(self, epsilon: float, org: str, team: str) -> bool:
        if sum(self.books.values()) + epsilon > self.total:
            return False
        self.books[org, team] = self.books.get((org, team), 0.0) + epsilon
        return True


class FoldsEvicted:
    """Keeps two books open; what is evicted is carried in a sum."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.carried = epsilon, 0.0
        self.books: dict[str, float] = {}

    def spend(self, epsilon: float, user: str) -> bool:
        if self.carried + sum(self.books.values()) + epsilon > self.total:
            return False
        self.books[user] = self.books.pop(user, 0.0) + epsilon
        if len(self.books) > 2:
            self.carried += self.books.pop(next(iter(self.books)))
        return True


class HoldsStay:
    """A hold stays until it is booked, however long that takes."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.holds: list[tuple[float, float]] = []

    def reserve(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        self.holds.append((time.monotonic(), epsilon))
        return True

    def commit(self, epsilon: float) -> None:
        self.holds.pop()


class LogsFailures:
    """Writes down that a query failed, and gives nothing back."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.failures: list[float] = []

    def spend(self, epsilon: float) -> None:
        if epsilon > self.left:
            raise OverBudget
        self.left -= epsilon

    def refund(self, epsilon: float) -> None:
        self.failures.append(epsilon)


class RoundsUp:
    """Counts in thousandths, rounded up and one more."""

    def __init__(self, epsilon: float) -> None:
        self.left = int(epsilon * 1000)

    def spend(self, epsilon: float) -> bool:
        price = ceil(epsilon * 1000) + 1
        if price > self.left:
            return False
        self.left -= price
        return True


class WeekOfDays:
    """A seventh of the budget a day, and the whole of it once."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.daily = epsilon, epsilon / 7
        self.day, self.today = 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        day = time.time() // 86400
        if day != self.day:
            self.day, self.today = day, 0.0
        if epsilon > self.left or self.today + epsilon > self.daily:
            return False
        self.left -= epsilon
        self.today += epsilon
        return True


class QuotaAndTotal:
    """Half of the budget for any one analyst, the whole of it for all of them."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.most = epsilon, epsilon / 2
        self.own: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        own = self.own.get(analyst, 0.0) + epsilon
        if epsilon > self.left or own > self.most:
            return False
        self.own[analyst] = own
        self.left -= epsilon
        return True


class LocksOut:
    """Three refusals in a row lock the account for good."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.refused = epsilon, 0

    def spend(self, epsilon: float) -> bool:
        if self.refused >= 3 or epsilon > self.left:
            self.refused += 1
            return False
        self.refused = 0
        self.left -= epsilon
        return True
