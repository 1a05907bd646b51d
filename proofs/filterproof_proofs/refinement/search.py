"""A concrete run that goes beyond the rule, where the proof fails: more runs, and long ones."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from typing import Any

import z3

from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.induction import Clock, TooLong, ask, has_huge_costs, in_range
from filterproof_proofs.refinement.machine import Answer, Choice, Declined, Request
from filterproof_proofs.refinement.samples import USUAL, Observed, Setting, follow, give, observe
from filterproof_proofs.refinement.verdicts import Excess, Play
from filterproof_proofs.symbolic.paths import Infeasible, Limits, TooMuch
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.terms import value

DEPTH = 3
"""Requests of a run whose costs the solver chooses."""
MOST_PLANS = 12
"""Ways to choose what is beside the costs."""
MOST_PATHS = 200
"""Paths of such a run."""
MOST_COST = 1000
VISIBLE = Fraction(1, 2**34)
"""A run goes too far by this part of the limit at least: more than rounding, and it can be seen."""

PATH_DEPTHS = (1, 2)
"""Requests of the runs that are made for each path of a proof."""
MOST_MODELS = 40
"""So many paths of each length at most get a run of their own."""
DEEP_RUNS = 6
"""So many runs, those with most rounds, are followed by one more request for each path."""
MORE_RUNS, AT_ONCE, FIRST_SEED = 1200, 120, 9
"""Random runs beside those that relations were guessed from, and how many between two looks at
the clock."""
HUGE = (2.0**65, 1e30, 1e300, sys.float_info.max)
"""Costs beyond any budget."""
LONG = 2100
"""Requests of a long run: what begins anew after a thousand is reached."""


def search(setting: Setting, clock: Clock) -> Excess | None:
    """Return the shortest run found that goes beyond the rule."""
    for look in (huge_runs, _long_runs, unrolled, _random_runs):
        clock.check()
        seen = look(setting, clock)
        if seen.excess:
            return seen.excess
    return None


def unrolled(setting: Setting, clock: Clock) -> Observed:
    """Return what runs of a few requests show whose costs the solver has chosen."""
    seen = Observed()
    for budget in usual_budgets(setting):
        for depth in range(1, DEPTH + 1):
            for costs in _solutions(setting, budget, depth, clock, _wrong):
                follow(setting, budget, iter(costs), seen)
                if seen.excess:
                    return seen
    return seen


def path_plays(setting: Setting, clock: Clock, plays: Sequence[Play]) -> tuple[Play, ...]:
    """Return a run for each path of a request, in numbers for which it is taken.

    It is the first or second request of a run, or the next one after a run that went deep.
    """
    seen = Observed()
    budget = usual_budgets(setting)[0]
    starts: list[tuple[Mapping[str, Any], int, Sequence[Request]]]
    starts = [(budget, depth, ()) for depth in PATH_DEPTHS]
    deep = sorted(plays, key=lambda play: -sum(one.ran for one in play.calls))[:DEEP_RUNS]
    starts += [(play.budget, 1, _requests_of(play)) for play in deep]
    with suppress(TooLong, TooMuch, NeedsKnown):
        for given, depth, prefix in starts:
            some = _solutions(setting, given, depth, clock, _anything, prefix)
            for requests in islice(some, MOST_MODELS):
                follow(setting, given, iter(requests), seen)
    return tuple(seen.plays)


def _requests_of(play: Play) -> tuple[Request, ...]:
    return tuple(Request(one.costs, one.choice) for one in play.calls)


def _anything(*_: object) -> Any:
    return z3.BoolVal(True)


def _solutions(
    setting: Setting,
    budget: Mapping[str, Any],
    depth: int,
    clock: Clock,
    goal: Callable[..., Any],
    prefix: Sequence[Request] = (),
) -> Iterator[list[Request]]:
    """Yield requests for which a path of the code reaches a goal, as the solver sees it.

    The first ones are those of the prefix.
    """
    for plan in islice(product(setting.machine.unknown_choices, repeat=depth), MOST_PLANS):
        run = Doubles(Limits(MOST_PATHS, time.monotonic() + clock.question()))
        names = [{n: z3.Real(f"cost {n} {i}") for n in setting.costs} for i in range(depth)]
        try:
            cases = run.cases(lambda: _play(setting, run, budget, plan, names, prefix))  # noqa: B023
        except (TooMuch, NeedsKnown):
            continue
        for case in cases:
            reached = goal(setting, budget, plan, names, case.value)
            _, model = ask(clock, [*run.complete(case.conditions), reached])
            if model is not None:
                chosen = [
                    Request({n: _value(setting, n, model, one) for n, one in some.items()}, choice)
                    for some, choice in zip(names, plan, strict=True)
                ]
                yield [*prefix, *chosen]


def _play(
    setting: Setting,
    run: Doubles,
    budget: Mapping[str, Any],
    plan: Sequence[Choice],
    names: list[dict[str, Any]],
    prefix: Sequence[Request],
) -> list[Answer]:
    """Follow a few requests from the start, or after a prefix."""
    for some in names:
        for name, one in some.items():
            for bound in in_range(name, one):
                run.assume(bound)
            run.assume(one <= MOST_COST)
    try:
        state = setting.machine.first(run, budget)
    except Declined:
        raise Infeasible from None
    for request in prefix:
        before = setting.machine.step(run, state, request)
        if not before.goes_on:
            raise Infeasible
        state = before.state
    found: list[Answer] = []
    for some, choice in zip(names, plan, strict=True):
        costs = {n: run.given(one.decl().name(), setting.kind) for n, one in some.items()}
        found.append(setting.machine.step(run, state, Request(costs, choice)))
        state = found[-1].state
        if not found[-1].goes_on:
            break
    return found


def _wrong(
    setting: Setting,
    budget: Mapping[str, Any],
    plan: Sequence[Choice],
    names: list[dict[str, Any]],
    found: list[Answer],
) -> Any:
    """Return that what ran is more than the rule allows, by more than rounding explains."""
    if any(one.beyond for one in found):
        return z3.BoolVal(True)
    known = {name: value(Fraction(one)) for name, one in budget.items()}
    wrong = []
    for count in setting.counts:
        total = value(count.ghost.first)
        for some, choice, one in zip(names, plan, found, strict=False):
            if one.ran and count.part in ("", choice.part):
                total = count.ghost.after(total, some | {"one": value(1)})
        wrong.append(total > count.ghost.most(known) * value(1 + VISIBLE))
    return z3.Or(*wrong)


def _value(setting: Setting, name: str, model: Any, number: Any) -> Any:
    """Return the solver's number as the code is given it."""
    found = model.eval(number, True)
    exact = found.approx(30) if z3.is_algebraic_value(found) else found
    return give(setting, name, Fraction(exact.as_fraction()))


def usual_budgets(setting: Setting) -> list[dict[str, Any]]:
    """Return a few budgets that people use."""
    return [
        {name: give(setting, name, Fraction(one[name])) for name in setting.limits} for one in USUAL
    ]


def huge_runs(setting: Setting, clock: Clock) -> Observed:
    """Return what requests show that ask for far more than any budget, the first and later ones."""
    seen = Observed()
    if not has_huge_costs(setting):
        return seen
    budget = usual_budgets(setting)[0]
    for choice, cost in product(setting.machine.choices[:MOST_PLANS], HUGE):
        clock.check()
        asked = [{name: budget[name] * share for name in setting.costs} for share in (0.5, 0.0)]
        far = {name: budget[name] if name == "delta" else cost for name in setting.costs}
        requests = [Request(one, choice) for one in (asked[0], far, asked[0], far, asked[1])]
        follow(setting, budget, iter(requests), seen)
    return seen


def _random_runs(setting: Setting, clock: Clock) -> Observed:
    for seed in range(FIRST_SEED, FIRST_SEED + MORE_RUNS // AT_ONCE):
        clock.check()
        seen = observe(setting, AT_ONCE, seed)
        if seen.excess:
            break
    return seen


def _long_runs(setting: Setting, clock: Clock) -> Observed:
    """Return what many small rounds show, with a large one from time to time."""
    seen = Observed()
    budget = {name: give(setting, name, _usual(name)) for name in setting.limits}
    for share in (Fraction(0), Fraction(1, 8), Fraction(1, 64), Fraction(1, 1024)):
        follow(setting, budget, _in_time(_small(setting, budget, share), clock), seen)
    return seen


def _in_time(requests: Iterator[Request], clock: Clock) -> Iterator[Request]:
    """Yield requests as long as there is time."""
    for request in requests:
        clock.check()
        yield request


def _usual(name: str) -> Fraction:
    return {"delta": Fraction(1, 2), "count": Fraction(3), "odds": Fraction(2)}.get(
        name, Fraction(1)
    )


def _small(setting: Setting, budget: Mapping[str, Any], share: Fraction) -> Iterator[Request]:
    for i in range(LONG):
        part = Fraction(1) if i % 50 == 49 and not share else share
        for choice in setting.machine.choices[i % len(setting.machine.choices) :][:1]:
            costs = {name: give(setting, name, _cost(name, budget, part)) for name in setting.costs}
            yield Request(costs, choice)


def _cost(name: str, budget: Mapping[str, Any], part: Fraction) -> Fraction:
    limit = Fraction(budget[name])
    return 1 + (limit - 1) * part if name == "odds" else limit * part
