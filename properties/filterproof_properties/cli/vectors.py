"""`filterproof vectors`: write the test vectors."""

import argparse
import sys
from pathlib import Path

from filterproof_properties.cli.busy import busy
from filterproof_properties.vectors.writing import write

EPILOG = """\
The files are the same, byte for byte, every time.

example:
  filterproof vectors vectors/ && node examples/vectors.js vectors/"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("folder", type=Path, metavar="DIR")


def run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    with busy("computing test vectors ..."):
        written = write(options.folder)
    for path in written:
        sys.stdout.write(f"{path}\n")
    return 0
