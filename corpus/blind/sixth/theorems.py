"""Mistakes with theorems: which of several fits, the wrong order, the wrong count, two phases."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import (
    NOTHING,
    Answer,
    Rule,
    Witness,
    Wrong,
    answer,
    covers,
    nats,
    plus,
    size,
    within,
)
from corpus.blind.sixth.base import (
    HALF,
    TENTH,
    TWO,
    Book,
    F,
    Meter,
    Rows,
    answering,
    chain,
    erasing,
    play,
)
from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output
from filterproof.privacy import largest_renyi_sum


def moment(step: Step, order: int) -> Fraction | None:
    """Return the largest Rényi sum at a whole order; None if it is infinite."""
    found = largest_renyi_sum(step.mechanism.law, step.game.pairs, order)
    return None if found is None else found.rational()


class Rising(Rule):
    """Adds up at order 2 in odd rounds and at order 3 in even ones, and converts at order 3."""

    def start(self) -> Any:
        return F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        here = moment(step, 2 + (step.index % 2 == 0))
        if here is None or not self.delta:
            return Decision.HALT, state
        return answer(within(state * here / self.delta, self.epsilon, F(2)), state * here, state)


class Cheapest(Rule):
    """Takes in every round the order of 2 and 5 whose divergence is less, converts at order 5."""

    def start(self) -> Any:
        return F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        two, five = moment(step, 2), moment(step, 5)
        if two is None or five is None or not self.delta:
            return Decision.HALT, state
        total = state * min(two, five)
        return answer(within(total / self.delta, self.epsilon, F(4)), total, state)


class Either(Rule):
    """The ledger and the second moment each count only the rounds that they let through."""

    def start(self) -> Any:
        return NOTHING, F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        total, here = plus(state[0], step.mechanism.declared), moment(step, 2)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, state[1])
        if here is None or not self.delta:
            return Decision.HALT, state
        fits = within(state[1] * here / (4 * self.delta), self.epsilon)
        return answer(fits, (state[0], state[1] * here), state)


class Range(Rule):
    """Charges half of the range of the losses of a mechanism, as if its losses were centred."""

    def start(self) -> Any:
        return F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        widest = F(1)
        for x, x_ in step.game.pairs:
            rows = step.mechanism.law.values()
            if any(not row[x] or not row[x_] for row in rows):
                return Decision.HALT, state
            ratios = [row[x] / row[x_] for row in rows]
            widest = max(widest, max(ratios) / min(ratios))
        return answer(within(state * widest, self.epsilon, F(2)), state * widest, state)


class Below(Book):
    """A likeliest output that is the same everywhere gives the epsilon of its round back."""

    def start(self) -> Any:
        return NOTHING, F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = plus(state[0], Declared(odds, delta))
        return answer(self.fits(total), (total, odds), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        total, odds = state
        rows = step.mechanism.law
        modal = all(
            rows[output][x] == max(row[x] for row in rows.values()) for x in step.game.databases
        )
        return Declared(total.odds / odds if modal else total.odds, total.delta), F(1)


class Sampled(Book):
    """Amplifies epsilon where an output that says nothing is taken for "not sampled"."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        rows = [[*row.values()] for row in step.mechanism.law.values()]
        silent = sum((row[0] for row in rows if len(set(row)) == 1), F(0))
        return Declared(1 + (odds - 1) * (1 - silent), delta)


class Squares(Rule):
    """Advanced composition with the logarithm of 1/delta halved instead of doubled."""

    def start(self) -> Any:
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        if delta or not self.delta:
            return Decision.HALT, state
        total = state + nats(odds) ** 2
        rest = max(0.0, size(self.epsilon) - total / 2)
        return answer(total * nats(1 / self.delta) / 2 <= rest**2, total, state)


class Hellinger(Book):
    """Takes 1 - the sum of the roots' squares of P·P′ for a total variation distance."""

    def cost(self, state: Declared, step: Step) -> Declared:
        least = F(1)
        for x, x_ in step.game.pairs:
            rows = step.mechanism.law.values()
            same = sum((2 * r[x] * r[x_] / (r[x] + r[x_]) for r in rows if r[x] + r[x_]), F(0))
            least = min(least, same)
        return Declared(F(1), (1 - least) / 2)


class Peak(Book):
    """Takes the largest difference of one output's chances for the distance of the laws."""

    def cost(self, state: Declared, step: Step) -> Declared:
        rows = step.mechanism.law.values()
        peak = max(abs(row[x] - row[x_]) for x, x_ in step.game.pairs for row in rows)
        return Declared(F(1), peak)


class Mismatch(Book):
    """Charges the declared odds, with the delta that the law has at all of ε instead."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        rows = step.mechanism.law.values()
        pure = all(
            within(row[x] / row[x_], self.epsilon) if row[x_] else not row[x]
            for x, x_ in step.game.pairs
            for row in rows
        )
        return Declared(odds, F(0) if pure else delta)


class Relay(Rule):
    """A ledger at the whole budget; when it halts, charges at half of delta take over."""

    def start(self) -> Any:
        return NOTHING, False, ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, over, charged = state
        total = plus(spent, step.mechanism.declared)
        if not over and covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, False, ())
        decision, charged = Meter(self.epsilon, self.delta / 2).decide(charged, step)
        return decision, (spent, True, charged)


class Cooling(Rule):
    """Two ledgers: one for odds up to 3/2, one above; each has all of epsilon and half of delta."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        asked = step.mechanism.declared
        books = [*state]
        large = asked.odds > F(3, 2)
        books[large] = plus(books[large], asked)
        return answer(covers(books[large], self.epsilon, self.delta / 2), tuple(books), state)


class Additive(Rule):
    """Adds odds - 1 up and compares the sum with e^ε - 1."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds + odds - 1, state.delta + delta)
        return answer(covers(total, self.epsilon, self.delta), total, state)


def mild(p: Fraction, n: int) -> Any:
    return lambda: play(chain(*[answering(p)] * n))


RARE = {"a": (TENTH, F(1, 1000)), "b": (F(9, 10), F(999, 1000))}
SKEWED = {"a": (HALF, F(1, 4)), "b": (HALF, F(3, 4))}
NOES = {"no": (F(9, 10), F(3, 5)), "yes": (TENTH, F(2, 5))}
HALVED = {"-": (HALF, HALF), "0": (F(1, 3), F(1, 6)), "1": (F(1, 6), F(1, 3))}
SPLIT: Rows = {
    "a": (F(1, 16), 0),
    "b": (F(1, 16), 0),
    "c": (0, F(1, 16)),
    "d": (0, F(1, 16)),
    "?": (F(7, 8), F(7, 8)),
}


def either() -> Any:
    """Return a leak that the ledger lets through, then a response that the moment does."""
    return play(chain(erasing(F(1, 5)), answering(F(17, 25))))


def relay() -> Any:
    return play(chain(erasing(TENTH), erasing(F(1, 20))))


WRONG: dict[str, Wrong] = {
    "order-of-the-round": Wrong(
        Rising,
        "sums at order 2 say nothing at order 3",
        "hard",
        Witness(Log(F(20)), F(1, 20), lambda: play(chain(RARE))),
    ),
    "cheaper-order": Wrong(
        Cheapest,
        "the smaller sum is always that of order 2",
        "medium",
        Witness(Log(F(5)), F(1, 20), lambda: play(chain(RARE))),
    ),
    "ledger-or-moment": Wrong(
        Either,
        "each theorem needs to know of all rounds",
        "hard",
        Witness(TWO, F(1, 5), either),
    ),
    "half-of-the-range": Wrong(
        Range,
        "losses of a mechanism need not be centred",
        "medium",
        Witness(Log(F(3)), F(1, 50), lambda: play(chain(SKEWED, SKEWED))),
    ),
    "modal-output-is-free": Wrong(
        Below,
        "the likeliest output tells, too",
        "medium",
        Witness(Log(F(4)), TENTH, lambda: play(chain(*[NOES] * 4))),
    ),
    "amplified-by-silence": Wrong(
        Sampled,
        "a silence that is seen amplifies nothing",
        "hard",
        Witness(Log(F(9, 4)), F(1, 50), lambda: play(chain(HALVED, HALVED))),
    ),
    "halved-logarithm": Wrong(
        Squares,
        "the deviation allowed is half as large as needed",
        "hard",
        Witness(F(1), F(1, 1000), mild(F(107, 200), 12)),
    ),
    "overlap-by-harmonic-means": Wrong(
        Hellinger,
        "the harmonic overlap is not the distance",
        "easy",
        Witness(F(0), TENTH, lambda: play(chain(answering(F(5, 8))))),
    ),
    "largest-difference": Wrong(
        Peak,
        "differences of several outputs add up",
        "hard",
        Witness(F(1), TENTH, lambda: play(chain(SPLIT))),
    ),
    "delta-at-the-whole-epsilon": Wrong(
        Mismatch,
        "the delta belongs to other odds",
        "hard",
        Witness(TWO, F(1, 20), lambda: play(chain(*[answering(F(3, 5))] * 3, stated=(1, F(1, 5))))),
    ),
    "relay-of-two-budgets": Wrong(
        Relay,
        "the second phase is paid on top of the first",
        "medium",
        Witness(TWO, TENTH, relay),
    ),
    "large-and-small-odds": Wrong(
        Cooling,
        "the epsilons of both ledgers add up",
        "medium",
        Witness(TWO, F(1, 20), lambda: play(chain(answering(F(3, 5)), answering(F(2, 3))))),
    ),
    "odds-less-one": Wrong(
        Additive,
        "odds multiply",
        "medium",
        Witness(Log(F(3)), F(1, 20), mild(F(2, 3), 2)),
    ),
}
