"""Plays that take a branch for the first time, or run more than the budget: found by a solver.

A plan says how many quiet rounds come first, and which kinds of requests after them; the solver
chooses their sizes, and the budget where the plan leaves it open.  What comes of it is a play with
numbers; whether it breaks anything is for the search to say.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import z3

from filterproof_proofs.refinement.machine import Answer, Declined
from filterproof_proofs.symbolic.paths import Case as PathCase
from filterproof_proofs.symbolic.paths import Infeasible
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.shapes import BadState
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_properties.search.solving.asked import Asked, Way
from filterproof_properties.search.solving.branches import Branches, numbers_for
from filterproof_properties.search.solving.rounds import Kind

LEAST = Fraction(1, 2**10)
"""The least part of a budget that a request asks for: less would not be put to an object."""
LITTLE = Fraction(1, 2**16)
"""The part of a budget that all quiet rounds state together."""
BEYOND = (Fraction(5, 4), Fraction(257, 256))
"""What runs is so many times the budget, where that is asked of the solver; if not, the second."""
MOST_SIZE, MOST_TIMES = 16, 4
"""Budgets that the solver chooses are at most this large, and requests so many times the budget."""
MOST_PATHS = 24
"""So many paths of one plan are followed."""
MOST_WAYS, MOST_COUNTS = 12, 8
"""So many pairs of ways to ask are tried, and so many numbers of rounds that the code names."""
QUIET_FIRST = range(1, 8)
MOST_PLANS, FURTHER, DEEPEST = 60, 2, 12
"""So many plans are followed; so many requests follow what is new, up to plays of this length."""


@dataclass(frozen=True)
class Opening:
    """The budget: its size in what the target counts, and delta; with `free` others are tried."""

    size: Fraction
    delta: Fraction
    free: bool = False


@dataclass(frozen=True)
class Plan:
    """What is asked: known requests, then some of one kind, each in one of the ways.

    With `any_budget` the solver chooses that, too; `pure` says that delta is 0.
    """

    kind: Kind
    ways: tuple[Way, ...]
    before: "tuple[Request, ...]" = ()
    pure: bool = True
    any_budget: bool = False


@dataclass(frozen=True)
class Request:
    """One request with numbers: what it costs, and how it is asked."""

    kind: Kind
    size: Fraction
    delta: Fraction
    way: Way


@dataclass(frozen=True)
class Play:
    """Requests with numbers, at a budget; `beyond` says that all that runs is more than that."""

    size: Fraction
    delta: Fraction
    requests: tuple[Request, ...]
    beyond: bool


@dataclass(frozen=True)
class Numbers:
    """The numbers of one plan, known or not: the budget, and the costs of each request."""

    size: Any
    delta: Any
    costs: tuple[tuple[Any, Any], ...]


Asking = tuple[Kind, Any, Any, Way]
"""A request of a plan: kind, size, delta and way."""


def plans(
    target: Asked, counts: Iterable[int], opening: Opening, *, more: bool = False
) -> Iterator[Plan]:
    """Yield what is asked, short plays first; with `more` what is asked where there is time.

    `counts` are numbers of rounds that the code names.
    """
    plain = target.ways[0]
    leaks = bool(opening.delta) and "delta" in target.costs
    usual = Plan(Kind.RESPONSE, (), pure=not opening.delta)
    if more:
        yield from _more(target, counts, usual, opening)
        return
    for length in (1, 2, 3):
        yield replace(usual, ways=(plain,) * length)
        if leaks and length < 3:
            yield replace(usual, kind=Kind.LEAK, ways=(plain,) * length)
    for ways in [*product(target.ways, repeat=2)][1 : MOST_WAYS + 1]:
        yield replace(usual, ways=ways)
    for other in (way for way in target.ways if way.elsewhere):
        yield replace(usual, ways=(plain, other, plain))
    for count in QUIET_FIRST:
        yield replace(usual, ways=(plain,) * 3, before=quiet(target, count, opening))


def _more(target: Asked, counts: Iterable[int], usual: Plan, opening: Opening) -> Iterator[Plan]:
    """Yield plays after many quiet rounds, at other budgets, and of requests that also leak."""
    two, three = (target.ways[0],) * 2, (target.ways[0],) * 3
    for n in [*counts][:MOST_COUNTS]:
        for count in (n - less for less in (3, 2, 1, 0) if n > less):
            yield replace(usual, ways=three, before=quiet(target, count, opening))
    if opening.free:
        yield replace(usual, ways=two, any_budget=True)
        yield replace(usual, ways=three, pure=True)
    if opening.delta and "delta" in target.costs:
        yield replace(usual, kind=Kind.BOTH, ways=two)
        yield replace(usual, kind=Kind.LEAK, ways=three)
        for count in QUIET_FIRST:
            before = quiet(target, count, opening)
            yield replace(usual, kind=Kind.LEAK, ways=three, before=before)


def quiet(target: Asked, count: int, opening: Opening) -> tuple[Request, ...]:
    """Return so many rounds that state next to nothing."""
    part = LITTLE / count
    size = 1 + (opening.size - 1) * part if target.multiplies else opening.size * part
    return (Request(Kind.QUIET, size, Fraction(0), target.ways[0]),) * count


def solved_plays(target: Asked, some: Iterable[Plan], opening: Opening) -> Iterator[Play]:
    """Yield plays for the paths of plans: those beyond the budget, and those that are new.

    What is new is gone on from, with more requests.
    """
    run, todo = Branches(), iter(some)
    further: list[Plan] = []
    for _ in range(MOST_PLANS):
        plan = further.pop() if further else next(todo, None)
        if plan is None:
            return
        numbers = numbers_of(run, target, plan, opening)
        for case in run.paths(partial(follow_plan, run, target, plan, numbers), MOST_PATHS):
            new, run.new = run.new, False
            for play in plays_of(run, target, plan, numbers, case, new=new):
                yield play
                further += going_on(target, plan, play)


def going_on(target: Asked, plan: Plan, play: Play) -> list[Plan]:
    """Return the plan that goes on from a play which has reached something."""
    if play.beyond or plan.any_budget or len(play.requests) > DEEPEST:
        return []
    ways = (target.ways[0],) * FURTHER
    return [replace(plan, kind=Kind.RESPONSE, ways=ways, before=play.requests)]


def numbers_of(run: Branches, target: Asked, plan: Plan, opening: Opening) -> Numbers:
    """Return the numbers of a plan: those that are known as the code is given them."""
    kind, none = target.kind, target.kind(0)
    size: Any = run.given("size", kind) if plan.any_budget else kind(opening.size)
    delta: Any = none if plan.pure else kind(opening.delta)
    if plan.any_budget and not plan.pure:
        delta = run.given("delta", kind)
    leaks = plan.kind is not Kind.RESPONSE
    costs = [
        (run.given(f"size {i}", kind), run.given(f"delta {i}", kind) if leaks else none)
        for i in range(len(plan.ways))
    ]
    return Numbers(size, delta, tuple(costs))


def term(number: Any) -> Any:
    """Return a number of a plan for the solver."""
    return value(number if isinstance(number, Term) else Fraction(number))


def loss(target: Asked, size: Any) -> Any:
    """Return what is added up of a size: odds less 1 stand for an epsilon where they are small."""
    return term(size) - 1 if target.multiplies else term(size)


def in_range(target: Asked, plan: Plan, numbers: Numbers) -> list[Any]:
    """Return what is true of the numbers of a plan."""
    whole, found = loss(target, numbers.size), []
    if plan.any_budget:
        found += [whole >= value(LEAST), whole <= MOST_SIZE]
    if plan.any_budget and not plan.pure:
        found += [term(numbers.delta) > 0, term(numbers.delta) < 1]
    for size, delta in numbers.costs:
        one = loss(target, size)
        found += [one >= value(LEAST) * whole, one <= MOST_TIMES * whole]
        if isinstance(delta, Term):
            found += [term(delta) > 0, term(delta) < 1]
    return found


def follow_plan(run: Branches, target: Asked, plan: Plan, numbers: Numbers) -> list[Answer]:
    """Follow the requests of a plan for as long as the code can be followed."""
    for one in in_range(target, plan, numbers):
        run.assume(one)
    found: list[Answer] = []
    try:
        state = target.first(run, numbers.size, numbers.delta)
        for kind, size, delta, way in asked_in(target, plan, numbers):
            found.append(target.step(run, state, kind, size, delta, way))
            state = found[-1].state
            if not found[-1].goes_on:
                break
    except Declined:
        raise Infeasible from None
    except (NeedsKnown, BadState):
        run.reason = None
    return found


def asked_in(target: Asked, plan: Plan, numbers: Numbers) -> Iterator[Asking]:
    """Yield the requests of a plan: kind, size, delta and way of each."""
    for one in plan.before:
        yield one.kind, target.kind(one.size), target.kind(one.delta), one.way
    for (size, delta), way in zip(numbers.costs, plan.ways, strict=True):
        yield (Kind.QUIET if way.elsewhere else plan.kind), size, delta, way


def plays_of(
    run: Branches,
    target: Asked,
    plan: Plan,
    numbers: Numbers,
    case: PathCase[list[Answer]],
    *,
    new: bool,
) -> Iterator[Play]:
    """Yield the play of a path that runs too much; else, of a new one, a large or any play."""
    asked = [*asked_in(target, plan, numbers)][: len(case.value)]
    if len(asked) <= len(plan.before):
        return
    ran = [one for one, answer in zip(asked, case.value, strict=True) if answer.ran]
    known, found = run.complete(case.conditions), False
    for wishes in too_much(target, numbers, ran):
        if (model := first_model(run, known, wishes)) is not None:
            found = True
            yield play_in(model, numbers, asked, beyond=True)
    large = loss(target, asked[-1][1]) * 2 >= loss(target, numbers.size)
    model = first_model(run, known, [large, z3.BoolVal(True)]) if new and not found else None
    if model is not None:
        yield play_in(model, numbers, asked, beyond=False)


def first_model(run: Branches, known: list[Any], wishes: Iterable[Any]) -> Any:
    """Return a model of what is known and the first wish that can be; None if there is none."""
    models = (numbers_for(run.complete([*known, wish])) for wish in wishes)
    return next((model for model in models if model is not None), None)


def too_much(target: Asked, numbers: Numbers, ran: Sequence[Asking]) -> Iterator[list[Any]]:
    """Yield that what ran is more than the budget, by much or by little: as counted, as delta."""
    sizes = [term(size) for kind, size, _, _ in ran if kind in (Kind.RESPONSE, Kind.BOTH)]
    deltas = [term(delta) for kind, _, delta, _ in ran if kind in (Kind.LEAK, Kind.BOTH)]
    if sizes:
        total = (z3.Product if target.multiplies else z3.Sum)(*sizes)
        yield [total > term(numbers.size) * value(share) for share in BEYOND]
    if deltas:
        yield [z3.Sum(*deltas) > term(numbers.delta) * value(share) for share in BEYOND]


def play_in(model: Any, numbers: Numbers, asked: Sequence[Asking], *, beyond: bool) -> Play:
    """Return a play with the numbers of a model."""
    requests = [
        Request(kind, number_in(model, size), number_in(model, delta), way)
        for kind, size, delta, way in asked
    ]
    budget = number_in(model, numbers.size), number_in(model, numbers.delta)
    return Play(*budget, tuple(requests), beyond)


def number_in(model: Any, number: Any) -> Fraction:
    """Return a number of a plan in a model."""
    if not isinstance(number, Term):
        return Fraction(number)
    found = model.eval(number.term, True)
    exact = found.approx(30) if z3.is_algebraic_value(found) else found
    return Fraction(exact.as_fraction())
