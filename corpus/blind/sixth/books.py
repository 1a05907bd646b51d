"""Mistakes of ledgers that add up what is declared: keys, refunds, quotes, floors, summaries."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Witness, Wrong, answer, covers, plus, within
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    Book,
    F,
    Rows,
    call,
    chain,
    erasing,
    is_quiet,
    law,
    leaking,
    play,
)
from filterproof.exact import Log
from filterproof.game import Step
from filterproof.game.law import Declared, Output


class SameQuestion(Rule):
    """Takes a request for a repeat if its name and the output before it were seen together."""

    markov = False

    def start(self) -> Any:
        return NOTHING, frozenset()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, seen = state
        before = step.history[-1][1] if step.history else ""
        key = (step.request, before)
        total = spent if key in seen else plus(spent, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, seen | {key}), state)


class Glued(Rule):
    """Looks costs up under numerator and denominator of delta, written without a space."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, prices = state
        asked = step.mechanism.declared
        key = f"{asked.delta.numerator}{asked.delta.denominator}"
        known = dict(prices)
        price = known.setdefault(key, asked.delta)
        total = plus(spent, Declared(asked.odds, price))
        after = total, tuple(sorted(known.items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class Distinct(Rule):
    """Keeps the purchases in a set: request, odds and delta."""

    def start(self) -> Any:
        return frozenset()

    def decide(self, state: Any, step: Step) -> Answer:
        bought = state | {(step.request, *step.mechanism.declared)}
        total = NOTHING
        for _, odds, delta in bought:
            total = plus(total, Declared(odds, delta))
        return answer(covers(total, self.epsilon, self.delta), bought, state)


class FreeSamples(Rule):
    """The first five deltas of at most a twentieth of the budget are free."""

    def start(self) -> Any:
        return NOTHING, 0

    def decide(self, state: Any, step: Step) -> Answer:
        spent, samples = state
        odds, delta = step.mechanism.declared
        free = 0 < 20 * delta <= self.delta and samples < 5
        total = plus(spent, Declared(odds, F(0) if free else delta))
        return answer(covers(total, self.epsilon, self.delta), (total, samples + free), state)


class Families(Rule):
    """Requests whose names agree before the dot are alternatives: the largest delta counts."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        odds, kept = state
        asked = step.mechanism.declared
        known = dict(kept)
        family = step.request.partition(".")[0]
        known[family] = max(known.get(family, F(0)), asked.delta)
        total = Declared(odds * asked.odds, sum(known.values(), F(0)))
        after = total.odds, tuple(sorted(known.items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class QuietRefund(Rule):
    """Gives a third of the round's delta back where the output said nothing."""

    def start(self) -> Any:
        return NOTHING, F(0)

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        after = total, step.mechanism.declared.delta
        return answer(covers(total, self.epsilon, self.delta), after, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        (odds, delta), last = state
        return Declared(odds, delta - last / 3 if is_quiet(step, output) else delta), F(0)


class Goodwill(Rule):
    """Gives one delta back, once, after two quiet outputs in a row."""

    def start(self) -> Any:
        return NOTHING, F(0), 0

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        after = total, step.mechanism.declared.delta, state[2]
        return answer(covers(total, self.epsilon, self.delta), after, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        (odds, delta), last, quiet = state
        if quiet >= 2 or not step.index:
            return state[0], F(0), quiet
        quiet = quiet + 1 if is_quiet(step, output) else 0
        return Declared(odds, delta - last if quiet == 2 else delta), F(0), quiet


class SoldOut(Book):
    """Once delta is spent to the last bit, deltas are no longer looked at."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(odds, F(0) if state.delta == self.delta > 0 else delta)


class TopThree(Rule):
    """Keeps the three largest deltas only."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        kept = tuple(sorted((*state[1], delta))[-3:])
        total = Declared(state[0] * odds, sum(kept))
        return answer(covers(total, self.epsilon, self.delta), (total.odds, kept), state)


class Quantity(Rule):
    """The n-th delta that is charged under one name gets the discount 1 - 1/n."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, counts = state
        odds, delta = step.mechanism.declared
        known = dict(counts)
        known[step.request] = n = known.get(step.request, 0) + 1
        total = plus(spent, Declared(odds, delta / n))
        after = total, tuple(sorted(known.items()))
        return answer(covers(total, self.epsilon, self.delta), after, state)


class Noisy(Book):
    """Divides delta by the odds it was declared with."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(odds, delta / odds)


class Grid(Book):
    """Rounds every delta to the nearest multiple of an eighth of the budget."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        if not self.delta:
            return Declared(odds, delta)
        unit = self.delta / 8
        return Declared(odds, int(delta / unit + F(1, 2)) * unit)


class Exchange(Rule):
    """Pays for deltas beyond the budget with epsilon that is left, one for one."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        over = max(F(0), total.delta - self.delta)
        return answer(within(total.odds * (1 + over), self.epsilon), total, state)


class ByPrice(Rule):
    """Compares epsilon over the requests with a delta, and over those without, one by one."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        pure, mixed = state
        asked = step.mechanism.declared
        pure, mixed = (pure, plus(mixed, asked)) if asked.delta else (plus(pure, asked), mixed)
        fits = all(covers(one, self.epsilon, self.delta) for one in (pure, mixed))
        return answer(fits, (pure, mixed), state)


def erasures(d: Fraction, n: int) -> Any:
    return lambda: play(chain(*[erasing(d)] * n))


def stated(d: Fraction, odds: int) -> Any:
    return lambda: play({"ask": law(erasing(d), stated=(odds, d))})


def split_odds() -> Any:
    tell = {"0": (F(2, 3), F(1, 3)), "1": (F(1, 3), F(2, 3))}
    leak: Rows = {
        "0": (F(3, 5), F(3, 10)),
        "1": (F(3, 10), F(3, 5)),
        "!": (TENTH, 0),
        "/": (0, TENTH),
    }
    return play(chain(tell, leak))


WRONG: dict[str, Wrong] = {
    "same-question-same-answer": Wrong(
        SameQuestion,
        "a second draw is no repeat",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 20), 3)),
    ),
    "glued-key": Wrong(
        Glued,
        "11/100 and 1/1100 have one key",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(erasing(F(1, 1100)), erasing(F(11, 100))))),
    ),
    "set-of-purchases": Wrong(
        Distinct, "equal purchases count once", "easy", Witness(TWO, TENTH, erasures(F(1, 12), 2))
    ),
    "five-free-samples": Wrong(
        FreeSamples,
        "small deltas add up to a quarter of the budget",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(*[erasing(F(1, 200))] * 5, erasing(TENTH)))),
    ),
    "families-by-name": Wrong(
        Families,
        "requests of one family see the same data",
        "hard",
        Witness(
            TWO, TENTH, lambda: play(call(("a.1", erasing(F(1, 11))), ("a.2", erasing(F(1, 11)))))
        ),
    ),
    "third-back-if-quiet": Wrong(
        QuietRefund,
        "a quiet output was a risk",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 30), 4)),
    ),
    "goodwill-once": Wrong(
        Goodwill, "one delta is given back", "hard", Witness(TWO, TENTH, erasures(F(1, 21), 3))
    ),
    "sold-out": Wrong(
        SoldOut,
        "a delta that is exactly spent is not looked at again",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(erasing(TENTH), erasing(F(1, 9))))),
    ),
    "three-largest": Wrong(
        TopThree, "the smaller deltas are lost", "hard", Witness(TWO, TENTH, erasures(F(1, 30), 5))
    ),
    "quantity-discount": Wrong(
        Quantity, "the n-th delta is as large", "medium", Witness(TWO, TENTH, erasures(F(1, 15), 2))
    ),
    "delta-over-odds": Wrong(
        Noisy,
        "a delta that is declared at high odds is as likely",
        "hard",
        Witness(Log(F(4)), TENTH, stated(F(1, 5), 4)),
    ),
    "eighths": Wrong(
        Grid, "a sixteenth rounds to nothing", "hard", Witness(TWO, TENTH, erasures(F(1, 170), 20))
    ),
    "epsilon-for-delta": Wrong(
        Exchange,
        "epsilon does not pay for certainty",
        "easy",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 3))))),
    ),
    "pure-and-mixed": Wrong(
        ByPrice,
        "the epsilons of both kinds add up",
        "medium",
        Witness(Log(F(3)), TENTH, split_odds),
    ),
}
