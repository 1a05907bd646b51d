"""`filterproof recheck`: judge every play of an audit again, from its transcript alone."""

import argparse
import sys
from pathlib import Path

from filterproof_properties.audit.recheck import Rechecked, recheck
from filterproof_properties.cli.busy import busy
from filterproof_properties.processes.sanitise import quoted

EPILOG = """\
A transcript is what `filterproof audit TARGET --transcript FILE` writes: every question that the
filter was asked and its answer.  Every play in it is judged again with the exact
engine; the filter is not needed.

exit codes: 0 no recorded play is a violation, and there are as many as the audit counts; 1 one is;
2 the file is unreadable, cut off, changed, or contradicts itself; 3 the audit concluded nothing,
or there is no play to judge"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("transcript", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    """Judge one transcript; say what follows from it."""
    with busy(f"every play of {options.transcript} again ..."):
        found = recheck(options.transcript)
    sys.stdout.writelines(f"{quoted(line, 2000)}\n" for line in lines_of(found))
    return found.exit_code()


def lines_of(found: Rechecked) -> list[str]:
    """Return what follows, and what the audit said."""
    told = f"{found.judged} plays judged again, the highest H/delta is {found.highest:.4g}"
    audit = f"{found.target}: the audit says {found.verdict!s}, on {found.plays} plays"
    if not found.whole:
        audit = f"{found.target}: the transcript was too long and is not whole"
    if not found.judged:
        return [audit, "inconclusive: there is no play in it that can be judged"]
    several = f"VIOLATED in {len(found.violations)} of them; first {(found.violations or [''])[0]}"
    return [audit, told, several if found.violations else "no violation found in any of them"]
