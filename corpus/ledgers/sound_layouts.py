"""Budget classes that are never looser than adding up: units, other numbers, stricter rules."""

import math
from decimal import Decimal
from fractions import Fraction


# PROVED --spend spend
class MicroUnits:
    SCALE = 10**6

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon = math.floor(epsilon * self.SCALE)
        self.delta = math.floor(delta * 10**9)

    def spend(self, epsilon: float, delta: float) -> bool:
        asked, risk = math.ceil(epsilon * self.SCALE), math.ceil(delta * 10**9)
        if asked > self.epsilon or risk > self.delta:
            return False
        self.epsilon -= asked
        self.delta -= risk
        return True


# PROVED --spend spend(Fraction(epsilon),Fraction(delta)) --open (Fraction(epsilon),Fraction(delta))
class Fractions:
    def __init__(self, epsilon: Fraction, delta: Fraction) -> None:
        self.left = {"epsilon": epsilon, "delta": delta}

    def spend(self, epsilon: Fraction, delta: Fraction) -> bool:
        after = {"epsilon": self.left["epsilon"] - epsilon, "delta": self.left["delta"] - delta}
        if any(value < 0 for value in after.values()):
            return False
        self.left = after
        return True


# PROVED --spend spend
class ExactInside:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = Fraction(epsilon), Fraction(delta)
        self.spent = (Fraction(0), Fraction(0))

    def spend(self, epsilon: float, delta: float) -> bool:
        after = self.spent[0] + Fraction(epsilon), self.spent[1] + Fraction(delta)
        if after[0] > self.epsilon or after[1] > self.delta:
            return False
        self.spent = after
        return True


# PROVED --spend spend(Decimal(epsilon),Decimal(delta)) --open (Decimal(epsilon),Decimal(delta))
class Decimals:
    def __init__(self, epsilon: Decimal, delta: Decimal) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.spent_epsilon, self.spent_delta = Decimal(0), Decimal(0)

    def spend(self, epsilon: Decimal, delta: Decimal) -> bool:
        if self.spent_epsilon + epsilon > self.epsilon or self.spent_delta + delta > self.delta:
            return False
        self.spent_epsilon += epsilon
        self.spent_delta += delta
        return True


# PROVED --spend spend
class Reserve:
    """Keeps a tenth of epsilon back."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.left, self.delta = epsilon * 0.9, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.left or delta > self.delta:
            return False
        self.left -= epsilon
        self.delta -= delta
        return True


# PROVED --spend spend
class CapPerQuery:
    """No request may take more than half of what there was."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.cap, self.epsilon, self.delta = epsilon / 2, epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if epsilon > self.cap:
            return False
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


# PROVED --spend spend
class Share:
    """Keeps the part of the budget that is used, between 0 and 1, beside the sums."""

    def __init__(self, epsilon: float, delta: float) -> None:
        if epsilon <= 0:
            raise ValueError("need a budget")
        self.epsilon, self.delta, self.used, self.risk = epsilon, delta, 0.0, 0.0
        self.share = 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        used = self.used + epsilon
        if used > self.epsilon or self.risk + delta > self.delta:
            return False
        self.used, self.risk = used, self.risk + delta
        self.share = used / self.epsilon
        return True


# PROVED --spend spend
class Minimum:
    """Charges at least a thousandth of epsilon for every query."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.floor, self.epsilon, self.delta = epsilon / 1024, epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        charged = max(epsilon, self.floor)
        if charged > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= charged
        self.delta -= delta
        return True


# PROVED --spend spend
class Doubled:
    """Counts everything twice."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if 2 * epsilon > self.epsilon or 2 * delta > self.delta:
            return False
        self.epsilon -= 2 * epsilon
        self.delta -= 2 * delta
        return True


# PROVED --spend spend(epsilon)
class TwoPhases:
    """Half of the budget in each of two phases."""

    def __init__(self, epsilon: float) -> None:
        self.phase, self.left, self.later = 1, epsilon / 2, epsilon / 2

    def spend(self, epsilon: float) -> bool:
        if self.phase == 1 and epsilon > self.left:
            self.phase, self.left, self.later = 2, self.later, 0.0
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


# PROVED --spend spend
class Base:
    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta

    def fits(self, epsilon: float, delta: float) -> bool:
        return epsilon <= self.epsilon and delta <= self.delta

    def spend(self, epsilon: float, delta: float) -> bool:
        if not self.fits(epsilon, delta):
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True


# PROVED --spend spend
class Inherits(Base):
    def fits(self, epsilon: float, delta: float) -> bool:
        return super().fits(epsilon, delta) and epsilon < 1


# PROVED --spend spend(epsilon)
class Tries:
    """Takes first, and gives back what does not fit."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon, self.spent = epsilon, 0.0

    def spend(self, epsilon: float) -> None:
        before = self.spent
        try:
            self.spent = self.spent + epsilon
            if self.spent > self.epsilon:
                raise RuntimeError("exhausted")
        except RuntimeError:
            self.spent = before
            raise


# PROVED --spend step(mu) --open (mu)
class GaussianBudget:
    def __init__(self, mu: float) -> None:
        self.limit, self.spent = mu * mu, 0.0

    def step(self, mu: float) -> bool:
        if self.spent + mu * mu > self.limit:
            return False
        self.spent += mu * mu
        return True


# PROVED --spend spend(epsilon,delta)
class Refuses:
    """Is asked for delta and has none."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, delta: float) -> bool:
        if delta or epsilon > self.left:
            return False
        self.left -= epsilon
        return True
