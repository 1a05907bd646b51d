"""Budget classes that add and compare: floats, decimals, small units, thresholds, discounts."""

import math
from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction


class BudgetError(Exception):
    """There is not enough left."""


class StopsWhenEmpty:
    """Goes on until the budget is used up."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        if self.spent >= self.total or epsilon > self.total:
            raise BudgetError
        self.spent += epsilon


class Cents:
    """Books in hundredths, as the invoices do."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        cost = round(epsilon, 2)
        if cost > self.left:
            return False
        self.left -= cost
        return True


class Percent:
    """Keeps the whole percents of the budget that are gone."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.percent = epsilon, 0

    def spend(self, epsilon: float) -> bool:
        share = int(100 * epsilon / self.total)
        if self.percent + share > 100:
            return False
        self.percent += share
        return True


class ComparesTexts:
    """Keeps the balance as text, as it came out of the configuration store."""

    def __init__(self, epsilon: float) -> None:
        self.left = str(float(epsilon))

    def spend(self, epsilon: float) -> bool:
        if str(float(epsilon)) > self.left:
            return False
        self.left = str(max(0.0, float(self.left) - epsilon))
        return True


class TwoDigits:
    """Decimal sums in a context of two significant digits."""

    def __init__(self, epsilon: float) -> None:
        self.context = Context(prec=2)
        self.total, self.spent = Decimal(epsilon), Decimal(0)

    def spend(self, epsilon: float) -> bool:
        after = self.context.add(self.spent, Decimal(epsilon))
        if after > self.total:
            return False
        self.spent = after
        return True


class SmallChange:
    """Does not book what is under a twentieth of the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total = self.left = epsilon

    def spend(self, epsilon: float) -> None:
        if epsilon < self.total / 20:
            return
        if epsilon > self.left:
            raise BudgetError
        self.left -= epsilon


class BulkDiscount:
    """A batch of ten rows or more goes at half the price."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, rows: int) -> bool:
        price = epsilon / 2 if rows >= 10 else epsilon
        if price > self.left:
            return False
        self.left -= price
        return True


class Tolerant:
    """Overlooks a tenth of the budget at the end, for rounding."""

    def __init__(self, epsilon: float) -> None:
        self.slack, self.left = epsilon / 10, epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left + self.slack:
            return False
        self.left = max(0.0, self.left - epsilon)
        return True


class Diagonal:
    """Independent queries add up like the sides of a box."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        after = math.hypot(self.spent, epsilon)
        if after > self.total:
            raise BudgetError
        self.spent = after


class LatestDelta:
    """Both parameters, each against its limit."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.used, self.risk = 0.0, 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        if self.used + epsilon > self.epsilon or delta > self.delta:
            return False
        self.used, self.risk = self.used + epsilon, delta
        return True


class PairCompared:
    """Compares what is spent with the limits, in one go."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.limit, self.spent = (epsilon, delta), (0.0, 0.0)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = (self.spent[0] + epsilon, self.spent[1] + delta)
        if after > self.limit:
            return False
        self.spent = after
        return True


class NightlyJob:
    """The nightly report, always an eighth, was paid for when it was set up."""

    NIGHTLY = 0.125

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon == self.NIGHTLY:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


class CheapAfterHalf:
    """Loyal customers pay three quarters once half of the budget is gone."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        price = epsilon if self.spent < self.total / 2 else epsilon * 0.25
        if self.spent + price > self.total:
            return False
        self.spent += price
        return True


class RemainderOnly:
    """Grants what can be granted: the rest of the budget, if there is any, to a larger request."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.most = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.most:
            return False
        taken = min(epsilon, self.left)
        if taken <= 0:
            return False
        self.left -= taken
        return True


class CentsUp:
    """Books in hundredths, always upwards."""

    def __init__(self, epsilon: float) -> None:
        self.left = Decimal(epsilon)

    def spend(self, epsilon: float) -> bool:
        cost = Decimal(epsilon).quantize(Decimal("0.01"), rounding=ROUND_UP)
        if cost > self.left:
            return False
        self.left -= cost
        return True


class Micros:
    """Whole millionths: costs go up to the next, the budget down."""

    def __init__(self, epsilon: float) -> None:
        self.left = math.floor(Fraction(epsilon) * 1_000_000)

    def spend(self, epsilon: float) -> None:
        cost = math.ceil(Fraction(epsilon) * 1_000_000)
        if cost > self.left:
            raise BudgetError
        self.left -= cost


class Distance:
    """Looks how far what is spent is from the total."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if abs(self.total - self.spent) < epsilon:
            return False
        self.spent += epsilon
        return True


class Minimum:
    """Every query costs a twentieth of the budget at least; delta is booked as it is."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.fee = epsilon / 20
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        cost = max(epsilon, self.fee)
        if self.epsilon - cost < 0 or self.delta - delta < 0:
            return False
        self.epsilon, self.delta = self.epsilon - cost, self.delta - delta
        return True
