"""The floor: mechanism-level accounting first, the compensator after it, on two shares of δ.

With many databases the compensator can stop long before plain accounting does: it asks for the
charges of *every* pair on *every* path, also on paths that are next to impossible under that
pair.  The floor gives the share a of δ to a sound mechanism-level filter and runs what that one
runs.  When it halts, the compensator goes on with (1-a)·δ, charging these later rounds only, at
the true realised losses.

Sound: for every ordered pair H is the expected sum of the charges of the rounds that run
(`compensator`).  Those of the first phase add up to the H of the inner filter's play, at most
a·δ; those of the second are at most (1-a)·δ on every path.  As a potential: the inner filter's
own potential plus (1-a)·δ in the first phase, what is left of (1-a)·δ in the second.

The order matters, and so do the true losses and the shares: the three *known-bad specimens* here
differ from `Floor` in one of them each.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision, Filter, is_markov, observe, parameter_sets
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.common import Open, check_budget
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import charge

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Second:
    """The state after the first filter has halted: what is left per pair of the second share.

    `undecided` says so if the first filter halted because it could not decide.
    """

    left: Budgets
    undecided: Open | None = None


@dataclass(frozen=True)
class Floor:
    """Runs what `inner` runs; after it halts, what the compensator runs with δ = `rest`."""

    inner: Filter[Any]
    epsilon: Epsilon
    rest: Fraction

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.rest)

    @property
    def markov(self) -> bool:
        """Whether the inner filter looks at no history, as the second phase does not."""
        return is_markov(self.inner)

    @property
    def outer(self) -> Compensator:
        """The filter of the second phase."""
        return Compensator(self.epsilon, self.rest)

    def start(self) -> Hashable:
        """Return the inner filter's first state."""
        state: Hashable = self.inner.start()
        return state

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        """Ask the inner filter while it runs; then run M_i iff every pair can pay for it."""
        if not isinstance(state, Second):
            decision, after = self.inner.decide(state, step)
            if decision != Decision.HALT:
                return Decision(decision), after
            state = Second(self.opened(step), after if isinstance(after, Open) else None)
        decision, left = self.outer.decide(state.left, step)
        return decision, replace(state, left=left)

    def opened(self, step: Step) -> Budgets:
        """Return the accounts at the start of the second phase: none where x is impossible."""
        whole = ExpLinear(self.rest, 0, self.epsilon)
        return tuple(whole if step.mass[x] else None for x, _ in step.game.pairs)

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Let the filter of this phase see the output."""
        if not isinstance(state, Second):
            return observe(self.inner, state, step, output)
        return replace(state, left=self.outer.observe(state.left, step, output))

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: Hashable, step: Step, pair: Pair) -> ExpLinear:
        """Return the inner filter's own potential and `rest`; then what is left of `rest`."""
        if isinstance(state, Second):
            return self.outer.remaining(state.left, step, pair)
        inner: Any = self.inner
        left: Fraction | ExpLinear = inner.remaining(state, step, pair)
        return ExpLinear(self.rest, 0, self.epsilon) + left

    def invariant(self, state: Hashable, step: Step) -> bool:
        """Whether the state is one of the filter's that is asked now."""
        if isinstance(state, Second):
            return step.index > 0 and self.outer.invariant(state.left, step)
        own = getattr(self.inner, "invariant", None)
        return own is None or bool(own(state, step))


@dataclass(frozen=True)
class FromScratch(Compensator):
    """The compensator that charges every round as if nothing had been released before."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge at loss 0."""
        return charge(step.mechanism.law, pair, dict.fromkeys(pair, Fraction(1)), self.epsilon)


@dataclass(frozen=True)
class FloorFresh(Floor):
    """The floor whose second phase charges from loss 0: a *known-bad specimen*."""

    @property
    def outer(self) -> Compensator:
        """The filter of the second phase, which forgets the losses of the first."""
        return FromScratch(self.epsilon, self.rest)


@dataclass(frozen=True)
class Floored:
    """A target: `wrap` over the inner target at a·δ, with (1-a)·δ for the compensator.

    >>> rule = Floored(Additive)(Fraction(1), Fraction(1, 10), share=Fraction(9, 10))
    >>> str(rule.inner.delta), str(rule.rest)
    ('9/100', '1/100')
    """

    target: Callable[..., Filter[Any]]
    wrap: Callable[[Filter[Any], Epsilon, Fraction], Floor] = Floor

    def __call__(
        self, epsilon: Epsilon, delta: Fraction, *, share: Fraction = HALF, **parameters: Any
    ) -> Floor:
        """Return the filter for a budget; `share` is a."""
        if not 0 <= share <= 1:
            raise ParameterError(f"need 0 <= share <= 1; got {share}")
        inner = self.target(epsilon, share * delta, **parameters)
        return self.wrap(inner, epsilon, (1 - share) * delta)

    def parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, Any]]:
        """Return what the inner target wants to be tried with, at two shares."""
        offered = parameter_sets(self.target, epsilon, delta / 2, depth)
        return [{"share": a, **one} for one in offered for a in (HALF, Fraction(9, 10))]


def floor_double(epsilon: Epsilon, delta: Fraction) -> Floor:
    """Return the floor that gives the whole δ to both phases: a *known-bad specimen*."""
    return Floor(Additive(epsilon, delta), epsilon, delta)


@dataclass(frozen=True)
class UpsideDown:
    """The compensator first, and additive accounting after it: a *known-bad specimen*.

    The second filter knows nothing of the losses that the first one let grow up to ε.
    """

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    @property
    def first(self) -> Compensator:
        """The filter of the first phase, on half of δ."""
        return Compensator(self.epsilon, self.delta / 2)

    def start(self) -> Budgets | Declared:
        """Return the compensator's first state."""
        return self.first.start()

    def decide(self, state: Budgets | Declared, step: Step) -> tuple[Decision, Budgets | Declared]:
        """Run what the compensator runs; after it halts, what the additive filter runs."""
        if not isinstance(state, Declared):
            decision, left = self.first.decide(state, step)
            if decision is Decision.CONTINUE:
                return decision, left
            state = NOTHING
        return Additive(self.epsilon, self.delta / 2).decide(state, step)

    def observe(self, state: Budgets | Declared, step: Step, output: Output) -> Budgets | Declared:
        """Let the compensator see the output while it runs."""
        return state if isinstance(state, Declared) else self.first.observe(state, step, output)
