"""Questions to the solver: can this inequality fail on this path?

A question goes through stages, from cheap to strong.  First linear arithmetic, in which a product
of unknowns is a number of its own.  It is told facts that were proved before, some of them
multiplied by every probability: that a number is not negative, that it is the least of its cases.
Then case by case: a number that has cases is followed down its comparisons, and a case that
contradicts what is already said is dropped.  What is still open is put to all of nonlinear
arithmetic, with little effort and then with much.

Fewer conditions can only make a question harder to deny, so `unsat` at any stage is an answer; a
model is taken where all conditions were told.

Effort is counted in the solver's own steps, so that a busy machine does not change a verdict.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import z3

from filterproof_proofs.symbolic.paths import Paths, linear_solver
from filterproof_proofs.symbolic.trees import Fork, Tree

UNSAT, SAT, UNKNOWN = "unsat", "sat", "unknown"
LITTLE, MUCH = 1_000_000, 30_000_000
"""Z3's resource units: some tenths of a second, and half a minute, on an idle core."""


MOST_VALUES = 2
"""A number with so many values may be the least of them; one with more is not asked."""
Names = set[str] | None


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
    _facts: dict[str, list[Any]] = field(default_factory=dict)
    _multiplied: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)

    def ask(self, *goal: Any, suppose: Iterable[Any] = ()) -> Answer:
        """Return whether all formulas of the goal can hold on this path.

        What is supposed is proved first, and then used, if it holds.
        """
        plain = [*self._conditions_near(list(goal)), *goal]
        if self._linear(plain):
            return self._deny(plain)
        return self._by_cases([*goal, *filter(self._holds, suppose)], frozenset())

    # --- case by case -----------------------------------------------------------------------

    def _by_cases(self, goal: list[Any], done: frozenset[str], only: Names = None) -> Answer:
        """Deny the goal by linear arithmetic, or go case by case, or ask with more effort.

        With `only`, for a fact that is not worth more, the cases of these numbers alone are tried.
        """
        self.paths.limits.check(0)
        if contradictory([*self.conditions, *goal]):
            return self._deny([*self.conditions, *goal])
        facts = self._known(goal)
        related = [*self._conditions_near([*goal, *facts]), *goal, *facts]
        multiplied = [*facts, goal[0], *filter(z3.is_eq, goal)]
        if self._linear(related, multiplied, light=True):
            return self._deny(related)
        left = [n for n in self._numbers([*goal, *facts]) if n not in done and _in(n, only)]
        if (not left or not done) and self._linear(related, multiplied):
            return self._deny(related)
        if left:
            return self._descend(goal, left[0], self.paths.splits[left[0]], done, only)
        if only is not None:
            return Answer(UNKNOWN)
        return self._strongly(related, [*self.conditions, *goal])

    def _descend(
        self, goal: list[Any], name: str, cases: Tree, done: frozenset[str], only: Names
    ) -> Answer:
        """Go down the comparisons of a number that has cases."""
        if not isinstance(cases, Fork):
            return self._by_cases([*goal, z3.Real(name) == cases], done | {name}, only)
        if done and self._contradicts(goal):
            return Answer(UNSAT)
        found = Answer(UNSAT)
        for side, below in ((cases.atom, cases.yes), (z3.Not(cases.atom), cases.no)):
            answer = self._descend([*goal, side], name, below, done, only)
            if answer.said == SAT or (answer.said == UNKNOWN and only is not None):
                return answer
            found = answer if answer.said == UNKNOWN else found
        return found

    def _contradicts(self, goal: list[Any]) -> bool:
        """Whether what was compared so far contradicts the goal already."""
        related = [*self._conditions_near(goal), *goal, *self._known(goal)]
        if contradictory([*self.conditions, *goal]) or self._linear(related, light=True):
            self._deny([*self.conditions, *related])
            return True
        return False

    def _conditions_near(self, goal: list[Any]) -> list[Any]:
        """Return the conditions of the path that speak of no derived number but the goal's."""
        near = self.paths.cone(goal)
        return [one for one in self.conditions if self.paths.derived(one) <= near]

    def _numbers(self, goal: list[Any]) -> list[str]:
        """Return the numbers with cases that the goal depends on; those with bounds come last."""
        cone = self.paths.cone(goal) & self.paths.splits.keys()
        return sorted(cone, key=lambda n: (len(self._facts.get(n, ())) > 1, self.paths.order(n)))

    # --- what is known of a number ----------------------------------------------------------

    def _known(self, goal: list[Any]) -> list[Any]:
        """Return the facts about the numbers that a goal, or such a fact, depends on."""
        facts: list[Any] = []
        seen, new = set[str](), self.paths.cone(goal)
        while new:
            seen |= new
            found = [one for name in sorted(new, key=self.paths.order) for one in self._about(name)]
            facts += found
            new = self.paths.cone(found) - seen
        return facts

    def _about(self, name: str) -> list[Any]:
        """Return what is true of a number: that it is not negative, and what it does not exceed."""
        if name not in self._facts:
            self._facts[name] = []  # so that nothing is proved by itself
            self._facts[name] = [one for one in self._suppositions(name) if self._holds(one)]
        return self._facts[name]

    def _suppositions(self, name: str) -> Iterator[Any]:
        """Yield what may be true of a number; the sign of a quotient is that of its parts."""
        number, parts = z3.Real(name), self.paths.quotients.get(name, ())
        if not parts or all(self._holds(one >= 0) for one in parts):
            yield number >= 0
        values = {one.get_id(): one for one in self.paths.values(name)}
        if len(values) <= MOST_VALUES:
            values |= {b.get_id(): b for one in values.values() for b in self._bounds(one)}
            yield from (number <= one for one in values.values())

    def _bounds(self, value: Any) -> list[Any]:
        """Return what a number is known not to exceed."""
        names = self.paths.derived(value) if not value.children() else ()
        return [fact.arg(1) for name in names for fact in self._about(name) if z3.is_le(fact)]

    def _holds(self, fact: Any) -> bool:
        before = len(self.denied)
        found = self._by_cases([z3.Not(fact)], frozenset(), self.paths.derived(fact)).said == UNSAT
        if not found:
            del self.denied[before:]
        return found

    # --- the solver -------------------------------------------------------------------------

    def _strongly(self, related: list[Any], everything: list[Any]) -> Answer:
        """Ask with more effort, and with all that is known on the path."""
        if self._nonlinear(related, LITTLE).said == UNSAT:
            return self._deny(related)
        answer = self._nonlinear(everything, LITTLE)
        if answer.said == UNKNOWN and self._linear(everything, everything):
            answer = Answer(UNSAT)
        if answer.said == UNKNOWN:
            answer = self._nonlinear(everything, self.effort)
        return self._deny(everything) if answer.said == UNSAT else answer

    def _deny(self, formulas: list[Any]) -> Answer:
        self.denied.append(self.paths.complete(formulas))
        return Answer(UNSAT)

    def _linear(
        self, formulas: list[Any], multiplied: Iterable[Any] = (), light: bool = False
    ) -> bool:
        """Whether linear arithmetic denies the formulas, some of them times every factor too."""
        solver = linear_solver(LITTLE)
        told = self.paths.complete(formulas)
        solver.add(*(one for one in told if not light or not self.paths.has_cases(one)))
        solver.add(*(product for one in multiplied for product in self._products(one)))
        return str(solver.check()) == UNSAT

    def _products(self, comparison: Any) -> list[Any]:
        """Return a comparison times every factor, written as a sum of monomials."""
        key = comparison.get_id()
        if key not in self._multiplied:
            self._multiplied[key] = (
                comparison,
                [
                    z3.simplify(z3.simplify(factor * gap, som=True) >= 0)
                    for gap in gaps_of(comparison)
                    for factor in self.factors
                ],
            )
        return self._multiplied[key][1]

    def _nonlinear(self, formulas: list[Any], effort: int) -> Answer:
        solver = z3.SolverFor("QF_NRA")
        solver.set("rlimit", effort)
        formulas = self.paths.complete(formulas)
        solver.add(*formulas)
        said = str(solver.check())
        return Answer(said, solver.model() if said == SAT else None, formulas)


def _in(name: str, only: Names) -> bool:
    return only is None or name in only


def contradictory(formulas: list[Any]) -> bool:
    """Return whether one formula denies another one word by word."""
    said = {one.get_id() for one in formulas if not z3.is_not(one)}
    return any(one.arg(0).get_id() in said for one in formulas if z3.is_not(one))


def gaps_of(condition: Any) -> list[Any]:
    """Return terms that are >= 0 wherever the comparison holds; none if it is no comparison."""
    if z3.is_not(condition):
        return [-gap for gap in gaps_of(condition.arg(0))] if not z3.is_eq(condition.arg(0)) else []
    if z3.is_le(condition) or z3.is_lt(condition):
        return [condition.arg(1) - condition.arg(0)]
    if z3.is_ge(condition) or z3.is_gt(condition):
        return [condition.arg(0) - condition.arg(1)]
    if z3.is_eq(condition) and z3.is_real(condition.arg(0)):
        return [condition.arg(0) - condition.arg(1), condition.arg(1) - condition.arg(0)]
    return []
