"""`filterproof explain`: a counterexample in words, with the nearest known bug."""

import argparse
import sys
from pathlib import Path

from filterproof_proofs.certificates import check
from filterproof_proofs.checker import Rejected
from filterproof_properties.processes.quoting import quoted

EPILOG = """\
Says who asks what, what each mechanism does, what was answered, which outputs win, how likely they
are on either database, the exact H beside delta, and which known-bad filters give the same answers.
Nothing of the target is run.

examples:
  filterproof explain docs/certificates/opendp-failure-not-charged.json
  filterproof explain certificate.json --output issue.txt

exit codes: 0 it is explained; 1 the certificate does not hold; 2 unreadable"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("certificate", type=Path, metavar="CERT.json")
    made.add_argument("--output", type=Path, metavar="FILE", help="write it there")


def run(options: argparse.Namespace) -> int:
    """Explain one certificate."""
    text = options.certificate.read_bytes().decode("ascii")
    try:
        check(text)
    except Rejected as why:
        sys.stdout.write(f"rejected: {quoted(why, 2000)}\n")
        return 1
    from filterproof_properties.audit.known_bug_match import known_bug_match
    from filterproof_properties.reports import explain

    said = explain.text(text, known_bug_match(text))
    if options.output:
        options.output.write_text(said, encoding="utf-8")
    else:
        sys.stdout.write(said)
    return 0
