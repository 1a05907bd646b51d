"""The search: a list of independent tasks, each of which tries to break a target.

A campaign is the list of its tasks in order, and the first violation in that order is the
campaign's, so the outcome does not depend on where and when the tasks are run.  Attacks come
first, with drawn and grown games and small spaces in between; then it goes on for as long as it
may.  The violation is shrunk at the end.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count, islice
from random import Random
from time import monotonic

from filterproof.exact import Epsilon, ExpLinear
from filterproof.fast import worst_case
from filterproof.filter import ProtocolError
from filterproof_properties.audit.claims import CLAIMS
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.families import BUDGETS, FAMILIES
from filterproof_properties.search.branches import PARTS as FIRST_PARTS
from filterproof_properties.search.shrinking import shrink
from filterproof_properties.search.tasks import PARTS, Task, TaskResult, offered, run_task
from filterproof_properties.settings import SearchSettings
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import rule_of

__all__ = [
    "SearchResult",
    "SearchSettings",
    "Task",
    "TaskResult",
    "finish",
    "merge",
    "plan",
    "run_task",
    "search",
]


@dataclass(frozen=True)
class SearchResult:
    """What a campaign tried, the worst it met, and the shrunk violation if there is one.

    `shapes` counts (rounds, databases); `proved` names spaces of games played in full.
    """

    tried: int
    declined: int
    shapes: Counter[tuple[int, int]]
    tasks: int
    best: Scored | None = None
    violation: Case | None = None
    detail: str = ""
    error: str = ""
    proved: tuple[str, ...] = ()
    found_by: str = ""
    as_found: Case | None = field(default=None, repr=False)


# --- the plan -------------------------------------------------------------------------------------

CHUNK = 32
CHUNKS = 12
FIRST = 3
DRAWN = 200
GROWN = 1500
MADE = 400
DEFAULT_EXAMPLES = 4000
TASKS_PER_SECOND = 20


Budget = tuple[Epsilon, Fraction]


def budgets(settings: SearchSettings) -> list[Budget]:
    """Return the budgets to attack at: the fixed parts, completed from the usual ones."""
    found = (
        (
            epsilon if settings.epsilon is None else settings.epsilon,
            delta if settings.delta is None else settings.delta,
        )
        for epsilon, delta in BUDGETS
    )
    return list(dict.fromkeys(found))


def plan(settings: SearchSettings) -> list[Task]:
    """Return the tasks of a campaign in the order in which their results count."""
    tasks: list[Task] = []
    room = _room(settings)
    most = None if settings.seconds is None else 50 + settings.seconds * TASKS_PER_SECOND
    for kind, budget, family, start, examples in _stream(settings):
        if room <= 0 or (most is not None and len(tasks) >= most):
            break
        number = len(tasks)
        seed = Random(f"{settings.seed}/{number}").randrange(2**32)
        size = int(min(examples, room, max(CHUNK, room / 4)))  # no task takes all that is left
        tasks.append(Task(number, kind, seed, budget, size, settings, family, start))
        room -= size
    return tasks


def _room(settings: SearchSettings) -> float:
    if settings.examples is not None:
        return settings.examples
    return float("inf") if settings.seconds is not None else DEFAULT_EXAMPLES


Slot = tuple[str, tuple[Epsilon | None, Fraction | None], str, int, int]


def _stream(settings: SearchSettings) -> Iterator[Slot]:
    """Yield tasks for ever: attacks first, with other kinds in between; then only those."""
    usual = budgets(settings)
    others = _others(settings, usual)
    if settings.attacks:
        for chunk in range(CHUNKS):
            for some in (usual[:FIRST], usual[FIRST:]):
                yield from _wave(some, chunk, others)
    yield from others


def _wave(some: list[Budget], chunk: int, others: Iterator[Slot]) -> Iterator[Slot]:
    """Yield one stretch of every family at some budgets, each followed by another kind of task."""
    for family in FAMILIES if some else ():
        for budget in some:
            yield "attacks", budget, family, chunk * CHUNK, CHUNK
        yield from islice(others, 1)


def _others(settings: SearchSettings, usual: list[Budget]) -> Iterator[Slot]:
    """Yield filled games, games drawn at usual and at free budgets, grown ones, small spaces."""
    free = (settings.epsilon, settings.delta)
    filled = _filled(free, usual) if settings.claim == "dp" else iter(())
    spaces = iter([("exhaustive", b, "", part, GROWN) for b in usual for part in range(PARTS)])
    for turn in count():
        budget = usual[(turn + FIRST - 1) % len(usual)]
        yield from islice(filled, 1)
        yield "drawn", budget, "", 0, DRAWN
        yield from islice(filled, 1)
        yield "grown", usual[(turn - len(usual) // 2) % len(usual)], "", 0, GROWN
        yield from islice(filled, 1)
        yield "drawn", free, "", 0, DRAWN
        yield from islice(filled, 1)
        yield from islice(spaces, 1)


def _filled(free: tuple[Epsilon | None, Fraction | None], usual: list[Budget]) -> Iterator[Slot]:
    """Yield games made to measure: all at the first budget, then some from the last one back."""
    singles = iter([("single", free, "", part, MADE) for part in range(PARTS)])
    later: list[Slot] = []
    for place, budget in enumerate([*usual[:1], *usual[:0:-1]]):
        brims: list[Slot] = [("brim", budget, "", part, MADE) for part in range(FIRST_PARTS)]
        yield from brims[:1] if budget[1] else ()
        yield "march", budget, "", 0, MADE
        yield from islice(singles, 1)
        if budget[1] and place:
            later += brims[1:]
        elif budget[1]:
            yield from brims[1:]
    yield from singles
    yield from later


# --- a campaign -----------------------------------------------------------------------------------


def search(
    target: Target,
    settings: SearchSettings,
    on_event: Callable[[TaskResult], None] | None = None,
) -> SearchResult:
    """Run a campaign in this process, up to the first violation, and shrink that."""
    begun = monotonic()
    results = []
    for task in plan(settings):
        left = None if settings.seconds is None else begun + settings.seconds - monotonic()
        if left is not None and left <= 0:
            break
        results.append(run_task(task, target, left))
        if on_event is not None:
            on_event(results[-1])
        if results[-1].violation is not None:
            break
    return finish(results, target, settings)


def finish(results: Iterable[TaskResult], target: Target, settings: SearchSettings) -> SearchResult:
    """Merge results in the order of their tasks and shrink the first violation."""
    merged = merge(results)
    if merged.violation is None:
        return merged
    free = settings.epsilon is None and settings.delta is None
    judge = Judge(target, settings.claim)
    found = judge(merged.violation)
    small = shrink(found, judge, budget_is_free=free).case if found else merged.violation
    return replace(merged, violation=small, as_found=merged.violation)


class Judge:
    """Says whether a case is still a violation; used to shrink."""

    def __init__(self, target: Target, claim: str) -> None:
        self.target, self.claim = target, CLAIMS[claim]

    def __call__(self, case: Case) -> Scored | None:
        """Return the case with the parameters that still break the claim, if some do."""
        for parameters in [dict(case.parameters), *offered(self.target, case)]:
            candidate = replace(case, parameters=parameters)
            try:
                scored = self.score(candidate)
                if scored is not None:
                    return scored
            except (Declined, ProtocolError):
                continue
        return None

    def score(self, case: Case) -> Scored | None:
        """Return the H of a case that breaks the claim; 1 for claims that have no H."""
        if self.claim.name != "dp":
            broken = self.claim.breach(self.target, case) is not None
            return Scored(case, ExpLinear(1, 0, case.epsilon)) if broken else None
        scored = Scored(case, worst_case(rule_of(self.target, case), case.game, case.epsilon).value)
        return scored if scored.violated else None


def merge(results: Iterable[TaskResult]) -> SearchResult:
    """Merge results in task order, up to and including the first violation."""
    merged = SearchResult(0, 0, Counter(), 0)
    played: dict[str, set[int]] = {}
    for one in sorted(results, key=lambda result: result.number):
        better = one.best if one.best and one.best.beats(merged.best) else merged.best
        merged = replace(
            merged,
            tried=merged.tried + one.tried,
            declined=merged.declined + one.declined,
            shapes=merged.shapes + one.shapes,
            tasks=merged.tasks + 1,
            best=better,
            violation=one.violation,
            detail=one.detail,
            error=merged.error or one.error,
            found_by=one.kind if one.violation else "",
        )
        for space, part in one.proved:
            played.setdefault(space, set()).add(part)
        if one.violation is not None:
            break
    return replace(merged, proved=_in_full(played))


def _in_full(played: Mapping[str, set[int]]) -> tuple[str, ...]:
    """Return the spaces of which every part was played."""
    return tuple(space for space, parts in played.items() if len(parts) == PARTS)
