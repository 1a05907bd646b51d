"""The tightest sound filter that was never stricter than a target on a sample of plays.

"It never ran what `additive` refuses" says more of a filter than any number of games does.  The
comparison is exact and walks both filters through the same game, as `diff` does.  A few plays sift
all sound filters; the tightest that is left is compared on all others that there is time for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from random import Random
from time import monotonic
from typing import Any

from filterproof.filter import Filter, ProtocolError, parameter_sets
from filterproof.filters.registry import REGISTRY
from filterproof_properties.case import Case
from filterproof_properties.search.loop import MOST_MENUS
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp, ending
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import LATER, differences

SOUND: Mapping[str, Target] = {
    one.name: one.target for one in REGISTRY if one.sound and one.family != "look-ahead"
}
MOST_DIFFERENCES = 50
"""How many differences of one play are counted, to say which filter is tighter."""


SIFTED = 24
"""On so many plays all sound filters are compared; on the others the tightest of them only."""
Counts = Mapping[str, int]
"""Sound filters that were never stricter, and how often they ran more."""


@dataclass(frozen=True)
class ClosestSound:
    """A sound filter that ran all that the target ran, on so many plays."""

    name: str
    plays: int


def closest_sound(
    target: Target, sample: Iterable[Case], seconds: float | None
) -> ClosestSound | None:
    """Return the sound filter that runs least besides what the target runs, if there is one.

    Without a time limit as many other plays are compared as sift, so that a run can be repeated.
    """
    until = None if seconds is None else monotonic() + seconds
    first, others = split_sample([case for case in sample if len(case.game.nodes) <= MOST_MENUS])
    others = others if until is not None else others[:SIFTED]
    first.sort(key=lambda case: len(case.game.nodes))  # most are sifted out on small games
    for name, plays in _tightest_first(target, first, until):
        still, others_too = _never_stricter(target, others, {name: 0}, until)
        if still:
            return ClosestSound(name, plays + others_too)
    return None


def split_sample(cases: list[Case]) -> tuple[list[Case], list[Case]]:
    """Return some cases from all over the list, and the others in an order that mixes them.

    >>> first, others = split_sample([*range(100)])
    >>> len(first), first[:3], sorted(others)[:6]
    (25, [0, 4, 8], [1, 2, 3, 5, 6, 7])
    """
    step = max(1, len(cases) // SIFTED)
    others = [case for place, case in enumerate(cases) if place % step]
    Random(0).shuffle(others)
    return cases[::step], others


def _tightest_first(
    target: Target, cases: Sequence[Case], until: float | None
) -> Iterator[tuple[str, int]]:
    """Yield the filters that are stricter on no case, and on how many cases; what runs least first.

    The one that ran least so far is compared on one more case; many are never compared on all.
    """
    names = [name for name, one in SOUND.items() if one is not target]
    todo = [(0, place, 0, 0) for place in range(len(names))]
    while todo:
        times, place, at, plays = heappop(todo)
        if at < len(cases):
            more, played = _never_stricter(target, [cases[at]], {names[place]: times}, until)
            for count in more.values():
                heappush(todo, (count, place, at + 1, plays + played))
        elif plays:
            yield names[place], plays


def _never_stricter(
    target: Target, cases: Iterable[Case], more: Counts, until: float | None
) -> tuple[Counts, int]:
    """Return those filters that are stricter on no case, and how many cases there was time for."""
    plays = 0
    for case in cases:
        if not more or (until is not None and monotonic() > until):
            break
        try:
            with ending(target, until):
                more = dict(_still(target, case, more))
        except Misbehaved:
            raise
        except (Declined, ProtocolError, TimeIsUp):
            continue
        plays += 1
    return more, plays


def _still(target: Target, case: Case, more: Counts) -> Iterator[tuple[str, int]]:
    """Yield the filters that are not stricter on this case, with how often they run more."""
    rule = make_filter(target, case.epsilon, case.delta, dict(case.parameters))
    for name, count in more.items():
        companion = _companion(SOUND[name], case)
        ran = None if companion is None else _times_it_ran_more(companion, rule, case)
        if ran is not None:
            yield name, count + ran


def _times_it_ran_more(companion: Filter[Any], rule: Filter[Any], case: Case) -> int | None:
    """Return how often the companion runs more on a case; None, at once, where it runs less."""
    times = 0
    for one in islice(differences((companion, rule), case.game), MOST_DIFFERENCES):
        if one.direction == LATER:
            return None
        times += 1
    return times


def _companion(target: Target, case: Case) -> Filter[Any] | None:
    """Return the sound filter at the case's budget, with its first parameters."""
    try:
        parameters = parameter_sets(target, case.epsilon, case.delta, case.game.depth)
        return make_filter(target, case.epsilon, case.delta, parameters[0])
    except (Declined, IndexError):
        return None
