"""Budgets that look at the clock."""

import time
from datetime import UTC, datetime

DAY = 86400.0


class NewYear:
    """The books are closed at the end of a year, and opened anew."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.year = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        year = datetime.fromtimestamp(time.time(), UTC).year
        if year > self.year:
            self.year, self.spent = year, 0.0
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class SteppedBack:
    """Begins anew when the clock was set back: the file of state is from the future."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.seen = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        if now < self.seen:
            self.spent = 0.0
        self.seen = now
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class Maintenance:
    """Between two and three at night the nightly report runs, which has its own budget."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.nightly = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        if int(time.time() / 3600) % 24 == 2:
            if self.nightly + epsilon > self.total:
                return False
            self.nightly += epsilon
            return True
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class Trickle:
    """Refills at a hundredth of the budget a day."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.level, self.last = epsilon, epsilon, time.time()

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        self.level += (now - self.last) / DAY * self.total / 100
        self.level, self.last = min(self.level, self.total), now
        if epsilon > self.level:
            return False
        self.level -= epsilon
        return True


class CoolDown:
    """After a refusal it waits for five minutes, and then begins with half of its debts."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.closed = epsilon, 0.0, 0.0

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        if self.closed and now < self.closed + 300:
            return False
        if self.closed:
            self.spent, self.closed = self.spent / 2, 0.0
        if self.spent + epsilon > self.total:
            self.closed = now
            return False
        self.spent += epsilon
        return True
