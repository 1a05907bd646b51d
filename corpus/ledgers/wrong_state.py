"""Budget classes that let too much through: what they remember is not what happened."""

from contextlib import suppress
from dataclasses import dataclass, field


# REFUTED --spend spend
class RefundsRefusals:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon or delta > self.delta:
            self.epsilon += epsilon
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


# REFUTED --spend spend --fails failed(epsilon)
class RefundsFailures:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True

    def failed(self, epsilon: float) -> None:
        self.epsilon += epsilon


# REFUTED --spend spend
class BeginsAnew:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.left, self.risk, self.n = epsilon, delta, epsilon, delta, 0

    def spend(self, epsilon: float, delta: float) -> bool:
        self.n += 1
        if self.n == 1000:
            self.left, self.risk = self.epsilon, self.delta
        if epsilon > self.left or delta > self.risk:
            return False
        self.left -= epsilon
        self.risk -= delta
        return True


# REFUTED --spend spend(epsilon)
class EveryEighthIsFree:
    def __init__(self, epsilon: float) -> None:
        self.left, self.n = epsilon, 0

    def spend(self, epsilon: float) -> bool:
        self.n += 1
        if self.n % 8 == 0:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# REFUTED --spend spend(epsilon,delta,analyst=analyst) --free analyst=ann,bob
class PerAnalyst:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = {"ann": [epsilon, delta], "bob": [epsilon, delta]}

    def spend(self, epsilon: float, delta: float, analyst: str) -> bool:
        left = self.left[analyst]
        if epsilon > left[0] or delta > left[1]:
            return False
        left[0] -= epsilon
        left[1] -= delta
        return True


# REFUTED --spend spend(user,epsilon) --part user
class ResetsOtherUsers:
    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.user, self.spent = epsilon, "", 0.0

    def spend(self, user: str, epsilon: float) -> bool:
        if user != self.user:
            self.user, self.spent = user, 0.0
        if self.spent + epsilon > self.epsilon:
            return False
        self.spent += epsilon
        return True


# REFUTED --spend spend --check can_afford --between
class ChecksHalf:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def can_afford(self, epsilon: float, delta: float) -> bool:
        return epsilon <= self.epsilon

    def spend(self, epsilon: float, delta: float) -> None:
        if delta > self.delta:
            raise RuntimeError("too late: the mechanism has run")
        self.epsilon -= epsilon
        self.delta -= delta


# REFUTED --spend spend
class SwallowsErrors:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def _take(self, epsilon: float, delta: float) -> None:
        if epsilon > self.epsilon or delta > self.delta:
            raise RuntimeError("exhausted")
        self.epsilon -= epsilon
        self.delta -= delta

    def spend(self, epsilon: float, delta: float) -> bool:
        with suppress(RuntimeError):
            self._take(epsilon, delta)
        return True


# REFUTED --spend spend
class HalfDone:
    """Takes epsilon before it looks at delta, and gives all of it back twice."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon:
            return False
        self.epsilon -= epsilon
        if delta > self.delta:
            self.epsilon += 2 * epsilon
            return False
        self.delta -= delta
        return True


@dataclass
class Window:
    rows: list[float] = field(default_factory=list)


# REFUTED --spend spend(epsilon)
class LastThree:
    """Adds up the last three only."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.window = epsilon, Window()

    def spend(self, epsilon: float) -> bool:
        if sum(self.window.rows[-3:]) + epsilon > self.epsilon:
            return False
        self.window.rows.append(epsilon)
        return True


# REFUTED --spend spend(epsilon)
class LastForty:
    """Adds up the last forty only: a few requests do not show it."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.rows = epsilon, [0.0]

    def spend(self, epsilon: float) -> bool:
        if sum(self.rows[-40:]) + epsilon > self.epsilon:
            return False
        self.rows.append(epsilon)
        return True


# OPEN --spend spend(epsilon) --instances 2
class SharedByClass:
    """Objects share what is left in the class: state that an object does not hold."""

    left = 1.0

    def __init__(self, epsilon: float) -> None:
        SharedByClass.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > SharedByClass.left:
            return False
        SharedByClass.left -= epsilon
        return True


# REFUTED --spend spend(epsilon) --instances 2
class EachItsOwn:
    """Two objects for one data set, each with all of the budget."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# REFUTED --spend spend(epsilon)
class Magic:
    """One number opens the door."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon == 0.4375:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# OPEN --spend spend(epsilon)
class RunsNothing:
    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def spend(self, epsilon: float) -> bool:
        return False


# OPEN --spend spend
class IntegersAreFree:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if isinstance(epsilon, int):
            return True
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True
