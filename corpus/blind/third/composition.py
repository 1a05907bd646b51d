"""Composition theorems with a constant, a logarithm or a quantifier that is not theirs."""

from fractions import Fraction
from math import log, sqrt

from corpus.blind.base import Answer, Rule, Wrong, answer, nats, size
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.filters.gdp import budget_mu
from filterproof.game import Step
from filterproof.palette import erasure, silent, table

Sums = tuple[int, float, float, Fraction]
"""How many requests ran, and the sums of their ε, ε² and δ."""


class Advanced(Rule):
    """Sums of epsilon_i and its square against one bound; each filter here has its own."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        if not delta:
            raise ValueError("need delta > 0")

    def start(self) -> Sums:
        return 0, 0.0, 0.0, ZERO

    def decide(self, state: Sums, step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        count, once, squares, deltas = state
        cost = nats(step.mechanism.declared.odds)
        deltas += step.mechanism.declared.delta
        after = count + 1, once + cost, squares + cost**2, deltas
        return answer(self.fits(*after), after, state)

    def fits(self, count: int, once: float, squares: float, deltas: Fraction) -> bool:
        return deltas == 0 and self.bound(count, once, squares) <= size(self.epsilon)

    def bound(self, count: int, once: float, squares: float) -> float:
        """Return the ε of everything so far: here, of the theorem of Whitehouse et al."""
        return sqrt(2 * log(1 / self.delta) * squares) + squares / 2


class DeltaTwice(Advanced):
    """Pays for the composition with delta, and for the deltas of the requests with delta."""

    def fits(self, count: int, once: float, squares: float, deltas: Fraction) -> bool:
        return deltas <= self.delta and self.bound(count, once, squares) <= size(self.epsilon)


class LogToBaseTen(Advanced):
    """Computes log(1/delta) to the base 10."""

    def bound(self, count: int, once: float, squares: float) -> float:
        return sqrt(2 * log(1 / self.delta, 10) * squares) + squares / 2


class NoDrift(Advanced):
    """Keeps the root of the bound and drops the term that is small for small epsilons."""

    def bound(self, count: int, once: float, squares: float) -> float:
        return sqrt(2 * log(1 / self.delta) * squares)


class MeanCost(Advanced):
    """Uses the theorem for k requests of the same epsilon with the mean of the epsilons."""

    def bound(self, count: int, once: float, squares: float) -> float:
        mean = once / count
        return sqrt(2 * log(1 / self.delta) * count) * mean + count * mean**2 / 2


class BoundedRange(Advanced):
    """Takes epsilon^2/8 for the concentrated privacy of every request, not epsilon^2/2."""

    def bound(self, count: int, once: float, squares: float) -> float:
        rho = squares / 8
        return rho + 2 * sqrt(rho * log(1 / self.delta))


class MuIsEpsilon(Advanced):
    """Counts an epsilon-private request as epsilon-Gaussian-private."""

    def fits(self, count: int, once: float, squares: float, deltas: Fraction) -> bool:
        return deltas == 0 and squares <= float(budget_mu(self.epsilon, self.delta)) ** 2


class VarianceOfTheLoss(Rule):
    """Puts the variance of each loss in the place of epsilon^2, and its mean beside it."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        if not delta:
            raise ValueError("need delta > 0")

    def start(self) -> tuple[float, float]:
        return 0.0, 0.0

    def decide(self, state: tuple[float, float], step: Step) -> Answer:
        if step.mechanism.declared.delta:
            return Decision.HALT, state
        found = [self.moments(step, pair) for pair in step.game.pairs]
        mean = state[0] + max(m for m, _ in found)
        variance = state[1] + max(v for _, v in found)
        fits = mean + sqrt(2 * log(1 / self.delta) * variance) <= size(self.epsilon)
        return answer(fits, (mean, variance), state)

    def moments(self, step: Step, pair: tuple[str, str]) -> tuple[float, float]:
        """Return mean and variance of the loss under x."""
        rows = [(float(row[pair[0]]), row) for row in step.mechanism.law.values() if row[pair[0]]]
        losses = [(p, nats(row[pair[0]] / row[pair[1]])) for p, row in rows]
        mean = sum(p * loss for p, loss in losses)
        return mean, sum(p * (loss - mean) ** 2 for p, loss in losses)


SPIKE = {"!": (3 * CENT, 3 * CENT**2), "-": (1 - 3 * CENT, 1 - 3 * CENT**2)}

WRONG = {
    "delta-twice": Wrong(
        DeltaTwice,
        "the same delta is given away twice",
        "hard",
        at(4, TENTH, lambda: chain(erasure(TENTH), *[coin(Fraction(3, 2))] * 11)),
    ),
    "log-to-base-ten": Wrong(
        LogToBaseTen,
        "the theorem's logarithm is natural",
        "hard",
        at(2, Fraction(1, 1000), lambda: chain(*[coin(Fraction(9, 8))] * 36)),
    ),
    "no-drift": Wrong(
        NoDrift,
        "the epsilons are not small",
        "hard",
        at(6, TENTH, lambda: chain(*[coin(Fraction(12, 5))] * 10)),
    ),
    "mean-cost": Wrong(
        MeanCost,
        "requests that cost nothing lower the mean: the square of a mean is not the mean square",
        "hard",
        at(1, Fraction(1, 4), lambda: chain(*[silent()] * 8, coin(Fraction(9, 2)))),
    ),
    "bounded-range": Wrong(
        BoundedRange,
        "the constant is that of mechanisms whose loss has range epsilon, not 2 epsilon",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(5, 4))] * 7)),
    ),
    "mu-is-epsilon": Wrong(
        MuIsEpsilon,
        "epsilon is the smaller of the two, for randomised response by a quarter",
        "hard",
        at(HALF, Fraction(1, 4), lambda: chain(coin(Fraction(11, 4)))),
    ),
    "variance-of-the-loss": Wrong(
        VarianceOfTheLoss,
        "a bound of Gaussian tails holds for the range of a loss, not for its variance",
        "hard",
        at(3, CENT, lambda: chain(table(SPIKE))),
    ),
}
