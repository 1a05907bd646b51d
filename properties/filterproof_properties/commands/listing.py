"""`filterproof list`: what can be audited by name."""

import argparse

from rich.table import Table

from filterproof.filters.registry import REGISTRY
from filterproof_properties.commands.options import Commands, command
from filterproof_properties.reports.terminal import console

EPILOG = """\
example:
  filterproof list"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    command(commands, "list", run, "list the built-in filters and adapters", EPILOG)


def run(options: argparse.Namespace) -> int:
    """Print every built-in filter with where it comes from and whether it is sound."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "family", "source", "promise", "keeps it?"):
        made.add_column(heading, overflow="fold")
    for one in REGISTRY:
        keeps = "yes" if one.sound else f"no: {one.why}"
        made.add_row(one.name, one.family, one.source, one.promise, keeps)
    console().print(made)
    return 0
