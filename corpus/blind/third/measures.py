"""Measures of information that are near privacy, and Rényi divergences half read."""

from fractions import Fraction
from math import tanh

from corpus.blind.base import Answer, Rule, Wrong, answer, nats, size
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.rdp import RenyiTight
from filterproof.game import Mechanism, Step
from filterproof.game.law import Pair, profile
from filterproof.palette import erasure, reveal, table
from filterproof.privacy import renyi_sum

ONE = Fraction(1)


class AverageLoss(Rule):
    """Adds up the expected losses (relative entropies) of the requests that run."""

    def start(self) -> float:
        return 0.0

    def decide(self, state: float, step: Step) -> Answer:
        if step.mechanism.declared.delta:
            return Decision.HALT, state
        total = state + max(self.entropy(step, pair) for pair in step.game.pairs)
        return answer(total <= size(self.epsilon), total, state)

    def entropy(self, step: Step, pair: Pair) -> float:
        rows = [(row[pair[0]], row[pair[1]]) for row in step.mechanism.law.values()]
        return sum(float(p) * nats(p / q) for p, q in rows if p)


class MaximalLeakage(Rule):
    """Adds up the logarithms of how much better an output lets one guess the database."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        total = state * sum((max(row.values()) for row in step.mechanism.law.values()), ZERO)
        return answer(not exceeds(total, ONE, self.epsilon), total, state)


class VariationLeft(Rule):
    """Adds up total variations, up to delta and what epsilon would allow a coin."""

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        total = state + max(profile(law, pair, ONE) for pair in pairs)
        return answer(float(total) <= tanh(size(self.epsilon) / 2) + self.delta, total, state)


class Renyi(Rule):
    """Multiplies Rényi sums of order 2, up to 4·delta·e^eps: right as it stands."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        cost = self.cost(step)
        if step.index == 0 or cost is None:
            return answer(step.index == 0, state, state)
        return answer(self.fits(state * cost), state * cost, state)

    def cost(self, step: Step) -> Fraction | None:
        found = [square_sum(step, pair) for pair in step.game.pairs]
        return None if None in found else max(one for one in found if one is not None)

    def fits(self, product: Fraction) -> bool:
        return not exceeds(product, 4 * self.delta, self.epsilon)


def square_sum(step: Step, pair: Pair) -> Fraction | None:
    """Return the Rényi sum of order 2 of one ordered pair; None if it is infinite."""
    found = renyi_sum(step.mechanism.law, pair, 2)
    return None if found is None else found.rational()


def doubled(epsilon: Epsilon) -> Epsilon:
    """Return 2ε."""
    return Log(epsilon.argument**2) if isinstance(epsilon, Log) else 2 * epsilon


class OverTheOrder(Renyi):
    """Converts with log(1/delta) over the order, where the order less 1 is due."""

    def fits(self, product: Fraction) -> bool:
        return not exceeds(product**2, self.delta, doubled(self.epsilon))


class RenyiOneWay(Renyi):
    """Computes the divergence of each pair of databases once, in the order of their names."""

    def cost(self, step: Step) -> Fraction | None:
        found = [square_sum(step, (x, x_)) for x, x_ in step.game.pairs if x < x_]
        return None if None in found else max(one for one in found if one is not None)


class ZeroesLeftOut(Renyi):
    """Leaves out the outputs whose denominator is 0, as they cannot be divided by."""

    def cost(self, step: Step) -> Fraction | None:
        return max(
            sum((row[x] ** 2 / row[x_] for row in step.mechanism.law.values() if row[x_]), ZERO)
            for x, x_ in step.game.pairs
        )


class RenyiSymmetric(Renyi):
    """Takes the mean of both directions, so that the divergence is symmetric."""

    def cost(self, step: Step) -> Fraction | None:
        found = [square_sum(step, pair) for pair in step.game.pairs]
        finite = [one for one in found if one is not None]
        return sum(finite, ZERO) / len(finite) if len(finite) == len(found) else None


class OrderAfterWarmUp(Rule):
    """Runs the first request if all orders bear it, then keeps the order that suits the second."""

    ORDERS = (2, 8)

    def start(self) -> tuple[int | None, tuple[object, ...]]:
        return None, tuple(rule.start() for rule in self.rules())

    def rules(self) -> list[RenyiTight]:
        return [RenyiTight(self.epsilon, self.delta, order=order) for order in self.ORDERS]

    def decide(self, state: tuple[int | None, tuple[object, ...]], step: Step) -> Answer:
        kept, products = state
        asked = zip(self.rules(), products, strict=True)
        answers = [rule.decide(product, step) for rule, product in asked]  # type: ignore[arg-type]
        runs = [decision is Decision.CONTINUE for decision, _ in answers]
        after = tuple(product for _, product in answers)
        if step.index <= 1:
            return answer(all(runs), (None, after), state)
        chosen = kept if kept is not None else int(not runs[0])
        return answer(runs[chosen], (chosen, after), state)


def spike(p: Fraction, q: Fraction) -> Mechanism:
    """Return the mechanism that says "!" with probability p under "0" and q under "1"."""
    return table({"!": (p, q), "-": (1 - p, 1 - q)})


WRONG = {
    "average-loss": Wrong(
        AverageLoss,
        "privacy bounds the loss, not its mean",
        "easy",
        at(1, TENTH, lambda: chain(coin(4))),
    ),
    "maximal-leakage": Wrong(
        MaximalLeakage,
        "with two databases there is never more than log 2 to leak",
        "easy",
        at(Fraction(7, 10), TENTH, lambda: chain(reveal())),
    ),
    "variation-left": Wrong(
        VariationLeft,
        "the inequality goes the other way: epsilon does not pay for a leak",
        "easy",
        at(1, TENTH, lambda: chain(erasure(HALF))),
    ),
    "over-the-order": Wrong(
        OverTheOrder,
        "Mironov's conversion divides by the order less 1",
        "hard",
        at(4, CENT, lambda: chain(spike(Fraction(1, 25), Fraction(1, 2800)))),
    ),
    "renyi-one-way": Wrong(
        RenyiOneWay,
        "the divergence is not symmetric, and privacy is about both directions",
        "easy",
        at(2, TENTH, lambda: chain(spike(ZERO, Fraction(1, 3)))),
    ),
    "zeroes-left-out": Wrong(
        ZeroesLeftOut,
        "where the denominator is 0 the divergence is infinite",
        "easy",
        at(1, TENTH, lambda: chain(reveal())),
    ),
    "renyi-symmetric": Wrong(
        RenyiSymmetric,
        "one direction may be worse than the mean of the two",
        "medium",
        at(2, TENTH, lambda: chain(spike(Fraction(1, 4), Fraction(1, 60)))),
    ),
    "order-after-warm-up": Wrong(
        OrderAfterWarmUp,
        "the order is chosen when an output is known: each branch has its own",
        "hard",
        at(
            4,
            TENTH / 2,
            lambda: branch(
                coin(Fraction(13, 10)),
                **{
                    "0": chain(spike(Fraction(18, 25), Fraction(1, 66))),
                    "1": chain(spike(Fraction(8, 125), Fraction(1, 2150))),
                },
            ),
        ),
    ),
}
