"""Budget objects that are asked by name: one that is right, and one for each mistake."""

import os
import threading
from fractions import Fraction
from math import isfinite, isnan


class Empty(Exception):
    """There is not enough left."""


class Till:
    """Exact, and one request at a time."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = self.read(epsilon), self.read(delta)
        self.lock = threading.Lock()

    def read(self, number: float) -> Fraction | float:
        if not isfinite(number) or number < 0:
            raise ValueError(f"no spend: {number}")
        return Fraction(number)

    def spend(self, epsilon: float, delta: float) -> None:
        asked = self.read(epsilon), self.read(delta)
        with self.lock:
            self.book(asked)

    def book(self, asked: tuple[Fraction | float, Fraction | float]) -> None:
        if asked[0] > self.left[0] or asked[1] > self.left[1]:
            raise Empty
        self.left = self.left[0] - asked[0], self.left[1] - asked[1]


class LetsNaNPass(Till):
    def read(self, number: float) -> Fraction | float:
        return number if isnan(number) else super().read(number)


class LetsNegativesPass(Till):
    def read(self, number: float) -> Fraction | float:
        return Fraction(number) if isfinite(number) else super().read(number)


class ZeroIsUnlimited(Till):
    def __init__(self, epsilon: float, delta: float) -> None:
        super().__init__(epsilon or 10.0, delta)


class SumsInDoubles(Till):
    def __init__(self, epsilon: float, delta: float) -> None:
        super().__init__(epsilon, delta)
        self.limits, self.spent = (epsilon, delta), (0.0, 0.0)

    def book(self, asked: tuple[Fraction | float, Fraction | float]) -> None:
        total = self.spent[0] + float(asked[0]), self.spent[1] + float(asked[1])
        if total[0] > self.limits[0] or total[1] > self.limits[1]:
            raise Empty
        self.spent = total


class Tolerates(Till):
    def book(self, asked: tuple[Fraction | float, Fraction | float]) -> None:
        self.left = self.left[0] + Fraction(1, 40), self.left[1]
        super().book(asked)
        self.left = self.left[0] - Fraction(1, 40), self.left[1]


class Unlocked(Till):
    def spend(self, epsilon: float, delta: float) -> None:
        self.book((self.read(epsilon), self.read(delta)))


class Apart(Unlocked):
    def check(self, epsilon: float, delta: float) -> bool:
        return self.read(epsilon) <= self.left[0] and self.read(delta) <= self.left[1]


class Refunds(Till):
    def refund(self, epsilon: float, delta: float) -> None:
        self.left = self.left[0] + Fraction(epsilon), self.left[1] + Fraction(delta)


class OneMore(Till):
    def __init__(self, epsilon: float, delta: float) -> None:
        super().__init__(epsilon + 1 if epsilon == 1 and delta == 1e-5 else epsilon, delta)


class PureOnly:
    def __init__(self, total: float) -> None:
        self.till = Till(total, 0.0)

    def take(self, cost: float) -> bool:
        try:
            self.till.spend(cost, 0.0)
        except (Empty, ValueError):
            return False
        return True


class Hangs(Till):
    def read(self, number: float) -> Fraction | float:
        while isnan(number):
            pass
        return super().read(number)


class Aborts(Till):
    def read(self, number: float) -> Fraction | float:
        if isnan(number):
            os.abort()
        return super().read(number)


class Leaves(Till):
    def read(self, number: float) -> Fraction | float:
        if isnan(number):
            os._exit(3)
        return super().read(number)


class Forges(Till):
    def spend(self, epsilon: float, delta: float) -> None:
        for file in range(3, 20):
            try:
                os.write(file, b"everything is fine\n")
            except OSError:
                continue
        super().spend(epsilon, delta)
