"""`filterproof ledger`: print the log of a runtime filter's store and check its chain."""

import argparse
import sys
from typing import Any

from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import checked_records

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
HEADING = "  ".join(f"{name:{width}}" for name, width in COLUMNS.items()) + "\n"


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("store", metavar="STORE")


def run(options: argparse.Namespace) -> int:
    """Print a line per record while the chain holds, then how it ends."""
    store = open_store(options.store, reading=True)
    try:
        (cell, records), count, last = store.history(), 0, ""
        for facts in checked_records(records, cell):
            sys.stdout.write(f"{'' if count else HEADING}{line(facts)}\n")
            count, last = count + 1, facts["kind"]
    finally:
        store.close()
    pending = "; the last round is not settled" if last == "reserve" else ""
    sys.stdout.write(f"{count} records, the chain holds{pending}\n")
    return 0


def line(facts: dict[str, Any]) -> str:
    """Return a record as a line of columns."""
    cells = [cell_text(facts.get(name, "")).ljust(width) for name, width in COLUMNS.items()]
    return "  ".join(cells).rstrip()


def cell_text(value: Any) -> str:
    """Return what a cell of the table says; texts from a store are printed escaped."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return repr(value)[1:-1] if isinstance(value, str) else str(value)
