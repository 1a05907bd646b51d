"""Small filters to be proved, refuted, or named as not to be proved; they are interpreted."""

import math
from fractions import Fraction
from typing import Any

from filterproof.privacy import charge


class Ledger:
    """One account for all pairs: the sum of the largest charges."""

    answers = ("continue", "halt")

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.epsilon, self.delta = epsilon, delta

    def start(self) -> Any:
        return ("open", self.delta)

    def decide(self, state: Any, step: Any) -> Any:
        law, mass = step.mechanism.law, step.mass
        worst = max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        if worst > state[1]:
            return self.answers[1], state
        return self.answers[0], self.pay(state, worst)

    def pay(self, state: Any, worst: Any) -> Any:
        return (state[0], state[1] - worst)

    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return state[1]


class RefusingLedger(Ledger):
    answers = ("continue", "refuse")


class LastLedger(Ledger):
    """Runs one round."""

    def decide(self, state: Any, step: Any) -> Any:
        decision, after = super().decide(state, step)
        return ("last" if decision == "continue" and step.index else decision), after


class LastAnyway(Ledger):
    answers = ("continue", "last")


class Refund(RefusingLedger):
    def decide(self, state: Any, step: Any) -> Any:
        decision, after = super().decide(state, step)
        return decision, ((state[0], self.delta) if decision == "refuse" else after)


class Phases(Ledger):
    """Never pays in the second phase, which the potential does not know."""

    def pay(self, state: Any, worst: Any) -> Any:
        return ("free", state[1]) if state[0] == "free" else ("free", state[1] - worst)


class Starting(Ledger):
    def start(self) -> Any:
        return ("open", self.delta + Fraction(1, 100))


class Invariant(Ledger):
    """Says of its states what is true: the account holds between 0 and delta."""

    def invariant(self, state: Any, step: Any) -> bool:
        return bool(0 <= state[1] <= self.delta)


class FalseInvariant(Ledger):
    """Says that the account never changes, which the first round breaks."""

    def invariant(self, state: Any, step: Any) -> bool:
        return bool(state[1] == self.delta)


class NeverTrue(Ledger):
    def invariant(self, state: Any, step: Any) -> bool:
        return False


class Floats(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("halt" if math.log(step.mass[step.game.databases[0]]) > 1 else "continue"), state


class Keys(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        prices = {self.delta: 1}
        return ("continue" if prices else "halt"), state


class Historian(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("halt" if len(step.history) > 3 else "continue"), state


class Named(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.request == "free" else "halt"), state


class Scale(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.mass[step.game.databases[0]] > 1000 else "halt"), state


class Depth(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.game.depth < 3 else "halt"), state


class AskedFor(Ledger):
    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class FloatState(Ledger):
    def start(self) -> Any:
        return 0.5

    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return self.delta

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", state + 0.5


class Dividing(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return "halt", (state[0], 1 / (state[1] - 1))


class Growing(Ledger):
    """Its states get longer and longer."""

    def pay(self, state: Any, worst: Any) -> Any:
        return (*state, "again")


class Halting(Ledger):
    """Runs nothing."""

    def decide(self, state: Any, step: Any) -> Any:
        return "halt", state


class Declining(Ledger):
    """Makes no filter at all."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        raise ValueError("no")


class Many(Ledger):
    """Answers through decide_many."""

    def decide_many(self, questions: Any) -> Any:
        return [("continue", state) for state, _ in questions]
