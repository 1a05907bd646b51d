"""Rules of filters that run another filter first, whatever that one is: hybrids and floors.

The filter inside is any filter.  It answers anything and keeps a state that means nothing; what is
shown is that it is asked once per request with its own state while it has not halted, that its
answer is given as it is, and that what runs afterwards is what the theorem about the two allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import z3

from filterproof.filter import Decision, Filter
from filterproof.filters.common import Open
from filterproof_proofs.symbolic.terms import value
from filterproof_proofs.ties.losses import CompensatorRule, cost, for_live
from filterproof_proofs.ties.rules import TRUE, Plain, zero
from filterproof_proofs.ties.states import State, alive_states
from filterproof_proofs.ties.tie import Tied
from filterproof_proofs.ties.world import Moment, Round

FALSE = z3.BoolVal(False)


class InnerState:
    """A state of the filter inside: nothing but itself may be learnt from it."""


class AnyFilter:
    """Any filter, made for a budget; it is asked at most once in a round."""

    stands_for = Filter

    def __init__(self, now: Round, epsilon: Any, delta: Any) -> None:
        if epsilon is not now.epsilon:
            raise now.run.stuck("the filter inside gets another epsilon")
        self._now, self._delta = now, value(delta)
        self._current: Any = InnerState()
        self._decision: Decision | None = None
        self._waits = False
        """Whether it runs a round whose output it was not told yet."""

    def state_now(self) -> Any:
        """Return the state that it must be asked with next; nothing is that while it waits."""
        return InnerState() if self._waits else self._current

    def start(self) -> Any:
        """Return its first state."""
        return self._current

    def decide(self, state: Any, step: Any) -> tuple[Decision, Any]:
        """Answer anything."""
        now = self._now
        if state is not self._current or step is not now.step_now or self._decision is not None:
            raise now.run.stuck("the filter inside is asked twice, or about something else")
        offered = [one for one in Decision if not (now.opening and one is Decision.REFUSE)]
        self._decision = next(
            (one for one in offered[:-1] if now.run.branch(z3.Real(f"inner: {one}") > 0)),
            offered[-1],
        )
        self._current = InnerState()
        self._waits = self._decision is Decision.CONTINUE
        undecided = now.run.branch(z3.Real("inner is undecided") > 0)
        halts = self._decision is Decision.HALT
        return self._decision, Open("undecided") if halts and undecided else self._current

    def observe(self, state: Any, step: Any, output: Any) -> Any:
        """Return another state."""
        right = output == self._now.released and step is self._now.step_now
        if state is not self._current or not right or not self._waits:
            raise self._now.run.stuck("the filter inside sees another play")
        self._current, self._waits = InnerState(), False
        return self._current


def inner_filter(now: Round, epsilon: Any, delta: Any, **_: Any) -> AnyFilter:
    """Make the filter inside, in place of the one that is named."""
    now.notes["inner"] = AnyFilter(now, epsilon, delta)
    return now.notes["inner"]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class PhasesRule(Plain):
    """in_turn: the answers of the filter inside until it halts, then what second allows."""

    coq: ClassVar[str] = "in_turn"

    module: str
    free: Callable[[Round, Moment], Any]
    answers_all: ClassVar[bool] = True

    def share(self, now: Round) -> Any:
        """Return the part of delta that the filter inside gets."""
        return z3.RealVal(1)

    def accepted(self, now: Round) -> Any:
        """Ask that the filter inside is made for its part of delta."""
        inner: AnyFilter = now.notes["inner"]
        return inner._delta == self.share(now) * now.delta.term

    def first(self, now: Round) -> dict[str, Any]:
        """Return that the filter inside has not halted."""
        return {"first phase": z3.RealVal(1)}

    def known(self, now: Round, counts: Any) -> Any:
        """Say that it has halted or not."""
        return z3.Or(counts["first phase"] == 0, counts["first phase"] == 1)

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Return whether it has halted now."""
        halts = z3.BoolVal(now.notes["inner"]._decision is Decision.HALT)
        return {"first phase": z3.If(halts, zero(), before.counts["first phase"])}

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the inner state, or that of the second phase, which may say why it began."""
        first = moment.counts["first phase"] == 1
        found = [(first, moment.inner.state_now())]
        for why in (None, Open("undecided")):
            found += [
                (z3.And(z3.Not(first), condition), machine.call(self.second(machine), *left, why))
                for condition, left in self.lefts(now, moment)
            ]
        return found

    def second(self, machine: Tied) -> Any:
        """Return the class of the second phase's states."""
        return machine.find(self.module, "Second")

    def lefts(self, now: Round, moment: Moment) -> list[State]:
        """Return what the second phase keeps: nothing."""
        return [(TRUE, ())]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask for the answer of the filter inside, or that a round is free."""
        asked = before.inner._decision
        first = before.counts["first phase"] == 1
        if asked is not None and asked is not Decision.HALT:
            return z3.And(first, z3.BoolVal(decision is asked))
        over = first if asked is Decision.HALT else z3.Not(first)
        runs = decision in (Decision.CONTINUE, Decision.LAST)
        return z3.And(over, self.free(now, before)) if runs else over


def no_risk(now: Round, before: Moment) -> Any:
    """bayesian_allows: no output takes a live pair's loss above eps."""
    return for_live(before, lambda pair: cost(now, "risk", pair) == 0)


def no_charge(now: Round, before: Moment) -> Any:
    """free_round: no live pair is charged anything."""
    return for_live(before, lambda pair: cost(now, "charge", pair) <= 0)


@dataclass(frozen=True)
class FloorRule(PhasesRule):
    """floor_fits: the inner filter on a*delta, then charges that stay within (1-a)*delta."""

    coq: ClassVar[str] = "floor_fits"

    module: str = "filterproof.filters.floor"
    free: Callable[[Round, Moment], Any] = no_charge

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any share."""
        return {"share": now.run.unknown("share")}

    def share(self, now: Round) -> Any:
        """Return a."""
        return z3.Real("share")

    def accepted(self, now: Round) -> Any:
        """Ask for 0 <= a <= 1, too."""
        return z3.And(super().accepted(now), self.share(now) >= 0, self.share(now) <= 1)

    def first(self, now: Round) -> dict[str, Any]:
        """Return that nothing is charged yet, too."""
        return super().first(now) | CompensatorRule().first(now)

    def known(self, now: Round, counts: Any) -> Any:
        """Say that nothing is charged in the first phase, too."""
        late = [one == 0 for name, one in counts.items() if name != "first phase"]
        return z3.And(
            super().known(now, counts), z3.Implies(counts["first phase"] == 1, z3.And(*late))
        )

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Charge the rounds of the second phase."""
        phase = super().after(now, before, y)
        late = CompensatorRule().after(now, before, y)
        still = phase["first phase"] == 1
        return phase | {n: z3.If(still, before.counts[n], one) for n, one in late.items()}

    def lefts(self, now: Round, moment: Moment) -> list[State]:
        """Return what is left of (1-a)*delta for the pairs that are possible."""
        rest = (1 - self.share(now)) * now.delta.term
        rule = CompensatorRule()
        return alive_states(moment, lambda kept: (rule.left(now, kept, moment.counts, rest),))

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask for the answer of the filter inside, or that the charges fit."""
        rest = (1 - self.share(now)) * now.delta.term
        then = CompensatorRule().after(now, before, "")

        def fits(_: Round, moment: Moment) -> Any:
            return for_live(moment, lambda p: then[f"spent {p[0]}{p[1]}"] <= rest)

        return PhasesRule(self.module, fits).allowed(now, before, decision)
