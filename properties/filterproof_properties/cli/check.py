"""`filterproof check`: re-check a certificate, and ask a filter whether it really answers so."""

import argparse
import sys
from pathlib import Path

from filterproof_proofs.certificates import is_odometer_certificate
from filterproof_proofs.checker import Rejected
from filterproof_properties.cli.busy import busy
from filterproof_properties.cli.certificate import (
    DOES_NOT_HOLD,
    UNDECIDED,
    Examined,
    add_certificate,
    examine,
    read_text,
)
from filterproof_properties.cli.errors import USAGE, say
from filterproof_properties.processes.sanitise import quoted

EPILOG = """\
The check is made by a program of one file that uses Python's standard library only.  A target
that is built in is then asked for every answer again; for any other one give --replay, or
--no-replay if the arithmetic alone is what you want to check.

examples:
  filterproof check certificate.json
  filterproof check certificate.json --replay my_filter.py:MyFilter
  filterproof check certificate.json --no-replay --verified

exit codes: 0 the certificate holds and the filter answers so (or --no-replay); 1 it does not;
2 unreadable; 3 the filter was not asked, or declines this budget, or the check takes too long"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_certificate(made)
    made.add_argument(
        "--no-replay",
        action="store_true",
        help="check the certificate only, without asking the target",
    )
    made.add_argument(
        "--verified",
        action="store_true",
        help="also ask the checker that is proved in Coq; it is built on first use",
    )
    made.add_argument("--picture", action="store_true", help="also draw the violation")


def run(options: argparse.Namespace) -> int:
    """Check one file; say what it shows, or why it does not."""
    if options.verified and is_odometer_certificate(read_text(options.certificate)):
        say("check", "the verified checker knows filters, not odometers")
        return USAGE
    found = examine(options)
    if isinstance(found, int):
        return found
    lines = findings(found)
    try:
        lines += [ask_verified(options.certificate)] if options.verified else []
    except Rejected as why:
        sys.stdout.write(f"rejected: {quoted(why, 2000)}\n")
        return DOES_NOT_HOLD
    sys.stdout.writelines(f"{quoted(line, 4000)}\n" for line in lines)
    if options.picture:
        from filterproof_properties.reports import picture, terminal

        terminal.console().print(terminal.violation(picture.picture(found.text)))
    return 0 if found.asked or options.no_replay else UNDECIDED


def findings(found: Examined) -> list[str]:
    """Return what holds of a certificate, with which parameters, and whether a target says so."""
    unasked = "" if found.asked else ", target not asked"
    given = found.certificate.parameters.items()
    parameters = [f"parameters: {', '.join(f'{name} = {value}' for name, value in given)}"]
    return [
        f"accepted{unasked}: {found.summary}",
        *(parameters if given else []),
        found.standing,
    ]


def ask_verified(path: Path) -> str:
    """Return that the checker proved in Coq accepts the file too, or raise `Rejected`."""
    from filterproof_proofs import verified

    with busy("the verified checker ... (built on first use: a minute)"):
        (verdict,) = verified.verdicts([path], verified.program())
    if verdict != "accepted":
        raise Rejected(f"the verified checker says: {verdict}")
    return "verified: the checker extracted from Coq accepts it"
