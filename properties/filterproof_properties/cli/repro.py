"""`filterproof repro`: a certificate as one script that shows it without this project."""

import argparse
import sys
from pathlib import Path

from filterproof_properties.cli.certificate import add_certificate, examine
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.targets.target import TargetError

EPILOG = """\
For a budget object the script imports its class and makes the calls of the counterexample.

The script plays the certificate's adversary and computes the exact H with fractions.  It asks the
library by its own calls where the target is an adapter, and takes the recorded answers for any
other target.  It ends with 1 if the finding is there, and with 0 if the library has mended it.
The certificate is checked first, and a target that is built in or given is asked for every answer;
the script's first line says whether one was.

examples:
  filterproof repro docs/certificates/opendp-failure-not-charged.json --output show.py
  filterproof repro certificate.json | python -

exit codes: 0 the script was written; 1 the certificate does not hold, or the target answers
otherwise; 2 unreadable; 3 the target declines this budget, or the check takes too long"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_certificate(made)
    made.add_argument("--output", type=Path, metavar="FILE", help="write it there")
    made.add_argument(
        "--pytest", action="store_true", help="print a pytest test instead (budget objects only)"
    )


def run(options: argparse.Namespace) -> int:
    """Write the script of one certificate."""
    found = examine(options)
    if isinstance(found, int):
        return found
    from filterproof_properties.reports.budget_script import budget_script

    written = budget_script(found.text, test=options.pytest) or _script(found.text, options)
    standing = quoted(found.standing, 600).encode("ascii", "backslashreplace").decode("ascii")
    made = f"# {standing}\n{written}"
    if options.output:
        write_in_time(options.output, made.encode("ascii"))
    else:
        sys.stdout.write(made)
    return 0


def _script(text: str, options: argparse.Namespace) -> str:
    from filterproof_properties.adapters.repro import script

    if options.pytest:
        raise TargetError("--pytest is for budget objects: the certificate names another target")
    return script(text)
