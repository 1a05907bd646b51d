"""A ledger of Decimals that says what is left.

filterproof audit decimals.py:Right --spend "spend(Decimal(epsilon))" --open "(Decimal(epsilon))"
    no violation found
filterproof audit decimals.py:Wrong --spend "spend(Decimal(epsilon))" --open "(Decimal(epsilon))"
    VIOLATED: the last spend may go below zero
"""

from decimal import MAX_PREC, Context, Decimal

EXACT = Context(prec=MAX_PREC)


class Right:
    """Subtracts exactly; None is a refusal."""

    def __init__(self, budget: Decimal) -> None:
        self.left = budget

    def spend(self, cost: Decimal) -> Decimal | None:
        """Return what is left after the spend, or None."""
        after = EXACT.subtract(self.left, cost)
        if not self.allowed(after):
            return None
        self.left = after
        return self.left

    def allowed(self, after: Decimal) -> bool:
        """Whether so much may be left."""
        return after >= 0


class Wrong(Right):
    """Looks at what is left before the spend."""

    def allowed(self, after: Decimal) -> bool:
        """Whether so much may be left."""
        return self.left > 0
