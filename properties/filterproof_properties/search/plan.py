"""What is tried, in which order and in which share: independent tasks, made as they are needed.

A task is one source of games at one budget for so many plays.  It is plain data, so it gives the
same result in any process, and the first violation in the order of the tasks is the search's,
wherever and whenever they are played.

Ideas come first (cases that the caller has reason to try), then the named games.  Then all sources
in turn, for as long as there is time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, count, cycle, islice, zip_longest
from random import Random
from types import MappingProxyType

from filterproof.exact import Epsilon, Log
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import ALL_CONTEXTS, CONTEXTS, FAILING
from filterproof_properties.options.settings import Settings

Budget = tuple[Epsilon, Fraction]
FreeBudget = tuple[Epsilon | None, Fraction | None]

SPECIMEN, REMEMBERED, IDEAS = "specimen", "remembered", "ideas"
CONSTANTS, LONG_CONSTANTS = "constants in the code", "long plays of constants in the code"
NAMED, BRANCHES, VARIED = "named games", "branches in the code", "varied plays"
"""Sources whose cases are known; a specimen is a counterexample, as small as it gets."""
NO_CASES: Mapping[str, Sequence[Case]] = MappingProxyType({})
ALL = 10**9
"""The plays of a task whose cases are listed: all of them."""


@dataclass(frozen=True)
class SearchTask:
    """One source of games at one budget, for so many plays; `cases` are given.

    `part` is the number of a context, or which part of a small space; `seconds` is how long it may
    take at most, where it has a limit of its own.
    """

    number: int
    source: str
    budget: FreeBudget
    plays: int
    variant: str = ""
    part: int = 0
    cases: tuple[Case, ...] = ()
    exact: bool = True
    seconds: float | None = None

    def fixed(self) -> Budget:
        """Return the budget of a task that has both parts of one."""
        epsilon, delta = self.budget
        if epsilon is None or delta is None:
            raise ValueError(f"the source {self.source!r} needs a budget; got {self.budget}")
        return epsilon, delta


FEWEST = 32
"""A task has at least so many plays, where there are so many: fewer would not fill one menu."""
MOST_PLAYS, WHOLE_PART = 400, 3000
"""Few sources have more plays than the first at one budget; the second holds a part of a space."""
PARTS = 4
"""The spaces that are played in full are split into so many tasks, each of a second or two."""
SOLVED_PARTS, VARIED_PLAYS, FAR = 2, 150, 10**6
"""A solver has two tasks; a task of varied rows has so many plays; seeds are so far apart."""
LONG_SHARE = 1 / 3
"""The share of the time that long plays may take, so that shorter ones are played as well."""
SOLVING, SOLVING_LEAST, SOLVING_MOST = Fraction(1, 10), 3.0, Fraction(1, 3)
"""The share of the time that may go into one task of a solver; at least so many seconds, because a
solver has to be loaded, unless that is more than a third of the time."""
LEAST = 4
"""So many of the first tasks are the least that is tried: over budget, one round, two, one row."""
DEFAULT_PLAYS = 4000
"""Without a limit by the user: about as many as the default 30 seconds have."""

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
        (Log(Fraction(2**128)), "1/2000"),
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


DRAWN_EPSILONS: tuple[Epsilon, ...] = tuple(
    map(Fraction, ("1/100", "1/20", "1/4", "1/2", "2", "5", "12", "20", "100"))
) + tuple(Log(Fraction(odds)) for odds in ("6/5", "3", "10"))
DRAWN_DELTAS = tuple(map(Fraction, ("1/3", "1/5", "1/20", "1/64", "1/1000", "1e-7", "1e-15", "0")))
"""Budgets beyond the usual ones, of which a long search draws."""


def plan(
    settings: Settings,
    first: Mapping[str, Sequence[Case]] = NO_CASES,
    *,
    failures: bool = False,
    code: str = "",
) -> Iterator[SearchTask]:
    """Yield the tasks in the order in which their results count; a plan in seconds never ends.

    `first` has cases to try before all others, by the name of their source.  With `failures`
    mechanisms that fail after they have seen the data are among the first.  `code` is the name of
    a target whose source can be read.
    """
    given = [*given_first(settings, first)]
    yield from given
    room = plays_in_all(settings)
    slots = zip(count(len(given)), stream(settings, failures=failures, code=code), strict=False)
    share = None if settings.seconds is None else seconds_to_solve(settings.seconds)
    for number, (source, budget, variant, part, plays) in slots:
        if room <= 0:
            return
        size = int(min(plays, room, max(FEWEST, room / 16)))  # no task takes all that is left
        task = SearchTask(number, source, budget, size, variant, part, exact=settings.exact)
        yield replace(task, seconds=share) if source == BRANCHES else task
        room -= size


def seconds_to_solve(seconds: float) -> float:
    """Return how long a task of a solver may take in a search of so many seconds.

    >>> [seconds_to_solve(one) for one in (3.0, 10.0, 60.0)]
    [1.0, 3.0, 6.0]
    """
    return max(seconds * float(SOLVING), min(SOLVING_LEAST, seconds * float(SOLVING_MOST)))


def least(
    settings: Settings,
    first: Mapping[str, Sequence[Case]] = NO_CASES,
    *,
    failures: bool = False,
) -> list[SearchTask]:
    """Return the tasks without a play of which nothing is concluded: given ones, first menus."""
    given = [*given_first(settings, first)]
    return [*islice(plan(settings, first, failures=failures), len(given) + LEAST)]


def given_first(settings: Settings, first: Mapping[str, Sequence[Case]]) -> Iterator[SearchTask]:
    """Yield the tasks of cases that are given: the caller's, then the named games."""
    free = (settings.epsilon, settings.delta)
    given = {source: tuple(cases) for source, cases in first.items() if cases}
    for number, (source, cases) in enumerate(given.items()):
        share = settings.seconds and settings.seconds * LONG_SHARE
        seconds = share if source == LONG_CONSTANTS else None
        task = SearchTask(number, source, free, ALL, cases=cases, exact=settings.exact)
        yield replace(task, seconds=seconds)
    if settings.attacks:
        yield SearchTask(len(given), NAMED, free, ALL, exact=settings.exact)


def plays_in_all(settings: Settings) -> float:
    """Return how many games are played, those that are given not counted."""
    if settings.examples is not None:
        return settings.examples
    return float("inf") if settings.seconds is not None else DEFAULT_PLAYS


def stream(settings: Settings, *, failures: bool = False, code: str = "") -> Iterator[Slot]:
    """Yield slots for tasks, from all sources in turn; those that are drawn never end.

    Every source goes through the budgets in the order of the list, so that in a short time each
    idea meets each region.
    """
    usual = budgets(settings)
    opening = _menus(settings, usual, failures=failures)
    drawing, spaces, reading = (
        _open_menu_slots(settings),
        _spaces(usual),
        _slots_from_code(settings, code),
    )
    yield from islice(opening, LEAST)
    while True:
        yield from islice(reading, 2)
        yield from islice(opening, 8)
        yield from islice(drawing, 1)
        yield from islice(reading, 1)
        yield from islice(opening, 8)
        yield from islice(spaces, 1)


def _slots_from_code(settings: Settings, code: str) -> Iterator[Slot]:
    """Yield what a solver finds in the code, and rows of rounds that reach new lines of it."""
    free, usual = (settings.epsilon, settings.delta), budgets(settings)
    for part in count() if code and settings.attacks else ():
        yield from [(BRANCHES, free, code, part, MOST_PLAYS)] if part < SOLVED_PARTS else ()
        budget = usual[part % len(usual)]
        yield VARIED, budget, code, part + settings.seed * FAR, VARIED_PLAYS


ROWS = ("repeated spends", "equal rounds", "many rounds")
"""Long plays of one family."""
LARGE_LOSS = "two rounds"
"""What comes first at the first of the other budgets, the largest: theorems of which any may fit
go astray there after a first round that seldom tells half of it."""
FIRST = ("over budget", "one round", "two rounds")
"""What comes first at every budget."""


def _menu(source: str, budget: Budget, context: int = 0, variant: str = "") -> Slot:
    return source, budget, variant, context, MOST_PLAYS


def _menus(settings: Settings, usual: list[Budget], *, failures: bool) -> Iterator[Slot]:
    """Yield open menus: one round and two, a row and a context; then all of these in turn."""
    near, far = usual[:6], usual[6:]
    kinds = FIRST if settings.attacks else FIRST[1:]
    rows = ROWS[:2] * 8
    single = iter([_menu(LARGE_LOSS, budget) for budget in far[:1]])
    single = chain(single, [_menu("one round", budget) for budget in far[1:]])
    contexts = iter(
        [_menu("one round", near[n % len(near)], n) for n in range(1, len(CONTEXTS) + 1)]
    )
    for number, (budget, row) in enumerate(zip(near, rows, strict=False)):
        if failures:
            yield _menu("one round", budget, FAILING[number % 2])
        yield from (_menu(kind, budget) for kind in (*kinds, row))
        yield from () if number % 2 else (_menu("many rounds", budget),)
        yield from islice(contexts, 1 if number else 0)
        yield from islice(single, 2)
    others = [_menu(row, budget) for budget, row in zip(near, rows[1:], strict=False)]
    others += [_menu("more rounds", budget) for budget in (*near[:1], *near[4:])]
    others += [_menu("many rounds", budget) for budget in (*near[1::2], *far)]
    again = [_menu(kind, budget) for budget in far for kind in (*rows[:2], *kinds[::-2])]
    late = [*contexts]
    for some in zip_longest(others, late[::2], again[::2], late[1::2], again[1::2]):
        yield from (slot for slot in some if slot is not None)
    yield from (_menu("more rounds", budget) for budget in usual)
    yield from (_menu("equal rounds", budget, variant="more") for budget in usual)
    for turn in range(len(CONTEXTS)):
        for number, budget in enumerate(usual):
            context = (number + turn) % len(CONTEXTS) + 1
            yield from (_menu(kind, budget, context) for kind in CONTEXT_KINDS)


CONTEXT_KINDS = ("one round", "two rounds", "more rounds")
"""What is tried at every budget in every context, in a long search."""


def _open_menu_slots(settings: Settings) -> Iterator[Slot]:
    """Yield open menus at drawn budgets in drawn contexts, one of the list or two at once."""
    random = Random(settings.seed)
    for source in cycle(("two rounds", "one round", *ROWS)):
        epsilon, delta = random.choice(DRAWN_EPSILONS), random.choice(DRAWN_DELTAS)
        budget = (
            epsilon if settings.epsilon is None else settings.epsilon,
            delta if settings.delta is None else settings.delta,
        )
        yield source, budget, "", random.randrange(1, ALL_CONTEXTS + 1), MOST_PLAYS


def _spaces(usual: list[Budget]) -> Iterator[Slot]:
    """Yield the small spaces at every budget, part by part."""
    return (("spaces", b, "", part, WHOLE_PART) for b in usual for part in range(PARTS))
