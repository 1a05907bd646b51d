"""Which lines of a target were run, as plain data for a report."""

from dataclasses import dataclass

from filterproof_properties.search.workers import take_reached
from filterproof_properties.targets.coverage.changed import changed_marks, left_out
from filterproof_properties.targets.coverage.marks import LINE
from filterproof_properties.targets.coverage.own_code import OwnFile, what_changed
from filterproof_properties.targets.coverage.unreached import Coverage, Unreached, words
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Loaded

MOST_SHOWN = 400
"""So many lines of source at most are shown in a report."""


@dataclass(frozen=True)
class SourceLine:
    """One line of a target's source; `run` is None where there is nothing to run."""

    file: str
    number: int
    text: str
    run: bool | None
    way: str = ""


@dataclass(frozen=True)
class CoverageRecord:
    """How many of the target's own lines were run, and what was never run, place by place.

    `never` says that in one line for a person, `source` shows the functions that it is in.
    """

    lines: int
    run: int
    unreached: tuple[Unreached, ...] = ()
    never: str = ""
    source: tuple[SourceLine, ...] = ()


def own_code(target: Loaded) -> tuple[OwnFile, ...]:
    """Return a stranger's own code; nothing where it cannot be read."""
    return target.target.own if isinstance(target.target, RemoteTarget) else ()


def changed_meanwhile(target: Loaded) -> str:
    """Say that a target's file was changed since it was read: what was asked may be either."""
    path = what_changed(own_code(target))
    return f"{path} was changed meanwhile: which version answered is not known" if path else ""


def coverage_of(target: Loaded, reached: int) -> Coverage | None:
    """Return which lines of a target were run in the search and after it; None if not recorded."""
    if not (own := own_code(target)):
        return None
    return Coverage(own, reached | take_reached(target.target))


def changes_never_run(target: Loaded, reached: int) -> str:
    """Say which changed lines of a target no play has run; "" if there are none."""
    own = own_code(target)
    return words(Coverage(own, ~(changed_marks(own) & ~reached)).unreached())


def changes_left_out(target: Loaded, reached: int) -> str:
    """Say which changed lines no play has run though their function was; "" if there are none."""
    own = own_code(target)
    return words(Coverage(own, ~left_out(Coverage(own, reached))).unreached())


def coverage_record(found: Coverage | None) -> CoverageRecord | None:
    """Return what is known of the lines that were run."""
    if found is None:
        return None
    run, lines = found.lines()
    unreached = found.unreached()
    shown = [line for file in found.files for line in _source(found, file, unreached)]
    return CoverageRecord(lines, run, unreached, words(unreached), tuple(shown[:MOST_SHOWN]))


def _source(found: Coverage, file: OwnFile, unreached: tuple[Unreached, ...]) -> list[SourceLine]:
    """Return the lines of the functions in a file of which something was never run."""
    places = [one for one in unreached if one.file == file.path]
    named = {one.function for one in places}
    marks = [(mark, on) for owner, mark, on in found.marks if owner is file]
    run: dict[int, bool] = {}
    for mark, on in marks:
        for number in range(mark.first, mark.last + 1) if mark.kind == LINE else ():
            run[number] = run.get(number, True) and on
    spans = [
        [number for mark, _ in marks if mark.function == name for number in (mark.first, mark.last)]
        for name in sorted(named)
    ]
    shown = sorted({n for span in spans for n in range(min(span) - 1, max(span) + 1)})
    ways = {one.first: one.way for one in places if one.way}
    text = file.text.splitlines()
    return [
        SourceLine(file.path, n, text[n - 1], run.get(n), ways.get(n, "")) for n in shown if n > 0
    ]
