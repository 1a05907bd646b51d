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
    from filterproof_properties.choose.compare import Row, comparison, comparison_table
    from filterproof_properties.reports.progress import Gathering
    from filterproof_properties.reports.terminal import console

    with Gathering[Row](console(stderr=True), "filters") as found:
        for row in comparison():
            found(row, row[0])
    sys.stdout.write(comparison_table(found.items))
    if found.interrupted:
        raise KeyboardInterrupt
    return 0
