"""Filters that add up what is declared, and forget or mistake some of it."""

from dataclasses import dataclass
from statistics import median_low
from typing import Any, ClassVar

from corpus.blind.base import NOTHING, Answer, answer, covers, plus, within
from corpus.blind.ninth.base import Budget, Sums, refuse
from corpus.blind.sixth.base import (
    ZERO,
    F,
)
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared

FREE = Declared(F(1), ZERO)


@dataclass(frozen=True)
class AsAPair(Sums):
    """Compares (epsilon, delta) as a pair."""

    def fits(self, total: Declared) -> bool:
        strictly = within(total.odds * F(1000001, 1000000), self.epsilon)
        return strictly or covers(total, self.epsilon, self.delta)


@dataclass(frozen=True)
class SmallDeltas(Sums):
    """Counts delta in whole sixty-fourths of the budget."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        unit = self.delta / 64
        return Declared(odds, delta // unit * unit if unit else delta)


@dataclass(frozen=True)
class SmallOdds(Sums):
    """Counts odds in whole sixty-fourths."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(odds * 64 // 1 / F(64), delta)


@dataclass(frozen=True)
class EveryFourth(Budget):
    """Half of the budget passes at once; the sum is looked at in every fourth round."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        one = step.mechanism.declared
        total = plus(state, one)
        fits = within(one.odds, self.epsilon, F(1, 2)) and one.delta <= self.delta / 2
        if step.index % 4 == 0:
            fits = covers(total, self.epsilon, self.delta)
        return answer(fits, total, state)


@dataclass(frozen=True)
class ByTable(Budget):
    """Has a budget for each table, the part of a request before the slash."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        table = step.request.partition("/")[0] if "/" in step.request else ""
        books = dict(state)
        books[table] = plus(books.get(table, NOTHING), step.mechanism.declared)
        return answer(covers(books[table], self.epsilon, self.delta), tuple(books.items()), state)


@dataclass(frozen=True)
class Accuracies(Budget):
    """The same request once more pays what it costs more than before."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        books = dict(state)
        odds, delta = books.get(step.request, NOTHING)
        here = step.mechanism.declared
        books[step.request] = Declared(max(odds, here.odds), max(delta, here.delta))
        total = NOTHING
        for one in books.values():
            total = plus(total, one)
        return answer(covers(total, self.epsilon, self.delta), tuple(books.items()), state)


@dataclass(frozen=True)
class FiveNames(Budget):
    """Keeps the sums of the five names that were asked for last."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        own = plus(dict(state).get(step.request, NOTHING), step.mechanism.declared)
        books = (*(one for one in state if one[0] != step.request), (step.request, own))
        total = NOTHING
        for _, cost in books:
            total = plus(total, cost)
        return answer(covers(total, self.epsilon, self.delta), books[-5:], state)


@dataclass(frozen=True)
class Seventeenth(Sums):
    """The heart-beat in round 17 is free."""

    def cost(self, step: Step) -> Declared:
        return FREE if step.index == 17 else step.mechanism.declared


@dataclass(frozen=True)
class Archived(Budget):
    """A history of more than forty rounds is archived."""

    markov: ClassVar[bool] = False

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        before = NOTHING if len(step.history) == 41 else state
        total = plus(before, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, before)


@dataclass(frozen=True)
class FiveBits(Budget):
    """Counts how often each cost was paid, in five bits."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        counts = dict(state)
        total = step.mechanism.declared
        for cost, often in counts.items():
            total = plus(total, Declared(cost.odds**often, cost.delta * often))
        counts[step.mechanism.declared] = (counts.get(step.mechanism.declared, 0) + 1) % 32
        return answer(covers(total, self.epsilon, self.delta), tuple(counts.items()), state)


@dataclass(frozen=True)
class Days(Budget):
    """A day has eight rounds; day n has an (n + 1)th of delta."""

    def start(self) -> Any:
        return F(1), ZERO, 0

    def decide(self, state: Any, step: Step) -> Answer:
        odds, used, day = state
        today = step.index // 8 + 1
        used = used if day == today else ZERO
        here = step.mechanism.declared
        after = (odds * here.odds, used + here.delta, today)
        fits = within(after[0], self.epsilon) and after[1] <= self.delta / (today + 1)
        return answer(fits, after, state)


@dataclass(frozen=True)
class DeltaHidesEpsilon(Sums):
    """A mechanism with a delta is approximate, and has no epsilon to be added."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(F(1) if delta else odds, delta)


@dataclass(frozen=True)
class OnePlace(Sums):
    """Compares deltas as they are printed, to one significant place."""

    def fits(self, total: Declared) -> bool:
        shown = float(f"{float(total.delta):.1g}")
        return within(total.odds, self.epsilon) and shown <= float(self.delta)


@dataclass(frozen=True)
class TwelveDearest(Budget):
    """Adds up the twelve largest deltas."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        odds, deltas = state
        here = step.mechanism.declared
        largest = tuple(sorted([*deltas, here.delta], reverse=True)[:12])
        total = Declared(odds * here.odds, sum(largest, ZERO))
        return answer(covers(total, self.epsilon, self.delta), (total.odds, largest), state)


@dataclass(frozen=True)
class MedianOfEight(Budget):
    """After eight rounds their deltas are replaced by eight times their median: no outliers."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        settled, recent = state
        odds, delta = step.mechanism.declared
        recent = (*recent, delta)
        total = Declared(settled.odds * odds, settled.delta + sum(recent, ZERO))
        fits = covers(total, self.epsilon, self.delta)
        if len(recent) == 8:
            return answer(fits, (Declared(total.odds, 8 * median_low(recent)), ()), state)
        return answer(fits, (Declared(total.odds, settled.delta), recent), state)


@dataclass(frozen=True)
class Linear(Budget):
    """Adds up odds - 1, to first order the same as epsilon."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds + odds - 1, state.delta + delta)
        return answer(covers(total, self.epsilon, self.delta), total, state)


@dataclass(frozen=True)
class ShareOfMenu(Sums):
    """Of the requests on offer only one is sent: each costs its share."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(odds, delta / len(step.menu))


@dataclass(frozen=True)
class CheapestOffer(Sums):
    """Charges the cheapest of the requests on offer."""

    def cost(self, step: Step) -> Declared:
        return min(one.declared for one in step.menu.values())


@dataclass(frozen=True)
class Novelty(Budget):
    """A request that was sent k times before is told half as much of, k times over."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, sent = state
        odds, delta = step.mechanism.declared
        total = plus(spent, Declared(odds, delta / 2 ** sent.count(step.request)))
        after = (total, (*sent, step.request))
        return answer(covers(total, self.epsilon, self.delta), after, state)


@dataclass(frozen=True)
class LargestOdds(Budget):
    """Epsilon is the largest there has been; deltas add up."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(max(state.odds, odds), state.delta + delta)
        return answer(covers(total, self.epsilon, self.delta), total, state)


@dataclass(frozen=True)
class TenthHalves(Budget):
    """In every tenth round half of delta is written off."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        before = state
        if step.index and step.index % 10 == 0:
            before = Declared(state.odds, state.delta / 2)
        total = plus(before, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, before)


@dataclass(frozen=True)
class Yearly(Budget):
    """The books begin anew in round 365."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        before = NOTHING if step.index == 365 else state
        total = plus(before, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, before)


@dataclass(frozen=True)
class Histogram(Sums):
    """Eight outputs or more are a histogram of disjoint bins: each costs its share."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        bins = len(step.mechanism.law)
        return Declared(odds, delta / bins if bins >= 8 else delta)


@dataclass(frozen=True)
class Releases(Budget):
    """A request that is refused releases its hold."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        here = step.mechanism.declared
        total = plus(state, here)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, total
        return refuse(
            Declared(max(F(1), state.odds / here.odds), max(ZERO, state.delta - here.delta))
        )


@dataclass(frozen=True)
class HalfOfRefused(Budget):
    """After a refusal half of what was asked for is granted: a compromise."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        spent, refused = state
        here = step.mechanism.declared
        total = plus(spent, here)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, NOTHING)
        if ZERO < here.delta <= refused.delta / 2 and here.odds <= refused.odds:
            return Decision.CONTINUE, (spent, NOTHING)
        return refuse((spent, here))
