"""`filterproof check`: re-check a certificate, and ask a filter whether it really answers so."""

import argparse
import sys
from pathlib import Path

from filterproof.certificate import ReplayMismatch, read_certificate, replay
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.commands.options import Commands, command
from filterproof_properties.evaluate import make_filter
from filterproof_properties.targets import load

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
    made.add_argument("--picture", action="store_true", help="also draw the violation")


def run(options: argparse.Namespace) -> int:
    """Check one file; say what it shows, or why it does not."""
    text = options.certificate.read_text(encoding="ascii")
    try:
        sys.stdout.write(f"accepted: {check(text)}\n")
        if options.replay:
            sys.stdout.write(f"replayed: {replayed(text, options.replay)}\n")
    except (Rejected, ReplayMismatch) as why:
        sys.stdout.write(f"rejected: {why}\n")
        return 1
    if options.picture:
        from filterproof_properties.reports import picture, terminal

        terminal.console().print(terminal.violation(picture.picture(text)))
    return 0


def replayed(text: str, spec: str) -> str:
    """Ask the target for every answer of the certificate; return a summary."""
    certificate = read_certificate(text)
    target = load(spec).target
    rule = make_filter(target, certificate.epsilon, certificate.delta, certificate.parameters)
    return f"{spec} gives all {replay(rule, certificate)} answers"
