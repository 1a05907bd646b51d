"""Odd input to two versions of a budget object: what only the new one lets through.

No play of an audit asks for NaN or for less than nothing, and none asks twice at a time.  What
differs by the rounding of doubles only is left to the plays.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from filterproof_properties.audit.side_by_side import Row
from filterproof_properties.failopen.named import observe
from filterproof_properties.failopen.probes import NAMED_ROWS
from filterproof_properties.failopen.table import Column, unanswered_rows
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.target import Loaded, TargetError

OF_ROUNDING = ("subnormal", "tiny spends", "slices", "order")
ASKED = tuple(row for row in NAMED_ROWS if row not in OF_ROUNDING)
OPENING = "odd input, with room for one unit"


@dataclass(frozen=True)
class OddInputs:
    """What only the new version lets through; `unknown` says why that cannot be told."""

    looser: tuple[Row, ...] = ()
    unknown: str = ""


def compare_odd_inputs(old: Loaded, new: Loaded) -> OddInputs:
    """Put odd input to two versions of a budget object; a filter is asked for none."""
    if not is_budget_object(new.spec):
        return OddInputs()
    try:
        before = _seen(old, ASKED)
    except TargetError:  # nothing can be said of the old one: the plays alone are compared
        return OddInputs()
    try:
        now = _seen(new, ASKED)
    except TargetError as error:
        return OddInputs(unknown=f"odd input, which the old version was asked: {error}")
    return _compare(old, before, now)


def _compare(old: Loaded, before: Column, now: Column) -> OddInputs:
    opened = [row for row in ASKED if now[row].open and not before[row].open]
    before |= _seen(old, opened)  # once more: a race may not be seen each time
    rows = [Row(row, before[row].text, now[row].text) for row in opened if not before[row].open]
    silent = [row for row in unanswered_rows(now) if row not in unanswered_rows(before)]
    unknown = f"odd input, {silent[0]}: {now[silent[0]].text}" if silent else ""
    return OddInputs(tuple(rows), unknown)


def _seen(version: Loaded, rows: Sequence[str]) -> Column:
    """Return what a version does with some odd inputs."""
    return observe(*named(version.spec), version.limits or Limits(), rows) if rows else {}
