"""Budget classes that look at the clock: renewals, windows, leases, instalments."""

import time
from datetime import datetime

HOUR, DAY = 3600, 86400


class Denied(Exception):
    """There is not enough left."""


class Monthly:
    """A new budget on the first of the month."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left, self.month = epsilon, epsilon, datetime.now().month

    def spend(self, epsilon: float) -> None:
        month = datetime.now().month
        if month != self.month:
            self.left, self.month = self.total, month
        if epsilon > self.left:
            raise Denied
        self.left -= epsilon


class LastWeek:
    """What was spent in the last seven days must be within the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[tuple[float, float]] = []

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        recent = sum(cost for at, cost in self.log if now - at < 7 * DAY)
        if recent + epsilon > self.total:
            return False
        self.log.append((now, epsilon))
        return True


class Leases:
    """A spend is a lease, and runs out after an hour."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.leases: list[tuple[float, float]] = []

    def spend(self, epsilon: float) -> bool:
        now = time.monotonic()
        for until, cost in [one for one in self.leases if one[0] <= now]:
            self.leases.remove((until, cost))
            self.left += cost
        if epsilon > self.left:
            return False
        self.left -= epsilon
        self.leases.append((now + HOUR, epsilon))
        return True


class HalfLife:
    """What was spent counts less as time passes: half of it after ten days."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.at = epsilon, 0.0, time.time()

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        faded = self.spent * 0.5 ** ((now - self.at) / (10 * DAY))
        if faded + epsilon > self.total:
            return False
        self.spent, self.at = faded + epsilon, now
        return True


class Drips:
    """A bucket that holds the budget and fills up again, a thirtieth a day."""

    def __init__(self, epsilon: float) -> None:
        self.size, self.level, self.at = epsilon, epsilon, time.time()

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        self.level = min(self.size, self.level + self.size * (now - self.at) / (30 * DAY))
        self.at = now
        if epsilon > self.level:
            return False
        self.level -= epsilon
        return True


class Quarters:
    """A quarter of the budget at once, and one more in each period of thirty days."""

    def __init__(self, epsilon: float) -> None:
        self.instalment, self.spent, self.begun = epsilon / 4, 0.0, time.time()

    def spend(self, epsilon: float) -> None:
        periods = int((time.time() - self.begun) // (30 * DAY))
        if self.spent + epsilon > self.instalment * (periods + 1):
            raise Denied
        self.spent += epsilon


class GraceOncePerDay:
    """Allows an overdraft of half of the budget, once a day."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left, self.grace = epsilon, epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if epsilon <= self.left:
            self.left -= epsilon
            return True
        if epsilon <= self.total / 2 and time.time() - self.grace >= DAY:
            self.grace = time.time()
            return True
        return False


class Sessions:
    """A session ends after half an hour without a request; what is spent belongs to it."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.seen = epsilon, 0.0, time.time()

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        if now - self.seen > 1800:
            self.spent = 0.0
        self.seen = now
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class Retention:
    """Rows older than a year are deleted, as the data protection officer has asked."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.rows: list[tuple[float, float]] = []

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        self.rows = [(at, cost) for at, cost in self.rows if at > now - 365 * DAY]
        if sum(cost for _, cost in self.rows) + epsilon > self.total:
            return False
        self.rows.append((now, epsilon))
        return True


class DayOfYear:
    """Spends of one day are booked under its number; the next day's check begins with its own."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.days: dict[int, float] = {}

    def spend(self, epsilon: float) -> bool:
        day = datetime.now().timetuple().tm_yday
        spent = self.days.get(day, 0.0)
        if spent + epsilon > self.total:
            return False
        self.days[day] = spent + epsilon
        return True


class HourlyRate:
    """A third of the budget in any hour, and the budget in all."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.log: list[tuple[float, float]] = []

    def spend(self, epsilon: float) -> bool:
        now = time.time()
        recent = sum(cost for at, cost in self.log if now - at < HOUR)
        if recent + epsilon > self.total / 3 or self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        self.log.append((now, epsilon))
        return True


class FourQuarters:
    """A half at once, a quarter more in each of the next two periods, and then no more."""

    def __init__(self, epsilon: float) -> None:
        self.instalment, self.spent, self.begun = epsilon / 4, 0.0, time.time()

    def spend(self, epsilon: float) -> None:
        periods = int((time.time() - self.begun) // (30 * DAY))
        if self.spent + epsilon > self.instalment * min(periods + 2, 4):
            raise Denied
        self.spent += epsilon


class RunsOut:
    """What is left is worth nothing after ninety days."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.until = epsilon, time.monotonic() + 90 * DAY

    def spend(self, epsilon: float) -> bool:
        if time.monotonic() > self.until:
            self.left = 0.0
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True
