"""Budgets that are told when a query fails."""

from collections.abc import Iterator
from contextlib import contextmanager


class Denied(Exception):
    """There is not enough left."""


class Transaction:
    """A query runs in a transaction; where it raises, the books are as they were before."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    @contextmanager
    def charge(self, epsilon: float) -> Iterator[None]:
        before = self.spent
        if before + epsilon > self.total:
            raise Denied
        self.spent = before + epsilon
        try:
            yield
        except Exception:
            self.spent = before
            raise


class DearestCancelled:
    """A failure takes the largest open amount off the list."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.open: list[float] = []

    def spend(self, epsilon: float) -> None:
        if sum(self.open) + epsilon > self.total:
            raise Denied
        self.open.append(epsilon)

    def failed(self) -> None:
        self.open.remove(max(self.open))


class DeadLetters:
    """Three failures in a row mean that the service was down: nothing of it ran."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.down: list[float] = []
        self.last = 0.0

    def spend(self, epsilon: float) -> None:
        if self.last:
            self.down.clear()
        if self.spent + epsilon > self.total:
            raise Denied
        self.spent += epsilon
        self.last = epsilon

    def failed(self) -> None:
        self.down.append(self.last)
        self.last = 0.0
        if len(self.down) == 3:
            self.spent -= sum(self.down)
            self.down.clear()


class SavePoints:
    """A failure goes back to the save point before the last."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.points = [0.0]

    def spend(self, epsilon: float) -> None:
        if self.points[-1] + epsilon > self.total:
            raise Denied
        self.points.append(self.points[-1] + epsilon)

    def failed(self) -> None:
        failed = self.points.pop() - self.points[-1]
        if len(self.points) > 1:
            self.points.pop()
        self.points[-1] += failed


class MoreBadThanGood:
    """When failures outnumber successes, the log is read again from the last failure on."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.good, self.bad = epsilon, 0, 0
        self.log: list[float] = []

    def spend(self, epsilon: float) -> None:
        if sum(self.log) + epsilon > self.total:
            raise Denied
        self.log.append(epsilon)
        self.good += 1

    def failed(self) -> None:
        self.good, self.bad = self.good - 1, self.bad + 1
        if self.bad > self.good:
            self.log = self.log[-1:]


class EpsilonBack:
    """A failed query gives back its epsilon and keeps its delta."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> None:
        if epsilon > self.epsilon or delta > self.delta:
            raise Denied
        self.epsilon -= epsilon
        self.delta -= delta

    def failed(self, epsilon: float) -> None:
        self.epsilon += epsilon
