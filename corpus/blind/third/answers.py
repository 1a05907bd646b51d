"""Refusals, last rounds, refunds and histories that are booked on the wrong side."""

from fractions import Fraction
from functools import reduce

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Wrong, answer, covers, plus, within
from corpus.blind.first.games import at, chain, coin, then
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO, Book, calls
from filterproof.filter import Decision
from filterproof.game import Request, Step
from filterproof.game.law import Declared, Output
from filterproof.palette import erasure

Allowed = tuple[Request, Declared]
Reserved = tuple[Declared, Declared]
Repeated = tuple[Declared, Declared, tuple[Request, Output] | None]


class RefundOnRefusal(Book):
    """Gives the cost of a refused request back, which was never taken."""

    def decide(self, state: Declared, step: Step) -> Answer:
        asked = step.mechanism.declared
        total = plus(state, asked)
        if self.fits(total):
            return Decision.CONTINUE, total
        back = Declared(max(ONE, state.odds / asked.odds), max(ZERO, state.delta - asked.delta))
        return Decision.REFUSE, back


class SameAnswerAgain(Rule):
    """Gives the cost back if the same request got the same answer twice in a row."""

    def start(self) -> Repeated:
        return NOTHING, NOTHING, None

    def decide(self, state: Repeated, step: Step) -> Answer:
        spent, _, last = state
        total = plus(spent, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, spent, last), state)

    def observe(self, state: Repeated, step: Step, output: Output) -> Repeated:
        total, before, last = state
        here = step.request, output
        return (before if here == last else total), NOTHING, here


class TodaysPrices(Book):
    """Adds up the history at what its requests cost on the menu of today."""

    markov = False

    def decide(self, state: Declared, step: Step) -> Answer:
        prices = {request: m.declared for request, m in step.menu.items()}
        paid = (prices.get(request, NOTHING) for request, _ in step.history)
        total = reduce(plus, paid, step.mechanism.declared)
        return answer(self.fits(total), state, state)


class DistinctAnswers(Book):
    """Adds up, for each answer that the history holds, what its request costs on the way there.

    A repeated pair of request and answer is one fact, and counts once.
    """

    markov = False

    def decide(self, state: Declared, step: Step) -> Answer:
        facts: dict[tuple[Request, Output], Declared] = {}
        menu = step.game.menu
        for request, output in step.history:
            facts[request, output] = menu[request].declared
            menu = menu[request].after[output]  # type: ignore[assignment]
        total = reduce(plus, facts.values(), step.mechanism.declared)
        return answer(self.fits(total), state, state)


class NoLeakNoDelta(Rule):
    """Gives the delta back if the output is one that every database could have given."""

    def start(self) -> Reserved:
        return NOTHING, NOTHING

    def decide(self, state: Reserved, step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, state[0]), state)

    def observe(self, state: Reserved, step: Step, output: Output) -> Reserved:
        total, before = state
        leaked = not all(step.mechanism.law[output].values())
        return (total if leaked else Declared(total.odds, before.delta)), NOTHING


class GraceRequest(Book):
    """Runs one request that exceeds epsilon by a tenth at most, as the last one."""

    def decide(self, state: Declared, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        total = plus(state, step.mechanism.declared)
        graced = within(total.odds, self.epsilon, Fraction(11, 10)) and total.delta <= self.delta
        halts = decision is Decision.HALT
        return (Decision.LAST, state) if halts and graced else (decision, after)


class LastOneRuns(Book):
    """Notes that a request exceeds the budget, runs it, and stops after it."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return (Decision.CONTINUE if self.fits(total) else Decision.LAST), total


class DecidedBefore(Rule):
    """Looks a decision up if the same request was allowed before; it books it all the same."""

    def start(self) -> tuple[Declared, frozenset[Allowed]]:
        return NOTHING, frozenset()

    def decide(self, state: tuple[Declared, frozenset[Allowed]], step: Step) -> Answer:
        spent, allowed = state
        here = step.request, step.mechanism.declared
        total = plus(spent, step.mechanism.declared)
        fits = here in allowed or covers(total, self.epsilon, self.delta)
        return answer(fits, (total, allowed | {here}), state)


WRONG = {
    "refund-on-refusal": Wrong(
        RefundOnRefusal,
        "a refusal is made into a credit",
        "medium",
        at(
            1,
            TENTH,
            lambda: {
                "small": then(erasure(TENTH), {"big": erasure(HALF), "small": erasure(TENTH)})
            },
        ),
    ),
    "same-answer-again": Wrong(
        SameAnswerAgain,
        "an answer with fresh noise tells anew, also if it is the same",
        "medium",
        at(1, CENT, lambda: chain(*[coin(Fraction(8, 5))] * 4)),
    ),
    "todays-prices": Wrong(
        TodaysPrices,
        "what was run costs what it cost, not what the menu says now",
        "medium",
        at(1, TENTH, lambda: calls(a=coin(Fraction(5, 2)), b=coin(Fraction(5, 2)))),
    ),
    "distinct-answers": Wrong(
        DistinctAnswers,
        "the same answer twice, with fresh noise, tells more than once",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(8, 5))] * 4)),
    ),
    "no-leak-no-delta": Wrong(
        NoLeakNoDelta,
        "a leak that did not happen was risked",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH))),
    ),
    "grace-request": Wrong(
        GraceRequest,
        "what is above the budget is above it, however little",
        "medium",
        at(1, ZERO, lambda: chain(coin(Fraction(14, 5)))),
    ),
    "last-one-runs": Wrong(
        LastOneRuns,
        "the request that exceeds the budget must not run",
        "easy",
        at(1, TENTH, lambda: chain(coin(9))),
    ),
    "decided-before": Wrong(
        DecidedBefore,
        "whether a request fits depends on what was spent since",
        "hard",
        at(1, TENTH, lambda: chain(*[coin(Fraction(5, 2))] * 2)),
    ),
}
