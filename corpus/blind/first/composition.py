"""Advanced composition, optimal composition and amplification, each misread in one place."""

from fractions import Fraction
from math import log, log10, sqrt

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, nats, plus, size
from corpus.blind.first.games import Menu, at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof.game.law import Declared
from filterproof.palette import erasure, silent

Sums = tuple[float, Fraction]
"""The sum of the eps_i² and the sum of the delta_i."""


class Advanced(Rule):
    """Fully adaptive composition: half of delta pays for the root, half for the delta_i."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        if delta <= 0:
            raise ValueError("advanced composition needs delta > 0")
        self.slack, self.room = delta / 2, delta / 2

    def start(self) -> Sums:
        return 0.0, Fraction(0)

    def decide(self, state: Sums, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + nats(odds) ** 2, state[1] + delta
        return answer(self.fits(total), total, state)

    def fits(self, total: Sums) -> bool:
        return self.bound(total[0]) <= size(self.epsilon) and total[1] <= self.room

    def bound(self, squares: float) -> float:
        return sqrt(2 * log(1 / self.slack) * squares) + squares / 2


class NoDrift(Advanced):
    """Leaves out the second term, the sum of the eps_i²/2, as being of second order."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.slack, self.room = delta * 9 / 10, delta / 10

    def bound(self, squares: float) -> float:
        return sqrt(2 * log(1 / self.slack) * squares)


class LogBaseTen(Advanced):
    """Takes the logarithm of 1/delta to base ten."""

    def bound(self, squares: float) -> float:
        return sqrt(2 * log10(1 / self.slack) * squares) + squares / 2


class DeltaTwice(Advanced):
    """Spends all of delta on the root and all of it again on the delta_i."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.slack, self.room = delta, delta


class AverageEpsilon(Advanced):
    """Uses the formula for k equal rounds with the average epsilon, so idle rounds dilute it."""

    def decide(self, state: Sums, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + nats(odds), state[1] + delta
        average = total[0] / max(1, step.index)
        return answer(self.fits((step.index * average**2, total[1])), total, state)


class TighterOfTwo(Rule):
    """Reports the smaller of basic and advanced composition, each good for the whole budget."""

    def start(self) -> tuple[Declared, float]:
        return NOTHING, 0.0

    def decide(self, state: tuple[Declared, float], step: Step) -> Answer:
        asked = step.mechanism.declared
        total, squares = plus(state[0], asked), state[1] + nats(asked.odds) ** 2
        fits = covers(total, self.epsilon, self.delta) or self.advanced(total.delta, squares)
        return answer(fits, (total, squares), state)

    def advanced(self, spent: Fraction, squares: float) -> bool:
        slack = self.delta - spent
        if slack <= 0:
            return False
        return sqrt(2 * log(1 / slack) * squares) + squares / 2 <= size(self.epsilon)


class AmplifiedTwice(Rule):
    """Claims amplification by sampling a tenth, which the declared pair already includes."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(1 + (odds - 1) / 10, delta / 10))
        return answer(covers(total, self.epsilon, self.delta), total, state)


class ShuffledAmongEarlier(Rule):
    """Claims that the i-th report hides among the i so far: eps_i/sqrt(i)."""

    def start(self) -> Sums:
        return 0.0, Fraction(0)

    def decide(self, state: Sums, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + nats(odds) / sqrt(max(1, step.index)), state[1] + delta
        fits = total[0] <= size(self.epsilon) and total[1] <= self.delta
        return answer(fits, total, state)


def lucky(odds: Fraction, run: int, delta: Fraction) -> Menu:
    """Return `run` + 1 responses; where one goes against "0", an erasure takes their place."""
    menu: Menu = {"ask": coin(odds)}
    for _ in range(run):
        menu = branch(coin(odds), **{"0": menu, "1": {"ask": erasure(delta)}})
    return menu


WRONG = {
    "no-drift": Wrong(
        NoDrift,
        "the drift term of advanced composition is left out",
        "hard",
        at(8, TENTH, lambda: chain(*[coin(Fraction(5, 2))] * 16)),
    ),
    "log-base-ten": Wrong(
        LogBaseTen,
        "log(1/delta) is taken to base ten",
        "hard",
        at(8, Fraction(1, 100_000), lambda: chain(*[coin(Fraction(7, 5))] * 30)),
    ),
    "delta-twice": Wrong(
        DeltaTwice,
        "delta pays for the slack and once more for the delta_i",
        "hard",
        at(1, TENTH, lambda: chain(erasure(TENTH), *[coin(Fraction(8, 7))] * 10)),
    ),
    "average-epsilon": Wrong(
        AverageEpsilon,
        "the average epsilon stands in for all, so idle rounds dilute a large one",
        "hard",
        at(1, CENT, lambda: chain(*[silent()] * 16, coin(3))),
    ),
    "tighter-of-two": Wrong(
        TighterOfTwo,
        "the smaller of two bounds is taken afresh on every branch",
        "hard",
        at(5, TENTH, lambda: lucky(Fraction(849, 500), 9, TENTH)),
    ),
    "amplified-twice": Wrong(
        AmplifiedTwice,
        "amplification by sampling is applied to what is sampled already",
        "easy",
        at(1, CENT, lambda: chain(coin(9))),
    ),
    "shuffled-among-earlier": Wrong(
        ShuffledAmongEarlier,
        "a later report is said to hide among the earlier ones",
        "medium",
        at(1, CENT, lambda: chain(*[silent()] * 3, coin(7))),
    ),
}
