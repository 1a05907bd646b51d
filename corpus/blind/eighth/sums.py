"""Budgets with numbers of their own: percent, text, decimals, grids, integers of a fixed size."""

import ctypes
import math
from decimal import Decimal
from fractions import Fraction


class PercentPoints:
    """Counts whole percent of the budget."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.percent = epsilon, 0

    def spend(self, epsilon: float) -> bool:
        percent = self.percent + int(100 * epsilon / self.total)
        if percent > 100:
            return False
        self.percent = percent
        return True


class MillionthsOfDelta:
    """Adds up epsilon, and delta in whole parts per ten million."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.parts = epsilon, int(delta * 1e7)
        self.spent, self.used = 0.0, 0

    def spend(self, epsilon: float, delta: float) -> bool:
        parts = int(delta * 1e7)
        if self.spent + epsilon > self.epsilon or self.used + parts > self.parts:
            return False
        self.spent += epsilon
        self.used += parts
        return True


class WorstDelta:
    """Adds up epsilon; delta is the largest there has been."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.spent, self.worst = epsilon, delta, 0.0, 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        worst = max(self.worst, delta)
        if self.spent + epsilon > self.epsilon or worst > self.delta:
            return False
        self.spent, self.worst = self.spent + epsilon, worst
        return True


class PercentOrShare:
    """Takes whatever is above ten for percent: nobody asks for so much."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if epsilon > 10:
            epsilon /= 100
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class FixedColumns:
    """Reads an amount from a column of three characters."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, amount: str) -> None:
        cost = float(amount[:3])
        if self.spent + cost > self.total:
            raise ValueError(amount)
        self.spent += cost


class ComparedRounded:
    """Compares to one decimal place, adds up exactly."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if round(self.spent + epsilon, 1) > round(self.total, 1):
            return False
        self.spent += epsilon
        return True


class NearlyEqual:
    """Fits if it is below the budget or as good as equal to it."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        after = self.spent + epsilon
        if after > self.total and not math.isclose(after, self.total, abs_tol=0.05):
            return False
        self.spent = after
        return True


class ShareOfTheRest:
    """Each spend takes its share of what is left."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left = epsilon, epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= self.left * epsilon / self.total
        return True


class SimpleFractions:
    """Keeps its books in simple fractions."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = Fraction(epsilon), Fraction(0)

    def spend(self, epsilon: float) -> bool:
        after = self.spent + (Fraction(epsilon) / self.total).limit_denominator(8)
        if after > 1:
            return False
        self.spent = after
        return True


class TwoKindsOfNumbers:
    """Decimals are booked with decimals, doubles with doubles."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.exact = epsilon, 0.0, Decimal(0)

    def spend(self, epsilon: float | Decimal) -> bool:
        if isinstance(epsilon, Decimal):
            if self.exact + epsilon > Decimal(self.total):
                return False
            self.exact += epsilon
        else:
            if self.spent + epsilon > self.total:
                return False
            self.spent += epsilon
        return True


class LossGrid:
    """Discretises privacy losses on a grid of a twentieth of the budget."""

    def __init__(self, epsilon: float) -> None:
        self.step, self.cells = epsilon / 20, 0

    def spend(self, epsilon: float) -> bool:
        cells = self.cells + round(epsilon / self.step)
        if cells > 20:
            return False
        self.cells = cells
        return True


class Milli:
    """Counts thousandths in a register of sixteen bits."""

    def __init__(self, epsilon: float) -> None:
        self.limit, self.used = int(epsilon * 1000), 0

    def spend(self, epsilon: float) -> bool:
        cost = ctypes.c_uint16(math.ceil(epsilon * 1000)).value
        if self.used + cost > self.limit:
            return False
        self.used += cost
        return True


class ComparedAsText:
    """Compares amounts as they are printed."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = f"{epsilon:.4f}", 0.0

    def spend(self, epsilon: float) -> bool:
        if f"{self.spent + epsilon:.4f}" > self.total:
            return False
        self.spent += epsilon
        return True


class ComparedAsPair:
    """Spends pairs of epsilon and delta, while the pair is at most the budget."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.total, self.spent = (epsilon, delta), (0.0, 0.0)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = (self.spent[0] + epsilon, self.spent[1] + delta)
        if after > self.total:
            return False
        self.spent = after
        return True


class NegligibleEpsilon:
    """A request of less than a thousandth is a health check."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if 0 < epsilon < 1e-3:
            self.epsilon -= epsilon
            return self.epsilon >= 0
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True
