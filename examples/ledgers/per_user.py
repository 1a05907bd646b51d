"""A ledger that is asked with the name of an analyst.

filterproof audit per_user.py:Right --spend spend --free analyst=ann,bob    no violation found
filterproof audit per_user.py:Wrong --spend spend --free analyst=ann,bob    VIOLATED: a budget each

filterproof audit per_user.py:PerTable --spend "spend(epsilon, table)" --part table
    no violation found: the tables are parts of the data, and each person is in one of them
"""

from collections import defaultdict


class Right:
    """Notes who has asked, and has one budget for all."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon
        self.spent: dict[str, float] = defaultdict(float)

    def spend(self, epsilon: float, analyst: str) -> bool:
        """Book a spend if it fits."""
        if self.counted(analyst) + epsilon > self.epsilon * (1 - 1e-9):
            return False
        self.spent[analyst] += epsilon
        return True

    def counted(self, analyst: str) -> float:
        """Return what counts against the budget."""
        return sum(self.spent.values())


class Wrong(Right):
    """Has a budget for each of them, though they may talk."""

    def counted(self, analyst: str) -> float:
        """Return what counts against the budget."""
        return self.spent[analyst]


class PerTable(Wrong):
    """Has a budget for each table."""


class ForgetsTables(Right):
    """Has a budget for the table that was asked last, and forgets the others."""

    def counted(self, analyst: str) -> float:
        """Return what counts against the budget."""
        self.spent = defaultdict(float, {analyst: self.spent[analyst]})
        return self.spent[analyst]
