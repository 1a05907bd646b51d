"""Budget objects that are asked by name: one that is right, and one for each mistake."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite, isnan, log, sqrt


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


class Rho:
    """Counts rho, and is opened with (epsilon, delta)."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, Fraction(0)
        if not isfinite(epsilon):
            raise ValueError(f"no budget: {epsilon}")

    def spend(self, rho: float) -> bool:
        if not self.is_cost(rho):
            return False
        total = self.rho + Fraction(rho)
        if total and total + 2 * sqrt(total * Fraction(-log(self.delta))) > self.epsilon:
            return False
        self.rho = total
        return True

    def is_cost(self, rho: float) -> bool:
        return isfinite(rho) and rho >= 0 and not 0 < rho < 1e-300


class RhoLetsNaNPass(Rho):
    def spend(self, rho: float) -> bool:
        return isnan(rho) or super().spend(rho)


class Renyi:
    """Counts divergences at two orders."""

    def __init__(self, rdp: list[float]) -> None:
        if not all(map(isfinite, rdp)):
            raise ValueError(f"no budget: {rdp}")
        self.left = [Fraction(one) for one in rdp]

    def spend(self, rdp: list[float]) -> bool:
        if not all(isfinite(one) and one >= 0 for one in rdp):
            return False
        left = [had - Fraction(one) for had, one in zip(self.left, rdp, strict=True)]
        if max(left) < 0:
            return False
        self.left = left
        return True


class Admits:
    """Counts requests."""

    more = 0

    def __init__(self, most: int) -> None:
        self.left = int(most) + self.more

    def admit(self) -> bool:
        self.left -= 1
        return self.left >= 0


class AdmitsOneMore(Admits):
    more = 1


class Awaited:
    """A coroutine that answers by a dictionary, and lets NaN pass."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = epsilon, delta

    async def spend(self, epsilon: float, delta: float) -> dict[str, bool]:
        if epsilon > self.left[0] or delta > self.left[1]:
            return {"ok": False}
        self.left = self.left[0] - epsilon, self.left[1] - delta
        return {"ok": True}


class GivesBack(PureOnly):
    """A context that gives back what a mechanism was to cost that failed in there."""

    @contextmanager
    def spend(self, epsilon: float) -> Iterator["GivesBack"]:
        self.till.spend(epsilon, 0.0)
        try:
            yield self
        except RuntimeError:
            self.till.left = self.till.left[0] + Fraction(epsilon), self.till.left[1]


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
