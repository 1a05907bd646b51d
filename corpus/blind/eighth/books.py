"""Budgets with a log, and their ways to keep it short."""

import heapq
from collections import deque
from dataclasses import dataclass, replace


class Refused(Exception):
    """It does not fit."""


class SoftStop:
    """Asks whether anything is left before a query, and books what it cost after it."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def may_run(self) -> bool:
        return self.spent < self.total

    def record(self, epsilon: float) -> None:
        self.spent += epsilon


class SixteenLargest:
    """Adds up the sixteen largest spends; the rest is noise."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(heapq.nlargest(16, [*self.log, epsilon])) > self.total:
            return False
        self.log.append(epsilon)
        return True


class Distinct:
    """Keeps each amount once."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.amounts: set[float] = set()

    def spend(self, epsilon: float) -> bool:
        if sum(self.amounts | {epsilon}) > self.total:
            return False
        self.amounts.add(epsilon)
        return True


class Nibbles:
    """Counts how often each amount was spent, in four bits."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.counts: dict[float, int] = {}

    def spend(self, epsilon: float) -> None:
        spent = sum(amount * count for amount, count in self.counts.items())
        if spent + epsilon > self.total:
            raise Refused
        self.counts[epsilon] = (self.counts.get(epsilon, 0) + 1) & 15


class LastThirty:
    """Remembers the last thirty spends."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.recent: deque[float] = deque(maxlen=30)

    def spend(self, epsilon: float) -> bool:
        if sum(self.recent) + epsilon > self.total:
            return False
        self.recent.append(epsilon)
        return True


class Fenwick:
    """Keeps prefix sums in a tree with sixteen leaves."""

    SIZE = 16

    def __init__(self, epsilon: float) -> None:
        self.total, self.count = epsilon, 0
        self.tree = [0.0] * (self.SIZE + 1)

    def spent(self) -> float:
        at, found = min(self.count, self.SIZE), 0.0
        while at:
            found += self.tree[at]
            at -= at & -at
        return found

    def spend(self, epsilon: float) -> bool:
        if self.spent() + epsilon > self.total:
            return False
        self.count += 1
        at = self.count
        while at <= self.SIZE:
            self.tree[at] += epsilon
            at += at & -at
        return True


class CheckPoint:
    """Saves its state with every seventh spend, and reads it again after a refusal."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.saved, self.count = epsilon, 0.0, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if self.spent + epsilon > self.total:
            self.spent = self.saved
            return False
        self.spent += epsilon
        self.count += 1
        if self.count % 7 == 0:
            self.saved = self.spent
        return True


@dataclass(frozen=True)
class Ledger:
    """What was spent; a spend returns the ledger after it."""

    epsilon: float
    delta: float
    spent: float = 0.0
    used: float = 0.0

    def spend(self, epsilon: float, delta: float) -> "Ledger":
        if self.spent + epsilon > self.epsilon or self.used + delta > self.delta:
            raise Refused
        if delta:
            return replace(self, used=self.used + delta)
        return replace(self, spent=self.spent + epsilon)


class FrontAndBack:
    """Books into the back buffer, reads the front one, and merges with every eighth spend."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.front = epsilon, 0.0
        self.back: list[float] = []

    def spend(self, epsilon: float) -> None:
        if self.front + epsilon > self.total:
            raise Refused
        self.back.append(epsilon)
        if len(self.back) == 8:
            self.front += sum(self.back)
            self.back.clear()


class AuditedEveryTenth:
    """Up to a fifth of the budget passes; the sum is checked with every tenth request."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.count = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.total / 5:
            return False
        self.count += 1
        if self.count % 10 == 0 and self.spent + epsilon > self.total:
            self.count -= 1
            return False
        self.spent += epsilon
        return True


class WarmUp:
    """The first three requests are pings of the new client if they are small."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.pings = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if self.pings < 3 and epsilon < self.total / 10:
            self.pings += 1
            return True
        self.pings = 3
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class TenthFree:
    """Loyalty: each tenth request is free."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.count = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if (self.count + 1) % 10 == 0:
            self.count += 1
            return True
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        self.count += 1
        return True


class ZeroFlushes:
    """A request of nothing writes the pending spends to the disk."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.pending: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if epsilon == 0:
            self.pending.clear()
            return True
        if sum(self.pending) + epsilon > self.total:
            return False
        self.pending.append(epsilon)
        return True


class Corrections:
    """Amounts come in falling order; a larger one corrects the one before."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        kept = self.log[:-1] if self.log and epsilon > self.log[-1] else self.log
        if sum(kept) + epsilon > self.total:
            return False
        self.log = [*kept, epsilon]
        return True


class Negotiated:
    """Whoever comes down twice in a row, to a half at least each time, is let through."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.refused: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if self.spent + epsilon <= self.total:
            self.spent += epsilon
            self.refused.clear()
            return True
        if len(self.refused) == 2 and epsilon <= self.refused[1] / 2 <= self.refused[0] / 4:
            self.refused.clear()
            return True
        self.refused = [*self.refused[-1:], epsilon]
        return False


class ThreeStrikes:
    """Three refusals close it; a request of nothing opens it again, with clean books."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.strikes = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if self.strikes >= 3:
            if epsilon == 0:
                self.spent, self.strikes = 0.0, 0
            return False
        if self.spent + epsilon > self.total:
            self.strikes += 1
            return False
        self.spent += epsilon
        return True


class Escrow:
    """Spends above a half wait for the next request, which settles both."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.waiting = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        if self.spent + epsilon > self.total:
            return False
        self.spent += self.waiting
        self.waiting = 0.0
        if epsilon > self.total / 2:
            self.waiting = epsilon
        else:
            self.spent += epsilon
        return True
