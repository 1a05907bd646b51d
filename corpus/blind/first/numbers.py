"""Ledgers that are wrong in their numbers only: tolerances, short fractions, what is tiny."""

from fractions import Fraction

from corpus.blind.base import ONE, Answer, Wrong, answer, plus, within
from corpus.blind.first.games import at, chain, coin
from corpus.blind.first.ledgers import TINY, Ledger
from filterproof.exact import Log, exp_enclosure
from filterproof.game import Step
from filterproof.game.law import Declared
from filterproof.palette import erasure

MILLIONTH = Fraction(1, 10**6)


class TinyDeltaPure(Ledger):
    """Takes a mechanism whose delta_i is below 1e-6 for a pure one."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(odds, delta if delta >= MILLIONTH else Fraction(0)))
        return answer(self.fits(total), total, state)


class ShortFractions(Ledger):
    """Keeps the odds as the nearest fraction with a denominator of at most 100."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        short = Declared(total.odds.limit_denominator(100), total.delta)
        return answer(self.fits(short), short, state)


class Tolerance(Ledger):
    """Compares with a relative tolerance of 1e-6, so that rounding refuses nobody."""

    def fits(self, total: Declared) -> bool:
        return within(total.odds / (1 + MILLIONTH), self.epsilon) and total.delta <= self.delta


class ProductInCents(Ledger):
    """Rounds the odds of the ledger down to cents after each booking, not before each check."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        booked = max(ONE, Fraction(int(total.odds * 100), 100))
        return answer(self.fits(total), Declared(booked, total.delta), state)


NEARLY = Fraction(int(exp_enclosure(Fraction(1), 64)[0] * (1 + MILLIONTH / 2) * 10**9), 10**9)

WRONG = {
    "tiny-delta-pure": Wrong(
        TinyDeltaPure,
        "a delta_i below 1e-6 is not charged",
        "hard",
        at(1, TINY, lambda: chain(*[erasure(9 * MILLIONTH / 10)] * 12)),
    ),
    "short-fractions": Wrong(
        ShortFractions,
        "the ledger is rounded to short fractions, upwards or downwards",
        "hard",
        at(Log(Fraction(2)), 0, lambda: chain(coin(Fraction(501, 250)))),
    ),
    "tolerance": Wrong(
        Tolerance,
        "the comparison has a tolerance of 1e-6",
        "hard",
        at(1, 0, lambda: chain(coin(NEARLY))),
    ),
    "product-in-cents": Wrong(
        ProductInCents,
        "what is below a cent of odds is lost at each booking",
        "hard",
        at(
            Log(Fraction(2)),
            0,
            lambda: chain(coin(Fraction(1509, 1000)), coin(Fraction(133, 100))),
        ),
    ),
}
