"""Statements about a mechanism that are each true, put together to one that is not."""

from fractions import Fraction

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, Wrong, answer, covers, plus, within
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import TENTH, Book, nothing
from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output
from filterproof.palette import erasure, table
from filterproof.privacy import delta_at, tight_delta, tight_odds

Sums = tuple[Fraction, ExpLinear]


class HalfDeclared(Rule):
    """Adds up the epsilons that are declared and the deltas that the laws have at epsilon."""

    def start(self) -> Sums:
        return ONE, nothing(self.epsilon)

    def decide(self, state: Sums, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        odds = self.odds(step)
        if odds is None:
            return Decision.HALT, state
        delta = max(delta_at(law, pair, self.epsilon) for pair in pairs)
        total = state[0] * odds, state[1] + delta
        fits = within(total[0], self.epsilon) and total[1] <= self.delta
        return answer(fits, total, state)

    def odds(self, step: Step) -> Fraction | None:
        """Return what is booked for ε; None if it is infinite."""
        return step.mechanism.declared.odds


class Coordinatewise(HalfDeclared):
    """Adds up the least epsilons that the laws have at delta, and the least deltas at epsilon."""

    def odds(self, step: Step) -> Fraction | None:
        return tight_odds(step.mechanism.law, step.game.pairs, self.delta)


class PositivesOnly(Rule):
    """Charges for an answer only if it is not the usual one: "no" tells nothing."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, state[0]), state)

    def observe(
        self, state: tuple[Declared, Declared], step: Step, output: Output
    ) -> tuple[Declared, Declared]:
        law = step.mechanism.law
        usual = max(sorted(law), key=lambda y: sum(law[y].values()))
        return (state[1] if output == usual else state[0]), NOTHING


class ReadFromTheLaw(Book):
    """Keeps the epsilon that is declared, and reads from the law which delta goes with it."""

    def decide(self, state: Declared, step: Step) -> Answer:
        odds = step.mechanism.declared.odds
        true = Declared(odds, tight_delta(step.mechanism.law, step.game.pairs, odds))
        return answer(self.fits(plus(state, true)), plus(state, true), state)


SPIKE = {"!": (3 * TENTH, Fraction(9, 200)), "-": (7 * TENTH, Fraction(191, 200))}
STATED = Declared(ONE, 3 * TENTH)

WRONG = {
    "half-declared": Wrong(
        HalfDeclared,
        "the declared epsilon goes with the declared delta, not with the one at epsilon",
        "hard",
        at(2, TENTH, lambda: chain(*[table(SPIKE, stated=STATED)] * 3)),
    ),
    "coordinatewise": Wrong(
        Coordinatewise,
        "two true statements, each with one coordinate small, do not make one with both",
        "medium",
        at(1, Fraction(1, 4), lambda: chain(*[coin(Fraction(5, 3))] * 12)),
    ),
    "positives-only": Wrong(
        PositivesOnly,
        "the usual answer tells something too, and many of them tell much",
        "medium",
        at(1, TENTH, lambda: chain(*[erasure(TENTH)] * 2)),
    ),
}
SOUND = {
    "read-from-the-law": Sound(
        ReadFromTheLaw, "the delta at the declared epsilon is never above the declared one"
    ),
}
