"""The sources of games: each is a generator that yields cases and is sent their scores.

Cases may be given, staged by a family of attacks, drawn at random and improved, grown against the
filter's own answers, made to measure for it, or all those of a small space.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from random import Random
from types import MappingProxyType
from typing import Any

from filterproof.exact import Epsilon, format_epsilon
from filterproof.filter import Filter, parameter_sets
from filterproof.game import Game
from filterproof_properties.case import Case, Scored
from filterproof_properties.games import strategies
from filterproof_properties.games.families import FAMILIES, made
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.small_spaces import bounds_at, games_within
from filterproof_properties.games.thresholds import pool
from filterproof_properties.search.branches import brim_cases
from filterproof_properties.search.climbing import Elites, climb, grow, keep, shapes_at, sharpest
from filterproof_properties.search.loop import Source, Space
from filterproof_properties.search.paths import DELTAS, EPSILONS, march_cases, single_cases
from filterproof_properties.search.plan import IDEAS, NAMED, PARTS, SPECIMEN, FreeBudget, Stint
from filterproof_properties.targets.evaluate import make_filter, parameters_for
from filterproof_properties.targets.target import Declined, Target

NOTHING: tuple[Space, ...] = ()


def unguided(cases: Iterable[Case]) -> Source:
    """A source whose cases do not depend on what came of the ones before."""
    for case in cases:
        _ = yield case
    return NOTHING


def given(cases: Iterable[Case], target: Target) -> Source:
    """The cases that are given, with their own parameters if the target takes those."""
    for case in cases:
        for parameters in parameters_for(target, case):
            yield replace(case, parameters=parameters)
    return NOTHING


def at_budget(budget: FreeBudget, cases: Iterable[Case]) -> Iterator[Case]:
    """Yield cases with the parts of their budgets that are fixed; their parameters may not fit."""
    for case in cases:
        epsilon = case.epsilon if budget[0] is None else budget[0]
        delta = case.delta if budget[1] is None else budget[1]
        fits = (epsilon, delta) == (case.epsilon, case.delta)
        yield case if fits else replace(case, epsilon=epsilon, delta=delta, parameters={})


def listed(stint: Stint, target: Target) -> Source:
    """The cases that the stint brings along."""
    return given(stint.cases, target)


def named(stint: Stint, target: Target) -> Source:
    """The named games at the budget asked for; their own parameters hold at their own budget."""
    return given(at_budget(stint.budget, named_cases()), target)


def attacks(stint: Stint, target: Target) -> Source:
    """A stretch of one family at one budget."""
    epsilon, delta = stint.fixed()
    thresholds = pool(target, epsilon, delta, range(1, 4))
    family = FAMILIES[stint.family](epsilon, delta, thresholds)
    return unguided(islice(family, stint.part, stint.part + stint.plays))


def drawn(stint: Stint, target: Target) -> Source:
    """Games drawn at random, then small changes of the best of every kind."""
    choose = Random(stint.seed).randrange
    elites: Elites = {}
    epsilon, delta = stint.budget
    for _ in range(stint.plays // 2):
        offer = partial(parameter_sets, target)
        case = strategies.draw_case(choose, epsilon=epsilon, delta=delta, parameters=offer)
        keep(elites, (yield case))
    free = stint.budget == (None, None) and not hasattr(target, "parameters")
    yield from climb(elites, choose, stint.plays, free)
    return NOTHING


WEAK = tuple(Fraction(1, n) for n in (20, 10, 40, 3))
"""How far a first response leans that leaves most of the budget to the branches."""


def grown(stint: Stint, target: Target) -> Source:
    """Single mechanisms, extended by whatever the filter still admits."""
    rng = Random(stint.seed)
    shapes = shapes_at(stint.fixed()[0])
    weak = [(shapes[0], t) for t in WEAK]
    strong = [(shape, None) for shape in rng.sample(shapes, len(shapes))]
    for shape, t in (weak[0], weak[1], *strong, weak[2], weak[3]):

        def make(setting: Fraction, shape: Any = shape) -> Case:
            game = Game(("0", "1"), [("0", "1")], {"ask": made(shape(setting))})
            return Case("grown", game, *stint.fixed())

        start: Scored | None = (yield from sharpest(make)) if t is None else (yield make(t))
        if start is not None:
            bare = replace(start, case=replace(start.case, parameters={}))
            yield from grow(bare, 4, rng.sample(shapes, len(shapes)))
    return NOTHING


Made = Callable[[Filter[Any], Epsilon, Fraction], Iterator[Case]]


def branches(stint: Stint, target: Target) -> Source:
    """All branches after a first round, filled as far as the filter allows."""
    return unguided(_made(target, *stint.fixed(), partial(brim_cases, part=stint.part)))


def paths(stint: Stint, target: Target) -> Source:
    """Round after round along one path, filled as far as the filter allows."""
    return unguided(_made(target, *stint.fixed(), march_cases))


def single(stint: Stint, target: Target) -> Source:
    """One round at many budgets, those that the user has not fixed."""
    epsilon, delta = stint.budget
    for one in EPSILONS if epsilon is None else (epsilon,):
        for other in (DELTAS if delta is None else (delta,))[stint.part :: PARTS]:
            yield from unguided(_made(target, one, other, single_cases))
    return NOTHING


def _made(target: Target, epsilon: Epsilon, delta: Fraction, make: Made) -> Iterator[Case]:
    """Yield cases that are made for the filter, by asking it, at one budget."""
    for parameters in parameter_sets(target, epsilon, delta, 2):
        try:
            rule = make_filter(target, epsilon, delta, parameters)
        except Declined:
            continue
        for case in make(rule, epsilon, delta):
            yield replace(case, parameters=parameters)


def spaces(stint: Stint, target: Target) -> Source:
    """One part of every small space."""
    epsilon, delta = stint.fixed()
    found: tuple[Space, ...] = NOTHING
    for bound in bounds_at(delta):
        whole = True
        for game in games_within(bound, stint.part, PARTS):
            score = yield Case("small space", game, epsilon, delta)
            whole = whole and score is not None
        at = f"epsilon = {format_epsilon(epsilon)}, delta = {delta}"
        found += ((f"{bound}; {at}", stint.part),) if whole else ()
    return found


SOURCES: Mapping[str, Callable[[Stint, Target], Source]] = MappingProxyType(
    {
        SPECIMEN: listed,
        IDEAS: listed,
        NAMED: named,
        "attacks": attacks,
        "drawn": drawn,
        "grown": grown,
        "branches": branches,
        "paths": paths,
        "single": single,
        "spaces": spaces,
    }
)
"""Every source by the name that a stint calls it by."""
