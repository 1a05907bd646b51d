"""Budget classes that keep a list of all that was spent: right and wrong ones."""

import math


# PROVED --spend spend(epsilon)
class SumsTheLog:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.log) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        return True


# PROVED --spend spend
class Pairs:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.e, self.d = epsilon, delta
        self.log: list[tuple[float, float]] = []

    def spend(self, epsilon: float, delta: float) -> None:
        if sum(e for e, _ in self.log) + epsilon > self.e:
            raise RuntimeError
        if sum(d for _, d in self.log) + delta > self.d:
            raise RuntimeError
        self.log.append((epsilon, delta))


# PROVED --spend spend(epsilon)
class Loop:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        used = 0.0
        for one in self.log:
            used += one
        if used + epsilon > self.total:
            return False
        self.log.append(epsilon)
        return True


# PROVED --spend spend(epsilon)
class WithNew:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        new = [*self.log, epsilon]
        if sum(new) > self.total:
            return False
        self.log = new
        return True


# PROVED --spend spend(epsilon)
class FSum:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if math.fsum(self.log) + epsilon > self.total:
            return False
        self.log += [epsilon]
        return True


# PROVED --spend ask() --currency count
class Rounds:
    def __init__(self, count: int) -> None:
        self.count = count
        self.log: list[str] = []

    def ask(self) -> bool:
        if len(self.log) >= self.count:
            return False
        self.log.append("asked")
        return True


# PROVED --spend spend(epsilon)
class JustALog:
    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.history: list[tuple[str, float]] = []

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            self.history.append(("refused", epsilon))
            return False
        self.left -= epsilon
        self.history.append(("granted", epsilon))
        return True


# REFUTED --spend spend(epsilon)
class LargestOnly:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if self.log and max(self.log) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        return epsilon <= self.total


class Box:
    def __init__(self, v: float) -> None:
        self.v = v


# OPEN --spend spend(epsilon)
class ChangesTheLast:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[Box] = []
        self.last: Box | None = None

    def spend(self, epsilon: float) -> bool:
        if self.last is not None and len(self.log) == 5000:
            self.last.v = 0.0
        if sum(x.v for x in self.log) + epsilon > self.total:
            return False
        self.last = Box(epsilon)
        self.log.append(self.last)
        return True


# REFUTED --spend spend(epsilon)
class LastTwo:
    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.log[-2:]) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        return True
