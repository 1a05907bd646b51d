"""`filterproof repro`: a certificate as one script that shows it without this project."""

import argparse
import sys
from pathlib import Path

from filterproof_proofs.checker import Rejected
from filterproof_properties.processes.quoting import quoted

EPILOG = """\
The script plays the certificate's adversary and computes the exact H with fractions.  It asks the
library by its own calls where the target is an adapter, and takes the recorded answers for any
other target.  It ends with 1 if the finding is there, and with 0 if the library has mended it.

examples:
  filterproof repro docs/certificates/opendp-failure-not-charged.json --output show.py
  filterproof repro certificate.json | python -

exit codes: 0 the script was written; 1 the certificate does not hold; 2 unreadable"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("certificate", type=Path, metavar="CERT.json")
    made.add_argument("--output", type=Path, metavar="FILE", help="write it there")


def run(options: argparse.Namespace) -> int:
    """Write the script of one certificate."""
    from filterproof_properties.adapters.repro import script

    try:
        made = script(options.certificate.read_bytes().decode("ascii"))
    except Rejected as why:
        sys.stdout.write(f"rejected: {quoted(why, 2000)}\n")
        return 1
    if options.output:
        options.output.write_text(made, encoding="ascii")
    else:
        sys.stdout.write(made)
    return 0
