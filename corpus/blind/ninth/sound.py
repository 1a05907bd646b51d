"""Pure filters that look wrong, and are private."""

from dataclasses import dataclass
from typing import Any

from corpus.blind.base import NOTHING, Answer, Sound, answer, covers, plus, within
from corpus.blind.ninth.base import Budget, Charges, Sums, refuse
from corpus.blind.sixth.base import ZERO, F
from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Pair
from filterproof.privacy import tight_odds


@dataclass(frozen=True)
class ProductOfDeltas(Budget):
    """Multiplies up 1 - delta in place of adding deltas."""

    def start(self) -> Any:
        return F(1), F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        after = (state[0] * odds, state[1] * (1 - delta))
        return answer(within(after[0], self.epsilon) and after[1] >= 1 - self.delta, after, state)


@dataclass(frozen=True)
class Vesting(Budget):
    """Of delta n / (n + 3) may be spent in the first n rounds."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        vested = self.delta * F(step.index, step.index + 3)
        return answer(covers(total, self.epsilon, vested), total, state)


@dataclass(frozen=True)
class CarriedNames(Budget):
    """Keeps the sums of two names; those of the others are in one sum."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        carried, books = state
        own = plus(dict(books).get(step.request, NOTHING), step.mechanism.declared)
        books = (*(one for one in books if one[0] != step.request), (step.request, own))
        for _, cost in books[:-2]:
            carried = plus(carried, cost)
        total = carried
        for _, cost in books[-2:]:
            total = plus(total, cost)
        return answer(covers(total, self.epsilon, self.delta), (carried, books[-2:]), state)


@dataclass(frozen=True)
class OddsUp(Sums):
    """Counts odds in whole sixty-fourths, rounded up."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(-(-odds * 64 // 1) / F(64), delta)


@dataclass(frozen=True)
class DeltasUp(Sums):
    """Counts delta in whole hundredths of the budget, rounded up."""

    def cost(self, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        unit = self.delta / 100
        return Declared(odds, -(-delta // unit) * unit if unit else delta)


@dataclass(frozen=True)
class BothFit(Budget):
    """Runs what fits by basic composition and by charges."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        one, sums = Sums(self.epsilon, self.delta).decide(state[0], step)
        other, charges = Charges(self.epsilon, self.delta).decide(state[1], step)
        return answer(one is other is Decision.CONTINUE, (sums, charges), state)


@dataclass(frozen=True)
class EitherAtHalf(Budget):
    """Runs what fits by basic composition or by charges, each at half of delta; both count all."""

    def start(self) -> Any:
        return NOTHING, (), True, True

    def decide(self, state: Any, step: Step) -> Answer:
        total, charges, one, other = state
        total = plus(total, step.mechanism.declared)
        spent = Charges(self.epsilon, self.delta).after(charges, step)
        one = one and covers(total, self.epsilon, self.delta / 2)
        other = other and all(cost <= self.delta / 2 for cost in spent)
        return answer(one or other, (total, spent, one, other), state)


@dataclass(frozen=True)
class RefusalIsFree(Sums):
    """Refuses what does not fit, and goes on as if it had not been asked."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        return refuse(state) if decision is Decision.HALT else (decision, after)


@dataclass(frozen=True)
class RefusalIsFined(Sums):
    """Refuses what does not fit, for a tenth of delta."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        if decision is Decision.CONTINUE:
            return decision, after
        return refuse(Declared(state.odds, state.delta + self.delta / 10))


@dataclass(frozen=True)
class SlidesIntoSum(Budget):
    """Keeps the last four costs, and the sum of those before."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        older, recent = state
        recent = (*recent, step.mechanism.declared)
        for one in recent[:-4]:
            older = plus(older, one)
        total = older
        for one in recent[-4:]:
            total = plus(total, one)
        return answer(covers(total, self.epsilon, self.delta), (older, recent[-4:]), state)


@dataclass(frozen=True)
class PairByPair(Budget):
    """Has a budget for each pair; a pair that a law does not tell apart pays nothing."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = sorted({tuple(sorted(pair)) for pair in step.game.pairs})
        before = state or (NOTHING,) * len(pairs)
        after = tuple(
            plus(one, self.cost(step, pair)) for one, pair in zip(before, pairs, strict=True)
        )
        return answer(all(covers(one, self.epsilon, self.delta) for one in after), after, state)

    def cost(self, step: Step, pair: tuple[str, ...]) -> Declared:
        rows = step.mechanism.law.values()
        same = all(row[pair[0]] == row[pair[1]] for row in rows)
        return NOTHING if same else step.mechanism.declared


@dataclass(frozen=True)
class LastWhenEmpty(Sums):
    """What uses up all of delta is run as the last."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        if decision is Decision.CONTINUE and self.delta and after.delta == self.delta:
            return Decision.LAST, after
        return decision, after


@dataclass(frozen=True)
class DearestOffer(Sums):
    """Charges the largest epsilon and the largest delta on offer."""

    def cost(self, step: Step) -> Declared:
        offers = [one.declared for one in step.menu.values()]
        return Declared(max(one.odds for one in offers), max(one.delta for one in offers))


@dataclass(frozen=True)
class FeePerName(Budget):
    """A request that was never sent before costs a twentieth of delta more."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        total, names = state
        total = plus(total, step.mechanism.declared)
        if step.index and step.request not in names:
            total, names = plus(total, Declared(F(1), self.delta / 20)), (*names, step.request)
        return answer(covers(total, self.epsilon, self.delta), (total, names), state)


@dataclass(frozen=True)
class SumsThenCharges(Budget):
    """Basic composition at half of delta, then charges at the other half, at the true losses."""

    def start(self) -> Any:
        return NOTHING, (), True

    def decide(self, state: Any, step: Step) -> Answer:
        total, charges, first = state
        after = plus(total, step.mechanism.declared)
        if first and covers(after, self.epsilon, self.delta / 2):
            return Decision.CONTINUE, (after, (), True)
        decision, spent = Charges(self.epsilon, self.delta / 2).decide(charges, step)
        return decision, (total, spent, False)


@dataclass(frozen=True)
class FiftyRounds(Charges):
    """Adds up charges for fifty rounds, and halts."""

    def decide(self, state: Any, step: Step) -> Answer:
        return (Decision.HALT, state) if step.index > 50 else super().decide(state, step)


@dataclass(frozen=True)
class AheadPaysTwice(Charges):
    """Charges a pair twice where the history speaks for x."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        once = super().cost(step, pair)
        return once + once if step.mass[pair[0]] > step.mass[pair[1]] else once


@dataclass(frozen=True)
class AllPairsInOne(Charges):
    """Adds up the charges of all pairs in one sum."""

    def decide(self, state: Any, step: Step) -> Answer:
        after = self.after(state, step)
        total = sum(after, ExpLinear(0, 0, self.epsilon))
        return answer(total <= self.delta, after, state)


@dataclass(frozen=True)
class PureWherePossible(Sums):
    """Takes a mechanism that is pure for as large as its odds, and all others for approximate."""

    def cost(self, step: Step) -> Declared:
        odds = tight_odds(step.mechanism.law, step.game.pairs, ZERO)
        return step.mechanism.declared if odds is None else Declared(odds, ZERO)


@dataclass(frozen=True)
class WaitsAfterFull(Budget):
    """After half of delta is spent every second round is refused."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        if state.delta > self.delta / 2 and step.index % 2:
            return refuse(state)
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


SOUND: dict[str, Sound] = {
    "product-of-deltas": Sound(
        ProductOfDeltas,
        "a round goes wrong with probability delta_i at most, so that none does with their product",
    ),
    "vesting": Sound(Vesting, "what may be spent is always below delta"),
    "carried-names": Sound(CarriedNames, "names in both parts add up to the whole sum"),
    "odds-up": Sound(OddsUp, "rounded up, the odds are a true statement"),
    "deltas-up": Sound(DeltasUp, "rounded up, the deltas are a true statement"),
    "both-fit": Sound(BothFit, "each of the two would be enough, if both count the same rounds"),
    "either-at-half": Sound(
        EitherAtHalf,
        "where it ends one of the two rules ended: the sum of both bounds the loss",
    ),
    "refusal-is-free": Sound(RefusalIsFree, "a refused request has not seen the data"),
    "refusal-is-fined": Sound(RefusalIsFined, "a fine only takes away"),
    "slides-into-sum": Sound(SlidesIntoSum, "what leaves the window enters a sum"),
    "pair-by-pair": Sound(
        PairByPair,
        "a law that is the same for both of a pair says nothing to tell them apart",
    ),
    "last-when-empty": Sound(LastWhenEmpty, "it fits, and then it ends"),
    "dearest-offer": Sound(DearestOffer, "the largest of each is at least what is sent"),
    "fee-per-name": Sound(FeePerName, "a fee only takes away"),
    "sums-then-charges": Sound(
        SumsThenCharges,
        "the first phase adds half of delta at most, the charges after it the other half",
    ),
    "fifty-rounds": Sound(FiftyRounds, "it is the filter of charges, and ends before"),
    "ahead-pays-twice": Sound(AheadPaysTwice, "no charge is lower than it is"),
    "all-pairs-in-one": Sound(AllPairsInOne, "the sum over pairs is above that of each"),
    "pure-where-possible": Sound(
        PureWherePossible,
        "a pure mechanism has its odds at delta zero, the others what they declare",
    ),
    "waits-after-full": Sound(WaitsAfterFull, "a refusal more runs nothing more"),
}
