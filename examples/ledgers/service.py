"""A service that answers with a dictionary.

filterproof audit service.py:Right --spend handle --granted "result['status'] == 'ok'"
    no violation found
filterproof audit service.py:Wrong --spend handle --granted "result['status'] == 'ok'"
    VIOLATED: a refused request lowers what is spent
"""

from typing import Any


class Right:
    """Answers requests with their status and what is left."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.budget = (epsilon, delta)
        self.spent = (0.0, 0.0)

    def handle(self, epsilon: float, delta: float) -> dict[str, Any]:
        """Book a spend if it fits."""
        after = self.spent[0] + epsilon, self.spent[1] + delta
        if after[0] > self.budget[0] or after[1] > self.budget[1]:
            return self.refuse(epsilon, delta)
        self.spent = after
        return {"status": "ok", "left": self.budget[0] - after[0]}

    def refuse(self, epsilon: float, delta: float) -> dict[str, Any]:
        """Say no."""
        return {"status": "budget exceeded"}


class Wrong(Right):
    """Rolls back what was never booked."""

    def refuse(self, epsilon: float, delta: float) -> dict[str, Any]:
        """Say no."""
        self.spent = max(0.0, self.spent[0] - epsilon), max(0.0, self.spent[1] - delta)
        return {"status": "budget exceeded"}
