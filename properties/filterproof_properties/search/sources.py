"""The sources of games: each is a generator that yields cases and is sent their scores.

Cases may be given, opened to all that the filter admits or over any budget (`menus`), or all those
of a small space.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from filterproof.exact import format_epsilon
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.small_spaces import bounds_at, games_within
from filterproof_properties.search.loop import Source, Space
from filterproof_properties.search.menus import (
    equal_rounds,
    many_rounds,
    more_rounds,
    one_family,
    one_round,
    over_budget,
    two_rounds,
    with_builders,
)
from filterproof_properties.search.plan import (
    BRANCHES,
    CONSTANTS,
    IDEAS,
    LONG_CONSTANTS,
    NAMED,
    PARTS,
    REMEMBERED,
    SPECIMEN,
    VARIED,
    FreeBudget,
    SearchTask,
)
from filterproof_properties.search.solving.process import branches
from filterproof_properties.search.varied import vary_rounds
from filterproof_properties.targets.evaluate import parameters_for
from filterproof_properties.targets.target import Target

NOTHING: tuple[Space, ...] = ()


def with_parameters(cases: Iterable[Case], target: Target) -> Source:
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


def task_cases(task: SearchTask, target: Target) -> Source:
    """The cases that the task brings along."""
    return with_parameters(task.cases, target)


def remembered_cases(task: SearchTask, target: Target) -> Source:
    """The cases that the task brings along, at the budget asked for."""
    return with_parameters(at_budget(task.budget, task.cases), target)


def named_games(task: SearchTask, target: Target) -> Source:
    """The named games at the budget asked for; their own parameters hold at their own budget."""
    return with_parameters(at_budget(task.budget, named_cases()), target)


def spaces(task: SearchTask, target: Target) -> Source:
    """One part of every small space."""
    epsilon, delta = task.fixed()
    found: tuple[Space, ...] = NOTHING
    for bound in bounds_at(delta):
        whole = True
        for game in games_within(bound, task.part, PARTS):
            score = yield Case("small space", game, epsilon, delta)
            whole = whole and score is not None
        at = f"epsilon = {format_epsilon(epsilon)}, delta = {delta}"
        found += ((f"{bound}; {at}", task.part),) if whole else ()
    return found


SOURCES: Mapping[str, Callable[[SearchTask, Target], Source]] = MappingProxyType(
    {
        SPECIMEN: task_cases,
        REMEMBERED: remembered_cases,
        IDEAS: task_cases,
        CONSTANTS: task_cases,
        LONG_CONSTANTS: task_cases,
        NAMED: named_games,
        BRANCHES: branches,
        VARIED: vary_rounds,
        "over budget": over_budget,
        "one round": with_builders(one_round),
        "two rounds": with_builders(two_rounds),
        "more rounds": with_builders(more_rounds),
        "repeated spends": with_builders(one_family),
        "equal rounds": with_builders(equal_rounds),
        "many rounds": with_builders(many_rounds),
        "spaces": spaces,
    }
)
"""Every source by the name that a task calls it by."""
