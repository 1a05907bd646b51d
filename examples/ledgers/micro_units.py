"""A ledger in whole micro-units.

filterproof audit micro_units.py:Right --spend "spend(ceil(epsilon * 10**6))" \
    --open "(floor(epsilon * 10**6))"                  no violation found
filterproof audit micro_units.py:Wrong --spend spend   VIOLATED: small spends are rounded to nothing
"""


class Right:
    """Counts whole millionths."""

    def __init__(self, micros: int) -> None:
        self.micros, self.spent = micros, 0

    def spend(self, micros: int) -> bool:
        """Book a spend if it fits."""
        if self.spent + micros > self.micros:
            return False
        self.spent += micros
        return True


class Wrong:
    """Takes epsilon and rounds it to tenths."""

    def __init__(self, epsilon: float) -> None:
        self.tenths, self.spent = int(epsilon * 10), 0

    def spend(self, epsilon: float) -> bool:
        """Book a spend if it fits."""
        tenths = round(epsilon * 10)
        if self.spent + tenths > self.tenths:
            return False
        self.spent += tenths
        return True
