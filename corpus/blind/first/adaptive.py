"""Filters whose parts are right for a fixed list of requests, or for each branch alone."""

from fractions import Fraction

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, nats, plus
from corpus.blind.first.composition import Advanced
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH, Prices
from corpus.blind.first.pairs import ChargeLedger, Costs
from filterproof.game import Mechanism, Step
from filterproof.game.law import Declared, Output
from filterproof.palette import erasure, lottery, reveal, silent, table

Squares = tuple[float, Fraction]


class EitherBook(Rule):
    """Keeps two sound books, declared pairs and charges, over every round; runs if either fits."""

    def start(self) -> tuple[Declared, Costs]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Costs], step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        unlimited = ChargeLedger(self.epsilon, Fraction(10**9))
        _, costs = unlimited.decide(state[1], step)
        charged = all(cost <= self.delta for cost in costs)
        fits = charged or covers(total, self.epsilon, self.delta)
        return answer(fits, (total, costs), state)


class QuotedInAdvance(Rule):
    """Quotes the next round's prices before the answer is drawn, from the first answer's menu."""

    def start(self) -> tuple[Declared, Prices]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, Prices], step: Step) -> Answer:
        spent, quotes = state
        total = plus(spent, dict(quotes).get(step.request, step.mechanism.declared))
        ahead = step.menu_after(next(iter(step.mechanism.law)))
        prices = tuple(sorted((name, one.declared) for name, one in ahead.items()))
        return answer(covers(total, self.epsilon, self.delta), (total, prices), state)


class RealisedSquares(Advanced):
    """Books the square of the realised loss instead of eps_i², as an empirical variance."""

    def decide(self, state: Squares, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = state[0] + nats(odds) ** 2, state[1] + delta
        return answer(self.fits(total), (state[0], total[1]), state)

    def observe(self, state: Squares, step: Step, output: Output) -> Squares:
        row = step.mechanism.law[output]
        ratios = (row[x] / row[x_] for x, x_ in step.game.pairs if row[x] and row[x_])
        told = max((nats(ratio) ** 2 for ratio in ratios), default=0.0)
        return round(state[0] + told, 9), state[1]


def tilt(gain: Fraction) -> Mechanism:
    """Return a law that is (0, gain)-DP and says so, though its losses are finite."""
    law = {"u": (gain * 3 / 2, gain / 2), "v": (1 - gain * 3 / 2, 1 - gain / 2)}
    return table(law, stated=Declared(Fraction(1), gain))


RARELY = {"+": (Fraction(19, 20), Fraction(4, 5)), "-": (Fraction(1, 20), Fraction(1, 5))}
EVEN = [Fraction(1, 2)] * 2

WRONG = {
    "either-book": Wrong(
        EitherBook,
        "of two sound accounts the more generous one is believed on every branch",
        "hard",
        at(2, TENTH, lambda: branch(tilt(TENTH), u={"ask": coin(7)}, v={"ask": erasure(TENTH)})),
    ),
    "quoted-in-advance": Wrong(
        QuotedInAdvance,
        "prices are quoted from the menu after the first possible answer",
        "easy",
        at(
            1,
            CENT,
            lambda: branch(lottery(EVEN), **{"1": {"ask": silent()}, "2": {"ask": reveal()}}),
        ),
    ),
    "realised-squares": Wrong(
        RealisedSquares,
        "the variance is booked after the fact, so a rare large loss is not paid for in advance",
        "hard",
        at(8, CENT, lambda: chain(*[table(RARELY)] * 60)),
    ),
}
