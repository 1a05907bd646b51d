"""Budgets that are handed on, leased or recycled after an answer, with a sum that is off."""

from fractions import Fraction

from corpus.blind.base import NOTHING, Answer, Rule, Wrong, answer, covers, plus, within
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator
from filterproof.game import Step
from filterproof.game.law import Declared, Pair
from filterproof.palette import erasure, one_sided, reveal, silent, table
from filterproof.privacy import renyi_sum


class RecycledToAll(Compensator):
    """Shares what bad outputs no longer need among the good ones, and gives it to all of them."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        w, w_ = step.mass[x], step.mass[x_]
        rows = step.mechanism.law.values()
        good = [row[x] for row in rows if not exceeds(w * row[x], w_ * row[x_], self.epsilon)]
        kept = sum(good, Fraction(0))
        return rest / kept if kept else rest


class RenyiAfresh(Rule):
    """Bounds each round by its Rényi sum of order 2 from the realised loss on, at delta anew."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        fits = all(self.covered(step, pair) for pair in step.pairs)
        return answer(fits or step.index == 0, None, None)

    def covered(self, step: Step, pair: Pair) -> bool:
        found = renyi_sum(step.mechanism.law, pair, 2)
        cost = found.rational() if found else None
        w, w_ = (step.mass[x] for x in pair)
        return cost is not None and not exceeds(w * cost, 4 * self.delta * w_, self.epsilon)


class LastAnswerOnly(Rule):
    """Runs pure requests of at most eps/2 while the last answer's own loss was at most eps/2."""

    def start(self) -> bool:
        return True

    def decide(self, state: bool, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        calm = delta == 0 and within(odds, self.epsilon, Fraction(1, 2))
        return answer(state and calm, calm, state)


class LeaseOfThree(Rule):
    """Leases three rounds at three times the price of the first, and reads no price within."""

    def start(self) -> tuple[Declared, int]:
        return NOTHING, 0

    def decide(self, state: tuple[Declared, int], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        spent, left = state
        if left:
            return Decision.CONTINUE, (spent, left - 1)
        odds, delta = step.mechanism.declared
        total = plus(spent, Declared(odds**3, 3 * delta))
        return answer(covers(total, self.epsilon, self.delta), (total, 2), state)


class RecycledByOverlap(Compensator):
    """Divides the rest by the overlap of P_x and P_x′, where only impossible outputs free any."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        rows = step.mechanism.law.values()
        overlap = sum((min(row[x], row[x_]) for row in rows), Fraction(0))
        return rest / overlap if overlap else rest * 0


BRIM = {
    "u": (Fraction(9, 11), TENTH),
    "v": (Fraction(2, 11), 1 - TENTH),
}
SURPRISE = {
    "!": (Fraction(9, 100), Fraction(9, 29_700)),
    "-": (Fraction(91, 100), Fraction(29_691, 29_700)),
}

WRONG = {
    "recycled-to-all": Wrong(
        RecycledToAll,
        "what is taken back from bad outputs is handed to the bad ones too",
        "medium",
        at(2, Fraction(1, 4), lambda: branch(table(BRIM), u={"ask": one_sided(Fraction(1, 2))})),
    ),
    "recycled-by-overlap": Wrong(
        RecycledByOverlap,
        "the rest is divided by one less the total variation",
        "medium",
        at(2, TENTH, lambda: chain(coin(3), erasure(2 * TENTH))),
    ),
    "renyi-afresh": Wrong(
        RenyiAfresh,
        "each round may use delta anew from the realised loss on",
        "hard",
        at(5, Fraction(1, 20), lambda: chain(table(SURPRISE), table(SURPRISE))),
    ),
    "last-answer-only": Wrong(
        LastAnswerOnly,
        "only the last answer's loss is looked at",
        "medium",
        at(1, CENT, lambda: chain(*[coin(Fraction(8, 5))] * 3)),
    ),
    "lease-of-three": Wrong(
        LeaseOfThree,
        "the rounds of a lease are charged by its first request",
        "easy",
        at(1, CENT, lambda: chain(silent(), reveal())),
    ),
}
