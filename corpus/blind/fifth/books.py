"""Budget classes with a book per analyst, per table or per kind of request; and shared ones."""

from typing import ClassVar


class NoFunds(Exception):
    """There is not enough left."""


class HalfEach:
    """Every analyst has half of the budget, opened at the first request."""

    def __init__(self, epsilon: float) -> None:
        self.share = epsilon / 2
        self.left: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        left = self.left.setdefault(analyst, self.share)
        if epsilon > left:
            return False
        self.left[analyst] = left - epsilon
        return True


class DearestAnalyst:
    """The analyst who spent most must stay within the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        after = self.spent | {analyst: self.spent.get(analyst, 0.0) + epsilon}
        if max(after.values()) > self.total:
            return False
        self.spent = after
        return True


class MeanOfTeam:
    """The team must stay within the budget on the average."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        after = self.spent | {analyst: self.spent.get(analyst, 0.0) + epsilon}
        if sum(after.values()) / len(after) > self.total:
            return False
        self.spent = after
        return True


class AdminsPass:
    """One budget for all; administrators are not held up by it."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, user: str) -> None:
        if user.startswith("admin"):
            return
        if epsilon > self.left:
            raise NoFunds
        self.left -= epsilon


class Borrows:
    """Two analysts with a half each; who runs out may borrow from the other."""

    def __init__(self, epsilon: float) -> None:
        self.left = {"ann": epsilon / 2, "bob": epsilon / 2}

    def spend(self, epsilon: float, analyst: str) -> bool:
        other = "bob" if analyst == "ann" else "ann"
        if epsilon <= self.left[analyst]:
            self.left[analyst] -= epsilon
            return True
        if epsilon <= self.left[analyst] + self.left[other]:
            self.left[analyst] = 0.0
            return True
        return False


class LowPriority:
    """Requests of low priority cost half."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, priority: str) -> bool:
        price = {"low": epsilon / 2, "high": epsilon}[priority]
        if price > self.left:
            return False
        self.left -= price
        return True


class DryRuns:
    """A dry run says whether there is enough, and books nothing."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, mode: str) -> bool:
        if epsilon > self.left:
            return False
        if mode != "dry":
            self.left -= epsilon
        return True


class CurrentTable:
    """Books per table, one table at a time."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.table = epsilon, 0.0, ""

    def spend(self, epsilon: float, table: str) -> bool:
        if table != self.table:
            self.table, self.spent = table, 0.0
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class TwoTablesOpen:
    """Books per table; the one that was not used for longest is closed when there is a third."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.books: dict[str, float] = {}

    def spend(self, epsilon: float, table: str) -> bool:
        spent = self.books.pop(table, 0.0)
        self.books[table] = spent
        if len(self.books) > 2:
            del self.books[next(iter(self.books))]
        if spent + epsilon > self.total:
            return False
        self.books[table] = spent + epsilon
        return True


class DroppedWhenEmpty:
    """Books per table; a table that has nothing left is dropped from the dictionary."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.left: dict[str, float] = {}

    def spend(self, epsilon: float, table: str) -> bool:
        left = self.left.get(table, self.total)
        if epsilon > left:
            return False
        self.left[table] = left - epsilon
        if self.left[table] <= 0:
            del self.left[table]
        return True


class ActiveBook:
    """Each object has a balance; bookings go to the one that is active."""

    active: ClassVar["ActiveBook"]

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        ActiveBook.active = self

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        ActiveBook.active.left -= epsilon
        return True


class SharedRegister:
    """The balances of all objects are in a register of the class, cleared for a new one."""

    register: ClassVar[dict[str, float]] = {}

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.register.clear()

    def spend(self, epsilon: float) -> bool:
        spent = self.register.get("spent", 0.0)
        if spent + epsilon > self.total:
            return False
        self.register["spent"] = spent + epsilon
        return True


class CapAndOwn:
    """An analyst has three quarters at most, and all together have the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.own = epsilon, 0.75 * epsilon
        self.spent: dict[str, float] = {}

    def spend(self, epsilon: float, analyst: str) -> bool:
        mine = self.spent.get(analyst, 0.0) + epsilon
        if mine > self.own or sum(self.spent.values()) + epsilon > self.total:
            return False
        self.spent[analyst] = mine
        return True


class Drawers:
    """Books per table, in four drawers by the length of the table's name."""

    def __init__(self, epsilon: float) -> None:
        self.left = [epsilon] * 4

    def spend(self, epsilon: float, table: str) -> None:
        drawer = len(table) % 4
        if epsilon > self.left[drawer]:
            raise NoFunds
        self.left[drawer] -= epsilon


class LendsProperly:
    """Two analysts with a half each; what is borrowed is taken from the lender."""

    def __init__(self, epsilon: float) -> None:
        self.left = {"ann": epsilon / 2, "bob": epsilon / 2}

    def spend(self, epsilon: float, analyst: str) -> bool:
        other = "bob" if analyst == "ann" else "ann"
        if epsilon > self.left[analyst] + self.left[other]:
            return False
        own = min(epsilon, self.left[analyst])
        self.left[analyst] -= own
        self.left[other] -= epsilon - own
        return True
