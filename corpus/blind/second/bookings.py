"""Ledgers that book the right amounts at the wrong time, under the wrong name, or not for good."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.base import (
    NONE,
    ONE,
    Answer,
    Ledger,
    Rule,
    Witness,
    Wrong,
    chain,
    run_if,
    within,
)
from filterproof import Decision, Declared, Log, Mechanism, Step
from filterproof.palette import erasure, game, repeated, response, reveal, silent


class ParallelByName(Rule):
    """Takes requests of different names for queries on disjoint partitions: the largest counts."""

    def start(self) -> Any:
        """Return no spends."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the partition that is asked has room."""
        spent, asked = dict(state), step.mechanism.declared
        odds, delta = spent.get(step.request, (ONE, NONE))
        spent[step.request] = odds * asked.odds, delta + asked.delta
        fits = within(odds * asked.odds, self.epsilon) and delta + asked.delta <= self.delta
        return run_if(fits, tuple(sorted(spent.items())), state)


class PaysTheIncrease(Rule):
    """Charges a request that was answered before only for the accuracy it adds.

    This is right for noise that is refined; here the noise is drawn anew.
    """

    def start(self) -> Any:
        """Return no answers."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the best answer per request name still fits in sum."""
        kept, (odds, delta) = dict(state), step.mechanism.declared
        old = kept.get(step.request, (ONE, NONE))
        kept[step.request] = max(old[0], odds), max(old[1], delta)
        total, deltas = ONE, NONE
        for best, d in kept.values():
            total, deltas = total * best, deltas + d
        fits = within(total, self.epsilon) and deltas <= self.delta
        return run_if(fits, tuple(sorted(kept.items())), state)


class SetOfSpends(Rule):
    """Keeps the spends in a set, where two equal spends are one."""

    def start(self) -> Any:
        """Return the empty set."""
        return frozenset()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the sum over the set fits."""
        spends = state | {step.mechanism.declared}
        odds, delta = ONE, NONE
        for one in spends:
            odds, delta = odds * one.odds, delta + one.delta
        return run_if(within(odds, self.epsilon) and delta <= self.delta, spends, state)


class SlidingWindow(Rule):
    """Remembers the last five spends only, as a bounded log does."""

    def start(self) -> Any:
        """Return the empty log."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the log with this spend added fits."""
        spends = (*state, step.mechanism.declared)[-5:]
        odds, delta = ONE, NONE
        for one in spends:
            odds, delta = odds * one.odds, delta + one.delta
        return run_if(within(odds, self.epsilon) and delta <= self.delta, spends, state)


class DailyBudget(Ledger):
    """Starts with a fresh budget every sixty requests, as if the data were new every day."""

    def start(self) -> Any:
        """Return an empty day."""
        return ONE, NONE, 0

    def book(self, state: Any, step: Step) -> Any:
        """Add to today's sums; tomorrow begins at zero."""
        odds, delta, asked = state if state[2] < 60 else (ONE, NONE, 0)
        more, delta_more = step.mechanism.declared
        return odds * more, delta + delta_more, asked + (step.index > 0)


class BooksInBatches(Rule):
    """Writes spends to the ledger in batches of four; the check reads the ledger only."""

    def start(self) -> Any:
        """Return an empty ledger and an empty batch."""
        return ONE, NONE, ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the ledger and this request fit; the batch in flight is not looked at."""
        odds, delta, batch = state
        asked = step.mechanism.declared
        if not within(odds * asked.odds, self.epsilon) or delta + asked.delta > self.delta:
            return Decision.HALT, state
        batch = (*batch, asked) if step.index else batch
        if len(batch) < 4:
            return Decision.CONTINUE, (odds, delta, batch)
        for one in batch:
            odds, delta = odds * one.odds, delta + one.delta
        return Decision.CONTINUE, (odds, delta, ())


class RollsBackTooFar(Ledger):
    """Undoes the last entry when a request is refused, although that one was never booked."""

    def start(self) -> Any:
        """Return the current sums and those before the last entry."""
        return ONE, NONE, ONE, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Book and run; or roll back and refuse."""
        odds, delta = step.mechanism.declared
        after = state[0] * odds, state[1] + delta, state[0], state[1]
        if self.fits(after):
            return Decision.CONTINUE, after
        return Decision.REFUSE, (state[2], state[3], state[2], state[3])


class FreeWhenBlank(Ledger):
    """Charges only 'hits': an answer that is the most likely one is taken for no answer.

    The sparse vector technique earns that with its own noise; a mechanism in general does not.
    """

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Give the declared pair back where the most likely output was released."""
        law, (odds, delta) = step.mechanism.law, step.mechanism.declared
        blank = max(law, key=lambda y: (sum(law[y].values()), y))
        return Declared(state[0] / odds, state[1] - delta) if output == blank else state


class SameAnswerIsFree(Ledger):
    """Books an answer only if it is new: 'the same answer twice says nothing more'."""

    markov = False

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the answers that differ, and this request, fit in sum."""
        return run_if(self.fits(super().book(state, step)), state, state)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Book the declared pair unless this answer to this request was seen before."""
        return state if (step.request, output) in step.history else super().book(state, step)


F = Fraction
LOG2 = Log(F(2))


def _refused_in_between() -> Mechanism:
    """Answer once, have a reveal refused, answer once more."""
    again = {"small": response(F(3, 4)), "large": reveal()}
    return response(F(3, 4), {"0": again, "1": again})


def _two_names() -> Mechanism:
    other = {"other": response(F(2, 3))}
    return response(F(2, 3), {"0": other, "1": other})


WRONG = {
    "parallel-by-name": Wrong(
        ParallelByName,
        "requests of different names are taken for disjoint partitions",
        Witness(game(_two_names()), LOG2, NONE),
    ),
    "pays-the-increase": Wrong(
        PaysTheIncrease,
        "fresh noise is charged as if it refined the earlier answer",
        Witness(game(repeated(response(F(3, 4)), 2)), F(3, 2), F(1, 100)),
    ),
    "set-of-spends": Wrong(
        SetOfSpends,
        "equal spends collapse in a set",
        Witness(game(repeated(erasure(F(1, 200)), 3)), F(1), F(1, 100)),
    ),
    "sliding-window": Wrong(
        SlidingWindow,
        "only the last five spends are remembered",
        Witness(game(repeated(erasure(F(1, 500)), 10)), F(1), F(1, 100)),
    ),
    "daily-budget": Wrong(
        DailyBudget,
        "the budget is renewed every sixty requests",
        Witness(
            game(chain(erasure(F(1, 100)), *[silent()] * 59, erasure(F(1, 100)))), F(1), F(1, 100)
        ),
    ),
    "books-in-batches": Wrong(
        BooksInBatches,
        "spends in flight are not seen by the check",
        Witness(game(repeated(response(F(2, 3)), 3)), F(1), F(1, 20)),
    ),
    "rolls-back-too-far": Wrong(
        RollsBackTooFar,
        "a refusal takes the previous entry out of the ledger",
        Witness(game(_refused_in_between()), F(5, 4), F(1, 100)),
    ),
    "free-when-blank": Wrong(
        FreeWhenBlank,
        "the most likely answer is taken for no answer and not charged",
        Witness(game(repeated(erasure(F(1, 1000)), 5)), F(1), F(1, 1000)),
    ),
    "same-answer-is-free": Wrong(
        SameAnswerIsFree,
        "an answer that was given before is not booked again",
        Witness(game(repeated(response(F(3, 5)), 5)), F(1), F(1, 100)),
    ),
}
