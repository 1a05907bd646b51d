"""Every way that code can go on numbers that are not known: a run per path, forked at comparisons.

`Paths.cases` runs a function again and again, each time along another path.  At a comparison the
solver is asked which sides are possible; where both are, one is taken and the other kept for
later.  A side that the solver cannot exclude counts as possible, so no path is ever missed.

New numbers (a quotient, a value that depends on the case) get a name and a definition.  A
definition says nothing about the other numbers, so it is left out where the name does not occur.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

import z3

from filterproof.exact import ExpLinear, rational_odds
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.trees import Fork, Tree, identity, leaves, reduced

Value = TypeVar("Value")

EFFORT = 200_000
"""Z3's resource units for one question whether a side of a comparison is possible."""


class Infeasible(BaseException):
    """No numbers take this path."""


class TooMuch(BaseException):
    """A limit was reached: the reason says which."""


@dataclass(frozen=True)
class Case(Generic[Value]):
    """What one path did: the conditions under which it is taken, and its value."""

    conditions: tuple[Any, ...]
    value: Value


@dataclass(frozen=True)
class Limits:
    """When to give up: paths of one exploration, and when the time is over, by the wall clock."""

    paths: int = 20_000
    deadline: float = float("inf")

    def check(self, paths: int) -> None:
        """Raise if a limit is reached."""
        if paths > self.paths:
            raise TooMuch(f"more than {self.paths} paths")
        if time.monotonic() > self.deadline:
            raise TooMuch("the time is over")


@dataclass
class _Frame:
    """One run: the sides to take first, the sides taken, and what is known by now."""

    prefix: tuple[bool, ...]
    known: dict[int, bool]
    taken: list[bool] = field(default_factory=list)
    conditions: list[Any] = field(default_factory=list)
    todo: list[tuple[bool, ...]] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    asked: int = 0


class Paths:
    """Explores functions of unknown numbers; the numbers it makes belong to it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.at_the_door = False
        self.where = ""
        """The line that is interpreted now: file, number."""
        self.count = 0
        self.reason: NeedsKnown | None = None
        self.definitions: dict[str, Any] = {}
        self.splits: dict[str, Tree] = {}
        self.equals: set[str] = set()
        self.quotients: dict[str, tuple[Any, Any]] = {}
        self._frames: list[_Frame] = []
        self._names: dict[tuple[object, ...], Any] = {}
        self._remembered: dict[tuple[object, ...], Any] = {}
        self._named_in: dict[int, frozenset[str]] = {}
        self._heavy: dict[int, bool] = {}
        self._order: dict[str, int] = {}
        self._kept: list[Any] = []  # so that the solver does not use an identity twice

    # --- numbers ----------------------------------------------------------------------------

    def unknown(self, name: str, degree: int = 0, python_type: type = Fraction) -> Term:
        """Return a number of which nothing is known yet but its type."""
        return Term(self, z3.Real(name), degree, python_type)

    def quotient(self, above: Any, below: Any) -> Any:
        """Return a number that is above/below wherever below is not 0, and 0 where it is."""
        if z3.is_rational_value(below):
            return z3.simplify(above / below)
        made = self._named(
            ("/", above, below),
            lambda v: z3.And(z3.Or(below == 0, v * below == above), z3.Or(below != 0, v == 0)),
        )
        self.quotients[made.decl().name()] = above, below
        return made

    def whole(self, term: Any, up: bool) -> Any:
        """Return a number less than 1 away from the term, on the side of the rounding."""
        if up:
            return self._named(("up", term), lambda v: z3.And(v >= term, v < term + 1))
        return self._named(("down", term), lambda v: z3.And(v <= term, v > term - 1))

    def nearest(self, term: Any) -> Any:
        """Return a number at most 1/2 away from the term."""
        return self._named(
            ("round", term), lambda v: z3.And(2 * v <= 2 * term + 1, 2 * v >= 2 * term - 1)
        )

    def rounded(self, exact: Term, kind: type) -> Any:
        """Say that a number would be rounded, which this run does not follow; a subclass may."""
        raise self.stuck(f"a {kind.__name__} is computed: it is rounded, and the proof is exact")

    def shortest(self, exact: Term) -> Term:
        """Say that digits would be read, which this run does not follow; a subclass may."""
        raise self.stuck("the digits of a float are read: the proof is exact")

    def added(self, total: Any, one: Any) -> Any:
        """Say that a sum would be rounded; a subclass may follow it."""
        return total + one

    def named(self, term: Any) -> Any:
        """Return a number that is equal to the term, and short."""
        if not term.children():
            return term
        made = self._named(("=", term), lambda v: v == term)
        self.equals.add(made.decl().name())
        return made

    def merged(self, function: Callable[[], ExpLinear]) -> ExpLinear:
        """Return the value of a pure function, all its cases in one number."""
        cases = self.cases(lambda: self._without_errors(function))
        if len({id(rational_odds(case.value.epsilon)) for case in cases}) > 1:
            raise self.stuck("a number has cases with different epsilons")
        joined = self.joined([Case(case.conditions, case.value.a) for case in cases])
        return ExpLinear(joined, 0, cases[0].value.epsilon)

    def _without_errors(self, function: Callable[[], Value]) -> Value:
        """Say so if one of the cases raises: the others would be lost with it."""
        try:
            return function()
        except Exception as error:
            raise self.stuck(f"one case of a function raises ({error})") from None

    def joined(self, cases: list[Case[Any]]) -> Any:
        """Return one number that has each case's value under its conditions."""
        if len({id(case.value) for case in cases}) == 1:
            return cases[0].value
        degrees = {case.value.degree for case in cases if isinstance(case.value, Term)} or {0}
        if len(degrees) > 1:
            raise self.stuck("masses are known up to a common factor: only their ratios count")
        tree = reduced([(case.conditions, value(case.value)) for case in cases])
        if not isinstance(tree, Fork):
            return Term(self, tree, degrees.pop())
        made = self._name(("case", *identity(tree)))
        self.splits[made.decl().name()] = tree
        return Term(self, made, degrees.pop())

    def values(self, name: str) -> list[Any]:
        """Return the values of the cases of a number; none if it has no cases."""
        return list(leaves(self.splits[name])) if name in self.splits else []

    def fact(self, name: str, condition: Any) -> None:
        """Let a condition come with every use of a name."""
        self.definitions.setdefault(name, condition)
        self._define(name)

    def _named(self, key: tuple[Any, ...], define: Callable[[Any], Any]) -> Any:
        made = self._name(key)
        self.fact(made.decl().name(), define(made))
        return made

    def _name(self, key: tuple[Any, ...]) -> Any:
        """Return the number that stands for a key: the same one whenever the key comes back."""
        identity = tuple(part if isinstance(part, str) else part.get_id() for part in key)
        if identity not in self._names:
            self._order[f"v{len(self._names)}"] = len(self._names)
            self._names[identity] = z3.Real(f"v{len(self._names)}")
            self._kept.append(key)
        return self._names[identity]

    def _define(self, name: str) -> None:
        """Tell the solver a definition, unless it knows it on this path."""
        if self._frames and not any(name in frame.defined for frame in self._frames):
            self._frames[-1].defined.add(name)

    def stuck(self, reason: str) -> NeedsKnown:
        """Remember the reason even if the code under test swallows the error."""
        self.reason = NeedsKnown(f"{self.where}: {reason}" if self.where else reason)
        return self.reason

    # --- paths ------------------------------------------------------------------------------

    @property
    def exploring(self) -> bool:
        """Whether a path is being followed, and not a run on known numbers."""
        return bool(self._frames)

    def assume(self, condition: Any) -> None:
        """Go on only where the condition holds."""
        condition = z3.simplify(condition)
        if z3.is_false(condition):
            raise Infeasible
        if not z3.is_true(condition):
            self._take(self._frames[-1], condition, True)

    def branch(self, condition: Any) -> bool:
        """Return which side this run takes."""
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return bool(z3.is_true(condition))
        if z3.is_not(condition):
            return not self.branch(condition.arg(0))
        for frame in reversed(self._frames):
            if (known := frame.known.get(condition.get_id())) is not None:
                return known
        return self._fork(self._frames[-1], condition)

    def _fork(self, frame: _Frame, condition: Any) -> bool:
        place = len(frame.taken)
        if place < len(frame.prefix):
            side = frame.prefix[place]
        else:
            first = self.first_side()
            sides = [one for one in (first, not first) if self._possible(_side(condition, one))]
            if not sides:
                raise Infeasible
            side = sides[0]
            frame.todo += [(*frame.taken, one) for one in sides[1:]]
        frame.taken.append(side)
        self._take(frame, condition, side)
        return side

    def _take(self, frame: _Frame, condition: Any, side: bool) -> None:
        self._kept.append(condition)
        frame.known[condition.get_id()] = side
        frame.conditions.append(_side(condition, side))

    def first_side(self) -> bool:
        """Return which side of a comparison is taken first where both are possible."""
        return True

    def next_path(self, todo: list[tuple[bool, ...]]) -> int:
        """Return which of the paths that are left is followed next; a proof follows them all."""
        return -1

    def _possible(self, condition: Any) -> bool:
        """Whether linear arithmetic, with products as numbers of their own, leaves this side open.

        A solver is made for every question: told little by little, Z3 can lose itself.
        """
        solver = linear_solver()
        for frame in self._frames:
            told = (*frame.conditions, *(self.definitions[name] for name in frame.defined))
            solver.add(*(one for one in told if not self.has_cases(one)))
        solver.add(condition)
        return str(solver.check()) != "unsat"

    def has_cases(self, formula: Any) -> bool:
        """Whether a formula contains an `if`: such ones are slow, and rarely exclude a path."""
        key = formula.get_id()
        if key not in self._heavy:
            self._kept.append(formula)
            self._heavy[key] = any(z3.is_app_of(one, z3.Z3_OP_ITE) for one in parts_of(formula))
        return self._heavy[key]

    def cases(self, function: Callable[[], Value]) -> list[Case[Value]]:
        """Return what the function does on each of its paths, from here on."""
        key = self._place()
        if key is None:
            return list(self._explore(function))
        if key not in self._remembered:
            self._remembered[key] = list(self._explore(function))
        return self._remembered[key]  # type: ignore[no-any-return]

    def _place(self) -> tuple[object, ...] | None:
        """Name this place of the run: code is deterministic, so it comes back in every replay."""
        if not self._frames:
            return None
        self._frames[-1].asked += 1
        return tuple((tuple(one.taken), one.asked) for one in self._frames)

    def _explore(self, function: Callable[[], Value]) -> Iterator[Case[Value]]:
        todo: list[tuple[bool, ...]] = [()]
        while todo:
            self.count += 1
            self.limits.check(self.count)
            frame = _Frame(todo.pop(self.next_path(todo)), {})
            with self._inside(frame):
                try:
                    made = function()
                except Infeasible:
                    continue
                finally:
                    todo += frame.todo
                    if self.reason is not None:
                        raise self.reason
            yield Case(tuple(frame.conditions), made)

    @contextmanager
    def _inside(self, frame: _Frame) -> Iterator[None]:
        self._frames.append(frame)
        try:
            yield
        finally:
            self._frames.pop()

    # --- questions --------------------------------------------------------------------------

    def complete(self, formulas: Iterable[Any]) -> list[Any]:
        """Return the formulas together with the definition of every name that occurs in them."""
        found, todo, seen = list(formulas), list(formulas), set[str]()
        while todo:
            for name in self.names_of(todo.pop()) - seen:
                seen.add(name)
                if name in self.definitions:
                    found.append(self.definitions[name])
                    todo.append(self.definitions[name])
        return found

    def names_of(self, formula: Any) -> frozenset[str]:
        """Return the names that occur in a formula; remembered, as it is asked again and again."""
        key = formula.get_id()
        if key not in self._named_in:
            self._kept.append(formula)
            self._named_in[key] = frozenset(names(formula))
        return self._named_in[key]

    def derived(self, formula: Any) -> set[str]:
        """Return the derived numbers that a formula names."""
        return {name for name in self.names_of(formula) if name in self._order}

    def cone(self, formulas: Iterable[Any]) -> set[str]:
        """Return the derived numbers that formulas depend on, through definitions too."""
        return {name for one in self.complete(formulas) for name in self.derived(one)}

    def order(self, name: str) -> int:
        """Return when a derived number got its name; -1 for the numbers of the round itself."""
        return self._order.get(name, -1)


def _side(condition: Any, side: bool) -> Any:
    return condition if side else z3.Not(condition)


def linear_solver(effort: int = EFFORT) -> Any:
    """Return a solver for linear arithmetic: a product of unknowns is a number of its own."""
    solver = z3.SimpleSolver()
    solver.set("arith.nl", False)
    solver.set("rlimit", effort)
    return solver


def names(formula: Any) -> set[str]:
    """Return the names of the numbers that occur in a formula."""
    return {
        one.decl().name()
        for one in parts_of(formula)
        if z3.is_const(one) and one.decl().kind() == z3.Z3_OP_UNINTERPRETED
    }


def parts_of(formula: Any) -> Iterator[Any]:
    """Yield a formula and everything that it is made of, each once."""
    seen: set[int] = set()
    todo = [formula]
    while todo:
        one = todo.pop()
        if one.get_id() not in seen:
            seen.add(one.get_id())
            yield one
            todo += one.children()
