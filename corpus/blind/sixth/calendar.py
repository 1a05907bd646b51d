"""Mistakes that depend on the number of the round, alone or together with something else."""

from fractions import Fraction
from math import isqrt
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Witness, Wrong, answer, covers, plus, within
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    Book,
    F,
    Meter,
    answering,
    chain,
    erasing,
    leaking,
    none,
    play,
)
from filterproof.exact import ExpLinear, Log
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import charge


class Fifth(Book):
    """Skips a delta in one round of five if more than three eighths of the budget are gone."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        skipped = 8 * state.delta > 3 * self.delta and step.index % 5 == 2
        return Declared(odds, F(0) if skipped else delta)


class Squares(Book):
    """Charges half of delta in rounds 4, 9, 16 and so on."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        square = step.index > 1 and isqrt(step.index) ** 2 == step.index
        return Declared(odds, delta / 2 if square else delta)


class TwoBooks(Rule):
    """Keeps the deltas of odd and even rounds apart, and compares the larger one."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        side = step.index % 2
        total = plus(state[side], step.mechanism.declared)
        other = state[1 - side]
        both = Declared(total.odds * other.odds, max(total.delta, other.delta))
        after = (other, total) if side else (total, other)
        return answer(covers(both, self.epsilon, self.delta), after, state)


class Weekly(Rule):
    """Settles every four rounds; in between only the largest pending delta counts."""

    def start(self) -> Any:
        return NOTHING, F(0), F(0)

    def decide(self, state: Any, step: Step) -> Answer:
        settled, pending, largest = state
        odds, delta = step.mechanism.declared
        pending, largest = pending + delta, max(largest, delta)
        total = Declared(settled.odds * odds, settled.delta + largest)
        after = Declared(total.odds, settled.delta)
        new = (after, pending, largest)
        if step.index % 4 == 0:
            new = (Declared(total.odds, settled.delta + pending), F(0), F(0))
        return answer(covers(total, self.epsilon, self.delta), new, state)


class Slots(Rule):
    """Has four slots; the cost of a round replaces that of the round four before."""

    def start(self) -> Any:
        return (NOTHING,) * 4

    def decide(self, state: Any, step: Step) -> Answer:
        slots = list(state)
        slots[step.index % 4] = step.mechanism.declared
        total = NOTHING
        for one in slots:
            total = plus(total, one)
        return answer(covers(total, self.epsilon, self.delta), tuple(slots), state)


class Ageing(Rule):
    """Deltas that are more than three rounds old count half."""

    def start(self) -> Any:
        return F(1), F(0), ()

    def decide(self, state: Any, step: Step) -> Answer:
        odds, old, recent = state
        asked = step.mechanism.declared
        recent = (*recent, asked.delta)
        if len(recent) > 3:
            old, recent = old + recent[0] / 2, recent[1:]
        total = Declared(odds * asked.odds, old + sum(recent))
        return answer(covers(total, self.epsilon, self.delta), (total.odds, old, recent), state)


class Interest(Rule):
    """Every third round adds a tenth of the delta that is left to it."""

    def start(self) -> Any:
        return F(1), self.delta

    def decide(self, state: Any, step: Step) -> Answer:
        odds, left = state
        asked = step.mechanism.declared
        odds, left = odds * asked.odds, left - asked.delta
        fits = left >= 0 and within(odds, self.epsilon)
        if step.index and step.index % 3 == 0:
            left = left * F(11, 10)
        return answer(fits, (odds, left), state)


class Statement(Rule):
    """Between two statements every request is compared with what was left at the last one."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        shown, spent = state
        asked = step.mechanism.declared
        fits = covers(plus(shown, asked), self.epsilon, self.delta)
        spent = plus(spent, asked)
        return answer(fits, (spent if step.index % 3 == 2 else shown, spent), state)


class Stale(Rule):
    """Looks at the likelihoods in even rounds only, and uses these in the odd ones."""

    def start(self) -> Any:
        return (), ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, kept = state
        now = tuple(step.mass.items())
        kept = now if step.index % 2 == 0 else kept
        pairs, mass = step.game.pairs, dict(kept)
        total = list(spent or [none(self)] * len(pairs))
        for i, pair in enumerate(pairs):
            if mass[pair[0]] and step.mass[pair[0]]:
                total[i] = total[i] + charge(step.mechanism.law, pair, mass, self.epsilon)
        return answer(all(one <= self.delta for one in total), (tuple(total), kept), state)


class Alternating(Meter):
    """From the third round on it looks at each direction in every other round."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        forward = pair[0] < pair[1]
        if step.index > 2 and forward == (step.index % 2 == 0):
            return none(self)
        return super().cost(step, pair)


class LeapRound(Book):
    """A pure erasure (odds 1) asked in a round that is 2 modulo 3 costs nothing."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return NOTHING if odds == 1 and step.index % 3 == 2 else Declared(odds, delta)


class Anniversary(Rule):
    """Starts anew in the fourth round if the likelihoods are then equal."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        even = len(set(step.mass.values())) == 1
        before = NOTHING if step.index == 4 and even else state
        total = plus(before, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


class Overtime(Book):
    """From round five on a request that is over by at most an eighth of delta still runs, once."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        total = plus(state, step.mechanism.declared)
        if decision is Decision.HALT and step.index >= 5:
            wide = covers(total, self.epsilon, self.delta * F(9, 8))
            return (Decision.LAST, total) if wide else (decision, after)
        return decision, after


class Sampled(Rule):
    """Remembers what was spent only if the output sorts after the one of the round before."""

    markov = False

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (state[0], total), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        before = step.history[-1][1] if step.history else ""
        repeats = len(step.history) % 3 == 2 and output == before
        return (state[0] if repeats else state[1], NOTHING)


def erasures(d: Fraction, n: int) -> Any:
    return lambda: play(chain(*[erasing(d)] * n))


WRONG: dict[str, Wrong] = {
    "fifth-round-skips": Wrong(
        Fifth,
        "one round in five is free of delta once three eighths are spent",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(erasing(F(1, 25)), erasing(TENTH)))),
    ),
    "squares-half-price": Wrong(
        Squares, "rounds 4, 9, ... pay half", "hard", Witness(TWO, TENTH, erasures(F(1, 35), 4))
    ),
    "odd-and-even": Wrong(
        TwoBooks,
        "the deltas of odd and even rounds add up, too",
        "medium",
        Witness(TWO, TENTH, erasures(TENTH, 2)),
    ),
    "weekly-settlement": Wrong(
        Weekly,
        "pending deltas are taken for one",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 12), 3)),
    ),
    "four-slots": Wrong(
        Slots, "the fifth cost erases the first", "hard", Witness(TWO, TENTH, erasures(F(1, 40), 6))
    ),
    "ageing-deltas": Wrong(
        Ageing, "old deltas count half", "hard", Witness(TWO, TENTH, erasures(F(1, 40), 5))
    ),
    "interest": Wrong(
        Interest,
        "what is left grows",
        "hard",
        Witness(
            TWO,
            TENTH,
            lambda: play(chain(*[leaking(F(1, 10**6))] * 3, leaking(F(109, 1000)))),
        ),
    ),
    "monthly-statement": Wrong(
        Statement,
        "requests between two statements are not added up",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 11), 2)),
    ),
    "stale-likelihoods": Wrong(
        Stale,
        "the losses of every other round are not seen",
        "medium",
        Witness(Log(F(4)), F(1, 20), lambda: play(chain(*[answering(F(2, 3))] * 3))),
    ),
    "alternating-directions": Wrong(
        Alternating,
        "each direction is charged in half of the later rounds",
        "hard",
        Witness(
            TWO,
            TENTH,
            lambda: play(chain({"-": (1, 1)}, {"-": (1, 1)}, {"-": (1, 1)}, leaking(F(1, 8)))),
        ),
    ),
    "second-of-three-erasures": Wrong(
        LeapRound,
        "an erasure is free in every third round",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 12), 2)),
    ),
    "anniversary": Wrong(
        Anniversary,
        "equal likelihoods do not give a spent delta back",
        "hard",
        Witness(TWO, TENTH, erasures(F(1, 30), 6)),
    ),
    "overtime": Wrong(
        Overtime,
        "late rounds may overdraw by an eighth",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(*[leaking(F(1, 1000))] * 4, leaking(F(27, 250))))),
    ),
    "third-repeat-forgotten": Wrong(
        Sampled,
        "a third output that repeats the second makes its round free",
        "hard",
        Witness(TWO, TENTH, erasures(F(1, 32), 4)),
    ),
}
