"""`filterproof ledger`: print the log of a runtime filter's store and check its chain."""

import argparse
import sys
from typing import Any

from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import checked_records
from filterproof_properties.reports.columns import screen_width, stack

EPILOG = """\
STORE is what the filter was given: the path of a file, sqlite:PATH, or postgresql://...
Each record names the digest of the one before it; exit code 2 if the chain is broken or does
not end in the state that the store holds.  A reserve without a settle is a round that was
charged and never heard of again: its loss counts as unknown.

examples:
  filterproof ledger budget.json
  filterproof ledger sqlite:budget.db"""

COLUMNS = {"time": 25, "process": 7, "kind": 7, "round": 5, "asked": 9, "spent": 9, "what": 0}
"""The columns and their widths; the last one is as long as its text."""
NEEDED = 120
"""On a screen of fewer columns a record has a line for each few of its cells."""
HEADING = "  ".join(f"{name:{width}}" for name, width in COLUMNS.items()) + "\n"


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("store", metavar="STORE")


def run(options: argparse.Namespace) -> int:
    """Print a line per record while the chain holds, then how it ends."""
    screen = screen_width()
    heading = HEADING if screen >= NEEDED else ""
    store = open_store(options.store, reading=True)
    try:
        (cell, records), count, last = store.history(), 0, ""
        for facts in checked_records(records, cell):
            sys.stdout.write(f"{heading if not count else ''}{lines(facts, screen)}")
            count, last = count + 1, facts["kind"]
    finally:
        store.close()
    pending = "; the last round is not settled" if last == "reserve" else ""
    sys.stdout.write(f"{count} records, the chain holds{pending}\n")
    return 0


def lines(facts: dict[str, Any], screen: int) -> str:
    """Return a record as a line of columns, or as several where the screen is narrower."""
    cells = [cell_text(facts.get(name, "")) for name in COLUMNS]
    if screen >= NEEDED:
        padded = (cell.ljust(width) for cell, width in zip(cells, COLUMNS.values(), strict=True))
        return f"{'  '.join(padded).rstrip()}\n"
    when, process, *kind, asked, spent, what = cells
    said = f"asked {asked or '-'}, spent {spent or '-'}  {what}"
    return stack(screen, [(" ".join([when, *kind, f"process {process}"]), said)])


def cell_text(value: Any) -> str:
    """Return what a cell of the table says; texts from a store are printed escaped."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return repr(value)[1:-1] if isinstance(value, str) else str(value)
