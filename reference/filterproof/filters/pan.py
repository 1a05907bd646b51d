"""Pan's realisation-level filters: the Bayesian one, and hybrids that start at mechanism level.

The Bayesian filter keeps every realised loss at ε or below, so it is (ε, 0)-DP.  A hybrid runs any
sound mechanism-level filter until that one halts, and goes on with rounds that add nothing to
H.  Which rounds add nothing can be asked in two ways, and they are two filters:

* `Hybrid` (Pan): no output takes a loss above ε.  Once a loss is above ε, some output keeps it
  there, so nothing runs any more.
* `HybridCharge`: the charge is 0.  This admits more rounds, because above ε everything may already
  be lost.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision, Filter, is_markov, observe
from filterproof.filters.common import Open, check_budget
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge, risk


@dataclass(frozen=True)
class Bayesian:
    """Runs M_i iff every output that can occur leaves all losses at ε or below (Pan)."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> None:
        """Return the empty state: the step carries all that the rule needs."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Run M_i iff no loss can exceed ε; δ is not used."""
        return (Decision.CONTINUE if stays_below(step, self.epsilon) else Decision.HALT), None

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: None, step: Step, pair: Pair) -> Fraction:
        """Return 0: no round that runs costs anything."""
        return Fraction(0)


def stays_below(step: Step, epsilon: Epsilon) -> bool:
    """Return whether every pair's loss is at most ε after every output that x can give."""
    return not any(risk(step.mechanism.law, pair, step.mass, epsilon) for pair in step.pairs)


def adds_nothing(step: Step, epsilon: Epsilon) -> bool:
    """Return whether the round's charge is 0 for every pair."""
    law, mass = step.mechanism.law, step.mass
    return all(charge(law, pair, mass, epsilon).sign() == 0 for pair in step.pairs)


@dataclass(frozen=True)
class Second:
    """The state of a hybrid whose first filter has halted, and whether that one could decide."""

    undecided: Open | None = None


@dataclass(frozen=True)
class Hybrid:
    """Runs what a mechanism-level filter runs; after it halts, rounds with no loss above ε."""

    inner: Filter[Any]
    epsilon: Epsilon

    @property
    def markov(self) -> bool:
        """Whether the inner filter looks at no history, as the second phase does not."""
        return is_markov(self.inner)

    def start(self) -> Hashable:
        """Return the inner filter's first state."""
        state: Hashable = self.inner.start()
        return state

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        """Ask the inner filter while it runs; then run M_i iff the round is free."""
        if not isinstance(state, Second):
            decision, after = self.inner.decide(state, step)
            if decision != Decision.HALT:
                return Decision(decision), after
            state = Second(after if isinstance(after, Open) else None)
        return (Decision.CONTINUE if self.free(step) else Decision.HALT), state

    def free(self, step: Step) -> bool:
        """Whether no output takes a loss above ε."""
        return stays_below(step, self.epsilon)

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Let the inner filter see the output while it runs."""
        return state if isinstance(state, Second) else observe(self.inner, state, step, output)

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: Hashable, step: Step, pair: Pair) -> Fraction | ExpLinear:
        """Return what the inner filter has left; nothing in the second phase, which is free."""
        if isinstance(state, Second):
            return Fraction(0)
        inner: Any = self.inner
        left: Fraction | ExpLinear = inner.remaining(state, step, pair)
        return left

    def invariant(self, state: Hashable, step: Step) -> bool:
        """Whether the inner filter's state is one of its own, while it runs."""
        own = getattr(self.inner, "invariant", None)
        return isinstance(state, Second) or own is None or bool(own(state, step))


@dataclass(frozen=True)
class HybridCharge(Hybrid):
    """The hybrid whose second phase runs every round of charge 0, also above ε."""

    def free(self, step: Step) -> bool:
        """Whether the round adds nothing to H."""
        return adds_nothing(step, self.epsilon)
