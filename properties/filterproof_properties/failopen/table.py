"""The table: one cell after the other, in a process of its own that may abort or hang.

`column` starts the process, and again after a cell that ended it; `work` is what runs there.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import TextWrapper

from filterproof_properties.failopen.desk import NOT_ASKED, Desk, Seen
from filterproof_properties.failopen.probes import Probe
from filterproof_properties.processes import isolated
from filterproof_properties.processes.child import (
    ENDING,
    Child,
    ChildFailed,
    Ended,
    Limits,
    NoAnswer,
)
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.target import TargetError

STARTING, READY = 60, b"ready"
"""Seconds until a process has started, our code loaded and nobody else's; what it says then."""
MOST_BYTES = 2**16
MOST_TEXT = 200
KILLED = "killed by "
HANGS, ABORTS = "hangs: ", "aborts the process "
"""How the text of a cell begins that has no answer."""

Column = dict[str, Seen]


def column(
    words: list[str], rows: Iterable[str], limits: Limits, visible: Sequence[str] = ()
) -> Column:
    """Observe these rows; what aborts or hangs ends its process, not the table.

    The rows still to be observed are added to the words of the command.  Files that are `visible`
    are so in its sandbox too.
    """
    rows, seen = list(rows), Column()
    while left := [row for row in rows if row not in seen]:
        worker = Child(isolated.python(*words, *left, flags="-W ignore"), limits, visible=visible)
        seen.update(_some(worker, left, limits))
    return {row: seen[row] for row in rows}


def _some(worker: Child, rows: list[str], limits: Limits) -> Column:
    """Let a process observe these rows until it is done, dies or hangs."""
    seen: Column = {}
    try:
        _await(worker)
        for row in rows:
            try:
                seen[row] = cell_from(worker.line(limits.timeout, MOST_BYTES))
            except NoAnswer:
                seen[row] = Seen(f"{HANGS}no answer in {limits.timeout:g} s", False)
                break
            except Ended:
                seen[row] = Seen(f"{ABORTS}({signal_of(row, worker)})", False)
                break
            except ChildFailed as error:
                raise TargetError(f"at {row!r} {error}") from None
    finally:
        worker.close()
    return seen


def _await(worker: Child) -> None:
    """Wait until the process has started."""
    try:
        said = worker.line(STARTING, MOST_BYTES)
    except ChildFailed as error:
        raise TargetError(f"no process for it: {error}; {worker.noise()}") from None
    if said != READY:
        raise TargetError(f"no process for it: {quoted(said, 200)}")


def cell_from(line: bytes) -> Seen:
    """Return a cell as the process wrote it, or raise what it says is wrong."""
    try:
        cell = json.loads(line)
        if "error" in cell:
            raise TargetError(quoted(cell["error"]))
        return Seen(quoted(cell["text"], MOST_TEXT), cell["open"] is True)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TargetError(f"it wrote no answer: {quoted(line, 200)}") from None


def signal_of(row: str, worker: Child) -> str:
    """Return the signal that ended a process; to end in any other way is an error."""
    ended = worker.how(ENDING)
    if not ended.startswith(KILLED):
        raise TargetError(f"at {row!r} its process ended: {ended} {worker.noise()}".rstrip())
    return ended.removeprefix(KILLED)


def work(make: Callable[[], Desk], probes: Mapping[str, Probe], rows: Iterable[str]) -> int:
    """Observe the rows in this process; write a line for each, where nobody else writes."""
    writing = os.dup(1)
    os.dup2(2, 1)
    with open(writing, "w", encoding="ascii", buffering=1) as lines:
        lines.write(f"{READY.decode()}\n")
        for row in rows:
            try:
                said = vars(cell(row, make(), probes[row]))
            except TargetError as error:
                said = {"error": str(error)}
            lines.write(json.dumps(said) + "\n")
    return 0


def cell(row: str, desk: Desk, probe: Probe) -> Seen:
    """Observe one cell in this process."""
    try:
        return probe(row, desk)
    except TargetError:
        raise
    except (Exception, SystemExit) as error:
        return Seen(f"{type(error).__name__}: {error}"[:80].replace("\n", " "), False)


# --- what is said of it -----------------------------------------------------------------------


def answered_cells(seen: Column) -> Column:
    """Return the cells that there are."""
    return {row: one for row, one in seen.items() if one != NOT_ASKED}


def unanswered_rows(seen: Column) -> list[str]:
    """Return the rows that ended their process."""
    return [row for row, one in seen.items() if one.text.startswith((HANGS, ABORTS))]


def as_text(title: str, seen: Column, width: int = 200) -> str:
    """Return the cells as lines of such a width; open ones are marked.

    >>> print(as_text("till.py:Till", {"NaN": Seen("granted; 3 of 1 units", True)}), end="")
    till.py:Till
      OPEN   NaN                granted; 3 of 1 units
    """
    silent = unanswered_rows(seen)
    lines = _wrapped(title, width, "", 4)
    for row, one in answered_cells(seen).items():
        mark = "OPEN" if one.open else "?" if row in silent else "closed"
        lead = f"  {mark:<6} {row:<18} "
        lines += _wrapped(one.text, width, lead, len(lead))
    return "\n".join(lines) + "\n"


def _wrapped(text: str, width: int, lead: str, indent: int) -> list[str]:
    """Return a text in lines that are broken between words only."""
    made = TextWrapper(width, lead, " " * indent, break_on_hyphens=False, break_long_words=False)
    return made.wrap(text)


def as_json(about: Mapping[str, str], seen: Column) -> str:
    """Return the cells as one line of JSON, with what they are about."""
    return (
        json.dumps({**about, "seen": {row: vars(one) for row, one in answered_cells(seen).items()}})
        + "\n"
    )
