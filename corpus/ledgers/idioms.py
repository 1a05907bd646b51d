"""Idioms of ordinary Python around the same sum: each with a twin that lets too much through."""

from enum import Enum, auto
from functools import total_ordering


class Mode(Enum):
    OPEN = auto()
    EXHAUSTED = auto()


# PROVED --spend 'spend(epsilon)'
class ClosesForGood:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.mode = epsilon, 0.0, Mode.OPEN

    def spend(self, epsilon: float) -> None:
        if self.mode is Mode.EXHAUSTED or self.spent + epsilon > self.total:
            self.mode = Mode.EXHAUSTED
            raise ValueError("exhausted")
        self.spent += epsilon


# REFUTED --spend 'spend(epsilon)'
class ClosesTooLate:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.mode = epsilon, 0.0, Mode.OPEN

    def spend(self, epsilon: float) -> None:
        if self.mode is Mode.EXHAUSTED:
            raise ValueError("exhausted")
        self.spent += epsilon
        if self.spent > self.total:
            self.mode = Mode.EXHAUSTED


@total_ordering
class Cost:
    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.epsilon + other.epsilon)

    def __iadd__(self, other: "Cost") -> "Cost":
        self.epsilon += other.epsilon
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cost) and self.epsilon == other.epsilon

    def __lt__(self, other: "Cost") -> bool:
        return self.epsilon < other.epsilon


# PROVED --spend 'spend(epsilon)'
class InCosts:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = Cost(epsilon), Cost(0.0)

    def spend(self, epsilon: float) -> None:
        if self.spent + Cost(epsilon) > self.total:
            raise ValueError("exhausted")
        self.spent += Cost(epsilon)


class Sloppy(Cost):
    def __eq__(self, other: object) -> bool:
        return True


# REFUTED --spend 'spend(epsilon)'
class InSloppyCosts:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = Sloppy(epsilon), Cost(0.0)

    def spend(self, epsilon: float) -> None:
        if self.total < self.spent or Sloppy(self.spent.epsilon + epsilon) > self.total:
            raise ValueError("exhausted")
        self.spent += Cost(epsilon)


class NotBelowZero:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: object, owner: type | None = None) -> float:
        return float(getattr(obj, self.name))

    def __set__(self, obj: object, value: float) -> None:
        if value < 0:
            raise ValueError("exhausted")
        setattr(obj, self.name, value)


# PROVED --spend 'spend(epsilon)'
class Described:
    left = NotBelowZero()

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> None:
        self.left = self.left - epsilon


class StopsAtZero(NotBelowZero):
    def __set__(self, obj: object, value: float) -> None:
        setattr(obj, self.name, max(value, 0.0))


# REFUTED --spend 'spend(epsilon)'
class WronglyDescribed:
    left = StopsAtZero()

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> None:
        self.left = self.left - epsilon


# PROVED --spend 'spend(epsilon)'
class TakesBack:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> None:
        self.log.append(epsilon)
        if sum(self.log) > self.total:
            self.log.pop()
            raise ValueError("exhausted")


# REFUTED --spend 'spend(epsilon)'
class TakesTooMuchBack:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> None:
        self.log.append(epsilon)
        if sum(self.log) > self.total:
            self.log.pop()
            raise ValueError("exhausted")
        if epsilon * 2 < self.total:
            self.log.pop()
