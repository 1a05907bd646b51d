"""Pure filters that look like those with reports, and are private."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Sound, answer, covers, plus
from corpus.blind.sixth.base import Book, F, is_quiet
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output


class Folded(Rule):
    """Keeps two books by name; what is evicted goes into a sum that stays."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        carried, books = state
        own = plus(dict(books).get(step.request, NOTHING), step.mechanism.declared)
        kept = (*(one for one in books if one[0] != step.request), (step.request, own))
        total = carried
        for _, cost in kept:
            total = plus(total, cost)
        for _, cost in kept[:-2]:
            carried = plus(carried, cost)
        return answer(covers(total, self.epsilon, self.delta), (carried, kept[-2:]), state)


class LeastFee(Book):
    """Every request that is not silent costs a hundredth of delta at least."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        if step.mechanism.declared == NOTHING:
            return NOTHING
        return Declared(odds, max(delta, self.delta / 100))


class QuietIsLess(Rule):
    """Gives an epsilon back, and no delta, when the output was as likely under all databases."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row, declared = step.mechanism.law[output], step.mechanism.declared
        before = state.odds / declared.odds
        if is_quiet(step, output):
            return Declared(before, state.delta)
        told = max(
            (row[x] / row[x_] if row[x_] else F(10**9) for x, x_ in step.game.pairs if row[x]),
            default=F(1),
        )
        return Declared(before * max(told, declared.odds), state.delta)


class PayTheRefused(Rule):
    """Half of what is left of delta is lost with every refusal."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, total
        lost: Fraction = (self.delta - state.delta) / 2
        return Decision.REFUSE, Declared(state.odds, state.delta + lost)


SOUND: dict[str, Sound] = {
    "folded-books": Sound(Folded, "all that was ever spent is in one of the sums"),
    "least-fee": Sound(LeastFee, "costs are never below what is declared"),
    "quiet-is-less": Sound(QuietIsLess, "likelihoods have moved by no more than is booked"),
    "refusals-cost": Sound(PayTheRefused, "a refusal only takes away"),
}
