"""`filterproof check`: re-check a certificate, and ask a filter whether it really answers so."""

import argparse
import sys
from pathlib import Path

from filterproof.certificate import ReplayMismatch
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.audit.sandbox import run_replay
from filterproof_properties.cli.options import Commands, add_limits, command, limits
from filterproof_properties.reports import picture, terminal

EPILOG = """\
The check is made by a program of 200 lines that uses Python's standard library only.

examples:
  filterproof check certificate.json
  filterproof check certificate.json --replay my_filter.py:MyFilter

exit codes: 0 the certificate holds (and the filter answers so); 1 it does not; 2 unreadable"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    made = command(commands, "check", run, "re-check a certificate of a violation", EPILOG)
    made.add_argument("certificate", type=Path, metavar="CERT.json")
    made.add_argument("--replay", metavar="TARGET", help="also ask this filter for every answer")
    add_limits(made)
    made.add_argument("--picture", action="store_true", help="also draw the violation")


def run(options: argparse.Namespace) -> int:
    """Check one file; say what it shows, or why it does not."""
    text = options.certificate.read_text(encoding="ascii")
    try:
        sys.stdout.write(f"accepted: {check(text)}\n")
        if options.replay:
            count = run_replay(options.replay, text, limits(options))
            sys.stdout.write(f"replayed: {options.replay} gives all {count} answers\n")
    except (Rejected, ReplayMismatch) as why:
        sys.stdout.write(f"rejected: {why}\n")
        return 1
    if options.picture:
        terminal.console().print(terminal.violation(picture.picture(text)))
    return 0
