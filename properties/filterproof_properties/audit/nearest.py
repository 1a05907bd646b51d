"""The tightest sound filter that was never stricter than a target on a sample of plays.

"It never ran what `additive` refuses" says more of a filter than any number of games does.  The
comparison is exact and walks both filters through the same game, as `diff` does.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any

from filterproof.filter import Filter, ProtocolError, parameter_sets
from filterproof.filters.registry import REGISTRY
from filterproof_properties.case import Case
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.guard import TimeIsUp, ending
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import LATER, differences

SOUND: Mapping[str, Target] = {
    one.name: one.target for one in REGISTRY if one.sound and one.family != "look-ahead"
}
MOST_MENUS = 12
"""Plays with more menus than this are not compared: a walk visits every history."""
MOST_DIFFERENCES = 50


@dataclass(frozen=True)
class Nearest:
    """A sound filter that ran all that the target ran, on so many plays."""

    name: str
    plays: int


def nearest(target: Target, sample: Iterable[Case], seconds: float | None) -> Nearest | None:
    """Return the sound filter that runs least besides what the target runs, if there is one."""
    until = None if seconds is None else monotonic() + seconds
    more = dict.fromkeys(SOUND, 0)
    plays = 0
    for case in sample:
        if until is not None and monotonic() > until:
            break
        if len(case.game.nodes) > MOST_MENUS:
            continue
        try:
            with ending(target, until):
                more = dict(_still(target, case, more))
        except (Declined, ProtocolError, TimeIsUp):
            continue
        plays += 1
    if not plays or not more:
        return None
    return Nearest(min(more, key=lambda name: more[name]), plays)


def _still(target: Target, case: Case, more: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the filters that are not stricter on this case, with how often they run more."""
    rule = make_filter(target, case.epsilon, case.delta, dict(case.parameters))
    for name, count in more.items():
        companion = _companion(SOUND[name], case)
        if companion is not None:
            found = [*islice(differences((companion, rule), case.game), MOST_DIFFERENCES)]
            if all(one.direction != LATER for one in found):
                yield name, count + len(found)


def _companion(target: Target, case: Case) -> Filter[Any] | None:
    """Return the sound filter at the case's budget, with its first parameters."""
    try:
        parameters = parameter_sets(target, case.epsilon, case.delta, case.game.depth)
        return make_filter(target, case.epsilon, case.delta, parameters[0])
    except (Declined, IndexError):
        return None
