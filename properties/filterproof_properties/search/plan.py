"""What is tried, in which order and in which share: a list of independent stints.

A stint is one source of games at one budget for so many plays.  It is plain data with a seed of
its own, so it gives the same result in any process, and the first violation in the order of the
stints is the search's, wherever and whenever they are played.

Ideas come first (cases that the caller has reason to try), then the named games.  Then attacks,
with the other sources in between; then those for as long as there is time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from random import Random
from types import MappingProxyType

from filterproof.exact import Epsilon
from filterproof_properties.case import Case
from filterproof_properties.games.families import BUDGETS, FAMILIES
from filterproof_properties.settings import Settings

Budget = tuple[Epsilon, Fraction]
FreeBudget = tuple[Epsilon | None, Fraction | None]

SPECIMEN, IDEAS, NAMED = "specimen", "ideas", "named games"
"""Sources whose cases are known; a specimen is a counterexample, as small as it gets."""
NO_CASES: Mapping[str, Sequence[Case]] = MappingProxyType({})
ALL = 10**9


@dataclass(frozen=True)
class Stint:
    """One source of games at one budget, for so many plays; `cases` are given, `part` is which."""

    number: int
    source: str
    seed: int
    budget: FreeBudget
    plays: int
    family: str = ""
    part: int = 0
    cases: tuple[Case, ...] = ()

    def fixed(self) -> Budget:
        """Return the budget of a stint that has both parts of one."""
        epsilon, delta = self.budget
        if epsilon is None or delta is None:
            raise ValueError(f"the source {self.source!r} needs a budget; got {self.budget}")
        return epsilon, delta


CHUNK = 32
CHUNKS = 12
FIRST = 3
DRAWN = 500
GROWN = 1500
MADE = 400
PARTS = 4
"""The spaces that are played in full are split into so many stints."""
BRANCH_PARTS = 3
DEFAULT_PLAYS = 4000
STINTS_PER_SECOND = 20

Slot = tuple[str, FreeBudget, str, int, int]


def budgets(settings: Settings) -> list[Budget]:
    """Return the budgets to attack at: the fixed parts, completed from the usual ones."""
    found = (
        (
            epsilon if settings.epsilon is None else settings.epsilon,
            delta if settings.delta is None else settings.delta,
        )
        for epsilon, delta in BUDGETS
    )
    return list(dict.fromkeys(found))


def plan(settings: Settings, first: Mapping[str, Sequence[Case]] = NO_CASES) -> list[Stint]:
    """Return the stints in the order in which their results count.

    `first` has cases to try before all others, by the name of their source.
    """
    stints = [*given_first(settings, first)]
    room = plays_in_all(settings)
    most = None if settings.seconds is None else 50 + settings.seconds * STINTS_PER_SECOND
    for source, budget, family, part, plays in stream(settings):
        if room <= 0 or (most is not None and len(stints) >= most):
            break
        number = len(stints)
        seed = Random(f"{settings.seed}/{number}").randrange(2**32)
        size = int(min(plays, room, max(CHUNK, room / 4)))  # no stint takes all that is left
        stints.append(Stint(number, source, seed, budget, size, family, part))
        room -= size
    return stints


def given_first(settings: Settings, first: Mapping[str, Sequence[Case]]) -> Iterator[Stint]:
    """Yield the stints of cases that are given: the caller's, then the named games."""
    free = (settings.epsilon, settings.delta)
    given = {source: tuple(cases) for source, cases in first.items() if cases}
    for number, (source, cases) in enumerate(given.items()):
        yield Stint(number, source, 0, free, ALL, cases=cases)
    if settings.attacks:
        yield Stint(len(given), NAMED, 0, free, ALL)


def plays_in_all(settings: Settings) -> float:
    """Return how many games are played, those that are given not counted."""
    if settings.examples is not None:
        return settings.examples
    return float("inf") if settings.seconds is not None else DEFAULT_PLAYS


def stream(settings: Settings) -> Iterator[Slot]:
    """Yield stints for ever: attacks first, with other sources in between; then only those."""
    usual = budgets(settings)
    others = _others(settings, usual)
    if settings.attacks:
        for chunk in range(CHUNKS):
            for some in (usual[:FIRST], usual[FIRST:]):
                yield from _wave(some, chunk, others)
    yield from others


def _wave(some: list[Budget], chunk: int, others: Iterator[Slot]) -> Iterator[Slot]:
    """Yield one stretch of every family at some budgets, each followed by another source."""
    for family in FAMILIES if some else ():
        for budget in some:
            yield "attacks", budget, family, chunk * CHUNK, CHUNK
        yield from islice(others, 1)


def _others(settings: Settings, usual: list[Budget]) -> Iterator[Slot]:
    """Yield filled games, games drawn at usual and at free budgets, grown ones, small spaces."""
    free = (settings.epsilon, settings.delta)
    filled = _filled(free, usual)
    spaces = iter([("spaces", b, "", part, GROWN) for b in usual for part in range(PARTS)])
    for turn in count():
        budget = usual[(turn + FIRST - 1) % len(usual)]
        yield "drawn", budget, "", 0, DRAWN
        yield from islice(filled, 2)
        yield "grown", usual[(turn - len(usual) // 2) % len(usual)], "", 0, GROWN
        yield from islice(filled, 1)
        yield "drawn", free, "", 0, DRAWN
        yield from islice(filled, 1)
        yield from islice(spaces, 1)


def _filled(free: FreeBudget, usual: list[Budget]) -> Iterator[Slot]:
    """Yield games made to measure: all at the first budget, then some from the last one back."""
    singles = iter([("single", free, "", part, MADE) for part in range(PARTS)])
    later: list[Slot] = []
    for place, budget in enumerate([*usual[:1], *usual[:0:-1]]):
        brims: list[Slot] = [("branches", budget, "", part, MADE) for part in range(BRANCH_PARTS)]
        yield from brims[:1] if budget[1] else ()
        yield "paths", budget, "", 0, MADE
        yield from islice(singles, 1)
        if budget[1] and place:
            later += brims[1:]
        elif budget[1]:
            yield from brims[1:]
    yield from singles
    yield from later
