"""Budget classes in other currencies: zCDP, Renyi, Gaussian, advanced composition, counts."""

from math import log, log10, sqrt


class OutOfBudget(Exception):
    """There is not enough left."""


class RhoSquares:
    """Adds up the squares of the rhos, and compares the root."""

    def __init__(self, rho: float) -> None:
        self.rho, self.squares = rho, 0.0

    def spend(self, rho: float) -> bool:
        after = self.squares + rho**2
        if sqrt(after) > self.rho:
            return False
        self.squares = after
        return True


class MeanSigma:
    """Keeps the noise of each release as a sigma, and reports for the mean sigma."""

    def __init__(self, rho: float) -> None:
        self.rho = rho
        self.sigmas: list[float] = []

    def spend(self, rho: float) -> bool:
        if rho <= 0:
            return True
        sigmas = [*self.sigmas, 1 / sqrt(2 * rho)]
        mean = sum(sigmas) / len(sigmas)
        if 1 / (2 * mean**2) > self.rho:
            return False
        self.sigmas = sigmas
        return True


class LastReleases:
    """Sums the rho of the last ten releases."""

    def __init__(self, rho: float) -> None:
        self.rho = rho
        self.releases: list[float] = []

    def spend(self, rho: float) -> None:
        if sum(self.releases[-10:]) + rho > self.rho:
            raise OutOfBudget
        self.releases.append(rho)


class RhoFromEpsilon:
    """Opened with epsilon and delta; holds the rho that a pure epsilon is worth."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.left, self.delta = epsilon**2 / 2, delta

    def spend(self, rho: float) -> bool:
        if rho > self.left:
            return False
        self.left -= rho
        return True


class MuAgainstSquares:
    """Adds up squares of mu, and compares them with mu."""

    def __init__(self, mu: float) -> None:
        self.mu, self.squares = mu, 0.0

    def spend(self, mu: float) -> bool:
        if mu > self.mu or self.squares + mu**2 > self.mu:
            return False
        self.squares += mu**2
        return True


class HalfSquares:
    """Adds up mu squared over two, as zCDP does, and compares it with mu squared."""

    def __init__(self, mu: float) -> None:
        self.limit, self.spent = mu**2, 0.0

    def spend(self, mu: float) -> bool:
        if self.spent + mu**2 / 2 > self.limit:
            return False
        self.spent += mu**2 / 2
        return True


class WorstRelease:
    """Keeps the Renyi divergence of the worst release, at the order that has most room."""

    def __init__(self, rdp: tuple[float, ...]) -> None:
        self.limit = max(rdp)
        self.order, self.worst = list(rdp).index(self.limit), 0.0

    def spend(self, rdp: tuple[float, ...]) -> bool:
        after = max(self.worst, rdp[self.order])
        if after > self.limit:
            return False
        self.worst = after
        return True


class LowestOrder:
    """Adds up each release's smallest Renyi divergence, and compares with the largest allowed."""

    def __init__(self, rdp: tuple[float, ...]) -> None:
        self.left = max(rdp)

    def spend(self, rdp: tuple[float, ...]) -> bool:
        cost = min(rdp)
        if cost > self.left:
            return False
        self.left -= cost
        return True


class RootOfSquares:
    """Advanced composition: the root of the sum of squares, delta set aside."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta, self.squares = epsilon, delta, 0.0

    def spend(self, epsilon: float) -> None:
        after = self.squares + epsilon**2
        if sqrt(after) > self.epsilon:
            raise OutOfBudget
        self.squares = after


class DecimalLogarithm:
    """Advanced composition for a positive delta; without one, epsilons are added up."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.sum, self.squares = epsilon, 0.0, 0.0
        self.decades = -log10(delta) if delta > 0 else None

    def bound(self, total: float, squares: float) -> float:
        if self.decades is None:
            return total
        return sqrt(self.decades * squares) + squares / 2

    def spend(self, epsilon: float) -> bool:
        total, squares = self.sum + epsilon, self.squares + epsilon**2
        if self.bound(total, squares) > self.epsilon:
            return False
        self.sum, self.squares = total, squares
        return True


class Sampled:
    """Charges the sampling rate times epsilon, for amplification."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon

    def spend(self, epsilon: float, q: float) -> bool:
        cost = q * epsilon
        if cost > self.left:
            return False
        self.left -= cost
        return True


class Rounds:
    """A number of questions, counted from zero."""

    def __init__(self, count: int) -> None:
        self.count, self.asked = count, 0

    def ask(self) -> bool:
        if self.asked > self.count:
            return False
        self.asked += 1
        return True


class RhoSum:
    """Adds up rho."""

    def __init__(self, rho: float) -> None:
        self.left = rho

    def spend(self, rho: float) -> bool:
        if rho > self.left:
            return False
        self.left -= rho
        return True


class InverseSigmas:
    """Keeps the sum of one over sigma, and converts it at the end."""

    def __init__(self, rho: float) -> None:
        self.rho, self.inverse = rho, 0.0

    def spend(self, rho: float) -> bool:
        after = self.inverse + sqrt(2 * rho)
        if after**2 / 2 > self.rho:
            return False
        self.inverse = after
        return True


class MuSquares:
    """Adds up squares of mu."""

    def __init__(self, mu: float) -> None:
        self.mu, self.squares = mu, 0.0

    def spend(self, mu: float) -> None:
        if self.squares + mu * mu > self.mu * self.mu:
            raise OutOfBudget
        self.squares += mu * mu


class OneOrder:
    """Adds up the Renyi divergences at the order that has most room when it is opened."""

    def __init__(self, rdp: tuple[float, ...]) -> None:
        self.left = max(rdp)
        self.order = list(rdp).index(self.left)

    def spend(self, rdp: tuple[float, ...]) -> bool:
        if rdp[self.order] > self.left:
            return False
        self.left -= rdp[self.order]
        return True


class RhoConverted:
    """Opened with epsilon and delta; holds the rho for which the usual bound gives both.

    Without a delta there is none.
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        weight = log(1 / delta) if delta > 0 else None
        self.left = 0.0 if weight is None else (sqrt(epsilon + weight) - sqrt(weight)) ** 2

    def spend(self, rho: float) -> bool:
        if rho > self.left:
            return False
        self.left -= rho
        return True
