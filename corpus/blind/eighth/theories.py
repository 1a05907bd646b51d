"""Budgets in other currencies, and with theorems."""

import math


class OutOfBudget(Exception):
    """It does not fit."""


class ForgottenRoot:
    """Advanced composition of equal spends."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.count, self.largest = epsilon, delta, 0, 0.0

    def spend(self, epsilon: float) -> None:
        count, each = self.count + 1, max(self.largest, epsilon)
        slack = math.sqrt(2 * math.log(1 / self.delta)) * each if self.delta else math.inf
        advanced = slack + count * each * math.expm1(each)
        if min(advanced, count * each) > self.epsilon:
            raise OutOfBudget
        self.count, self.largest = count, each


class NoFactorTwo:
    """Spends rho while rho + sqrt(rho log(1/delta)) stays within epsilon."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, 0.0

    def spend(self, rho: float) -> bool:
        if self.delta <= 0:
            return False
        after = self.rho + rho
        if after + math.sqrt(after * math.log(1 / self.delta)) > self.epsilon:
            return False
        self.rho = after
        return True


class BookedWhereItFits:
    """Has a limit per Renyi order; a request is booked at the orders at which it fits."""

    def __init__(self, rdp: list[float]) -> None:
        self.left = list(rdp)

    def spend(self, rdp: list[float]) -> bool:
        fits = [i for i, cost in enumerate(rdp) if cost <= self.left[i]]
        for i in fits:
            self.left[i] -= rdp[i]
        return bool(fits)


class PureOrApproximate:
    """Pure and approximate mechanisms are booked apart."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.limit = (epsilon, delta)
        self.pure, self.spent, self.used = 0.0, 0.0, 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        if not delta:
            if self.pure + epsilon > self.limit[0]:
                return False
            self.pure += epsilon
            return True
        if self.spent + epsilon > self.limit[0] or self.used + delta > self.limit[1]:
            return False
        self.spent, self.used = self.spent + epsilon, self.used + delta
        return True


class LossBeforeStep:
    """A training loop reads the accountant, and runs a step while epsilon is not reached."""

    def __init__(self, rho: float) -> None:
        self.limit, self.rho = rho, 0.0

    def step(self, rho: float) -> None:
        if self.rho >= self.limit:
            raise OutOfBudget
        self.rho += min(rho, self.limit - self.rho)
