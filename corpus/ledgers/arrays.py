"""Ledgers that compute with numpy arrays and with the digits of Decimals."""

from decimal import ROUND_DOWN, Decimal
from fractions import Fraction

import numpy as np


# PROVED --spend spend
class ArraySums:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.budget, self.spent = np.array([epsilon, delta]), np.zeros(2)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = self.spent + np.array([epsilon, delta])
        if np.any(after > self.budget):
            return False
        self.spent = after
        return True


# PROVED --spend spend
class ArrayLeft:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = np.array([epsilon, delta], dtype=float)

    def spend(self, epsilon: float, delta: float) -> bool:
        cost = np.array([epsilon, delta])
        if not np.all(cost <= self.left):
            return False
        self.left -= cost
        return True


# PROVED --spend spend
class ArrayOfFractions:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = np.array([Fraction(epsilon), Fraction(delta)], dtype=object)

    def spend(self, epsilon: float, delta: float) -> bool:
        cost = np.array([Fraction(epsilon), Fraction(delta)], dtype=object)
        if (cost > self.left).any():
            return False
        self.left = self.left - cost
        return True


# REFUTED --spend spend
class AnyForAll:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.budget, self.spent = np.array([epsilon, delta]), np.zeros(2)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = self.spent + np.array([epsilon, delta])
        if np.all(after > self.budget):
            return False
        self.spent = after
        return True


# REFUTED --spend spend
class LargestOfEach:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.budget, self.spent = np.array([epsilon, delta]), np.zeros(2)

    def spend(self, epsilon: float, delta: float) -> bool:
        after = np.maximum(self.spent, np.array([epsilon, delta]))
        if (after > self.budget).any():
            return False
        self.spent = after
        return True


# REFUTED --spend spend(epsilon)
class CentsDown:
    def __init__(self, epsilon: float) -> None:
        self.left = Decimal(epsilon)

    def spend(self, epsilon: float) -> bool:
        cost = Decimal(epsilon).quantize(Decimal("0.01"), rounding=ROUND_DOWN)
        if cost > self.left:
            return False
        self.left -= cost
        return True


# PROVED --spend spend(epsilon)
class Digits:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = Fraction(str(epsilon)), Fraction(0)

    def spend(self, epsilon: float) -> bool:
        after = self.spent + Fraction(repr(epsilon))
        if after > self.total:
            return False
        self.spent = after
        return True
