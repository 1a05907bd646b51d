"""Budget classes after reports in public trackers of limiters, quotas and accountants: wrong."""

import time
from collections import OrderedDict
from typing import Any


class OverBudget(Exception):
    """There is not enough left."""


class MinuteWindow:
    """Counts within the running minute of the wall clock."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.minute = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        minute = time.time() // 60
        if minute != self.minute:
            self.minute, self.spent = minute, 0.0
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class SlidingExpiry:
    """Keeps an entry for an hour after the last grant, like a cache with a time to live."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.expires = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> None:
        now = time.time()
        if now >= self.expires:
            self.spent = 0.0
        if self.spent + epsilon > self.total:
            raise OverBudget
        self.spent += epsilon
        self.expires = now + 3600


class IdempotencyKey:
    """A key that has been charged before is a retry of the network, and passes."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.charged: set[str] = set()

    def spend(self, epsilon: float, key: str) -> None:
        if key in self.charged:
            return
        if epsilon > self.left:
            raise OverBudget
        self.left -= epsilon
        self.charged.add(key)


class PrefixPurge:
    """Purges the sessions of a user before a new spend: all keys that begin with the name."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.used: dict[str, float] = {}

    def spend(self, epsilon: float, user: str) -> bool:
        for key in [one for one in self.used if one.startswith(user) and one != user]:
            del self.used[key]
        if sum(self.used.values()) + epsilon > self.total:
            return False
        self.used[user] = self.used.get(user, 0.0) + epsilon
        return True


class HoldsLapse:
    """A sweeper drops holds that are older than ten minutes, running ones too."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.holds: list[tuple[float, float]] = []

    def reserve(self, epsilon: float) -> bool:
        now = time.monotonic()
        self.holds = [one for one in self.holds if now - one[0] < 600]
        if sum(one[1] for one in self.holds) + epsilon > self.total:
            return False
        self.holds.append((now, epsilon))
        return True

    def commit(self, epsilon: float) -> None:
        if not self.holds:
            raise OverBudget


class PopsHistory:
    """Runs of equal costs; asking pops the last run to extend it, and forgets to put it back."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.history: list[tuple[float, int]] = []

    def affords(self, epsilon: float) -> bool:
        spent = sum(cost * times for cost, times in self.history)
        if self.history:
            cost, times = self.history.pop()
            if cost == epsilon:
                self.history.append((cost, times))
        return spent + epsilon <= self.total

    def record(self, epsilon: float) -> None:
        if self.history and self.history[-1][0] == epsilon:
            self.history[-1] = (epsilon, self.history[-1][1] + 1)
        else:
            self.history.append((epsilon, 1))


class Twentieths:
    """Counts in twentieths of the budget, rounded to the nearest."""

    def __init__(self, epsilon: float) -> None:
        self.unit, self.left = epsilon / 20, 20

    def spend(self, epsilon: float) -> bool:
        price = round(epsilon / self.unit)
        if price > self.left:
            return False
        self.left -= price
        return True


class BothCounters:
    """A failed task raises the quota, and lowers what is used."""

    def __init__(self, epsilon: float) -> None:
        self.quota, self.used = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if self.used + epsilon > self.quota:
            return False
        self.used += epsilon
        return True

    def refund(self, epsilon: float) -> None:
        self.quota += epsilon
        self.used = max(self.used - epsilon, 0.0)


class CancelsOldest:
    """A failure takes the head of the queue for the task that failed, unless it is alone."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.queue: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.queue) + epsilon > self.total:
            return False
        self.queue.append(epsilon)
        return True

    def failed(self) -> None:
        if len(self.queue) > 1:
            self.queue.pop(0)


class UnsetIsUnlimited:
    """An axis whose cap is unset, or 0, is not capped."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.caps = {"epsilon": epsilon, "delta": delta}
        self.used = {"epsilon": 0.0, "delta": 0.0}

    def spend(self, epsilon: float, delta: float) -> bool:
        asked = {"epsilon": epsilon, "delta": delta}
        for axis, cap in self.caps.items():
            if cap and self.used[axis] + asked[axis] > cap:
                return False
        for axis in self.used:
            self.used[axis] += asked[axis]
        return True


class BookedAtTheNext:
    """Books a request when the next one comes, because only then it has surely ended."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.running = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        if self.spent + epsilon > self.total:
            return False
        self.spent += self.running
        self.running = epsilon
        return True


class ZeroIsNew:
    """An excessive request zeroes the balance; a balance of zero reads as none yet."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.store: dict[str, float] = {}

    def deduct(self, epsilon: float) -> bool:
        current = self.store.get("site") or self.total
        if epsilon > current:
            self.store["site"] = 0.0
            return False
        self.store["site"] = max(current - epsilon, 1e-9)
        return True


class CountedByLength:
    """Sums the costs per query again only when there is one more query."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.costs: dict[str, float] = {}
        self.cached = (0, 0.0)

    def spend(self, epsilon: float, query: str) -> bool:
        if self.cached[0] != len(self.costs):
            self.cached = (len(self.costs), sum(self.costs.values()))
        if self.cached[1] + epsilon > self.total:
            return False
        self.costs[query] = self.costs.get(query, 0.0) + epsilon
        return True


class DearestAttempt:
    """A job pays for its dearest attempt."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.jobs: OrderedDict[str, float] = OrderedDict()

    def spend(self, epsilon: float, job: str) -> None:
        jobs = {**self.jobs, job: max(self.jobs.get(job, 0.0), epsilon)}
        if sum(jobs.values()) > self.total:
            raise OverBudget
        self.jobs = OrderedDict(jobs)


class SoftLimit:
    """Warns at the budget and stops at a quarter above it."""

    def __init__(self, epsilon: float) -> None:
        self.soft, self.hard, self.spent = epsilon, 1.25 * epsilon, 0.0
        self.warnings: list[str] = []

    def spend(self, epsilon: float) -> None:
        if self.spent + epsilon > self.hard:
            raise OverBudget
        self.spent += epsilon
        if self.spent > self.soft:
            self.warnings.append(f"{self.spent} of {self.soft}")


class LastBatch:
    """Equal steps are one entry of the log; with another batch size it is written anew."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[list[Any]] = []

    def spend(self, epsilon: float, batch: int) -> bool:
        if sum(cost * steps for cost, _, steps in self.log) + epsilon > self.total:
            return False
        if self.log and self.log[-1][0] == epsilon:
            same = self.log[-1][1] == batch
            self.log[-1] = [epsilon, batch, self.log[-1][2] + 1 if same else 1]
        else:
            self.log.append([epsilon, batch, 1])
        return True
