"""A method that raises when the budget is used up.

filterproof audit plain.py:Right --spend spend      holds up to rounding, or no violation found
filterproof audit plain.py:Wrong --spend spend      VIOLATED: every spend is compared alone
"""


class BudgetExceeded(Exception):
    """There is not enough left."""


class Right:
    """Adds up epsilon."""

    def __init__(self, total: float) -> None:
        self.total, self.spent = total, 0.0

    def spend(self, epsilon: float) -> None:
        """Book a spend, or raise."""
        if self.spent + epsilon > self.total:
            raise BudgetExceeded(f"{self.spent} of {self.total} is spent; asked for {epsilon}")
        self.spent += epsilon


class Wrong(Right):
    """Compares every spend with the whole budget."""

    def spend(self, epsilon: float) -> None:
        """Book a spend, or raise."""
        if epsilon > self.total:
            raise BudgetExceeded(f"asked for {epsilon} of {self.total}")
        self.spent += epsilon
