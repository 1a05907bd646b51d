"""Two versions of a filter at play: what the new one runs and the old one does not.

Games are made for one of them by the sources of a search, filled to what it admits; the other one
is asked the same.  A partial transcript at which the new version runs a mechanism and the old one
does not ends the search.  The other way round is counted, and some plays that show it are kept.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from filterproof.filter import Decision, Filter, ProtocolError
from filterproof.game import Step
from filterproof.odometer import is_odometer
from filterproof_properties.case import Case, Scored
from filterproof_properties.search.loop import Breach, parameters_to_try
from filterproof_properties.search.ranking import measure
from filterproof_properties.targets.evaluate import is_rounding, larger_budget, make_filter
from filterproof_properties.targets.guard import ending
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import EARLIER, LATER, Difference, differences, rule_of

OLD, NEW = 0, 1
Versions = tuple[Target, Target]
MOST_KEPT = 8
"""So many plays are kept, the smallest, in which the new version runs less."""


class Odometer(ProtocolError):
    """A version that is an odometer: it runs everything, so there is nothing to compare."""


class RunsNothing:
    """Stands for a version that has no filter for a budget."""

    markov: ClassVar[bool] = True

    def start(self) -> None:
        """Return the one state."""

    def decide(self, state: None, step: Step) -> tuple[Decision, Hashable]:
        """Halt at the first request."""
        return (Decision.HALT if step.index else Decision.CONTINUE), None


@dataclass(frozen=True)
class Compared:
    """What was compared: plays of both, plays where the new one runs less, and some of these.

    `widened` is a play at a budget for which only the new version has a filter, `unsound` one on
    which the new version breaks its promise; `rounding` counts differences that were forgiven.
    """

    plays: int = 0
    stricter_plays: int = 0
    stricter: tuple[Case, ...] = ()
    widened: Case | None = None
    why_declined: str = ""
    unsound: Case | None = None
    rounding: int = 0

    def __or__(self, other: "Compared") -> "Compared":
        return Compared(
            self.plays + other.plays,
            self.stricter_plays + other.stricter_plays,
            smallest((*self.stricter, *other.stricter)),
            self.widened or other.widened,
            self.why_declined or other.why_declined,
            self.unsound or other.unsound,
            self.rounding + other.rounding,
        )


def smallest(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the smallest of some plays."""
    return tuple(sorted(cases, key=measure)[:MOST_KEPT])


class Comparer:
    """Watches a search that makes games for one version, and puts them to both."""

    def __init__(
        self, versions: Versions, made_for: int, until: float | None, *, exact: bool
    ) -> None:
        self.versions, self.made_for, self.until, self.exact = versions, made_for, until, exact
        self.noted = Compared()

    def __call__(self, case: Case, rule: Filter[Any], scored: Scored) -> str | None:
        """Compare both versions on one play; say so if the new one runs more."""
        other = 1 - self.made_for
        try:
            with ending(self.versions[other], self.until):
                made = self.other_rule(case)
                return self.compare(case, (made, rule) if other == OLD else (rule, made), scored)
        except Declined as error:
            self.note_declined(case, rule, str(error))
            return None

    def other_rule(self, case: Case) -> Filter[Any]:
        """Make the other version's filter for a play of this one."""
        other = 1 - self.made_for
        return rule_at(self.versions[other], case, self.versions[self.made_for])

    def compare(
        self, case: Case, rules: tuple[Filter[Any], Filter[Any]], scored: Scored
    ) -> str | None:
        """Note what differs on one play."""
        if any(map(is_odometer, rules)):
            raise Odometer("diff compares what filters run; an odometer runs everything")
        ways = {one.direction: one for one in differences(rules, case.game)}
        less = (case,) if EARLIER in ways else ()
        broken = self.made_for == NEW and scored.violated
        broken = broken and not is_rounding(rules[NEW], case.game, scored)
        self.noted |= Compared(1, len(less), less, unsound=case if broken else None)
        if LATER not in ways or (not self.exact and self.is_forgiven(case, rules[NEW])):
            return None
        return looser_where(ways[LATER])

    def is_forgiven(self, case: Case, new: Filter[Any]) -> bool:
        """Whether an old version with a budget that is larger by rounding runs as much."""
        epsilon, delta = larger_budget(case)
        larger = replace(case, epsilon=epsilon, delta=delta)
        old = rule_at(self.versions[OLD], larger, self.versions[NEW])
        found = any(one.direction == LATER for one in differences((old, new), case.game))
        self.noted |= Compared(rounding=int(not found))
        return not found

    def note_declined(self, case: Case, rule: Filter[Any], why: str) -> None:
        """Note a budget for which only the new version has a filter, if that runs anything."""
        if self.made_for == NEW and any(differences((RunsNothing(), rule), case.game)):
            self.noted |= Compared(widened=case, why_declined=why)
        elif self.made_for == OLD:
            self.noted |= Compared(stricter_plays=1, stricter=(case,))


def looser_where(found: Difference) -> str:
    """Say where the new version runs more."""
    step = found.step
    return f"round {step.index}, request {step.request!r}: old {found.old}, new {found.new}"


# --- one play, asked of both ----------------------------------------------------------------------


def rule_at(target: Target, case: Case, owner: Target) -> Filter[Any]:
    """Return a version's filter for a play whose parameters are those of the other version.

    Names that both have mean the same; otherwise the sets that they offer are paired in order.
    """
    offered = parameters_to_try(target, replace(case, parameters={}))
    own = dict(case.parameters)
    if not any(set(one) == set(own) for one in offered):
        theirs = parameters_to_try(owner, replace(case, parameters={}))
        number = theirs.index(own) if own in theirs else 0
        own = offered[min(number, len(offered) - 1)] if offered else {}
    return make_filter(target, case.epsilon, case.delta, own)


def first_difference(versions: Versions, case: Case, direction: str) -> Difference | None:
    """Return the earliest difference of this kind on a play of the new version, if there is one."""
    old, new = rule_at(versions[OLD], case, versions[NEW]), rule_of(versions[NEW], case)
    found = (one for one in differences((old, new), case.game) if one.direction == direction)
    return min(found, key=lambda one: one.step.index, default=None)


def runs_more(old: Target) -> Breach:
    """Return what says of a play that the new version runs something there and this one does not.

    A play at a budget that the old version declines is none.
    """

    def breach(new: Target, case: Case) -> str | None:
        found = first_difference((old, new), case, LATER)
        return looser_where(found) if found else None

    return breach
