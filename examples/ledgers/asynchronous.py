"""A coroutine that returns whether a spend is granted.

filterproof audit asynchronous.py:Right --spend reserve      no violation found
filterproof audit asynchronous.py:Wrong --spend reserve      VIOLATED: delta is never added up
"""

import asyncio


class Right:
    """Adds up epsilon and delta, one request at a time."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.spent = [0.0, 0.0]
        self.lock = asyncio.Lock()

    async def reserve(self, epsilon: float, delta: float = 0.0) -> bool:
        """Book a spend if it fits."""
        async with self.lock:
            await asyncio.sleep(0)
            if not self.fits(epsilon, delta):
                return False
            self.spent = [self.spent[0] + epsilon, self.spent[1] + delta]
            return True

    def fits(self, epsilon: float, delta: float) -> bool:
        """Whether both still fit."""
        return self.spent[0] + epsilon <= self.epsilon and self.spent[1] + delta <= self.delta


class Wrong(Right):
    """Compares delta with the budget and forgets what was spent of it."""

    def fits(self, epsilon: float, delta: float) -> bool:
        """Whether both still fit."""
        return self.spent[0] + epsilon <= self.epsilon and delta <= self.delta
