"""Ledgers of declared costs that bill a request to the wrong account, or not at all."""

from fractions import Fraction

from corpus.blind.base import (
    NOTHING,
    ONE,
    Answer,
    Rule,
    Sound,
    Wrong,
    answer,
    covers,
    nats,
    plus,
    size,
    within,
)
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO, Book
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output
from filterproof.palette import erasure, reveal, silent

QUARTER = Fraction(1, 4)


class RetryIsFree(Book):
    """Takes a request of the same name as the one before for a retry, and does not bill it."""

    def start(self) -> tuple[Declared, str]:
        return NOTHING, ""

    def decide(self, state: tuple[Declared, str], step: Step) -> Answer:
        if step.request == state[1]:
            return Decision.CONTINUE, state
        total = plus(state[0], step.mechanism.declared)
        return answer(self.fits(total), (total, step.request), state)


class RepetitionsCheaper(Rule):
    """Bills the k-th request of a name a k-th: the mean of k answers changes that little."""

    def start(self) -> tuple[float, Fraction, tuple[tuple[str, int], ...]]:
        return 0.0, ZERO, ()

    def decide(
        self, state: tuple[float, Fraction, tuple[tuple[str, int], ...]], step: Step
    ) -> Answer:
        spent, delta, counts = state
        k = dict(counts).get(step.request, 0) + 1
        asked = step.mechanism.declared
        total = spent + nats(asked.odds) / k, delta + asked.delta / k
        after = (*total, tuple(sorted({**dict(counts), step.request: k}.items())))
        return answer(total[0] <= size(self.epsilon) and total[1] <= self.delta, after, state)


class RolledOverTwice(Rule):
    """Allows half of the pot in each round, and what was not used of it is carried over.

    What is carried over stays in the pot as well.
    """

    def start(self) -> tuple[float, float, Fraction]:
        return size(self.epsilon), 0.0, ZERO

    def decide(self, state: tuple[float, float, Fraction], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        pot, carried, delta = state
        odds, asked = step.mechanism.declared
        allowed = pot / 2 + carried
        fits = nats(odds) <= allowed and delta + asked <= self.delta
        return answer(fits, (pot - nats(odds), allowed - nats(odds), delta + asked), state)


class PettyCash(Book):
    """Pays small requests from a box of a quarter of epsilon, booked when the box is refilled."""

    def start(self) -> tuple[Declared, Fraction]:
        return NOTHING, ONE

    def decide(self, state: tuple[Declared, Fraction], step: Step) -> Answer:
        booked, box = state
        odds, delta = step.mechanism.declared
        if delta or not within(odds, self.epsilon, QUARTER):
            after = plus(booked, Declared(odds, delta)), box
        elif within(box * odds, self.epsilon, QUARTER):
            after = booked, box * odds
        else:
            after = plus(booked, Declared(box, ZERO)), odds
        return answer(self.fits(self.balance(*after)), after, state)

    def balance(self, booked: Declared, box: Fraction) -> Declared:
        """Return what is compared with the budget."""
        return booked


class PettyCashCounted(PettyCash):
    """Counts what was taken out of the box, too."""

    def balance(self, booked: Declared, box: Fraction) -> Declared:
        return plus(booked, Declared(box, ZERO))


class OneLarge(Rule):
    """Runs one request of more than half of epsilon at most; the small ones have the other half."""

    def start(self) -> tuple[bool, Declared]:
        return False, NOTHING

    def decide(self, state: tuple[bool, Declared], step: Step) -> Answer:
        used, small = state
        odds, delta = step.mechanism.declared
        if within(odds, self.epsilon, HALF):
            after = used, plus(small, Declared(odds, delta))
            fits = within(after[1].odds, self.epsilon, HALF)
        else:
            after = True, Declared(small.odds, small.delta + delta)
            fits = not used and within(odds, self.epsilon)
        return answer(fits and after[1].delta <= self.delta, after, state)


class StarvationGuard(Book):
    """Lets a request through after three refusals, so that nobody waits for ever."""

    def start(self) -> tuple[Declared, int]:
        return NOTHING, 0

    def decide(self, state: tuple[Declared, int], step: Step) -> Answer:
        spent, refused = state
        total = plus(spent, step.mechanism.declared)
        if self.fits(total) or refused == 3:
            return Decision.CONTINUE, (total, 0)
        return Decision.REFUSE, (spent, refused + 1)


class LedgerPerAnswer(Book):
    """Keeps a ledger for what is asked after each answer: only one of them was given."""

    def start(self) -> tuple[Output, tuple[tuple[Output, Declared], ...]]:
        return "", ()

    def decide(
        self, state: tuple[Output, tuple[tuple[Output, Declared], ...]], step: Step
    ) -> Answer:
        last, ledgers = state
        total = plus(dict(ledgers).get(last, NOTHING), step.mechanism.declared)
        after = tuple(sorted({**dict(ledgers), last: total}.items()))
        return answer(self.fits(total), (last, after), state)

    def observe(
        self, state: tuple[Output, tuple[tuple[Output, Declared], ...]], step: Step, output: Output
    ) -> tuple[Output, tuple[tuple[Output, Declared], ...]]:
        return output, state[1]


class SameSchema(Book):
    """Bills requests with the same possible answers once, at the dearest: one histogram."""

    def start(self) -> tuple[tuple[tuple[Output, ...], Declared], ...]:
        return ()

    def decide(self, state: tuple[tuple[tuple[Output, ...], Declared], ...], step: Step) -> Answer:
        schema, asked = tuple(sorted(step.mechanism.law)), step.mechanism.declared
        billed = dict(state)
        before = billed.get(schema, NOTHING)
        billed[schema] = Declared(max(before.odds, asked.odds), max(before.delta, asked.delta))
        total = NOTHING
        for one in billed.values():
            total = plus(total, one)
        return answer(self.fits(total), tuple(sorted(billed.items())), state)


class RareAnswersCheap(Rule):
    """Bills epsilon times how likely the answer was: what hardly ever happens costs little."""

    def start(self) -> tuple[float, Fraction]:
        return 0.0, ZERO

    def decide(self, state: tuple[float, Fraction], step: Step) -> Answer:
        odds, asked = step.mechanism.declared
        spent, delta = state[0], state[1] + asked
        fits = spent + nats(odds) <= size(self.epsilon) and delta <= self.delta
        return answer(fits, (spent, delta), state)

    def observe(
        self, state: tuple[float, Fraction], step: Step, output: Output
    ) -> tuple[float, Fraction]:
        row = step.mechanism.law[output].values()
        likely = float(sum(row)) / len(row)
        return state[0] + likely * nats(step.mechanism.declared.odds), state[1]


class SwappedArguments(Book):
    """Gives its two numbers to the comparison in the wrong order."""

    def fits(self, total: Declared) -> bool:
        return within(total.odds, self.delta) and float(total.delta) <= size(self.epsilon)


class TwoForOne(Book):
    """Bills every request twice, and then the next one is free if it is not dearer."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        spent, coupon = state
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        if asked.odds <= coupon.odds and asked.delta <= coupon.delta:
            return Decision.CONTINUE, (spent, NOTHING)
        total = plus(plus(spent, asked), asked)
        fits = covers(total, self.epsilon, self.delta)
        return (Decision.CONTINUE, (total, asked)) if fits else (Decision.REFUSE, state)


LARGE, MIDDLE = Fraction(5, 2), Fraction(8, 5)

WRONG = {
    "retry-is-free": Wrong(
        RetryIsFree,
        "a request that is run again draws fresh noise",
        "easy",
        at(1, TENTH, lambda: chain(coin(LARGE), coin(LARGE))),
    ),
    "repetitions-cheaper": Wrong(
        RepetitionsCheaper,
        "each repetition tells as much as the first",
        "medium",
        at(1, CENT, lambda: chain(*[coin(Fraction(17, 10))] * 3)),
    ),
    "rolled-over-twice": Wrong(
        RolledOverTwice,
        "what is carried over is not taken out of the pot",
        "medium",
        at(1, TENTH, lambda: chain(silent(), silent(), coin(4))),
    ),
    "petty-cash": Wrong(
        PettyCash,
        "what is taken out of the box is spent before it is booked",
        "medium",
        at(1, CENT, lambda: chain(coin(Fraction(5, 4)), coin(LARGE))),
    ),
    "one-large": Wrong(
        OneLarge,
        "a large request may be as large as epsilon, and the small ones come on top of it",
        "medium",
        at(1, CENT, lambda: chain(coin(LARGE), coin(Fraction(3, 2)))),
    ),
    "starvation-guard": Wrong(
        StarvationGuard,
        "to have waited does not make a request cheaper",
        "hard",
        at(1, TENTH, lambda: {name: reveal() for name in "abcd"}),
    ),
    "ledger-per-answer": Wrong(
        LedgerPerAnswer,
        "what was asked before the answer was about the same data",
        "medium",
        at(1, TENTH, lambda: chain(coin(LARGE), coin(LARGE))),
    ),
    "same-schema": Wrong(
        SameSchema,
        "that two answers look alike does not make them one",
        "medium",
        at(1, TENTH, lambda: chain(coin(LARGE), coin(LARGE))),
    ),
    "rare-answers-cheap": Wrong(
        RareAnswersCheap,
        "a rare answer tells as much as its likelihoods differ",
        "medium",
        at(1, CENT, lambda: chain(*[coin(MIDDLE)] * 3)),
    ),
    "swapped-arguments": Wrong(
        SwappedArguments,
        "epsilon bounds the deltas, and delta the epsilons",
        "easy",
        at(HALF, TENTH, lambda: chain(erasure(Fraction(2, 5)))),
    ),
}
SOUND = {
    "petty-cash-counted": Sound(
        PettyCashCounted, "what is booked and what is out of the box are the sums of what has run"
    ),
    "two-for-one": Sound(
        TwoForOne, "what is free was paid with the one before, so the sums are below what is billed"
    ),
}
