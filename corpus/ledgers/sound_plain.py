"""Budget classes that are never looser than adding up, in the ways in which people write them.

The comment above a class is the verdict that `filterproof prove` must reach, and the words for it.
"""

import math
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import NamedTuple


class BudgetExceeded(Exception):
    """Says that a request does not fit."""


# PROVED --spend spend
class Sums:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.spent_epsilon = 0.0
        self.spent_delta = 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        if self.spent_epsilon + epsilon > self.epsilon:
            return False
        if self.spent_delta + delta > self.delta:
            return False
        self.spent_epsilon += epsilon
        self.spent_delta += delta
        return True


# PROVED --spend charge --refusal BudgetExceeded
class Raises:
    def __init__(self, epsilon: float, delta: float) -> None:
        if epsilon < 0 or not 0 <= delta <= 1:
            raise ValueError(f"no budget: {epsilon}, {delta}")
        self.left = [epsilon, delta]

    def charge(self, epsilon: float, delta: float) -> None:
        if epsilon < 0 or delta < 0:
            raise ValueError("costs are not negative")
        if epsilon > self.left[0] or delta > self.left[1]:
            raise BudgetExceeded(f"{epsilon} of {self.left[0]}")
        self.left[0] -= epsilon
        self.left[1] -= delta


# PROVED --spend spend(epsilon,delta) --granted "result['status'] == 'ok'"
class AnswersDict:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.budget = {"epsilon": epsilon, "delta": delta}

    def spend(self, epsilon: float, delta: float) -> dict[str, object]:
        if epsilon <= self.budget["epsilon"] and delta <= self.budget["delta"]:
            self.budget["epsilon"] -= epsilon
            self.budget["delta"] -= delta
            return {"status": "ok", "left": self.budget["epsilon"]}
        return {"status": "refused", "left": self.budget["epsilon"]}


class Answer(Enum):
    YES = "yes"
    NO = "no"


# PROVED --spend spend(epsilon,delta) --granted "result.name == 'YES'"
class AnswersEnum:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon_left, self.delta_left = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> Answer:
        if min(self.epsilon_left - epsilon, self.delta_left - delta) < 0:
            return Answer.NO
        self.epsilon_left -= epsilon
        self.delta_left -= delta
        return Answer.YES


@dataclass
class Account:
    total: float
    used: float = 0.0

    @property
    def left(self) -> float:
        return self.total - self.used

    def fits(self, cost: float) -> bool:
        return self.used + cost <= self.total

    def take(self, cost: float) -> None:
        self.used += cost


# PROVED --spend spend
class TwoAccounts:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.accounts = {"epsilon": Account(epsilon), "delta": Account(delta)}

    def spend(self, epsilon: float, delta: float) -> bool:
        asked = {"epsilon": epsilon, "delta": delta}
        if not all(self.accounts[name].fits(cost) for name, cost in asked.items()):
            return False
        for name, cost in asked.items():
            self.accounts[name].take(cost)
        return True


# PROVED --spend spend
@dataclass
class DataClass:
    epsilon: float
    delta: float
    spent: tuple[float, float] = (0.0, 0.0)
    refusals: int = 0

    def spend(self, epsilon: float, delta: float) -> bool:
        after = self.spent[0] + epsilon, self.spent[1] + delta
        if after[0] > self.epsilon or after[1] > self.delta:
            self.refusals += 1
            return False
        self.spent = after
        return True


class Cost(NamedTuple):
    epsilon: float
    delta: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta)

    def within(self, other: "Cost") -> bool:
        return self.epsilon <= other.epsilon and self.delta <= other.delta


# PROVED --spend spend
class NamedCosts:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.total, self.spent = Cost(epsilon, delta), Cost(0.0, 0.0)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = self.spent.plus(Cost(epsilon, delta))
        if not after.within(self.total):
            return False
        self.spent = after
        return True


# PROVED --spend spend
class Locked:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.lock = threading.Lock()
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        with self.lock:
            if epsilon > self.epsilon or delta > self.delta:
                return False
            self.epsilon -= epsilon
            self.delta -= delta
            return True


class Phase(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


# PROVED --spend spend
class Closes:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.phase = epsilon, delta, Phase.OPEN

    def spend(self, epsilon: float, delta: float) -> bool:
        if self.phase is Phase.CLOSED:
            return False
        if epsilon > self.epsilon or delta > self.delta:
            self.phase = Phase.CLOSED
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


# PROVED --spend take(epsilon)
class PureOnly:
    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def take(self, epsilon: float) -> bool:
        if not math.isfinite(epsilon) or epsilon < 0 or epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# PROVED --spend add(rho)
class ConcentratedBudget:
    def __init__(self, rho: float) -> None:
        self.rho, self.spent = rho, 0.0

    def add(self, rho: float) -> None:
        if self.spent + rho > self.rho:
            raise BudgetExceeded("no rho left")
        self.spent += rho


# PROVED --spend ask() --currency count
class CountsQueries:
    def __init__(self, count: int) -> None:
        self.count, self.asked = count, 0

    def ask(self) -> bool:
        if self.asked >= self.count:
            return False
        self.asked += 1
        return True


# PROVED --spend spend --check can_afford
class CheckThenSpend:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def can_afford(self, epsilon: float, delta: float) -> bool:
        return epsilon <= self.epsilon and delta <= self.delta

    def spend(self, epsilon: float, delta: float) -> None:
        self.epsilon -= epsilon
        self.delta -= delta


# PROVED --spend spend --fails failed(epsilon)
class KeepsFailures:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.failures = epsilon, delta, 0

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True

    def failed(self, epsilon: float) -> None:
        self.failures += 1


# PROVED --spend spend(user,epsilon,delta) --part user
class PerUser:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.spent: dict[str, list[float]] = {}

    def spend(self, user: str, epsilon: float, delta: float) -> bool:
        spent = self.spent.get(user, [0.0, 0.0])
        if spent[0] + epsilon > self.epsilon or spent[1] + delta > self.delta:
            return False
        self.spent[user] = [spent[0] + epsilon, spent[1] + delta]
        return True


# PROVED --spend spend(user,epsilon) --part user
class PerUserDefault:
    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon
        self.spent: defaultdict[str, float] = defaultdict(float)

    def spend(self, user: str, epsilon: float) -> bool:
        if self.spent[user] + epsilon > self.epsilon:
            return False
        self.spent[user] += epsilon
        return True


# PROVED --spend spend(epsilon,delta,analyst=analyst) --free analyst=ann,bob
class PerAnalystLog:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.calls = {"ann": 0, "bob": 0}

    def spend(self, epsilon: float, delta: float, analyst: str) -> bool:
        self.calls[analyst] += 1
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


@dataclass
class Ledger:
    rows: list[float] = field(default_factory=list)

    def total(self) -> float:
        return sum(self.rows)


# PROVED --spend spend(epsilon)
class KeepsAList:
    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.ledger = epsilon, Ledger()

    def spend(self, epsilon: float) -> bool:
        if self.ledger.total() + epsilon > self.epsilon:
            return False
        self.ledger.rows.append(epsilon)
        return True
