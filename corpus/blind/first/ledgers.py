"""Ledgers of declared pairs, each with one mistake of the kind that a review finds or misses."""

from fractions import Fraction
from math import floor

from corpus.blind.base import (
    NOTHING,
    ONE,
    Answer,
    Rule,
    Wrong,
    answer,
    covers,
    nats,
    plus,
    size,
    within,
)
from corpus.blind.first.games import at, chain, coin, then
from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared
from filterproof.palette import erasure, response, reveal, silent, table

Prices = tuple[tuple[str, Declared], ...]


class Ledger(Rule):
    """The correct additive ledger, from which the filters below differ in one place."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return answer(self.fits(total), total, state)

    def fits(self, total: Declared) -> bool:
        return covers(total, self.epsilon, self.delta)


class BothExceeded(Ledger):
    """Halts only if epsilon *and* delta are overdrawn: the wrong connective."""

    def fits(self, total: Declared) -> bool:
        return within(total.odds, self.epsilon) or total.delta <= self.delta


class FirstRoundFree(Ledger):
    """Lets round 1 pass as if it were the opening round: an index off by one."""

    def decide(self, state: Declared, step: Step) -> Answer:
        if step.index <= 1:
            return Decision.CONTINUE, state
        return super().decide(state, step)


class OddsAdded(Ledger):
    """Adds e^eps_i - 1 instead of eps_i, as if small-epsilon linearisation were exact."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds + odds - 1, state.delta + delta)
        return answer(self.fits(total), total, state)


class SetLedger(Rule):
    """Keeps the spends in a set, so that equal spends are one."""

    def start(self) -> frozenset[Declared]:
        return frozenset()

    def decide(self, state: frozenset[Declared], step: Step) -> Answer:
        spends = state | {step.mechanism.declared}
        total = NOTHING
        for spend in spends:
            total = plus(total, spend)
        return answer(covers(total, self.epsilon, self.delta), spends, state)


class StaleLedger(Rule):
    """Checks against a balance that is one booking behind."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        booked, pending = state
        asked = step.mechanism.declared
        fits = covers(plus(booked, asked), self.epsilon, self.delta)
        return answer(fits, (plus(booked, pending), asked), state)


class PriceByName(Rule):
    """Looks the price of a request up by its name, in a cache that is never invalidated."""

    def start(self) -> tuple[Declared, Prices]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Prices], step: Step) -> Answer:
        spent, prices = state
        price = dict(prices).get(step.request, step.mechanism.declared)
        total = plus(spent, price)
        known = tuple(sorted({**dict(prices), step.request: price}.items()))
        return answer(covers(total, self.epsilon, self.delta), (total, known), state)


class SettlesAfterwards(Rule):
    """Estimates a request at the price of the one before, and settles the true price later."""

    def start(self) -> tuple[Declared, Declared | None]:
        return NOTHING, None

    def decide(self, state: tuple[Declared, Declared | None], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        spent, last = state
        asked = step.mechanism.declared
        fits = covers(plus(spent, last or asked), self.epsilon, self.delta)
        return answer(fits, (plus(spent, asked), asked), state)


class PerAnalyst(Rule):
    """Gives every analyst the whole budget; the request's name says who asks."""

    def start(self) -> Prices:
        return ()

    def decide(self, state: Prices, step: Step) -> Answer:
        accounts = dict(state)
        total = plus(accounts.get(step.request, NOTHING), step.mechanism.declared)
        after = tuple(sorted({**accounts, step.request: total}.items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class DeltaIntoOdds(Rule):
    """Reads P <= e^eps·Q + delta as P <= (e^eps + delta)·Q, so that only odds are added up."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state * (odds + delta)
        return answer(within(total, self.epsilon), total, state)


class ApproximateCostsDeltaOnly(Ledger):
    """Books a pure mechanism in epsilon and any other one in delta, never one in both."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(ONE, delta) if delta else Declared(odds, delta))
        return answer(self.fits(total), total, state)


class NearestTick(Rule):
    """Counts epsilon in tenths, rounded to the nearest one (but never to none)."""

    def start(self) -> tuple[int, Fraction]:
        return 0, Fraction(0)

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        ticks = state[0] + (max(1, round(10 * nats(odds))) if odds > 1 else 0)
        total = ticks, state[1] + delta
        fits = ticks <= floor(10 * size(self.epsilon)) and total[1] <= self.delta
        return answer(fits, total, state)


class DeltaOrDefault(Ledger):
    """`delta or 1e-5`: a budget of delta = 0 is taken for one that was not given."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta or Fraction(1, 100_000))


class ZeroMeansUnlimited(Ledger):
    """`if epsilon and ...`: a budget of epsilon = 0 is taken for no limit."""

    def fits(self, total: Declared) -> bool:
        if self.epsilon and exceeds(total.odds, ONE, self.epsilon):
            return False
        return total.delta <= self.delta


class MenuAverage(Ledger):
    """Bills the average price of what was on offer, as if the analyst drew lots."""

    def decide(self, state: Declared, step: Step) -> Answer:
        prices = [mechanism.declared for mechanism in step.menu.values()]
        odds = sum((price.odds for price in prices), Fraction(0)) / len(prices)
        delta = sum((price.delta for price in prices), Fraction(0)) / len(prices)
        total = plus(state, Declared(odds, delta))
        return answer(self.fits(total), total, state)


class Grace(Ledger):
    """Answers a last request that overdraws epsilon by up to a tenth, then ends."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if total.delta > self.delta or not within(total.odds, self.epsilon, Fraction(11, 10)):
            return Decision.HALT, state
        fits = within(total.odds, self.epsilon)
        return (Decision.CONTINUE if fits else Decision.LAST), total


CENT, TENTH, TINY = Fraction(1, 100), Fraction(1, 10), Fraction(1, 100_000)
LEAKY: dict[str, tuple[Fraction | int, ...]] = {
    "!": (Fraction(1, 1000), 0),
    "0": (Fraction(899, 1000), TENTH),
    "1": (TENTH, 1 - TENTH),
}

WRONG = {
    "both-exceeded": Wrong(
        BothExceeded,
        "halts only if epsilon and delta are both overdrawn",
        "easy",
        at(1, CENT, lambda: chain(reveal())),
    ),
    "first-round-free": Wrong(
        FirstRoundFree,
        "round 1 passes as if it were the opening round",
        "easy",
        at(1, TINY, lambda: chain(reveal())),
    ),
    "odds-added": Wrong(
        OddsAdded,
        "adds e^eps_i - 1 where the odds multiply",
        "medium",
        at(2, CENT, lambda: chain(coin(3), coin(3), coin(3))),
    ),
    "set-ledger": Wrong(
        SetLedger,
        "equal spends are kept once",
        "medium",
        at(1, CENT, lambda: chain(coin(2), coin(2))),
    ),
    "stale-ledger": Wrong(
        StaleLedger,
        "the balance checked is one booking behind",
        "easy",
        at(1, CENT, lambda: chain(coin(2), coin(2))),
    ),
    "price-by-name": Wrong(
        PriceByName,
        "a request is charged what its name cost the first time",
        "easy",
        at(1, TINY, lambda: chain(silent(), reveal())),
    ),
    "settles-afterwards": Wrong(
        SettlesAfterwards,
        "a request is let through at the price of the one before",
        "easy",
        at(1, CENT, lambda: chain(silent(), reveal())),
    ),
    "per-analyst": Wrong(
        PerAnalyst,
        "each analyst has the whole budget",
        "easy",
        at(1, CENT, lambda: {"a": then(coin(2), {"b": coin(2)})}),
    ),
    "delta-into-odds": Wrong(
        DeltaIntoOdds,
        "delta_i is added to e^eps_i and then forgotten",
        "easy",
        at(1, TINY, lambda: chain(reveal())),
    ),
    "approximate-costs-delta-only": Wrong(
        ApproximateCostsDeltaOnly,
        "what has a delta_i is not charged its eps_i",
        "easy",
        at(1, CENT, lambda: chain(table(LEAKY))),
    ),
    "nearest-tick": Wrong(
        NearestTick,
        "costs are rounded to the nearest tenth",
        "medium",
        at(1, CENT, lambda: chain(coin(Fraction(173, 100)), coin(Fraction(173, 100)))),
    ),
    "delta-or-default": Wrong(
        DeltaOrDefault,
        "delta = 0 is replaced by a default",
        "hard",
        at(1, 0, lambda: chain(erasure(TINY))),
    ),
    "zero-means-unlimited": Wrong(
        ZeroMeansUnlimited,
        "epsilon = 0 is taken for no limit",
        "medium",
        at(0, TENTH, lambda: chain(response(Fraction(3, 4)))),
    ),
    "menu-average": Wrong(
        MenuAverage,
        "the price is the average over the menu",
        "medium",
        at(1, CENT, lambda: {"a": silent(), "b": silent(), "c": silent(), "d": coin(7)}),
    ),
    "grace": Wrong(
        Grace,
        "the last request may overdraw epsilon by a tenth",
        "medium",
        at(1, CENT, lambda: chain(coin(3))),
    ),
}
