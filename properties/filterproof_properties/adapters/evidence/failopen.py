"""What each library does with odd input: a table, every cell observed on the real library.

`python -m filterproof_properties.adapters.evidence.failopen [LIBRARY ...] [--json]` prints it;
with `--against FILE` it also says which cells are not what FILE has on
record, and exits with 1 if there are any.

Each probe offers room for one unit, hands in the oddity, and then asks for more units: a cell is
*open* if more gets through than the budget allows.  Libraries run in a process of their own with a
time limit for each cell, since some input aborts or hangs; the cell then says so and the next one
goes on.

An accountant that is asked first and booked afterwards has no lock of its own, so that its race is
one of the wrapper.
"""

import argparse
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filterproof_properties.adapters import info_of, load
from filterproof_properties.adapters.evidence.counters import DESKS, EPSILON, Desk, Seen
from filterproof_properties.adapters.support.library import MissingLibrary
from filterproof_properties.processes.child import ENDING, Child, Ended, Limits, NoAnswer

SECONDS = 120
"""How long one cell may take."""

MODULE = "filterproof_properties.adapters.evidence.failopen"
MOST_BYTES = 2**16
KILLED = "killed by "

BOUNDLESS = ("infinite cost", "NaN", "NaN delta")
"""Costs that no budget allows: to grant one is to fail open."""

NOT_ASKED = Seen("-", False)
"""The library has no such input."""


# --- probes ---------------------------------------------------------------------------------


def outcome(question: Callable[[], bool]) -> str:
    """Return "granted", "refused", or the name of what was raised."""
    try:
        return "granted" if question() else "refused"
    except Exception as error:
        return type(error).__name__


def units(desk: Desk, opened: Any, times: int) -> int:
    """Return how many of so many units are granted."""
    return sum(outcome(lambda: desk.ask(opened, desk.unit)) == "granted" for _ in range(times))


def odd_number(row: str, desk: Desk) -> Seen:
    """The odd number after one unit and before two more; and on a fresh object, first of all."""
    if row not in desk.odd:
        return NOT_ASKED
    (late, after), (early, before) = _amid(desk, row, 1), _amid(desk, row, 0)
    text = f"{late}; {after} of 1 units"
    if (late, after) != (early, before):
        text += f" (first of all: {early}; {before} of 1)"
    boundless = row in BOUNDLESS and "granted" in (late, early)
    return Seen(text, max(after, before) > 1 or boundless)


def _amid(desk: Desk, row: str, units_before: int) -> tuple[str, int]:
    """Return what is said to the odd number, and how many of three units are granted around it."""
    opened = desk.open(EPSILON)
    granted = units(desk, opened, units_before)
    said = outcome(lambda: desk.ask(opened, desk.odd[row]))
    return said, granted + units(desk, opened, 3 - units_before)


def crumbs(row: str, desk: Desk) -> Seen:
    """One unit, which is all, and then twenty times the smallest number there is."""
    if row not in desk.odd:
        return NOT_ASKED
    opened = desk.open(EPSILON)
    units(desk, opened, 1)
    said = [outcome(lambda: desk.ask(opened, desk.odd[row])) for _ in range(20)]
    granted = said.count("granted")
    return Seen(f"{granted} of 20 granted, then {said[-1]}", granted > 0)


def odd_budget(row: str, desk: Desk) -> Seen:
    """A budget of zero or NaN, and one unit."""
    budget = 0.0 if row == "zero budget" else nan
    try:
        opened = desk.open(budget)
    except Exception as error:
        return Seen(f"{type(error).__name__} at the door", False)
    said = outcome(lambda: desk.ask(opened, desk.unit))
    return Seen(said, said == "granted")


def failing(row: str, desk: Desk) -> Seen:
    """Three mechanisms that fail after touching the data, then two units."""
    if desk.fail is None:
        return NOT_ASKED
    opened, fail = desk.open(EPSILON), desk.fail
    said = [outcome(lambda: fail(opened)) for _ in range(3)]
    granted = units(desk, opened, 2)
    charged = granted == 0
    text = f"{said[0]}, {said[2]}; {'charged' if charged else 'not charged'}"
    return Seen(text, not charged)


def racing(row: str, desk: Desk) -> Seen:
    """Two threads ask for the one unit; each is held up after the library's check has said yes."""
    opened, meet = desk.open(EPSILON), threading.Barrier(2)
    said: list[str] = []

    def hold(frame: Any, event: str, argument: Any) -> None:
        if event == "return" and frame.f_code.co_name == desk.checks:
            sys.setprofile(None)
            wait()

    def wait() -> None:
        try:
            meet.wait(2)
        except threading.BrokenBarrierError:
            return

    def asks() -> None:
        sys.setprofile(hold)
        said.append(outcome(lambda: desk.ask(opened, desk.unit)))
        sys.setprofile(None)

    threads = [threading.Thread(target=asks) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    granted = said.count("granted")
    return Seen(f"{granted} of 1 units", granted > 1)


def special(row: str, desk: Desk) -> Seen:
    """An input that only some libraries have."""
    return desk.special[row]() if row in desk.special else NOT_ASKED


ROWS: Mapping[str, Callable[[str, Desk], Seen]] = MappingProxyType(
    {
        "NaN": odd_number,
        "NaN delta": odd_number,
        "infinite cost": odd_number,
        "minus infinity": odd_number,
        "negative": odd_number,
        "negative delta": odd_number,
        "zero": odd_number,
        "subnormal": crumbs,
        "zero budget": odd_budget,
        "NaN budget": odd_budget,
        "infinite budget": special,
        "half of a log budget": special,
        "negative count": special,
        "count of 100": special,
        "a refused step": special,
        "failing mechanism": failing,
        "racing threads": racing,
        "a Renyi budget": special,
    }
)


def cell(library: str, row: str) -> Seen:
    """Observe one cell in this process."""
    desk = DESKS[library]()
    try:
        return ROWS[row](row, desk)
    except Exception as error:
        return Seen(f"{type(error).__name__}: {error}"[:80].replace("\n", " "), False)


# --- the table, in processes that may abort or hang -----------------------------------------


def column(library: str, seconds: float = SECONDS) -> dict[str, Seen]:
    """Observe all cells of one library; what aborts or hangs ends its process, not the table."""
    load(library)  # a missing library is named here, once
    seen: dict[str, Seen] = {}
    while left := [row for row in ROWS if row not in seen]:
        seen.update(_some(library, left, seconds))
    return {row: seen[row] for row in ROWS}


def _some(library: str, rows: list[str], seconds: float) -> dict[str, Seen]:
    """Run a process over these rows until it is done, dies or hangs."""
    command = [sys.executable, "-W", "ignore", "-m", MODULE, "--worker", library, *rows]
    seen: dict[str, Seen] = {}
    worker = Child(command, Limits())
    try:
        for row in rows:
            try:
                seen[row] = Seen(**json.loads(worker.line(seconds, MOST_BYTES)))
            except NoAnswer:
                seen[row] = Seen(f"hangs: no answer in {seconds:g} s", False)
                break
            except Ended:
                seen[row] = Seen(f"aborts the process ({_signal(worker.how(ENDING))})", False)
                break
    finally:
        worker.close()
    return seen


def _signal(ended: str) -> str:
    """Return the signal that ended a process; any other end is an error of ours."""
    if not ended.startswith(KILLED):
        raise RuntimeError(f"the worker ended before it was done: {ended}")
    return ended.removeprefix(KILLED)


def table(libraries: list[str]) -> Iterator[tuple[str, dict[str, Seen]]]:
    """Yield the column of each library; a missing one is named and left out."""
    for library in libraries:
        try:
            yield library, column(library)
        except MissingLibrary as missing:
            sys.stderr.write(f"{library}: {missing}\n")


def main(arguments: list[str] | None = None) -> int:
    """Print the table for the named libraries, or for all."""
    parser = argparse.ArgumentParser(
        prog="python -m filterproof_properties.adapters.evidence.failopen"
    )
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", default=[])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--against", metavar="FILE", type=Path, help="what --json printed once")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        return _work(*options.libraries)
    lines = []
    for library, seen in table(options.libraries or list(DESKS)):
        lines.append(as_json(library, seen))
        sys.stdout.write(lines[-1] if options.json else as_text(library, seen))
    other = differences(lines, options.against) if options.against else []
    sys.stderr.writelines(f"not on record: {one}\n" for one in other)
    return 1 if other else 0


def _work(library: str, *rows: str) -> int:
    for row in rows:
        seen = cell(library, row)
        sys.stdout.write(json.dumps(vars(seen)) + "\n")
        sys.stdout.flush()
    return 0


def as_text(library: str, seen: dict[str, Seen]) -> str:
    """Return one library's cells as lines; open ones are marked."""
    version = info_of(library).version
    lines = [f"{library} {version}"]
    for row, one in seen.items():
        if one != NOT_ASKED:
            lines.append(f"  {'OPEN  ' if one.open else 'closed'} {row:<18} {one.text}")
    return "\n".join(lines) + "\n"


def as_json(library: str, seen: dict[str, Seen]) -> str:
    """Return one library's cells as one line of JSON."""
    cells = {row: vars(one) for row, one in seen.items() if one != NOT_ASKED}
    line = {"library": library, "version": info_of(library).version, "seen": cells}
    return json.dumps(line) + "\n"


def differences(lines: list[str], record: Path) -> list[str]:
    """Return the cells, and the versions, that are not as they stand in a file of such lines."""
    told = {line["library"]: line for line in map(json.loads, record.read_text().splitlines())}
    found = []
    for now in map(json.loads, lines):
        library, then = now["library"], told.get(now["library"], {"version": None, "seen": {}})
        if now["version"] != then["version"]:
            found.append(f"{library} {now['version']}, where it was {then['version']}")
        rows = [row for row in ROWS if now["seen"].get(row) != then["seen"].get(row)]
        found += [f"{library}: {row}: {now['seen'].get(row)}" for row in rows]
    return found


def as_markdown(lines: str) -> str:
    """Return lines of JSON as one table: inputs downwards, libraries across.

    >>> print(as_markdown('{"library": "a", "version": "1", "seen": '
    ...     '{"NaN": {"text": "granted", "open": true}}}'), end="")
    | input | a 1 |
    |---|---|
    | NaN | **open** |
    """
    columns = [json.loads(line) for line in lines.splitlines()]
    head = "".join(f" {c['library']} {c['version']} |" for c in columns)
    text = f"| input |{head}\n|---|{'---|' * len(columns)}\n"
    for row in ROWS:
        cells = [_mark(column["seen"].get(row)) for column in columns]
        if set(cells) != {"-"}:
            text += f"| {row} | {' | '.join(cells)} |\n"
    return text


def _mark(seen: Any) -> str:
    if seen is None:
        return "-"
    if seen["text"].startswith(("aborts", "hangs")):
        return str(seen["text"].split()[0])
    return "**open**" if seen["open"] else "closed"


if __name__ == "__main__":
    sys.exit(main())
