"""Rényi, concentrated and Gaussian accounting, with orders and constants that went astray."""

from fractions import Fraction
from math import erf, exp, inf, log, sqrt

from corpus.blind.base import ONE, Answer, Rule, Wrong, answer, nats, size
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filter import Decision
from filterproof.game import Mechanism, Step
from filterproof.game.law import Pair
from filterproof.palette import table
from filterproof.privacy import renyi_sum

Products = tuple[Fraction, ...]


def sum_at(mechanism: Mechanism, order: int, pairs: tuple[Pair, ...] = ()) -> Fraction | None:
    """Return the largest Rényi sum over the pairs (all of them by default); None if infinite."""
    sums = [renyi_sum(mechanism.law, pair, order) for pair in pairs or mechanism.pairs]
    found = [one.rational() for one in sums if one is not None]
    return max(one for one in found if one) if len(found) == len(sums) else None


def times(epsilon: Epsilon, factor: int) -> Epsilon:
    """Return factor·ε."""
    return Log(epsilon.argument**factor) if isinstance(epsilon, Log) else epsilon * factor


class Squares(Rule):
    """Adds up the squares of pure epsilons and converts; what has a delta_i is not run."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        if not 0 < delta < 1:
            raise ValueError("the conversion needs 0 < delta < 1")

    def start(self) -> float:
        return 0.0

    def decide(self, state: float, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state + nats(odds) ** 2
        return answer(delta == 0 and self.fits(total), total, state)

    def fits(self, total: float) -> bool:
        rho = total / 2
        return rho + 2 * sqrt(rho * log(1 / self.delta)) <= size(self.epsilon)


class MissingTwo(Squares):
    """Converts zero-concentrated DP by rho + sqrt(rho·log(1/delta)): the 2 is missing."""

    def fits(self, total: float) -> bool:
        rho = total / 2
        return rho + sqrt(rho * log(1 / self.delta)) <= size(self.epsilon)


class CentralLimit(Squares):
    """Takes the composition for Gaussian with mu² = sum of the eps_i², as it is in the limit."""

    def fits(self, total: float) -> bool:
        mu, epsilon = sqrt(total), min(size(self.epsilon), 700.0)
        if mu == 0:
            return True
        upper, lower = normal(mu / 2 - epsilon / mu), normal(-mu / 2 - epsilon / mu)
        return upper - exp(epsilon) * lower <= self.delta


def normal(t: float) -> float:
    """Return the normal distribution function."""
    return (1 + erf(t / sqrt(2))) / 2


class RhoFromOrderTwo(Squares):
    """Reads rho off the Rényi divergence of order 2, D_2/2, and trusts it at every order."""

    def decide(self, state: float, step: Step) -> Answer:
        cost = sum_at(step.mechanism, 2)
        total = inf if cost is None else state + nats(cost)
        return answer(total < inf and self.fits(total), total, state)


class WrongDenominator(Rule):
    """Converts at order 2 by rho + log(1/delta)/alpha, where alpha - 1 belongs."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        cost = sum_at(step.mechanism, 2)
        if cost is None:
            return Decision.HALT, state
        total = state * cost
        fits = not exceeds(total**2, self.delta, times(self.epsilon, 2))
        return answer(fits or step.index == 0, total, state)


class OneDirection(Rule):
    """Computes the divergence of x from x′ only for x listed before x′ (order 2)."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        listed = step.game.databases.index
        pairs = tuple((x, x_) for x, x_ in step.game.pairs if listed(x) < listed(x_))
        cost = sum_at(step.mechanism, 2, pairs)
        if cost is None:
            return Decision.HALT, state
        total = state * cost
        fits = not exceeds(total, self.delta, self.epsilon)
        return answer(fits or step.index == 0, total, state)


class OrderAtSecondRequest(Rule):
    """Fixes its Rényi order, the best for what it has seen, when the second request comes."""

    orders = (2, 4, 16)

    def start(self) -> tuple[int, Products]:
        return 0, (ONE,) * len(self.orders)

    def decide(self, state: tuple[int, Products], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        chosen, before = state
        costs = [sum_at(step.mechanism, order) for order in self.orders]
        if None in costs:
            return Decision.HALT, state
        after = tuple(p * (c or ONE) for p, c in zip(before, costs, strict=True))
        fit = [a for a, p in zip(self.orders, after, strict=True) if self.fits(p, a)]
        if step.index == 1:
            return answer(bool(fit), (0, after), state)
        best = chosen or (fit[0] if fit else 0)
        return answer(best in fit, (best, after), state)

    def fits(self, product: Fraction, order: int) -> bool:
        """The tighter conversion of Canonne, Kamath and Steinke at one order."""
        constant = Fraction(order**order, (order - 1) ** (order - 1))
        return not exceeds(product, self.delta * constant, times(self.epsilon, order - 1))


RARE = {"!": (Fraction(1, 25), Fraction(1, 2700)), "-": (Fraction(24, 25), Fraction(2699, 2700))}
SPIKE = {"!": (Fraction(1, 50), Fraction(1, 1000)), "-": (Fraction(49, 50), Fraction(999, 1000))}


def rare(p: int, q: int) -> Mechanism:
    """Return a law whose output "!" has p and q millionths."""
    x, x_ = Fraction(p, 10**6), Fraction(q, 10**6)
    return table({"!": (x, x_), "-": (1 - x, 1 - x_)})


WRONG = {
    "missing-two": Wrong(
        MissingTwo,
        "the conversion from zero-concentrated DP lacks a factor 2",
        "hard",
        at(3, Fraction(1, 1000), lambda: chain(*[coin(Fraction(7, 5))] * 12)),
    ),
    "central-limit": Wrong(
        CentralLimit,
        "the Gaussian limit is used for two rounds",
        "hard",
        at(1, TENTH, lambda: chain(coin(Fraction(19, 10)), coin(Fraction(19, 10)))),
    ),
    "rho-from-order-two": Wrong(
        RhoFromOrderTwo,
        "rho is read off at order 2 and used at all orders",
        "hard",
        at(2, CENT, lambda: chain(table(SPIKE))),
    ),
    "wrong-denominator": Wrong(
        WrongDenominator,
        "log(1/delta) is divided by the order, not by the order less one",
        "hard",
        at(4, CENT, lambda: chain(table(RARE))),
    ),
    "order-at-second-request": Wrong(
        OrderAtSecondRequest,
        "the order is fixed after the first answer is known",
        "hard",
        at(
            8,
            CENT,
            lambda: branch(
                coin(Fraction(11, 10)),
                **{"0": {"ask": rare(230_000, 80)}, "1": {"ask": rare(18_000, 3)}},
            ),
        ),
    ),
    "one-direction": Wrong(
        OneDirection,
        "the divergence is computed in one direction only",
        "medium",
        at(3, TENTH, lambda: chain(table({"!": (0, Fraction(1, 2)), "-": (1, Fraction(1, 2))}))),
    ),
}
