"""`filterproof list`: what can be audited by name."""

import argparse

from rich.table import Table
from rich.text import Text

from filterproof_proofs.coq_theorems import standing
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.cli.options import Commands, command
from filterproof_properties.reports.terminal import console
from filterproof_properties.targets.loading import BUILT_INS

EPILOG = """\
example:
  filterproof list"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    command(commands, "list", run, "list the built-in filters and adapters", EPILOG)


def run(options: argparse.Namespace) -> int:
    """Print the built-in filters, then the adapters."""
    console().print(filter_table(), Text(), adapter_table())
    return 0


def filter_table() -> Table:
    """Return every built-in filter: its source, whether it is sound, and its theorem in Coq."""
    made = _table("built-in filter", "family", "source", "keeps its promise?", "theorem in Coq")
    for one in BUILT_INS:
        keeps = "yes" if one.sound else f"no: {one.why}"
        theorem = standing(one.name) if one.sound else "-"
        made.add_row(one.name, one.family, one.source, keeps, theorem)
    return made


def adapter_table() -> Table:
    """Return every adapter with the extra that installs its library."""
    made = _table("adapter", "kind", "extra to install", "what the library promises")
    for one in ADAPTERS.values():
        made.add_row(one.name, one.kind, f"filterproof[{one.extra}]", one.promise)
    return made


def _table(*headings: str) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made
