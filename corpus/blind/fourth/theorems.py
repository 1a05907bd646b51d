"""Theorems of composition, amplification and conversion that are used where they do not hold."""

from fractions import Fraction
from functools import lru_cache
from itertools import product

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, Wrong, answer, nats, plus, size
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO, Book
from corpus.blind.third.measures import Renyi
from filterproof.exact import Epsilon, ExpLinear, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import same_for_each_pair
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.filters.composition import NO_LOSS, compose, profile_of
from filterproof.game import Step
from filterproof.game.law import Declared, profile
from filterproof.palette import erasure, k_ary, one_sided, table

Row = tuple[Fraction, ...]


class TwoSteps(Book):
    """Bills half: to replace a record is two steps, and each of them has the budget."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        twice = 2 * size(self.epsilon)
        fits = nats(total.odds) <= twice and total.delta <= 2 * self.delta
        return answer(fits, total, state)


class RunningTotal(Rule):
    """Bills n requests as the levels of a binary tree with n leaves, at the dearest one."""

    def start(self) -> tuple[int, Declared]:
        return 0, NOTHING

    def decide(self, state: tuple[int, Declared], step: Step) -> Answer:
        count, most = state
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        dearest = Declared(max(most.odds, asked.odds), max(most.delta, asked.delta))
        levels = (count + 1).bit_length()
        fits = levels * nats(dearest.odds) <= size(self.epsilon)
        return answer(fits and levels * dearest.delta <= self.delta, (count + 1, dearest), state)


UNIT = Fraction(5, 4)


@lru_cache(maxsize=256)
def units(epsilon: Epsilon, delta: Fraction) -> int:
    """Return how many randomised responses of odds 5/4 are (ε, δ)-DP together, at most 32."""
    response = ((1 / UNIT, 1 / (1 + UNIT)), (UNIT, UNIT / (1 + UNIT)))
    losses, count = compose(NO_LOSS, response), 0
    while count < 32 and profile_of(losses, epsilon) <= delta:
        losses, count = compose(losses, response), count + 1
    return count


class InUnits(Rule):
    """Counts a pure request as so many of odds 5/4, and stops at the optimal number of these."""

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        count, power = 0, ONE
        while power < odds and count <= 32:
            count, power = count + 1, power * UNIT
        fits = not delta and self.fits(count, state + count)
        return answer(fits, state + count, state)

    def fits(self, count: int, total: int) -> bool:
        return total <= units(self.epsilon, self.delta)


class OneUnitEach(InUnits):
    """Runs only requests of odds 5/4 at most."""

    def fits(self, count: int, total: int) -> bool:
        return count <= 1 and super().fits(count, total)


class SampleSeen(Book):
    """Takes a request that often says nothing for one on a sample, and amplifies it."""

    def decide(self, state: Declared, step: Step) -> Answer:
        rows = step.mechanism.law.values()
        nothing = (max(row.values()) for row in rows if len(set(row.values())) == 1)
        sampled = 1 - sum(nothing, ZERO)
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(1 + sampled * (odds - 1), delta))
        return answer(self.fits(total), total, state)


class LaterDeltas(Book):
    """Divides a delta by the odds that were spent before: that much of the mass is left."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(odds, delta / state.odds))
        return answer(self.fits(total), total, state)


class DeltaInside(Compensator):
    """Reads the promise as P <= e^eps (P' + delta)."""

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        before = state or same_for_each_pair(step, ExpLinear(0, self.delta, self.epsilon))
        return super().decide(before, step)


class PostProcessing(Book):
    """Does not bill a request whose law is that of an earlier one with answers lumped together."""

    def start(self) -> tuple[Declared, frozenset[tuple[Row, ...]]]:
        return NOTHING, frozenset()

    def decide(self, state: tuple[Declared, frozenset[tuple[Row, ...]]], step: Step) -> Answer:
        spent, run = state
        rows = tuple(sorted(tuple(row.values()) for row in step.mechanism.law.values()))
        if any(lumped(earlier, rows) for earlier in run):
            return Decision.CONTINUE, state
        total = plus(spent, step.mechanism.declared)
        return answer(self.fits(total), (total, run | {rows}), state)


@lru_cache(maxsize=4096)
def lumped(fine: tuple[Row, ...], coarse: tuple[Row, ...]) -> bool:
    """Return whether lumping rows together makes the first law the second; few rows only."""
    if len(coarse) ** len(fine) > 1000:
        return False
    none = (ZERO,) * len(fine[0])
    for places in product(range(len(coarse)), repeat=len(fine)):
        made = [none] * len(coarse)
        for row, place in zip(fine, places, strict=True):
            made[place] = tuple(a + b for a, b in zip(made[place], row, strict=True))
        if tuple(made) == coarse:
            return True
    return False


class BorrowedConversion(Renyi):
    """Adds up divergences of order 2, and converts them as if they were of order 4."""

    def fits(self, product: Fraction) -> bool:
        epsilon = self.epsilon
        thrice = Log(epsilon.argument**3) if isinstance(epsilon, Log) else 3 * epsilon
        return not exceeds(product**3, self.delta, thrice)


class MatchedCoin(Rule):
    """Replaces a request by the randomised response of the same total variation, and adds up."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        far = max(profile(law, pair, ONE) for pair in pairs)
        if far == 1:
            return Decision.HALT, state
        total = state * (1 + far) / (1 - far)
        return answer(not exceeds(total, ONE, self.epsilon), total, state)


class BoughtAndKept(Book):
    """Lets delta buy odds of 1/(1-delta), and pay for the deltas."""

    def fits(self, total: Declared) -> bool:
        affordable = not exceeds(total.odds * (1 - self.delta), ONE, self.epsilon)
        return affordable and total.delta <= self.delta


class DeltaBuysEpsilon(Book):
    """Lets what is left of delta buy odds: up to e^eps (1 - spent)/(1 - delta)."""

    def fits(self, total: Declared) -> bool:
        affordable = not exceeds(total.odds * (1 - self.delta), 1 - total.delta, self.epsilon)
        return affordable and total.delta <= self.delta


SAMPLED = {"0": (4 * TENTH, TENTH), "1": (TENTH, 4 * TENTH), "?": (HALF, HALF)}
LUMPED = {"0": (HALF, Fraction(1, 4)), "1": (HALF, Fraction(3, 4))}
RARE = {"!": (8 * CENT, CENT / 5), "-": (92 * CENT, 1 - CENT / 5)}

WRONG = {
    "two-steps": Wrong(
        TwoSteps,
        "neighbours are the pairs of the game, however one gets from one to the other",
        "easy",
        at(1, TENTH, lambda: chain(coin(5))),
    ),
    "running-total": Wrong(
        RunningTotal,
        "the tree is for sums of items that are each in one leaf",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(8, 5))] * 3)),
    ),
    "in-units": Wrong(
        InUnits,
        "one request of k units tells more than k of one unit",
        "medium",
        at(1, TENTH, lambda: chain(coin(4))),
    ),
    "sample-seen": Wrong(
        SampleSeen,
        "the answer shows whether one is in the sample",
        "hard",
        at(1, TENTH, lambda: chain(table(SAMPLED))),
    ),
    "later-deltas": Wrong(
        LaterDeltas,
        "a later leak is as likely as it says, on every path",
        "medium",
        at(1, TENTH, lambda: chain(coin(2), erasure(2 * TENTH))),
    ),
    "delta-inside": Wrong(
        DeltaInside,
        "delta is not multiplied by e^eps",
        "easy",
        at(1, TENTH, lambda: chain(erasure(Fraction(1, 4)))),
    ),
    "post-processing": Wrong(
        PostProcessing,
        "it is not the earlier answer that is lumped together, it is a fresh one",
        "hard",
        at(1, TENTH, lambda: chain(k_ary(3, HALF), *[table(LUMPED)] * 3)),
    ),
    "borrowed-conversion": Wrong(
        BorrowedConversion,
        "a divergence grows with its order",
        "hard",
        at(3, CENT, lambda: chain(table(RARE))),
    ),
    "matched-coin": Wrong(
        MatchedCoin,
        "of all requests with a total variation the coin has the smallest loss",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(4 * TENTH))),
    ),
    "bought-and-kept": Wrong(
        BoughtAndKept,
        "a delta that has bought odds is spent",
        "hard",
        at(1, TENTH, lambda: chain(coin(3), erasure(TENTH))),
    ),
}
SOUND = {
    "one-unit-each": Sound(
        OneUnitEach,
        "each request is below one randomised response of odds 5/4, adaptive or not, and so many "
        "of these are private together (Kairouz, Oh, Viswanath)",
    ),
    "delta-buys-epsilon": Sound(
        DeltaBuysEpsilon,
        "but for leaks a path has P = A Q' with A >= 1 - spent, and ratio E at most; H is at most "
        "1 less the mean of A min(1, e^eps/E), and that is 1 - delta at least on every path",
    ),
}
