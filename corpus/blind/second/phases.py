"""Filters of two phases, and look-ahead rules, with a slip in the order or in what is foreseen."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.base import (
    NONE,
    NOTHING,
    ONE,
    Answer,
    Ledger,
    Witness,
    Wrong,
    chain,
    run_if,
)
from filterproof import Decision, ExpLinear, Log, Mechanism, Step
from filterproof.exact import exceeds
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, response, table
from filterproof.privacy import charge, risk


def harmless(step: Step, epsilon: Any) -> bool:
    """Whether no output takes a loss above epsilon."""
    return not any(risk(step.mechanism.law, pair, step.mass, epsilon) for pair in step.pairs)


class BayesianThenLedger(Ledger):
    """Runs what takes no loss above epsilon; when that ends, opens a ledger with all of epsilon.

    The other order is sound.  In this one the ledger starts where a loss may be epsilon already.
    """

    def start(self) -> Any:
        """Return that the first phase is on."""
        return None

    def decide(self, state: Any, step: Step) -> Answer:
        """Stay in the first phase while it runs everything; then add up."""
        if state is None and harmless(step, self.epsilon):
            return Decision.CONTINUE, None
        return super().decide(state or NOTHING, step)


class FreeRoundsUnbooked(Ledger):
    """Books a round only if some output could take a loss above epsilon."""

    def book(self, state: Any, step: Step) -> Any:
        """Leave the ledger as it is after a harmless round."""
        return state if harmless(step, self.epsilon) else super().book(state, step)


class TwoPhases(Ledger):
    """A ledger first; when it ends, charges at realised losses against a budget per pair."""

    first = second = Fraction(1, 2)

    def start(self) -> Any:
        """Return the ledger of the first phase."""
        return NOTHING

    def fits(self, spent: Any) -> bool:
        """Whether epsilon and the first share of delta cover the sums."""
        return not exceeds(spent[0], ONE, self.epsilon) and spent[1] <= self.first * self.delta

    def decide(self, state: Any, step: Step) -> Answer:
        """Ask the ledger until it refuses, then the budgets."""
        if len(state) == 2:
            decision, after = super().decide(state, step)
            if decision == Decision.CONTINUE:
                return decision, after
            full = ExpLinear(self.second * self.delta, 0, self.epsilon)
            state = ("second", (full,) * len(step.game.pairs), tuple(step.mass.items()))
        left = []
        for budget, pair in zip(state[1], step.game.pairs, strict=True):
            left.append(budget - self.cost(step, pair, dict(state[2])))
        return run_if(all(one >= 0 for one in left), (state[0], tuple(left), state[2]), state)

    def cost(self, step: Step, pair: Pair, then: dict[str, Fraction]) -> ExpLinear:
        """Return the charge at the true losses; nothing where x is impossible."""
        if not step.mass[pair[0]]:
            return ExpLinear(0, 0, self.epsilon)
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class WholeDeltaTwice(TwoPhases):
    """Gives all of delta to the first phase and all of it to the second."""

    first = second = Fraction(1)


class SecondPhaseForgets(TwoPhases):
    """Counts losses of the second phase from its beginning, as if nothing had been released."""

    def cost(self, step: Step, pair: Pair, then: dict[str, Fraction]) -> ExpLinear:
        """Return the charge at the losses since the second phase began."""
        since = {x: w / then[x] if then[x] else NONE for x, w in step.mass.items()}
        if not since[pair[0]]:
            return ExpLinear(0, 0, self.epsilon)
        return charge(step.mechanism.law, pair, since, self.epsilon)


class FallsBack(Ledger):
    """Runs what fits the ledger, or else what is harmless, and then goes back to the ledger."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Book what fits; run without booking what takes no loss above epsilon."""
        decision, after = super().decide(state, step)
        if decision == Decision.CONTINUE:
            return decision, after
        return run_if(harmless(step, self.epsilon), state, state)


F = Fraction
LOG2 = Log(F(2))


def _leaning() -> Mechanism:
    """Spend half of epsilon, lean far towards 0 where there is room, spend the other half."""
    third = {"ask": response(F(2, 3))}
    lean = table({"!": (F(2, 5), F(1, 20)), "?": (F(3, 5), F(19, 20))}, {"!": third})
    return response(F(2, 3), {"1": {"ask": lean}})


WRONG = {
    "bayesian-then-ledger": Wrong(
        BayesianThenLedger,
        "realised losses first and a ledger afterwards, where only the other order is sound",
        Witness(game(chain(response(F(7, 10)), response(F(18, 25)))), F(1), F(1, 100)),
    ),
    "free-rounds-unbooked": Wrong(
        FreeRoundsUnbooked,
        "rounds that take no loss above epsilon are not booked",
        Witness(game(chain(response(F(2, 3)), response(F(7, 10)))), F(1), F(1, 10**6)),
    ),
    "whole-delta-twice": Wrong(
        WholeDeltaTwice,
        "both phases may spend all of delta",
        Witness(game(chain(erasure(F(1, 100)), erasure(F(1, 100)))), F(1), F(1, 100)),
    ),
    "second-phase-forgets": Wrong(
        SecondPhaseForgets,
        "the second phase does not know what was lost in the first",
        Witness(game(chain(response(F(18, 25)), response(F(18, 25)))), F(1), F(1, 100)),
    ),
    "falls-back": Wrong(
        FallsBack,
        "the ledger goes on after rounds that it knows nothing of",
        Witness(game(_leaning()), Log(F(4)), NONE),
    ),
}
