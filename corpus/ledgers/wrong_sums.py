"""Budget classes that let too much through: what is compared or added is not what it should be."""

import math


# REFUTED --spend spend
class ForgetsDelta:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# REFUTED --spend spend
class EachOnItsOwn:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        return epsilon <= self.epsilon and delta <= self.delta


# REFUTED --spend spend
class OneRoundLate:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.spent, self.risk = epsilon, delta, 0.0, 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        if self.spent > self.epsilon or self.risk > self.delta:
            return False
        self.spent += epsilon
        self.risk += delta
        return True


# REFUTED --spend spend
class Tolerant:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.spent, self.risk = epsilon, delta, 0.0, 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        if self.spent + epsilon > self.epsilon + 1e-9 or self.risk + delta > self.delta:
            return False
        self.spent += epsilon
        self.risk += delta
        return True


# REFUTED --spend spend
class Or:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.epsilon and delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


# REFUTED --spend spend(epsilon)
class Cents:
    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        charged = round(epsilon, 2)
        if charged > self.left:
            return False
        self.left -= charged
        return True


# REFUTED --spend spend(epsilon)
class RoundsDown:
    def __init__(self, epsilon: float) -> None:
        self.left = math.floor(epsilon * 1000)

    def spend(self, epsilon: float) -> bool:
        asked = math.floor(epsilon * 1000)
        if asked > self.left:
            return False
        self.left -= asked
        return True


# REFUTED --spend spend(epsilon)
class Maximum:
    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.largest = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        self.largest = max(self.largest, epsilon)
        return self.largest <= self.epsilon


# REFUTED --spend spend(epsilon)
class Halves:
    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon / 2
        return True


# REFUTED --spend spend(epsilon)
class Squares:
    """Adds squares as if there were a theorem for it."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.squares = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        if self.squares + epsilon * epsilon > self.epsilon * self.epsilon:
            return False
        self.squares += epsilon * epsilon
        return True


# REFUTED --spend spend(epsilon)
class SmallIsFree:
    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if epsilon < 0.01:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# REFUTED --spend add(rho)
class RhoAsEpsilon:
    def __init__(self, rho: float) -> None:
        self.rho, self.spent = rho, 0.0

    def add(self, rho: float) -> bool:
        if (self.spent + rho) / 2 > self.rho:
            return False
        self.spent += rho
        return True


# REFUTED --spend ask() --currency count
class OneMore:
    def __init__(self, count: int) -> None:
        self.count, self.asked = count, 0

    def ask(self) -> bool:
        if self.asked > self.count:
            return False
        self.asked += 1
        return True


# REFUTED --spend step(mu) --open (mu)
class ForgetsTheSquare:
    def __init__(self, mu: float) -> None:
        self.limit, self.spent = mu, 0.0

    def step(self, mu: float) -> bool:
        if self.spent + mu * mu > self.limit:
            return False
        self.spent += mu * mu
        return True


# REFUTED --spend spend(epsilon)
class OrEqual:
    """Refuses only where nothing at all is left."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float) -> bool:
        if self.left <= 0:
            return False
        self.left -= epsilon
        return True


# REFUTED --spend 'spend(epsilon)'
class FreeWhenHuge:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        if epsilon < 1e30:
            if self.spent + epsilon > self.total:
                raise ValueError("exhausted")
            self.spent += epsilon


# REFUTED --spend 'spend(epsilon)'
class FreeWhenInfinite:
    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        doubled = (self.spent + epsilon) * 2
        if doubled - doubled == 0 and doubled > self.total * 2:
            raise ValueError("exhausted")
        self.spent = min(self.spent + epsilon, self.total)
