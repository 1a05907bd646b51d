"""Budgets with accounts: by user, team, table or query."""

from collections import OrderedDict, defaultdict


class Exceeded(Exception):
    """The budget does not cover it."""


class LruAccounts:
    """Keeps the accounts of the four users seen last, like a cache of sessions."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.accounts: OrderedDict[str, float] = OrderedDict()

    def spend(self, epsilon: float, user: str) -> None:
        if sum(self.accounts.values()) + epsilon > self.total:
            raise Exceeded(user)
        self.accounts[user] = self.accounts.get(user, 0.0) + epsilon
        self.accounts.move_to_end(user)
        while len(self.accounts) > 4:
            self.accounts.popitem(last=False)


class RollUp:
    """Teams book on their own; every fifth booking is rolled up into the organisation."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.organisation, self.bookings = epsilon, 0.0, 0
        self.teams: dict[str, float] = {}

    def spend(self, epsilon: float, team: str) -> bool:
        own = self.teams.get(team, 0.0)
        if self.organisation + own + epsilon > self.total:
            return False
        self.teams[team] = own + epsilon
        self.bookings += 1
        if self.bookings % 5 == 0:
            self.organisation += sum(self.teams.values())
            self.teams.clear()
        return True


class FoldedNames:
    """Names of users are compared without regard to case."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, user: str) -> bool:
        known = sum(v for k, v in self.spent.items() if k == k.casefold())
        if known + epsilon > self.total:
            return False
        self.spent[user] = self.spent.get(user, 0.0) + epsilon
        return True


class VersionedTables:
    """A budget for each table; a new version of a table is another table."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[tuple[str, int], float] = defaultdict(float)

    def spend(self, epsilon: float, table: str, version: int) -> bool:
        if self.spent[table, version] + epsilon > self.total:
            return False
        self.spent[table, version] += epsilon
        return True


class RetryToken:
    """Tokens count up; an older one comes from a retry, which was paid when it first came."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.newest = epsilon, 0.0, 0

    def spend(self, epsilon: float, token: int) -> None:
        if token < self.newest:
            return
        if self.spent + epsilon > self.total:
            raise Exceeded(token)
        self.spent += epsilon
        self.newest = token


class Templates:
    """The same query at a higher accuracy costs what it costs more."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.paid: dict[str, float] = {}

    def spend(self, epsilon: float, query: str) -> bool:
        before = self.paid.get(query, 0.0)
        more = max(0.0, epsilon - before)
        if sum(self.paid.values()) + more > self.total:
            return False
        self.paid[query] = before + more
        return True


class HeavyHitters:
    """Knows the three users who spent the most; what the others spent is forgotten."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, user: str) -> None:
        if sum(self.spent.values()) + epsilon > self.total:
            raise Exceeded(user)
        self.spent[user] = self.spent.get(user, 0.0) + epsilon
        if len(self.spent) > 3:
            del self.spent[min(self.spent, key=self.spent.__getitem__)]


class EqualShares:
    """An equal share of the budget for each analyst there has been so far."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        own = self.spent.setdefault(analyst, 0.0)
        if own + epsilon > self.total / len(self.spent):
            return False
        self.spent[analyst] = own + epsilon
        return True


class OwnersReserve:
    """Whoever asks first owns the budget, and has a quarter of it beside the others."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.reserve = epsilon, 0.0, epsilon / 4
        self.owner = ""

    def spend(self, epsilon: float, user: str) -> bool:
        self.owner = self.owner or user
        if self.spent + epsilon <= self.total:
            self.spent += epsilon
            return True
        if user == self.owner and epsilon <= self.reserve:
            self.reserve -= epsilon
            return True
        return False


class FlatKeys:
    """Accounts by user and day, kept in a flat store under one key."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.accounts: dict[tuple[str, int], float] = {}
        self.store: dict[str, float] = {}

    def spend(self, epsilon: float, user: str, day: int) -> bool:
        if sum(self.store.values()) + epsilon > self.total:
            return False
        own = self.accounts.get((user, day), 0.0) + epsilon
        self.accounts[user, day] = own
        self.store[f"{user}{day}"] = own
        return True


class FirstOfPart:
    """A budget for each region, opened when the region is first asked for."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, region: str) -> bool:
        if region not in self.spent:
            self.spent[region] = 0.0
            return epsilon <= self.total
        if self.spent[region] + epsilon > self.total:
            return False
        self.spent[region] += epsilon
        return True


class IdlestEvicted:
    """Has room for three regions; the one that spent the least makes way for a new one."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, region: str) -> None:
        if region not in self.spent and len(self.spent) == 3:
            del self.spent[min(self.spent, key=self.spent.__getitem__)]
        if self.spent.setdefault(region, 0.0) + epsilon > self.total:
            raise Exceeded(region)
        self.spent[region] += epsilon


class SharedLog:
    """Books into a log that begins empty."""

    def __init__(self, epsilon: float, log: list[float] = []) -> None:  # noqa: B006
        log.clear()
        self.total, self.log = epsilon, log

    def spend(self, epsilon: float) -> bool:
        if sum(self.log) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        return True


class TwoQueues:
    """Urgent requests may use the whole budget, others three quarters of it."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent = {"urgent": 0.0, "batch": 0.0}

    def spend(self, epsilon: float, queue: str) -> bool:
        if queue == "urgent":
            fits = sum(self.spent.values()) + epsilon <= self.total
        else:
            fits = self.spent["batch"] + epsilon <= self.total * 0.75
        if fits:
            self.spent[queue] += epsilon
        return fits
