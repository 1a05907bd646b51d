"""A context manager around the mechanism.

filterproof audit context.py:Right --spend spending      no violation found, failures played
filterproof audit context.py:Wrong --spend spending      VIOLATED: what fails is paid back
"""

from collections.abc import Iterator
from contextlib import contextmanager


class Right:
    """Charges on the way in, whatever happens inside."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    @contextmanager
    def spending(self, epsilon: float) -> Iterator[float]:
        """Run the mechanism inside."""
        self.charge(epsilon)
        yield self.left

    def charge(self, epsilon: float) -> None:
        """Take a spend off, or raise."""
        if epsilon > self.left:
            raise PermissionError(f"{self.left} is left; asked for {epsilon}")
        self.left -= epsilon


class Wrong(Right):
    """Pays back where the mechanism raises, though it has seen the data."""

    @contextmanager
    def spending(self, epsilon: float) -> Iterator[float]:
        """Run the mechanism inside."""
        self.charge(epsilon)
        try:
            yield self.left
        except Exception:
            self.left += epsilon
            raise
