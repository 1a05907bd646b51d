"""What each library does with odd input: a table, every cell observed on the real library.

`python -m conformance.failopen [LIBRARY ...] [--json]` prints it;
with `--against FILE` it also says which cells are not what FILE has on
record, and exits with 1 if there are any.

The probes, the rows and the process that a library runs in are those of `filterproof failopen`
(room `failopen`), with the desks of `counters`.

An accountant that is asked first and booked afterwards has no lock of its own, so that its race is
one of the wrapper.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.counters import DESKS
from filterproof_properties.adapters import info_of, load
from filterproof_properties.adapters.support.library import MissingLibrary
from filterproof_properties.failopen import table as cells
from filterproof_properties.failopen.probes import ROWS
from filterproof_properties.failopen.table import Column
from filterproof_properties.processes.child import Limits

LIMITS = Limits(timeout=120)
"""How long one cell may take, and what else the library may use."""
MODULE = "conformance.failopen"


def column(library: str) -> Column:
    """Observe all cells of one library."""
    load(library)  # a missing library is named here, once
    return cells.column([MODULE, "--worker", library], ROWS, LIMITS)


def table(libraries: list[str]) -> Iterator[tuple[str, Column]]:
    """Yield the column of each library; a missing one is named and left out."""
    for library in libraries:
        try:
            yield library, column(library)
        except MissingLibrary as missing:
            sys.stderr.write(f"{library}: {missing}\n")


def main(arguments: list[str] | None = None) -> int:
    """Print the table for the named libraries, or for all."""
    parser = argparse.ArgumentParser(prog="python -m conformance.failopen")
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", default=[])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--against", metavar="FILE", type=Path, help="what --json printed once")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        library, *rows = options.libraries
        return cells.work(DESKS[library], ROWS, rows)
    lines = []
    for library, seen in table(options.libraries or list(DESKS)):
        lines.append(cells.as_json(about(library), seen))
        text = cells.as_text(" ".join(about(library).values()), seen)
        sys.stdout.write(lines[-1] if options.json else text)
    other = differences(lines, options.against) if options.against else []
    sys.stderr.writelines(f"not on record: {one}\n" for one in other)
    return 1 if other else 0


def about(library: str) -> dict[str, str]:
    """Return what a column is about."""
    return {"library": library, "version": info_of(library).version}


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
        marks = [_mark(column["seen"].get(row)) for column in columns]
        if set(marks) != {"-"}:
            text += f"| {row} | {' | '.join(marks)} |\n"
    return text


def _mark(seen: Any) -> str:
    if seen is None:
        return "-"
    if seen["text"].startswith((cells.ABORTS, cells.HANGS)):
        return str(seen["text"].split()[0])
    return "**open**" if seen["open"] else "closed"


if __name__ == "__main__":
    sys.exit(main())
