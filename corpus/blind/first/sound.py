"""Sound filters that look like mistakes: ledgers that forget, refund, or add nothing up."""

from fractions import Fraction
from math import ceil, floor

from corpus.blind.base import (
    NOTHING,
    ONE,
    Answer,
    Rule,
    Sound,
    answer,
    covers,
    nats,
    plus,
    size,
    within,
)
from corpus.blind.first.ledgers import Ledger
from filterproof.exact import exceeds
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output, tightest

HALF = Fraction(1, 2)


class ProductOfDeltas(Ledger):
    """Lets the deltas run up to 1 - (1 - delta_1)···(1 - delta_i) <= delta, less than their sum."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds * odds, 1 - (1 - state.delta) * (1 - delta))
        return answer(self.fits(total), total, state)


class ExPostEpsilon(Rule):
    """Asks for the declared epsilon and books what the answer really told."""

    def start(self) -> tuple[Declared, Fraction]:
        return NOTHING, ONE

    def decide(self, state: tuple[Declared, Fraction], step: Step) -> Answer:
        spent, _ = state
        total = plus(spent, step.mechanism.declared)
        fits = covers(total, self.epsilon, self.delta)
        return answer(fits, (Declared(spent.odds, total.delta), ONE), state)

    def observe(
        self, state: tuple[Declared, Fraction], step: Step, output: Output
    ) -> tuple[Declared, Fraction]:
        row = step.mechanism.law[output]
        told = max([ONE, *(row[x] / row[x_] for x, x_ in step.game.pairs if row[x_])])
        return Declared(state[0].odds * told, state[0].delta), ONE


class RealisedPlusDeclared(Rule):
    """Credits lucky answers: the realised loss, sign and all, plus the declared epsilon."""

    def start(self) -> Fraction:
        return Fraction(0)

    def decide(self, state: Fraction, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        alive = [(step.mass[x], step.mass[x_]) for x, x_ in step.pairs if step.mass[x_]]
        fits = not any(exceeds(w * odds, w_, self.epsilon) for w, w_ in alive)
        return answer(fits and state + delta <= self.delta, state + delta, state)


class PerOrderedPair(Rule):
    """Keeps one additive ledger per ordered pair and direction, from the laws themselves."""

    def start(self) -> tuple[Declared, ...]:
        return ()

    def decide(self, state: tuple[Declared, ...], step: Step) -> Answer:
        pairs = step.game.pairs
        before = state or (NOTHING,) * len(pairs)
        after = tuple(
            plus(spent, self.cost(step, *pair)) for spent, pair in zip(before, pairs, strict=True)
        )
        fits = all(covers(spent, self.epsilon, self.delta) for spent in after)
        return answer(fits, after, before)

    def cost(self, step: Step, x: str, x_: str) -> Declared:
        rows = step.mechanism.law.values()
        odds = max([ONE, *(row[x] / row[x_] for row in rows if row[x_])])
        return Declared(odds, sum((row[x] for row in rows if not row[x_]), Fraction(0)))


class LivePairsOnly(Ledger):
    """Charges a request by the databases that are still possible, and forgets the others."""

    def decide(self, state: Declared, step: Step) -> Answer:
        alive = [pair for pair in step.pairs if step.mass[pair[1]]]
        asked = tightest(step.mechanism.law, alive) if alive else NOTHING
        total = plus(state, asked)
        return answer(self.fits(total), total, state)


class HalvingEpochs(Rule):
    """Starts a new ledger whenever the old one is full; epoch j has eps/2^j."""

    def start(self) -> tuple[int, Declared]:
        return 1, NOTHING

    def decide(self, state: tuple[int, Declared], step: Step) -> Answer:
        epoch, spent = state
        for number, before in ((epoch, spent), (epoch + 1, Declared(ONE, spent.delta))):
            total = plus(before, step.mechanism.declared)
            share = Fraction(1, 2**number)
            if total.delta <= self.delta and within(total.odds, self.epsilon, share):
                return Decision.CONTINUE, (number, total)
        return Decision.HALT, state


class TwoShards(Rule):
    """Books even and odd rounds in two ledgers that know nothing of each other."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        shards = list(state)
        total = plus(shards[step.index % 2], step.mechanism.declared)
        shards[step.index % 2] = total
        fits = within(total.odds, self.epsilon, HALF) and 2 * total.delta <= self.delta
        return answer(fits, tuple(shards), state)


class BooksBeforeChecking(Ledger):
    """Books every request before it looks at the balance, and never rolls back."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return (Decision.CONTINUE if self.fits(total) else Decision.REFUSE), total


class ReserveForTheLast(Ledger):
    """Ends gracefully: one last request may overdraw nine tenths of epsilon."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if not self.fits(total):
            return Decision.HALT, state
        calm = within(total.odds, self.epsilon, Fraction(9, 10))
        return (Decision.CONTINUE if calm else Decision.LAST), total


class HalfWhileCalm(Rule):
    """Adds nothing up: runs pure requests of eps/2 while no realised loss is above eps/2."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        losses = [step.mass[x] / step.mass[x_] for x, x_ in step.pairs if step.mass[x_]]
        calm = all(within(max(ONE, one), self.epsilon, HALF) for one in losses)
        return answer(calm and not delta and within(odds, self.epsilon, HALF), None, None)


class TicksUp(Rule):
    """Counts epsilon in thousandths, computed in floats: each cost rounded up, and one more."""

    def start(self) -> tuple[int, Fraction]:
        return 0, Fraction(0)

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        ticks = state[0] + (ceil(1000 * nats(odds)) + 1 if odds > 1 else 0)
        total = ticks, state[1] + delta
        fits = not ticks or ticks <= floor(1000 * size(self.epsilon))
        return answer(fits and total[1] <= self.delta, total, state)


class FiveSlices(Rule):
    """Compares each request with a fifth of the budget and adds nothing up; it counts to five."""

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        small = within(odds, self.epsilon, Fraction(1, 5)) and 5 * delta <= self.delta
        after = state + (step.index > 0)
        return answer(small and after <= 5, after, state)


class ForfeitsOnOverask(Rule):
    """Sets the balance to zero when too much is asked, and goes on with what costs nothing."""

    def start(self) -> Declared | None:
        return NOTHING

    def decide(self, state: Declared | None, step: Step) -> Answer:
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        if state is None or not covers(plus(state, asked), self.epsilon, self.delta):
            return Decision.REFUSE, None
        return Decision.CONTINUE, plus(state, asked)


SOUND = {
    "product-of-deltas": Sound(
        ProductOfDeltas,
        "an (eps_i, delta_i) round is a leak of delta_i and else eps_i-DP, and leaks are avoided "
        "with the product of the 1 - delta_i",
    ),
    "ex-post-epsilon": Sound(
        ExPostEpsilon,
        "the realised loss never exceeds what was booked, so each round is charged at most delta_i",
    ),
    "realised-plus-declared": Sound(
        RealisedPlusDeclared,
        "eps_i fits what is left of epsilon at the realised loss, so the charge is at most delta_i",
    ),
    "per-ordered-pair": Sound(
        PerOrderedPair,
        "privacy is a statement about one ordered pair at a time, and each has an additive ledger",
    ),
    "live-pairs-only": Sound(
        LivePairsOnly,
        "a pair with a dead x does not occur and one with a dead x' has lost everything already; "
        "all others were charged in every round",
    ),
    "halving-epochs": Sound(HalvingEpochs, "the epochs' shares add up to at most epsilon"),
    "two-shards": Sound(TwoShards, "each shard has half of the budget"),
    "books-before-checking": Sound(
        BooksBeforeChecking, "what is refused is booked as well, which only errs on the safe side"
    ),
    "reserve-for-the-last": Sound(
        ReserveForTheLast, "the last request still has to fit the whole budget"
    ),
    "half-while-calm": Sound(
        HalfWhileCalm, "a loss of at most eps/2 plus one of at most eps/2 is at most epsilon"
    ),
    "ticks-up": Sound(TicksUp, "one tick is far above the error of the floats"),
    "five-slices": Sound(FiveSlices, "five fifths are the budget"),
    "forfeits-on-overask": Sound(
        ForfeitsOnOverask, "what runs is what the additive ledger runs, and what costs nothing"
    ),
}
