"""A ledger with a call for mechanisms that fail.

filterproof audit refund.py:Right --spend reserve --fails cancel    no violation found
filterproof audit refund.py:Wrong --spend reserve --fails cancel    VIOLATED: it pays back
"""


class Right:
    """Keeps what was spent on a mechanism that failed: it had seen the data."""

    def __init__(self, budget: float) -> None:
        self.left = budget
        self.cancelled = 0.0

    def reserve(self, epsilon: float) -> bool:
        """Book a spend if it fits."""
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True

    def cancel(self, epsilon: float) -> None:
        """Note that a mechanism failed."""
        self.cancelled += epsilon


class Wrong(Right):
    """Pays back."""

    def cancel(self, epsilon: float) -> None:
        """Pay back what a mechanism has cost that failed."""
        self.left += epsilon
