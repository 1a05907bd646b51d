"""Budget classes with a word for mechanisms that fail, holds, and context managers."""

from collections.abc import Iterator
from contextlib import contextmanager


class Exhausted(Exception):
    """There is not enough left."""


class GivesBackOnError:
    """A context manager that rolls its booking back if the query raises."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    @contextmanager
    def spend(self, epsilon: float) -> Iterator[None]:
        if epsilon > self.left:
            raise Exhausted
        before = self.left
        self.left -= epsilon
        try:
            yield
        except Exception:
            self.left = before
            raise


class BooksAfterwards:
    """A context manager that books when the query is through."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    @contextmanager
    def spend(self, epsilon: float) -> Iterator[None]:
        if self.spent + epsilon > self.total:
            raise Exhausted
        yield
        self.spent += epsilon


class HalfBack:
    """Returns half of what a failed query cost."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> None:
        if epsilon > self.left:
            raise Exhausted
        self.left -= epsilon

    def failed(self, epsilon: float) -> None:
        self.left += epsilon / 2


class ThreeRefunds:
    """Returns what a failed query cost, three times at most."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.refunds = epsilon, 3

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True

    def failed(self, epsilon: float) -> None:
        if self.refunds > 0:
            self.refunds -= 1
            self.left += epsilon


class OnlyLargeBack:
    """Returns what a failed query cost, if it is worth it: over a third of the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left = epsilon, epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True

    def failed(self, epsilon: float) -> None:
        if epsilon > self.total / 3:
            self.left = min(self.total, self.left + epsilon)


class Holds:
    """Reserves, books after the run, and lets go of the reservation if the run failed."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.held = epsilon, 0.0

    def reserve(self, epsilon: float) -> bool:
        if epsilon > self.left - self.held:
            return False
        self.held += epsilon
        return True

    def commit(self, epsilon: float) -> None:
        self.held -= epsilon
        self.left -= epsilon

    def release(self, epsilon: float) -> None:
        self.held -= epsilon


class SkipsRepeats:
    """Checks before the run and records after it; a record that comes twice is written once."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.last: float | None = None

    def affords(self, epsilon: float) -> bool:
        return self.spent + epsilon <= self.total

    def record(self, epsilon: float) -> None:
        if epsilon == self.last:
            return
        self.spent, self.last = self.spent + epsilon, epsilon


class Breaker:
    """Starts over after three failures in a row."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left, self.failures = epsilon, epsilon, 0

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True

    def failed(self) -> None:
        self.failures += 1
        if self.failures == 3:
            self.left, self.failures = self.total, 0


class CreditNote:
    """Writes a credit note for a failed query, taken off the next one."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.credit = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        price = max(0.0, epsilon - self.credit)
        if price > self.left:
            raise Exhausted
        self.left, self.credit = self.left - price, 0.0

    def failed(self, epsilon: float) -> None:
        self.credit = epsilon


class DeltaBack:
    """Keeps the epsilon of a failed query, and returns its delta."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon, self.delta = self.epsilon - epsilon, self.delta - delta
        return True

    def failed(self, delta: float) -> None:
        self.delta += delta


class UndoStack:
    """Undoes the last booking when a query fails, but never the first."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.stack: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.stack) + epsilon > self.total:
            return False
        self.stack.append(epsilon)
        return True

    def failed(self) -> None:
        if len(self.stack) > 1:
            self.stack.pop()


class SavesFailure:
    """Marks a failed query as cancelled; cancelled ones are left out when more than two are."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.rows: list[dict[str, float | bool]] = []

    def used(self) -> float:
        cancelled = [row for row in self.rows if row["cancelled"]]
        rows = [row for row in self.rows if len(cancelled) <= 2 or not row["cancelled"]]
        return float(sum(row["cost"] for row in rows))

    def spend(self, epsilon: float) -> bool:
        if self.used() + epsilon > self.total:
            return False
        self.rows.append({"cost": epsilon, "cancelled": False})
        return True

    def failed(self) -> None:
        self.rows[-1]["cancelled"] = True


class KeepsOnError:
    """A context manager that books before the query, whatever becomes of it."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.errors = 0

    @contextmanager
    def spend(self, epsilon: float) -> Iterator[None]:
        if epsilon > self.left:
            raise Exhausted
        self.left -= epsilon
        try:
            yield
        except Exception:
            self.errors += 1
            raise


class BooksInTheEnd:
    """A context manager that holds during the query, and books when it is through or has failed."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.running: list[float] = []

    @contextmanager
    def spend(self, epsilon: float) -> Iterator[None]:
        if self.spent + sum(self.running) + epsilon > self.total:
            raise Exhausted
        self.running.append(epsilon)
        try:
            yield
        finally:
            self.running.remove(epsilon)
            self.spent += epsilon


class DoubleDeposit:
    """Books twice the price; the deposit comes back when the query fails, the price does not."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if 2 * epsilon > self.left:
            return False
        self.left -= 2 * epsilon
        return True

    def failed(self, epsilon: float) -> None:
        self.left += epsilon


class HoldsForGood:
    """Reserves before the run; a failed run is booked like any other."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.held = epsilon, 0.0

    def reserve(self, epsilon: float) -> bool:
        if epsilon > self.left - self.held:
            return False
        self.held += epsilon
        return True

    def commit(self, epsilon: float) -> None:
        self.held -= epsilon
        self.left -= epsilon

    def release(self, epsilon: float) -> None:
        self.commit(epsilon)
