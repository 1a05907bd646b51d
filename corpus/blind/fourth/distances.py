"""Distances of two distributions that are near to privacy, and laws that are half read."""

from collections.abc import Iterator
from fractions import Fraction
from math import log, sqrt

from corpus.blind.base import Answer, Rule, Sound, Wrong, answer
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import CENT, TENTH, ZERO, nothing
from corpus.blind.third.measures import Renyi
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator
from filterproof.filters.gdp import budget_mu
from filterproof.game import Step
from filterproof.game.law import Law, Pair
from filterproof.palette import one_sided, table
from filterproof.privacy import charge


class Ville(Rule):
    """Runs until a likelihood ratio may pass 1/delta: by Ville that is as unlikely as delta."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        if not delta:
            raise ValueError("need delta > 0")

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        return answer(not any(self.passed(step, pair) for pair in step.pairs), None, None)

    def passed(self, step: Step, pair: Pair) -> bool:
        after = (step.released(y) for y in step.mechanism.law)
        ratios = ((mass[pair[0]], mass[pair[1]]) for mass in after)
        return any(p * self.delta > q and exceeds(p, q, self.epsilon) for p, q in ratios)


def columns(law: Law, pair: Pair) -> Iterator[tuple[float, float]]:
    """Yield the two probabilities of every output."""
    return ((float(row[pair[0]]), float(row[pair[1]])) for row in law.values())


class SquaredHellinger(Rule):
    """Adds up squared Hellinger distances, which bound total variation, up to delta."""

    def start(self) -> float:
        return 0.0

    def decide(self, state: float, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        far = max(1 - sum(sqrt(p * q) for p, q in columns(law, pair)) for pair in pairs)
        return answer(state + far <= self.delta or not step.index, state + far, state)


class Affinities(Rule):
    """Multiplies the Bhattacharyya coefficients of the requests, down to sqrt(1 - delta²)."""

    def start(self) -> float:
        return 1.0

    def decide(self, state: float, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        if all(row[x] == row[x_] for row in law.values() for x, x_ in pairs):
            return Decision.CONTINUE, state
        near = state * min(sum(sqrt(p * q) for p, q in columns(law, pair)) for pair in pairs)
        return answer(near >= sqrt(1 - float(self.delta) ** 2) + 1e-9, near, state)


class ChiSquare(Renyi):
    """Multiplies Rényi sums of order 2, up to 1 + 4 delta², and has no use for epsilon."""

    def fits(self, product: Fraction) -> bool:
        return product <= 1 + 4 * self.delta**2


class AgainstTheMixture(Rule):
    """Adds up divergences from the mixture of two neighbours, and bounds them as Pinsker does."""

    def start(self) -> float:
        return 0.0

    def decide(self, state: float, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        total = state + max(sum(shared(p, q) for p, q in columns(law, pair)) for pair in pairs)
        return answer(total <= 2 * float(self.delta) ** 2 or not step.index, total, state)


def shared(p: float, q: float) -> float:
    """Return what one output adds to the Jensen-Shannon divergence."""
    return sum(one * log(2 * one / (p + q)) for one in (p, q) if one) / 2


class SignalToNoise(Rule):
    """Reads the outputs as 0, 1, 2, ... in order, and bills a shift of their mean as Gaussian."""

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        found = [self.squared(step.mechanism.law, pair) for pair in step.game.pairs]
        if None in found:
            return Decision.HALT, state
        total = state + max(one for one in found if one is not None)
        return answer(total <= budget_mu(self.epsilon, self.delta) ** 2, total, state)

    def squared(self, law: Law, pair: Pair) -> Fraction | None:
        """Return the squared shift over the variance; None if there is no noise."""
        rows = [law[y] for y in sorted(law)]
        means = [sum((i * row[x] for i, row in enumerate(rows)), ZERO) for x in pair]
        squares = [sum((i * i * row[x] for i, row in enumerate(rows)), ZERO) for x in pair]
        noise = sum((s - m * m for s, m in zip(squares, means, strict=True)), ZERO) / 2
        shift = (means[0] - means[1]) ** 2
        return ZERO if not shift else shift / noise if noise else None


class ThresholdsOnly(Compensator):
    """Charges what the best threshold tells: whether the output is above or below it."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        law = step.mechanism.law
        names = sorted(law)
        cuts = (self.cut(law, names[:i], names[i:]) for i in range(1, len(names)))
        costs = [charge(cut, pair, step.mass, self.epsilon) for cut in cuts]
        return max(costs, default=nothing(self.epsilon))

    def cut(self, law: Law, low: list[str], high: list[str]) -> Law:
        sides = {"low": low, "high": high}
        return {
            side: {x: sum((law[y][x] for y in names), ZERO) for x in law[names[0]]}
            for side, names in sides.items()
        }


class EqualLosses(Compensator):
    """Stores the outputs of a request by their loss, so that the last one of a loss is kept."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        stored = {}
        for y, row in sorted(step.mechanism.law.items()):
            if row[x]:
                stored[row[x_] / row[x]] = (y, row)
        kept = dict(stored.values())
        return max(charge(kept, pair, step.mass, self.epsilon), nothing(self.epsilon))


FAR = {"0": (45 * CENT, 5 * CENT), "1": (TENTH, 9 * TENTH), "2": (45 * CENT, 5 * CENT)}
ENDS: dict[str, tuple[Fraction | int, ...]] = {
    "0": (15 * CENT, 0),
    "1": (70 * CENT, 1),
    "2": (15 * CENT, 0),
}
TWICE: dict[str, tuple[Fraction | int, ...]] = {
    "a": (9 * CENT, 0),
    "b": (9 * CENT, 0),
    "-": (82 * CENT, 1),
}

WRONG = {
    "ville": Wrong(
        Ville,
        "the ratio is large with probability delta under x', and more often under x",
        "easy",
        at(1, TENTH, lambda: chain(coin(5))),
    ),
    "squared-hellinger": Wrong(
        SquaredHellinger,
        "it bounds total variation from below, the distance itself from above",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(18 * CENT))),
    ),
    "against-the-mixture": Wrong(
        AgainstTheMixture,
        "the mixture is half as far away as the neighbour",
        "medium",
        at(1, 3 * TENTH, lambda: chain(one_sided(4 * TENTH))),
    ),
    "signal-to-noise": Wrong(
        SignalToNoise,
        "an output may tell while its mean stays where it is",
        "easy",
        at(1, TENTH, lambda: chain(table(FAR))),
    ),
    "thresholds-only": Wrong(
        ThresholdsOnly,
        "the outputs that tell may lie on both sides of the others",
        "medium",
        at(1, 2 * TENTH, lambda: chain(table(ENDS))),
    ),
    "equal-losses": Wrong(
        EqualLosses,
        "the probabilities of outputs with the same loss add up",
        "medium",
        at(1, TENTH, lambda: chain(table(TWICE))),
    ),
}
SOUND = {
    "affinities": Sound(
        Affinities,
        "the coefficient of the whole play is at least the smallest product on a path, and total "
        "variation is at most sqrt(1 - its square): it is (0, delta)-DP",
    ),
    "chi-square": Sound(
        ChiSquare,
        "1 + chi-square of the whole play is at most the largest product on a path, and total "
        "variation is at most half of the root of chi-square: it is (0, delta)-DP",
    ),
}
