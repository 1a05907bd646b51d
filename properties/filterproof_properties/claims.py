"""One plain predicate per claim that a filter may make.

A predicate looks at one target and one case (a game, a budget, parameters) and returns what is
wrong in one sentence, or None.  (ε, δ)-DP is always checked; a target names its other claims in
an attribute `claims`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from filterproof.exact import ExactError
from filterproof.fast import worst_case, worst_tail
from filterproof.filter import Decision, Filter, ask, is_markov, observe, start
from filterproof.filters.run_all import RunAll
from filterproof.game import Step
from filterproof.game.law import Output
from filterproof_properties.case import Case
from filterproof_properties.targets.guard import memory
from filterproof_properties.targets.other_process import answers_of_other_process
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import (
    EARLIER,
    differences,
    questions,
    rule_of,
    runs,
    where,
)

Breach = Callable[[Target, Case], str | None]


class UnknownClaim(ExactError):
    """A name that no claim has."""


@dataclass(frozen=True)
class Claim:
    """A claim's name, what it says, and the predicate that finds it broken."""

    name: str
    statement: str
    breach: Breach

    def holds(self, target: Target, case: Case) -> bool:
        """Whether the claim holds on this case."""
        return self.breach(target, case) is None


# --- privacy ------------------------------------------------------------------------------------


def dp(target: Target, case: Case) -> str | None:
    """H <= δ against the strongest adaptive adversary."""
    found = worst_case(rule_of(target, case), case.game, case.epsilon)
    allowed = found.allowed(case.game, case.delta)
    return f"H = {found.value} exceeds delta = {allowed}" if found.value > allowed else None


def tail(target: Target, case: Case) -> str | None:
    """P(L^(T) > ε) <= δ for adversaries that ask until the filter or the game ends."""
    return _tail(target, case, may_stop=False)


def tail_with_abort(target: Target, case: Case) -> str | None:
    """P(L^(T) > ε) <= δ also for adversaries that stop asking."""
    return _tail(target, case, may_stop=True)


def _tail(target: Target, case: Case, *, may_stop: bool) -> str | None:
    reached = worst_tail(rule_of(target, case), case.game, case.epsilon, may_stop=may_stop)
    return f"P(L > eps) = {reached} exceeds delta = {case.delta}" if reached > case.delta else None


# --- behaviour ------------------------------------------------------------------------------------


def determinism(target: Target, case: Case) -> str | None:
    """The same question gets the same answer, asked again and in the opposite order."""
    rule = rule_of(target, case)
    asked = [*questions(rule, case.game)]
    for fresh in (rule, rule_of(target, case)):
        for one in reversed(asked):
            if ask(fresh, one.state, one.step) != (one.decision, one.after):
                return (
                    f"{where(one.step)}: answered {one.decision}, and differently when asked again"
                )
    return None


def reproducible(target: Target, case: Case) -> str | None:
    """Another process, with another hash seed, gives the same answers."""
    here = [str(one.decision) for one in questions(rule_of(target, case), case.game)]
    there = answers_of_other_process(target, case)
    if there == here:
        return None
    return f"the {len(here)} answers differ from the {len(there)} given in another process"


def purity(target: Target, case: Case) -> str | None:
    """Asking changes neither the filter nor the step that it is shown."""
    rule = rule_of(target, case)
    changed = memory(rule)
    watched = Watched(rule)
    for one in questions(watched, case.game):
        if watched.changed:
            return f"{where(one.step)}: the step was changed by asking"
    return "the filter itself was changed by asking" if changed() else None


class Watched:
    """Passes every question on to a filter and notes whether it came back changed."""

    def __init__(self, rule: Filter[Any]) -> None:
        self.rule, self.changed = rule, False

    def start(self) -> Hashable:
        """Return the filter's first state."""
        return start(self.rule)

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        """Return the filter's answer, and compare the step before and after."""
        before = _seen(step)
        answer = ask(self.rule, state, step)
        self.changed = self.changed or _seen(step) != before
        return answer

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the filter's state after the output, and compare the step before and after."""
        before = _seen(step)
        after = observe(self.rule, state, step, output)
        self.changed = self.changed or _seen(step) != before
        return after


def _seen(step: Step) -> tuple[Any, ...]:
    law = {y: dict(row) for y, row in step.mechanism.law.items()}
    return step.index, step.request, dict(step.mass), step.history, law


def monotone(target: Target, case: Case) -> str | None:
    """With a larger δ a filter runs whatever it ran with the smaller one."""
    rule = rule_of(target, case)
    for delta in (case.delta + (1 - case.delta) / 2, case.delta + (1 - case.delta) / 16):
        try:
            larger = rule_of(target, replace(case, delta=delta))
        except Declined:
            continue
        for one in differences((rule, larger), case.game):
            if one.direction == EARLIER:
                return f"{where(one.step)}: run at delta = {case.delta}, not run at delta = {delta}"
    return None


def horizon(target: Target, case: Case) -> str | None:
    """No more than N rounds are run, where N is a parameter of the filter."""
    N = case.parameters.get("N")
    if N is None:
        return "the filter has no parameter N to keep"
    for one in questions(rule_of(target, case), case.game):
        if one.step.index > N and runs(one.decision):
            return f"{where(one.step)}: run, with N = {N}"
    return None


def liveness(target: Target, case: Case) -> str | None:
    """If running everything is safe, everything runs: the exact budget is usable in full."""
    free = worst_case(RunAll(), case.game, case.epsilon).value
    if free > case.delta:
        return None
    for one in questions(rule_of(target, case), case.game):
        more = bool(one.step.requests_after)
        if not runs(one.decision) or (more and one.decision is Decision.LAST):
            return f"{where(one.step)}: {one.decision}, though all of it costs H = {free}"
    return None


def markov(target: Target, case: Case) -> str | None:
    """A filter that declares `markov` answers the same whatever the history says."""
    rule = rule_of(target, case)
    if not is_markov(rule):
        return None
    for one in questions(rule, case.game):
        other = tuple((f"not {r}", f"not {y}") for r, y in one.step.history)
        if ask(rule, one.state, replace(one.step, history=other)) != (one.decision, one.after):
            return f"{where(one.step)}: the answer depends on the history, against `markov = True`"
    return None


CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        claim.name: claim
        for claim in (
            Claim("dp", "(eps, delta)-DP against every adaptive adversary", dp),
            Claim("tail", "P(loss > eps) <= delta if the adversary asks to the end", tail),
            Claim("tail-abort", "P(loss > eps) <= delta under early abort", tail_with_abort),
            Claim(
                "determinism", "the same question gets the same answer, in any order", determinism
            ),
            Claim("reproducible", "another process gives the same answers", reproducible),
            Claim("purity", "asking changes neither the filter nor the step", purity),
            Claim("monotone", "a larger delta runs whatever a smaller one runs", monotone),
            Claim("horizon", "at most N rounds are run", horizon),
            Claim("liveness", "what the exact budget allows is not refused", liveness),
            Claim("markov", "answers do not depend on the history, as declared", markov),
        )
    }
)


def claims_of(target: Any) -> tuple[Claim, ...]:
    """Return the claims to check: dp first, then those that the target names."""
    named = tuple(getattr(target, "claims", ()))
    if unknown := [name for name in named if name not in CLAIMS]:
        raise UnknownClaim(f"unknown claim {unknown[0]!r}; known: {', '.join(CLAIMS)}")
    return tuple(CLAIMS[name] for name in dict.fromkeys(("dp", *named)))
