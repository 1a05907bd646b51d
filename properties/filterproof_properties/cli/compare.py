"""`filterproof compare`: how many rounds each sound filter runs, in expectation, exactly."""

import argparse
import sys

from filterproof_properties.cli.options import Commands, command

EPILOG = """\
example:
  filterproof compare > comparison.md"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    command(commands, "compare", run, "compare the sound filters by expected rounds", EPILOG)


def run(options: argparse.Namespace) -> int:
    """Print the table as Markdown."""
    from filterproof_properties.choose.compare import comparison_table

    sys.stdout.write(comparison_table())
    return 0
