"""`filterproof explain`: a counterexample in words, with the nearest known bug."""

import argparse
import sys
from pathlib import Path

from filterproof_properties.cli.certificate import add_certificate, examine
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.reports.columns import fitted

EPILOG = """\
Says who asks what, what each mechanism does, what was answered, which outputs win, how likely they
are on either database, the exact H beside delta, and which known-bad filters give the same answers.
The certificate is checked first, and a target that is built in or given is asked for every answer;
the first line says whether one was.

examples:
  filterproof explain docs/certificates/opendp-failure-not-charged.json --replay opendp
  filterproof explain certificate.json --output issue.txt

exit codes: 0 it is explained; 1 the certificate does not hold, or the target answers otherwise;
2 unreadable; 3 the target declines this budget, or the check takes too long"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_certificate(made)
    made.add_argument("--output", type=Path, metavar="FILE", help="write it there")


def run(options: argparse.Namespace) -> int:
    """Explain one certificate."""
    found = examine(options)
    if isinstance(found, int):
        return found
    from filterproof_properties.audit.known_bug_match import known_bug_match
    from filterproof_properties.reports import explain

    words = explain.text(found.text, known_bug_match(found.text))
    said = f"{quoted(found.standing, 600)}\n\n{words}"
    if options.output:
        write_in_time(options.output, said.encode())
    else:
        sys.stdout.write(fitted(said))
    return 0
