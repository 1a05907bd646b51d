"""Sound filters by theorems of composition that look generous: each says why nothing is lost."""

from fractions import Fraction
from functools import partial
from typing import Any

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, answer, plus, within
from corpus.blind.third.base import ZERO, Book
from corpus.blind.third.measures import Renyi, square_sum
from filterproof.exact import exceeds
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.advanced import Spent, Whitehouse
from filterproof.filters.common import Open
from filterproof.filters.rdp import Product, RenyiSomeOrderMironov, RenyiTight
from filterproof.game import Step
from filterproof.game.law import Declared, profile
from filterproof.privacy import tight_odds


class LeaksMultiplied(Book):
    """Bounds 1 - (1-delta_1)(1-delta_2)... in place of the sum of the deltas."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds * odds, 1 - (1 - state.delta) * (1 - delta))
        return answer(self.fits(total), total, state)


class SmallerDeltas(Rule):
    """Grants delta/2^i to the i-th request that runs, and adds up the epsilon at that delta."""

    def start(self) -> tuple[Fraction, int]:
        return ONE, 0

    def decide(self, state: tuple[Fraction, int], step: Step) -> Answer:
        spent, count = state
        if step.index == 0:
            return Decision.CONTINUE, state
        odds = tight_odds(step.mechanism.law, step.game.pairs, self.delta / 2 ** (count + 1))
        if odds is None or not within(spent * odds, self.epsilon):
            return Decision.REFUSE, state
        return Decision.CONTINUE, (spent * odds, count + 1)


class VariationOnly(Rule):
    """Adds up total variations up to delta, and has no use for epsilon."""

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        total = state + max(profile(law, pair, ONE) for pair in pairs)
        return (Decision.CONTINUE, total) if total <= self.delta else (Decision.REFUSE, state)


class BasicOrAdvanced(Rule):
    """Runs a pure request if the epsilons fit, or the advanced bound with all of delta does."""

    def start(self) -> tuple[Declared, Spent]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Any], step: Step) -> Answer:
        if step.mechanism.declared.delta:
            return Decision.HALT, state
        basic = Additive(self.epsilon, ZERO).decide(state[0], step)[0]
        bound = Whitehouse(self.epsilon, self.delta, delta_prime=self.delta)
        advanced, spent = bound.decide(state[1], step)
        if isinstance(spent, Open):
            return Decision.HALT, state
        fits = Decision.CONTINUE in (basic, advanced)
        return answer(fits, (plus(state[0], step.mechanism.declared), spent), state)


class OrderOfTheFirst(Rule):
    """Takes the first Rényi order, of three, that bears the first request, and keeps it."""

    ORDERS = (2, 4, 8)

    def start(self) -> tuple[int, Product]:
        return 0, None

    def decide(self, state: tuple[int, Product], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        tried = (state[0],) if state[0] else self.ORDERS
        for order in tried:
            rule = RenyiTight(self.epsilon, self.delta, order=order)
            decision, product = rule.decide(state[1] if state[0] else rule.start(), step)
            if decision is Decision.CONTINUE:
                return decision, (order, product)
        return Decision.HALT, state


class RenyiByPair(Renyi):
    """Multiplies the Rényi sums of each ordered pair apart: the worst pair may change."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        before = state or (ONE,) * len(step.game.pairs)
        sums = [square_sum(step, pair) for pair in step.game.pairs]
        if step.index == 0 or None in sums:
            return answer(step.index == 0, before, before)
        after = tuple(b * s for b, s in zip(before, sums, strict=True) if s is not None)
        return answer(all(map(self.fits, after)), after, before)


class RenyiBesideLeaks(Rule):
    """Leaves outputs with denominator 0 out of the Rényi sum, and pays for them with delta/2."""

    def start(self) -> tuple[Fraction, Fraction]:
        return ONE, ZERO

    def decide(self, state: tuple[Fraction, Fraction], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        rows, pairs = step.mechanism.law.values(), step.game.pairs
        leak = max(sum((r[x] for r in rows if not r[x_]), ZERO) for x, x_ in pairs)
        told = max(sum((r[x] ** 2 / r[x_] for r in rows if r[x_]), ZERO) for x, x_ in pairs)
        after = state[0] * told, state[1] + leak
        fits = not exceeds(after[0], 2 * self.delta, self.epsilon)
        return answer(fits and 2 * after[1] <= self.delta, after, state)


SOUND = {
    "leaks-multiplied": Sound(
        LeaksMultiplied,
        "a request is randomised response but for a leak of delta_i (Kairouz, Oh, Viswanath), and "
        "1 less the product is how likely some leak is",
    ),
    "smaller-deltas": Sound(SmallerDeltas, "the granted deltas add up to delta at most"),
    "variation-only": Sound(VariationOnly, "total variation is the delta at epsilon 0"),
    "basic-or-advanced": Sound(
        BasicOrAdvanced,
        "where the sum fits no loss exceeds epsilon; where it does not, the squares are within the "
        "bound at the end, and the bound's supermartingale lives through all rounds",
    ),
    "order-of-the-first": Sound(
        OrderOfTheFirst, "the order is fixed by the first request, before any answer"
    ),
    "powers-of-two": Sound(
        partial(RenyiSomeOrderMironov, orders=(2, 4, 8, 16)),
        "some order fits by Mironov's test: sound for these, their weights add up to less than 1",
    ),
    "renyi-by-pair": Sound(RenyiByPair, "each pair has a supermartingale of its own"),
    "renyi-beside-leaks": Sound(
        RenyiBesideLeaks,
        "half of delta bounds how likely a leak ever is, the other half what is lost without one",
    ),
}
