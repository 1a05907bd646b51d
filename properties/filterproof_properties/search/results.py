"""What a search comes to: its tasks' tallies in order, and the violation made small."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from time import monotonic
from typing import Any

from filterproof.exact import ExpLinear
from filterproof.filter import Filter, ProtocolError
from filterproof.game import Game, Mechanism, node_after
from filterproof.odometer import is_odometer
from filterproof_properties.case import NOTHING_TRIED, Case, Envelope, Scored
from filterproof_properties.search.loop import (
    Breach,
    Sample,
    Tally,
    canonical_case,
    larger_excess,
    parameters_to_try,
)
from filterproof_properties.search.plan import PARTS, SPECIMEN, SearchTask
from filterproof_properties.search.shrinking import shrink
from filterproof_properties.targets.evaluate import is_rounding, worst
from filterproof_properties.targets.guard import TimeIsUp, ending
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import rule_of

SAMPLED = 1024
"""So many plays are kept of a search: more than there is time to compare with other filters."""

ENOUGH = 40
"""So many plays are a search, whatever was played: those over one budget are about as many."""
LATE_PLAYS = Fraction(1, 3)
"""So many plays for each second asked for must fall into the second half of the search.

A target that was quick at first and then hardly answers has not been searched in its time.
"""
TOO_SLOW = (
    "{} plays in the second half of {:.0f} s: "
    "the target has become slow, or little was left to play"
)
TOO_LITTLE = (
    "the time was up after {} plays, fewer than "
    f"{ENOUGH}"
    ", and before any of {!r}: give it more --seconds, or ask for so little by --examples"
)


@dataclass(frozen=True)
class SearchResult:
    """What a search tried, the worst it met, and the violation if there is one.

    `sample` has some plays from all over it, `proved` names spaces of games played in full,
    `reached` has a bit for each mark in the target's code, set if it was run, `too_large` counts
    games that were passed over because there are too many positions in them, and `not_tried` says
    what a source had to leave out.
    """

    tried: int = 0
    declined: int = 0
    envelope: Envelope = NOTHING_TRIED
    tasks: int = 0
    best: Scored | None = None
    violation: Case | None = None
    detail: str = ""
    error: str = ""
    proved: tuple[str, ...] = ()
    found_by: str = ""
    sample: tuple[Case, ...] = ()
    why_declined: str = ""
    raised: int = 0
    rounding: Scored | None = None
    reached: int = 0
    too_large: int = 0
    not_tried: str = ""


class Merger:
    """Merges tallies in the order of their tasks as they come, and keeps nothing else of them.

    What comes after the first violation, or after a target that is beyond hope, does not count.
    `required` are the tasks without a play of which nothing is concluded.
    """

    def __init__(self, required: Iterable[SearchTask] = (), seconds: float | None = None) -> None:
        self.seconds, self.begun, self.late = seconds, monotonic(), 0
        self.merged, self.sample = SearchResult(), Sample(SAMPLED)
        self.waiting: dict[int, Tally] = {}
        self.next = self.plays = 0
        self.over = False
        self.played: dict[str, set[int]] = {}
        self.missing = {task.number: task.source for task in required}

    def add(self, tally: Tally) -> None:
        """Take a tally, in whatever order they come."""
        self.plays += tally.tried + tally.declined
        if self.seconds is not None and monotonic() > self.begun + self.seconds / 2:
            self.late += tally.tried + tally.declined
        if tally.whole or tally.tried + tally.declined:
            self.missing.pop(tally.number, None)
        self.waiting[tally.number] = tally
        while self.next in self.waiting:
            self._merge(self.waiting.pop(self.next))
            self.next += 1

    def _merge(self, one: Tally) -> None:
        before = self.merged
        if self.over:
            return
        self.over = one.violation is not None or one.hopeless
        for space, part in one.proved:
            self.played.setdefault(space, set()).add(part)
        for case in one.sample:
            self.sample.add(case)
        self.merged = replace(
            before,
            tried=before.tried + one.tried,
            declined=before.declined + one.declined,
            envelope=before.envelope | one.envelope,
            tasks=before.tasks + 1,
            best=one.best if one.best and one.best.beats(before.best) else before.best,
            violation=one.violation,
            detail=one.detail,
            error=before.error or one.error,
            found_by=one.source if one.violation else "",
            why_declined=before.why_declined or one.why_declined,
            raised=before.raised + one.raised,
            rounding=larger_excess(before.rounding, one.rounding),
            reached=before.reached | one.reached,
            too_large=before.too_large + one.too_large,
            not_tried=before.not_tried or one.not_tried,
        )

    def result(self) -> SearchResult:
        """Return what all tallies come to; of an interrupted search some are missing in between."""
        for number in sorted(self.waiting):
            self._merge(self.waiting.pop(number))
        return replace(self.merged, proved=_in_full(self.played), sample=tuple(self.sample.kept))

    def _slowed_down(self, seconds: float) -> bool:
        """Whether the time was used up, and hardly anything was played in its second half."""
        return monotonic() >= self.begun + seconds and self.late < seconds * LATE_PLAYS

    def too_little(self) -> str:
        """Say what the time was too short for, if less than the least was played."""
        if self.missing and self.plays < ENOUGH:
            return TOO_LITTLE.format(self.plays, self.missing[min(self.missing)])
        if self.seconds is not None and self._slowed_down(self.seconds):
            return TOO_SLOW.format(self.late, self.seconds)
        return ""


def merge(tallies: Iterable[Tally]) -> SearchResult:
    """Merge tallies in the order of their tasks, up to and including the first violation."""
    merger = Merger()
    for one in sorted(tallies, key=lambda tally: tally.number):
        merger.add(one)
    return merger.result()


def _in_full(played: Mapping[str, set[int]]) -> tuple[str, ...]:
    """Return the spaces of which every part was played."""
    return tuple(space for space, parts in played.items() if len(parts) == PARTS)


class ViolationCheck:
    """Says whether a case is still a violation, for so many seconds; used to shrink.

    When the time is up nothing is any more, so the smallest case so far remains.
    """

    def __init__(
        self,
        target: Target,
        seconds: float | None = None,
        breach: Breach | None = None,
        *,
        exact: bool = True,
    ) -> None:
        self.target, self.breach, self.exact = target, breach, exact
        self.until = None if seconds is None else monotonic() + seconds

    def __call__(self, case: Case) -> Scored | None:
        """Return the case, with parameters that still break the promise, and its H."""
        if self.until is not None and monotonic() > self.until:
            return None
        for parameters in self.parameters(case):
            candidate = replace(case, parameters=parameters)
            try:
                with ending(self.target, self.until):
                    found = self.score(candidate)
            except (Declined, ProtocolError, TimeIsUp):
                continue
            if found.violated and (self.exact or not self.excused(found)):
                return found
        return None

    def parameters(self, case: Case) -> list[dict[str, Any]]:
        """Return the case's own parameters, then those that the target offers instead."""
        own = dict(case.parameters)
        offered = parameters_to_try(self.target, replace(case, parameters={}))
        return [own, *(one for one in offered if one != own)]

    def excused(self, found: Scored) -> bool:
        """Whether an excess is one of rounding, which is none that is looked for."""
        shown = canonical_case(found.case)
        return is_rounding(rule_of(self.target, shown), shown.game, found)

    def score(self, case: Case) -> Scored:
        """Return the H of this case as a certificate holds it; 1 or 0 for promises without an H."""
        shown = canonical_case(case)
        if self.breach is not None:
            broken = self.breach(self.target, shown) is not None
            return Scored(case, ExpLinear(int(broken), 0, case.epsilon))
        found = worst(rule_of(self.target, shown), shown.game, case.epsilon)
        return Scored(case, found.value, own=shown.game.promises.get(found.pair))


def shrink_violation(
    found: SearchResult,
    target: Target,
    seconds: float | None,
    *,
    free: bool,
    exact: bool = True,
) -> tuple[Case, int]:
    """Return the violation made small, and how many smaller plays the target was asked about.

    A specimen is as small as it gets.
    """
    assert found.violation is not None
    if found.found_by == SPECIMEN:
        return found.violation, 0
    still = ViolationCheck(target, seconds, exact=exact)
    rule = rule_of(target, found.violation)
    broken = still(only_played(found.violation, rule)) or still(found.violation)
    if broken is None:
        return found.violation, 0
    until = inf if still.until is None else still.until
    small = shrink(broken, still, budget_is_free=free, until=until, bounded=not is_odometer(rule))
    return small.found.case, small.tried


def only_played(case: Case, rule: Filter[Any]) -> Case:
    """Return the case with only those requests on its menus that the best adversary sends.

    It is returned as it is if the best adversary sends none.
    """
    game = case.game
    used = {(turn.node, turn.request) for turn in worst(rule, game, case.epsilon).turns}
    if not used:
        return case
    menus: list[dict[str, Mechanism]] = []
    for menu in game.nodes:
        sent = {r: m for r, m in menu.items() if (menu.id, r) in used}
        menus.append({r: _with_menus(m, menus) for r, m in sent.items()})
    return replace(case, game=Game(game.databases, game.pairs, menus[-1], game.promises))


def _with_menus(mechanism: Mechanism, menus: list[dict[str, Mechanism]]) -> Mechanism:
    after = {y: menus[node_after(mechanism, y).id] for y in mechanism.law}
    return Mechanism(mechanism.law, after, mechanism.stated)
