"""Every path of one request from every shape of state, and the relations that all paths preserve.

The relations that are guessed are dropped one after the other until nothing drops: what is left
holds at the start and after every request, whatever is asked (Houdini).  Each question is a small
one for the solver.  Paths are explored without the relations, so that none is missed when a
relation falls.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import z3

from filterproof_proofs.refinement.doubles import LARGEST, LOST, OVERFLOW, Doubles
from filterproof_proofs.refinement.machine import Choice, Declined, Request, Shape
from filterproof_proofs.refinement.relations import LOST_NAME, Relation
from filterproof_proofs.refinement.samples import Setting
from filterproof_proofs.refinement.states import NotFinite
from filterproof_proofs.symbolic.kinds import ROUNDED
from filterproof_proofs.symbolic.paths import Infeasible, Limits, Paths, linear_solver
from filterproof_proofs.symbolic.terms import Term, value

MOST_PATHS = 4000
"""Paths of one request from one shape."""
QUESTION = 2.0
"""Seconds for one question to the solver."""
SHORT = 0.4
"""Seconds for a question about a guess: what takes longer is dropped."""
LARGE = 2**64
"""Budgets in doubles are at most this; requests that cost more are explored apart."""


class TooLong(Exception):
    """The time is over, or the state has too many shapes; the message says which."""


@dataclass(frozen=True)
class Edge:
    """One path of the code: from which shape (None: the start), under which conditions, whereto."""

    before: Shape | None
    choice: Choice
    conditions: tuple[Any, ...]
    ran: bool
    goes_on: bool
    beyond: str
    after: Shape
    numbers: tuple[Any, ...]
    rounded: tuple[Any, ...]
    tiny: bool = False
    huge: bool = False
    """Whether a cost of the request is beyond `LARGE`."""


@dataclass(frozen=True)
class Clock:
    """When the proof must end, and whether products stay numbers of their own.

    With `linear`, "sat" may be wrong and "unsat" is not: enough for squares, and always quick.
    """

    deadline: float
    linear: bool = False

    def check(self) -> None:
        """Raise if the time is over."""
        if time.monotonic() > self.deadline:
            raise TooLong("the time is over")

    def part(self, share: Fraction) -> "Clock":
        """Return a clock for a share of the time that is left."""
        now = time.monotonic()
        return replace(self, deadline=now + float(share) * max(0.0, self.deadline - now))

    def question(self) -> float:
        """Return how long one question may take."""
        self.check()
        return max(0.05, min(QUESTION, self.deadline - time.monotonic()))


# --- the numbers of a round -------------------------------------------------------------------


def budget_numbers(setting: Setting) -> dict[str, Any]:
    """Return the solver's numbers for the budget."""
    return {name: z3.Real(f"budget {name}") for name in setting.limits}


def cost_numbers(setting: Setting) -> dict[str, Any]:
    """Return the solver's numbers for the costs of the request."""
    return {name: z3.Real(f"cost {name}") for name in setting.costs}


def state_numbers(shape: Shape) -> dict[str, Any]:
    """Return the solver's numbers for those of a state."""
    return {name: z3.Real(f"state {name}") for name in shape.names}


def ghost_numbers(setting: Setting) -> dict[str, Any]:
    """Return the solver's numbers for what is counted, and for rounds times limit."""
    named = [name for one in setting.counts for name in (one.name, one.room)]
    return {name: z3.Real(f"ghost {name}") for name in named} | {LOST_NAME[0]: few_lost(setting)}


def first_ghosts(setting: Setting) -> dict[str, Any]:
    """Return what is counted before the first round."""
    found = {one.name: value(one.ghost.first) for one in setting.counts}
    found |= {one.room: lost(setting) for one in setting.counts}
    return found | {LOST_NAME[0]: few_lost(setting)}


def few_lost(setting: Setting) -> Any:
    """Return what a few operations may lose near zero."""
    return 16 * LOST if setting.tiny else value(0)


def lost(setting: Setting) -> Any:
    """Return the room for what is lost near zero in a round, and before the first one.

    A room is multiplied by 2^-52 at least, so that this is room for 2^8 operations.
    """
    return 2**60 * LOST if setting.tiny else value(0)


def next_ghosts(setting: Setting, edge: Edge) -> dict[str, Any]:
    """Return what is counted after a path."""
    if edge.before is None:
        return first_ghosts(setting)
    now = ghost_numbers(setting)
    if not edge.ran:
        return now
    then = dict(now)
    costs, budget = cost_numbers(setting) | {"one": value(1)}, budget_numbers(setting)
    for one in setting.counts:
        if one.part in ("", edge.choice.part):
            then[one.name] = one.ghost.after(now[one.name], costs)
        then[one.room] = now[one.room] + one.ghost.most(budget) + lost(setting)
    return then


def base(setting: Setting, huge: bool = False) -> list[Any]:
    """Return what is true of every budget, request and total; a huge request is beyond `LARGE`."""
    budget, costs, ghosts = budget_numbers(setting), cost_numbers(setting), ghost_numbers(setting)
    found = [
        bound for name, one in (*budget.items(), *costs.items()) for bound in in_range(name, one)
    ]
    found += [ghosts[one.name] >= one.ghost.first for one in setting.counts]
    found += [ghosts[one.room] >= 0 for one in setting.counts]
    for one in setting.counts:
        if one.ghost.power > 1:
            most, asked = one.ghost.most(budget), one.ghost.after(value(0), costs)
            found += [most >= 0, most <= LARGE**one.ghost.power, asked >= 0]
            found += [] if huge else [asked <= LARGE**one.ghost.power]
    if setting.kind in ROUNDED:
        found += [LOST >= 0, value(Fraction(1, 2**70)) >= LOST]
        found += [one <= LARGE for one in budget.values()]
        found += [one < OVERFLOW if huge else one <= LARGE for one in costs.values()]
        found += [z3.Or(*(one > LARGE for one in costs.values()))] if huge else []
    return found


def in_range(name: str, number: Any) -> list[Any]:
    """Return what is true of every number of this name."""
    if name == "delta":
        return [number >= 0, number <= 1]
    return [number >= 1] if name == "odds" else [number >= 0]


def holes(shape: Shape) -> list[Any]:
    """Return what is true of the numbers of every state: doubles are below 2^200."""
    found = []
    for name, kind in zip(shape.names, shape.kinds, strict=True):
        if kind in ROUNDED:
            one = z3.Real(f"state {name}")
            found += [one <= LARGEST, one >= -LARGEST]
    return found


# --- paths ------------------------------------------------------------------------------------


def first_edges(setting: Setting, clock: Clock) -> list[Edge]:
    """Return every path that makes a first state."""
    run = _new_run(setting, clock)
    budget = _given_numbers(run, setting, budget_numbers(setting))

    def play() -> Edge:
        _begin(run, setting)
        try:
            state = setting.machine.first(run, budget)
        except Declined:
            raise Infeasible from None
        return _edge(setting, run, None, Choice(), False, True, "", state)

    return completed(run, run.cases(play))


def edges_from(setting: Setting, shape: Shape, clock: Clock) -> list[Edge]:
    """Return every path of one request from a state of a shape."""
    return [
        edge
        for choice in setting.machine.unknown_choices
        for edge in _edges_of_choice(setting, shape, choice, clock)
    ]


def _edges_of_choice(setting: Setting, shape: Shape, choice: Choice, clock: Clock) -> list[Edge]:
    sizes = (False, True) if has_huge_costs(setting) else (False,)
    return [edge for huge in sizes for edge in _edges_of_size(setting, shape, choice, clock, huge)]


def has_huge_costs(setting: Setting) -> bool:
    """Whether a request may ask for more than `LARGE`, which is explored apart."""
    return setting.kind is float and not setting.ideal and bool({*setting.costs} - {"delta"})


def _edges_of_size(
    setting: Setting, shape: Shape, choice: Choice, clock: Clock, huge: bool
) -> list[Edge]:
    run = _new_run(setting, clock)
    run.huge = huge
    costs = _given_numbers(run, setting, cost_numbers(setting))
    found = [
        run.given(f"state {name}", kind)
        for name, kind in zip(shape.names, shape.kinds, strict=True)
    ]

    def play() -> Edge:
        _begin(run, setting, huge)
        for one in holes(shape):
            run.assume(one)
        state = setting.machine.join(run, shape, found)
        answer = setting.machine.step(run, state, Request(costs, choice))
        return _edge(
            setting, run, shape, choice, answer.ran, answer.goes_on, answer.beyond, answer.state
        )

    return completed(run, run.cases(play))


def _new_run(setting: Setting, clock: Clock) -> Doubles:
    clock.check()
    limits = Limits(MOST_PATHS, clock.deadline)
    return Doubles(limits, setting.ideal)


def _begin(run: Doubles, setting: Setting, huge: bool = False) -> None:
    run.results.clear()
    for one in base(setting, huge):
        run.assume(one)


def _given_numbers(run: Doubles, setting: Setting, numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: run.given(one.decl().name(), int if name == "count" else setting.kind)
        for name, one in numbers.items()
    }


def _edge(
    setting: Setting,
    run: Doubles,
    before: Shape | None,
    choice: Choice,
    ran: bool,
    goes_on: bool,
    beyond: str,
    state: Any,
) -> Edge:
    ordered = () if setting.counts else tuple(run.monotone())
    try:
        shape, numbers = setting.machine.split(state)
    except NotFinite:
        if not run.huge or before is None:
            raise
        infinite = (value(OVERFLOW),)  # so that the path must be shown to be impossible
        return Edge(
            before, choice, ordered, ran, False, beyond, before, (), infinite, run.tiny, True
        )
    terms = tuple(
        value(number) if isinstance(number, Term) else exact(number) for number in numbers
    )
    results = tuple(run.results)
    if run.huge:  # what is beyond the largest double is inf there; only what is kept must be small
        kept = zip(terms, shape.kinds, strict=True)
        results = tuple(one for one, kind in kept if kind in ROUNDED) if goes_on else ()
    return Edge(
        before, choice, ordered, ran, goes_on, beyond, shape, terms, results, run.tiny, run.huge
    )


def exact(number: Any) -> Any:
    """Return a known number for the solver."""
    return value(Fraction(number))


def completed(run: Paths, cases: Iterable[Any]) -> list[Edge]:
    """Return the paths with the definitions of every number that they name."""
    found = []
    for case in cases:
        edge = case.value
        known = [*case.conditions, *edge.conditions]
        used = [*known, *(one == 0 for one in (*edge.numbers, *edge.rounded))]
        extra = run.complete(used)[len(used) :]
        found.append(replace(edge, conditions=(*known, *extra)))
    return found


# --- questions --------------------------------------------------------------------------------


def ask(clock: Clock, formulas: Sequence[Any], seconds: float | None = None) -> tuple[str, Any]:
    """Return "unsat", "sat" with a model, or "unknown"; a new solver for each question.

    Linear arithmetic is tried first, with products as numbers of their own: what it excludes is
    impossible, and most questions need no more.
    """
    clock.check()
    quick = linear_solver()
    quick.add(*formulas)
    said = str(quick.check())
    if said == "unsat":
        return said, None
    if said == "sat" and (clock.linear or _is_model(quick.model(), formulas)):
        return said, quick.model()
    solver = z3.Solver()
    solver.set("timeout", int(1000 * (seconds or clock.question())))
    solver.add(*formulas)
    said = str(solver.check())
    return said, solver.model() if said == "sat" else None


def _is_model(model: Any, formulas: Sequence[Any]) -> bool:
    return all(z3.is_true(model.eval(one, True)) for one in formulas)


def before(
    setting: Setting, edge: Edge, relations: Mapping[Shape, Sequence[Relation]]
) -> list[Any]:
    """Return what is known when a path is taken."""
    known = [*base(setting, edge.huge), *edge.conditions]
    if edge.before is None:
        return known
    numbers = budget_numbers(setting) | ghost_numbers(setting) | state_numbers(edge.before)
    return known + [one.formula(numbers) for one in relations.get(edge.before, ())]


def after(setting: Setting, edge: Edge) -> dict[str, Any]:
    """Return the named numbers after a path."""
    state = dict(zip(edge.after.names, edge.numbers, strict=True))
    return budget_numbers(setting) | next_ghosts(setting, edge) | state


def preserved(
    setting: Setting, edges: Sequence[Edge], guessed: dict[Shape, list[Relation]], clock: Clock
) -> dict[Shape, list[Relation]]:
    """Return the relations that hold at the start and after every path."""
    relations = {shape: list(found) for shape, found in guessed.items()}
    todo = [edge for edge in edges if edge.goes_on]
    while todo:
        edge = todo.pop(0)
        kept = _relations_after(setting, edge, relations, clock)
        if len(kept) < len(relations[edge.after]):
            relations[edge.after] = kept
            todo += [
                one for one in edges if one.goes_on and one.before == edge.after and one not in todo
            ]
    return relations


def _relations_after(
    setting: Setting, edge: Edge, relations: Mapping[Shape, Sequence[Relation]], clock: Clock
) -> list[Relation]:
    """Return the relations of the next shape that one path preserves."""
    known, numbers = before(setting, edge, relations), after(setting, edge)
    pending = [(one, one.formula(numbers)) for one in relations[edge.after]]
    while pending:
        wrong = z3.Not(z3.And(*(formula for _, formula in pending)))
        said, model = ask(clock, [*known, wrong], SHORT)
        if said == "unsat":
            break
        false = [pair for pair in pending if model and z3.is_false(model.eval(pair[1], True))]
        if not false:
            return [
                one for one, f in pending if ask(clock, [*known, z3.Not(f)], SHORT)[0] == "unsat"
            ]
        pending = [pair for pair in pending if pair not in false]
    return [one for one, _ in pending]
