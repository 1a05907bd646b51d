"""Questions to the solver: can this inequality fail on this path?

A number that has several cases is split: the solver is asked for each case by itself, and a case
that contradicts what is already said is dropped.  Every question goes through stages, from cheap to
strong: products taken as numbers of their own (linear arithmetic); all of nonlinear arithmetic,
with little effort; linear, with every comparison multiplied by every probability; all effort.
Fewer conditions can only make a question harder to deny, so `unsat` at any stage is an answer; a
model is taken where all conditions were told.

Effort is counted in the solver's own steps, so that a busy machine does not change a verdict.
"""

from dataclasses import dataclass, field
from typing import Any

import z3

from filterproof_proofs.symbolic.paths import Paths, linear_solver

UNSAT, SAT, UNKNOWN = "unsat", "sat", "unknown"
LITTLE, MUCH = 1_000_000, 30_000_000
"""Z3's resource units: some tenths of a second, and half a minute, on an idle core."""


@dataclass
class Answer:
    """What the solver said, with a model and what it is a model of where there is one."""

    said: str
    model: Any = None
    formulas: list[Any] = field(default_factory=list)


@dataclass
class Asker:
    """Asks about one path.  Each of `factors` is known not to be negative."""

    paths: Paths
    conditions: tuple[Any, ...]
    factors: tuple[Any, ...] = ()
    effort: int = MUCH
    denied: list[list[Any]] = field(default_factory=list)
    """The final questions that were answered with unsat, for a second opinion."""

    def ask(self, *goal: Any) -> Answer:
        """Return whether all formulas of the goal can hold on this path."""
        return self._split(list(goal), frozenset())

    def _split(self, goal: list[Any], done: frozenset[str]) -> Answer:
        """Deny the goal by linear arithmetic, or go case by case, or ask with more effort."""
        self.paths.limits.check(0)
        related = [*self._related(goal), *goal]
        if contradictory([*self.conditions, *goal]):
            return self._denied([*self.conditions, *goal])
        if self._linear(related):
            return self._denied(related)
        name = next((n for n in self._numbers(goal) if n not in done), None)
        if name is None:
            return self._strongly(related, [*self.conditions, *goal])
        found = Answer(UNSAT)
        for case in self.paths.splits[name]:
            answer = self._split([*goal, *case], done | {name})
            if answer.said == SAT:
                return answer
            found = answer if answer.said == UNKNOWN else found
        return found

    def _related(self, goal: list[Any]) -> list[Any]:
        """Return the conditions of the path that speak of no derived number but the goal's."""
        near = self.paths.cone(goal)
        return [one for one in self.conditions if self.paths.derived(one) <= near]

    def _numbers(self, goal: list[Any]) -> list[str]:
        """Return the numbers with cases that the goal depends on, those named first in front."""
        cone = self.paths.cone(goal) & self.paths.splits.keys()
        return sorted(cone, key=self.paths.order)

    def _strongly(self, related: list[Any], everything: list[Any]) -> Answer:
        """Ask with more effort, and with all that is known on the path."""
        if self._nonlinear(related, LITTLE).said == UNSAT:
            return self._denied(related)
        answer = self._nonlinear(everything, LITTLE)
        if answer.said == UNKNOWN and self._linear(everything, self.factors):
            answer = Answer(UNSAT)
        if answer.said == UNKNOWN:
            answer = self._nonlinear(everything, self.effort)
        return self._denied(everything) if answer.said == UNSAT else answer

    def _denied(self, formulas: list[Any]) -> Answer:
        self.denied.append(self.paths.complete(formulas))
        return Answer(UNSAT)

    def _linear(self, formulas: list[Any], factors: tuple[Any, ...] = ()) -> bool:
        """Whether linear arithmetic denies the formulas; factors multiply every comparison."""
        solver = linear_solver(LITTLE)
        solver.add(*self.paths.complete(formulas))
        gaps = [gap for gap in map(gap_of, formulas) if gap is not None] if factors else []
        solver.add(*(z3.simplify(f * gap, som=True) >= 0 for gap in gaps for f in factors))
        return str(solver.check()) == UNSAT

    def _nonlinear(self, formulas: list[Any], effort: int) -> Answer:
        solver = z3.SolverFor("QF_NRA")
        solver.set("rlimit", effort)
        formulas = self.paths.complete(formulas)
        solver.add(*formulas)
        said = str(solver.check())
        return Answer(said, solver.model() if said == SAT else None, formulas)


def contradictory(formulas: list[Any]) -> bool:
    """Return whether one formula denies another one word by word."""
    said = {one.get_id() for one in formulas if not z3.is_not(one)}
    return any(one.arg(0).get_id() in said for one in formulas if z3.is_not(one))


def gap_of(condition: Any) -> Any:
    """Return a term that is >= 0 wherever the comparison holds; None if it is no comparison."""
    inner, sign = condition, 1
    if z3.is_not(condition):
        inner, sign = condition.arg(0), -1
    if z3.is_le(inner) or z3.is_lt(inner):
        return sign * (inner.arg(1) - inner.arg(0))
    if z3.is_ge(inner) or z3.is_gt(inner):
        return sign * (inner.arg(0) - inner.arg(1))
    return None
