"""A ledger that counts rho of zero-concentrated differential privacy.

filterproof audit zcdp.py:Right --spend spend      no violation found
filterproof audit zcdp.py:Wrong --spend spend      VIOLATED: log10 in the conversion
"""

import math


class Right:
    """Opened for (epsilon, delta), spent in rho."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, 0.0

    def spend(self, rho: float) -> bool:
        """Book a spend if the whole, converted, fits; a little is left for rounding."""
        if self.converted(self.rho + rho) > self.epsilon * (1 - 1e-9):
            return False
        self.rho += rho
        return True

    def converted(self, rho: float) -> float:
        """Return the epsilon of rho-zCDP at delta."""
        if self.delta <= 0:
            return math.inf if rho else 0.0
        return rho + 2 * math.sqrt(rho * math.log(1 / self.delta))


class Wrong(Right):
    """Takes the wrong logarithm."""

    def converted(self, rho: float) -> float:
        """Return less than the epsilon of rho-zCDP at delta."""
        if self.delta <= 0:
            return math.inf if rho else 0.0
        return rho + 2 * math.sqrt(rho * math.log10(1 / self.delta))
