"""Ledgers of declared costs with one entry, one unit or one comparison that is off."""

from fractions import Fraction
from functools import reduce
from math import isclose, log

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, nats, plus, size, within
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import CENT, TENTH, ZERO, Book, positive
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Request, Step
from filterproof.game.law import Declared
from filterproof.palette import erasure, table

Prices = tuple[tuple[Request, Declared], ...]


class BalanceBefore(Book):
    """Runs a request while the balance before it is not overdrawn."""

    def decide(self, state: Declared, step: Step) -> Answer:
        return answer(self.fits(state), plus(state, step.mechanism.declared), state)


class EitherFits(Book):
    """Halts only when both the epsilons and the deltas are used up."""

    def fits(self, total: Declared) -> bool:
        return within(total.odds, self.epsilon) or total.delta <= self.delta


class CommonLogarithm(Book):
    """Takes the logarithm of the odds to the base 10."""

    def fits(self, total: Declared) -> bool:
        return nats(total.odds) / log(10) <= size(self.epsilon) and total.delta <= self.delta


class FirstOrder(Rule):
    """Adds up 1 - e^-epsilon_i, "which is epsilon_i to first order"."""

    def start(self) -> Declared:
        return Declared(ZERO, ZERO)

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds + 1 - 1 / odds, state.delta + delta)
        fits = float(total.odds) <= size(self.epsilon) and total.delta <= self.delta
        return answer(fits, total, state)


class Quadrature(Rule):
    """Adds up the epsilons like standard deviations, the root of the sum of their squares."""

    def start(self) -> tuple[float, Fraction]:
        return 0.0, ZERO

    def decide(self, state: tuple[float, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + nats(odds) ** 2, state[1] + delta
        return answer(total[0] <= size(self.epsilon) ** 2 and total[1] <= self.delta, total, state)


class LedgerIsASet(Rule):
    """Keeps its entries in a set, in which two equal ones are one."""

    def start(self) -> frozenset[Declared]:
        return frozenset()

    def decide(self, state: frozenset[Declared], step: Step) -> Answer:
        entries = state | {step.mechanism.declared}
        total = reduce(plus, entries, NOTHING)
        return answer(covers(total, self.epsilon, self.delta), entries, state)


class LedgerByName(Rule):
    """Keeps one entry per request, and a request made again overwrites it."""

    def start(self) -> Prices:
        return ()

    def decide(self, state: Prices, step: Step) -> Answer:
        entries = dict(state) | {step.request: step.mechanism.declared}
        total = reduce(plus, entries.values(), NOTHING)
        kept = tuple(sorted(entries.items()))
        return answer(covers(total, self.epsilon, self.delta), kept, state)


class FirstPrice(Rule):
    """Charges a request every time, at the price that it had the first time."""

    def start(self) -> tuple[Declared, Prices]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Prices], step: Step) -> Answer:
        spent, prices = state
        known = {step.request: step.mechanism.declared} | dict(prices)
        total = plus(spent, known[step.request])
        after = total, tuple(sorted(known.items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class StaleLedger(Rule):
    """Checks against the ledger without the request before, whose entry is still on its way."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        booked, pending = state
        asked = step.mechanism.declared
        fits = covers(plus(booked, asked), self.epsilon, self.delta)
        return answer(fits, (plus(booked, pending), asked), state)


class NearestEighth(Rule):
    """Keeps epsilon in whole eighths of the budget, rounded to the nearest."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.unit = positive(epsilon) / 8

    def start(self) -> tuple[int, Fraction]:
        return 0, ZERO

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + round(nats(odds) / self.unit), state[1] + delta
        return answer(total[0] <= 8 and total[1] <= self.delta, total, state)


class Negligible(Book):
    """Does not book a request that costs a tenth of the budget at most."""

    def decide(self, state: Declared, step: Step) -> Answer:
        asked = step.mechanism.declared
        if within(asked.odds, self.epsilon, TENTH) and 10 * asked.delta <= self.delta:
            return Decision.CONTINUE, state
        return super().decide(state, step)


class CloseEnough(Book):
    """Lets the sum of the epsilons pass if it is equal to epsilon to six digits."""

    def fits(self, total: Declared) -> bool:
        near = isclose(nats(total.odds), size(self.epsilon), rel_tol=1e-6)
        return (near or within(total.odds, self.epsilon)) and total.delta <= self.delta


class TwoBooks(Book):
    """Books pure requests by their epsilon and the others by their delta."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state, Declared(Fraction(1), delta) if delta else Declared(odds, ZERO))
        return answer(self.fits(total), total, state)


class TwoDecimals(Rule):
    """Writes the sum of the epsilons down with two decimals."""

    def start(self) -> tuple[float, Fraction]:
        return 0.0, ZERO

    def decide(self, state: tuple[float, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = round(state[0] + nats(odds), 2), state[1] + delta
        return answer(total[0] <= size(self.epsilon) and total[1] <= self.delta, total, state)


LOUD: dict[str, tuple[Fraction | int, ...]] = {
    "!": (CENT, 0),
    "0": (Fraction(89, 100), TENTH),
    "1": (TENTH, Fraction(9, 10)),
}

WRONG = {
    "balance-before": Wrong(
        BalanceBefore,
        "the balance is checked before the request is added to it",
        "easy",
        at(1, TENTH, lambda: chain(coin(5))),
    ),
    "either-fits": Wrong(
        EitherFits,
        "it should halt as soon as one of the two is used up",
        "easy",
        at(1, TENTH, lambda: chain(coin(5))),
    ),
    "common-logarithm": Wrong(
        CommonLogarithm,
        "the budget is in nats",
        "easy",
        at(1, TENTH, lambda: chain(coin(8))),
    ),
    "first-order": Wrong(
        FirstOrder,
        "the approximation is from below, and never above 1",
        "easy",
        at(1, TENTH, lambda: chain(coin(8))),
    ),
    "quadrature": Wrong(
        Quadrature,
        "losses of adaptive rounds add up, they are not independent errors",
        "medium",
        at(1, ZERO, lambda: chain(coin(2), coin(2))),
    ),
    "ledger-is-a-set": Wrong(
        LedgerIsASet,
        "a request of the same cost as an earlier one is free",
        "hard",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH))),
    ),
    "ledger-by-name": Wrong(
        LedgerByName,
        "what was spent under a name is forgotten when the name is used again",
        "medium",
        at(1, TENTH, lambda: chain(coin(Fraction(5, 2)), coin(2))),
    ),
    "first-price": Wrong(
        FirstPrice,
        "a name does not say which mechanism runs under it",
        "medium",
        at(1, TENTH, lambda: chain(coin(Fraction(3, 2)), coin(20))),
    ),
    "stale-ledger": Wrong(
        StaleLedger,
        "two requests in a row see the same balance",
        "medium",
        at(1, TENTH, lambda: chain(coin(Fraction(5, 2)), coin(Fraction(5, 2)))),
    ),
    "nearest-eighth": Wrong(
        NearestEighth,
        "costs have to be rounded up",
        "medium",
        at(1, ZERO, lambda: chain(*[coin(Fraction(6, 5))] * 6)),
    ),
    "negligible": Wrong(
        Negligible,
        "many small costs are a large one",
        "hard",
        at(1, TENTH, lambda: chain(*[erasure(CENT)] * 11)),
    ),
    "close-enough": Wrong(
        CloseEnough,
        "a tolerance on the side of the analyst",
        "hard",
        at(1, ZERO, lambda: chain(coin(Fraction(2_718_283, 10**6)))),
    ),
    "two-books": Wrong(
        TwoBooks,
        "a request with a delta has an epsilon too",
        "medium",
        at(1, TENTH, lambda: chain(table(LOUD))),
    ),
    "two-decimals": Wrong(
        TwoDecimals,
        "it has to be rounded up",
        "hard",
        at(1, ZERO, lambda: chain(coin(Fraction(273, 100)))),
    ),
}
