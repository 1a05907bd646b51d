"""`filterproof compare`: how many rounds each sound filter runs, in expectation, exactly."""

import argparse
import sys

EPILOG = """\
example:
  filterproof compare > comparison.md"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare no options: it has none."""


def run(options: argparse.Namespace) -> int:
    """Print the table as Markdown."""
    from filterproof_properties.choose.compare import comparison_table

    sys.stdout.write(comparison_table())
    return 0
