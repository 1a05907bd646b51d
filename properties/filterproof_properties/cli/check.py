"""`filterproof check`: re-check a certificate, and ask a filter whether it really answers so."""

import argparse
import sys
from pathlib import Path

from filterproof.certificate import ReplayMismatch, read_certificate
from filterproof_proofs.certificates import check, is_odometer_certificate
from filterproof_proofs.checker import Rejected
from filterproof_properties.cli.errors import USAGE, say
from filterproof_properties.cli.options import add_options, limits
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.quoting import quoted
from filterproof_properties.targets import loading as targets
from filterproof_properties.targets.replaying import run_replay
from filterproof_properties.targets.target import Declined

EPILOG = """\
The check is made by a program of 250 lines that uses Python's standard library only.  A target
that is built in is then asked for every answer again; for any other one give --replay.

examples:
  filterproof check certificate.json
  filterproof check certificate.json --replay my_filter.py:MyFilter
  filterproof check certificate.json --verified

exit codes: 0 the certificate holds (and the filter answers so); 1 it does not; 2 unreadable;
3 the filter cannot be asked: it declines this budget"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("certificate", type=Path, metavar="CERT.json")
    made.add_argument(
        "--replay",
        metavar="TARGET",
        help="ask this filter for every answer, instead of the built-in one that is named",
    )
    add_options(made, "limits")
    made.add_argument(
        "--verified",
        action="store_true",
        help="also ask the checker that is proved in Coq; it is built on first use",
    )
    made.add_argument("--picture", action="store_true", help="also draw the violation")


def run(options: argparse.Namespace) -> int:
    """Check one file; say what it shows, or why it does not."""
    text = options.certificate.read_bytes().decode("ascii")
    if options.verified and is_odometer_certificate(text):
        say("check", "the verified checker knows filters, not odometers")
        return USAGE
    try:
        found = findings(text, options.replay, limits(options))
        found += [ask_verified(options.certificate)] if options.verified else []
    except (Rejected, ReplayMismatch) as why:
        sys.stdout.write(f"rejected: {quoted(why, 2000)}\n")
        return 1
    except Declined as why:
        sys.stdout.write(f"not replayed: the target declines this budget: {quoted(why, 2000)}\n")
        return 3
    sys.stdout.writelines(f"{quoted(line, 4000)}\n" for line in found)
    if options.picture:
        from filterproof_properties.reports import picture, terminal

        terminal.console().print(terminal.violation(picture.picture(text)))
    return 0


def findings(text: str, given: str | None, allowed: Limits) -> list[str]:
    """Return what holds of a certificate; its target is asked if it is built in or given."""
    summary, named = check(text), read_certificate(text).target
    target = given or (named if named in {one.name for one in targets.BUILT_INS} else None)
    if target is None:
        return [f"accepted, target not asked: {summary}", f"to ask it: --replay {named!r:.200}"]
    count = run_replay(target, text, allowed)
    return [f"accepted: {summary}", f"replayed: {target} gives all {count} answers"]


def ask_verified(path: Path) -> str:
    """Return that the checker proved in Coq accepts the file too, or raise `Rejected`."""
    from filterproof_proofs import verified
    from filterproof_properties.reports.terminal import console

    with console(stderr=True).status("the verified checker ... (built on first use: a minute)"):
        (verdict,) = verified.verdicts([path], verified.program())
    if verdict != "accepted":
        raise Rejected(f"the verified checker says: {verdict}")
    return "verified: the checker extracted from Coq accepts it"
