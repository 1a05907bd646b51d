"""What is tried, in which order and in which share: a list of independent tasks.

A task is one source of games at one budget for so many plays.  It is plain data with a seed of
its own, so it gives the same result in any process, and the first violation in the order of the
tasks is the search's, wherever and whenever they are played.

Ideas come first (cases that the caller has reason to try), then the named games.  Then all sources
in turn, for as long as there is time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice, zip_longest
from random import Random
from types import MappingProxyType

from filterproof.exact import Epsilon, Log
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import CONTEXTS
from filterproof_properties.settings import Settings

Budget = tuple[Epsilon, Fraction]
FreeBudget = tuple[Epsilon | None, Fraction | None]

SPECIMEN, IDEAS, NAMED = "specimen", "ideas", "named games"
"""Sources whose cases are known; a specimen is a counterexample, as small as it gets."""
NO_CASES: Mapping[str, Sequence[Case]] = MappingProxyType({})
ALL = 10**9


@dataclass(frozen=True)
class SearchTask:
    """One source of games at one budget, for so many plays; `cases` are given, `part` is which."""

    number: int
    source: str
    seed: int
    budget: FreeBudget
    plays: int
    variant: str = ""
    part: int = 0
    cases: tuple[Case, ...] = ()

    def fixed(self) -> Budget:
        """Return the budget of a task that has both parts of one."""
        epsilon, delta = self.budget
        if epsilon is None or delta is None:
            raise ValueError(f"the source {self.source!r} needs a budget; got {self.budget}")
        return epsilon, delta


STRETCH = 32
"""A task has at least so many plays, where there are so many."""
DRAWN, SOME, WHOLE = 100, 400, 3000
"""How many plays other tasks may take at most; a part of the small spaces fits in the last."""
PARTS = 4
"""The spaces that are played in full are split into so many tasks."""
LEAST = 4
"""So many of the first tasks are the least that is tried, beside what is given."""
DEFAULT_PLAYS = 4000
TASKS_PER_SECOND = 20

Slot = tuple[str, FreeBudget, str, int, int]
"""A source, a budget, a variant, which part, and how many plays."""

BUDGETS: tuple[Budget, ...] = tuple(
    (epsilon, Fraction(delta))
    for epsilon, delta in (
        (Log(Fraction(2)), "1/10"),
        (Fraction(3), "1/100"),
        (Fraction(1), "1/100000"),
        (Log(Fraction(1000)), "1/10"),
        (Fraction(1), "0"),
        (Log(Fraction(4)), "1/2"),
        (Fraction(8), "1/100"),
        (Fraction(1, 10), "1/100"),
        (Fraction(1), "9/10"),
        (Fraction(60), "1/100"),
        (Log(Fraction(2)), "1/4"),
        (Fraction(0), "1/10"),
        (Fraction(3), "1/1000000000"),
        (Log(Fraction(3, 2)), "0"),
        (Fraction(8), "1/1000000000"),
        (Fraction(1, 10), "1/100000"),
    )
)
"""Where a filter is tried when the user fixes no budget: what people use, and odd ones."""


def budgets(settings: Settings) -> list[Budget]:
    """Return the budgets to try: the fixed parts, completed from the usual ones."""
    found = (
        (
            epsilon if settings.epsilon is None else settings.epsilon,
            delta if settings.delta is None else settings.delta,
        )
        for epsilon, delta in BUDGETS
    )
    return list(dict.fromkeys(found))


def plan(settings: Settings, first: Mapping[str, Sequence[Case]] = NO_CASES) -> list[SearchTask]:
    """Return the tasks in the order in which their results count.

    `first` has cases to try before all others, by the name of their source.
    """
    tasks = [*given_first(settings, first)]
    room = plays_in_all(settings)
    most = None if settings.seconds is None else 50 + settings.seconds * TASKS_PER_SECOND
    for source, budget, variant, part, plays in stream(settings):
        if room <= 0 or (most is not None and len(tasks) >= most):
            break
        number = len(tasks)
        seed = Random(f"{settings.seed}/{number}").randrange(2**32)
        size = int(min(plays, room, max(STRETCH, room / 16)))  # no task takes all that is left
        tasks.append(SearchTask(number, source, seed, budget, size, variant, part))
        room -= size
    return tasks


def least(tasks: Sequence[SearchTask]) -> Sequence[SearchTask]:
    """Return the tasks without a play of which nothing is concluded: given ones, first menus."""
    given = [task for task in tasks if task.cases or task.source == NAMED]
    return tasks[: len(given) + LEAST]


def given_first(settings: Settings, first: Mapping[str, Sequence[Case]]) -> Iterator[SearchTask]:
    """Yield the tasks of cases that are given: the caller's, then the named games."""
    free = (settings.epsilon, settings.delta)
    given = {source: tuple(cases) for source, cases in first.items() if cases}
    for number, (source, cases) in enumerate(given.items()):
        yield SearchTask(number, source, 0, free, ALL, cases=cases)
    if settings.attacks:
        yield SearchTask(len(given), NAMED, 0, free, ALL)


def plays_in_all(settings: Settings) -> float:
    """Return how many games are played, those that are given not counted."""
    if settings.examples is not None:
        return settings.examples
    return float("inf") if settings.seconds is not None else DEFAULT_PLAYS


def stream(settings: Settings) -> Iterator[Slot]:
    """Yield tasks, from all sources in turn; drawing never ends.

    Every source goes through the budgets in the order of the list, so that in a short time each
    idea meets each region.
    """
    usual = budgets(settings)
    opening, drawing, spaces = _menus(settings, usual), _drawn(settings, usual), _spaces(usual)
    while True:
        yield from islice(opening, 8)
        yield from islice(drawing, 1)
        yield from islice(opening, 8)
        yield from islice(spaces, 1)


FIRST = ("over budget", "one round", "two rounds")
"""What comes first at every budget."""


def _menus(settings: Settings, usual: list[Budget]) -> Iterator[Slot]:
    """Yield open menus: one round and two, a row and a context; then all of these in turn."""
    near, far = usual[:6], usual[6:]
    kinds = FIRST if settings.attacks else FIRST[1:]
    rows = ("repeated spends", "equal rounds") * 8
    single = iter([("one round", budget, "", 0, SOME) for budget in far])
    contexts = iter(
        [("one round", near[n % len(near)], "", n, SOME) for n in range(1, len(CONTEXTS) + 1)]
    )
    for number, (budget, row) in enumerate(zip(near, rows, strict=False)):
        yield from ((kind, budget, "", 0, SOME) for kind in (*kinds, row))
        yield from islice(contexts, 1 if number else 0)
        yield from islice(single, 2)
    others = [(row, budget, "", 0, SOME) for budget, row in zip(near, rows[1:], strict=False)]
    others += [("more rounds", budget, "", 0, SOME) for budget in (*near[:1], *near[4:])]
    again = [(kind, budget, "", 0, SOME) for budget in far for kind in (*rows[:2], *kinds[::-2])]
    late = [*contexts]
    for some in zip_longest(others, late[::2], again[::2], late[1::2], again[1::2]):
        yield from (slot for slot in some if slot is not None)
    for turn in range(len(CONTEXTS) + 1):
        for number, budget in enumerate(usual):
            context = (number + turn) % len(CONTEXTS) + 1 if turn else 0
            yield from (("one round", budget, "", context, SOME),) if turn else ()
            yield from (("two rounds", budget, "", context, SOME),) if turn else ()
            yield "more rounds", budget, "", context, SOME
            yield from () if turn else (("equal rounds", budget, "more", 0, SOME),)


def _drawn(settings: Settings, usual: list[Budget]) -> Iterator[Slot]:
    """Yield games drawn at usual budgets and at free ones."""
    for budget in cycle(usual):
        yield "drawn", budget, "", 0, DRAWN
        yield "drawn", (settings.epsilon, settings.delta), "", 0, DRAWN


def _spaces(usual: list[Budget]) -> Iterator[Slot]:
    """Yield the small spaces at every budget, part by part."""
    return (("spaces", b, "", part, WHOLE) for b in usual for part in range(PARTS))
