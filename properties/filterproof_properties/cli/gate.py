"""`filterproof gate`: everything that a change of filters must pass, as one command."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

from filterproof_properties.audit.base import Base, base_commit, checked_out
from filterproof_properties.audit.engine import INTERRUPTED
from filterproof_properties.audit.record import SETTINGS, Record
from filterproof_properties.audit.verdicts import Verdict, exit_code
from filterproof_properties.cli.audit import add_reports, certificates, save, show
from filterproof_properties.cli.errors import say
from filterproof_properties.cli.gating import Clock, Gate
from filterproof_properties.cli.minimum import weaker
from filterproof_properties.options.config import (
    NAME,
    Config,
    ConfigError,
    find_config,
    read_config,
)
from filterproof_properties.options.table import exact, positive_seconds
from filterproof_properties.reports import terminal
from filterproof_properties.reports.files import writer
from filterproof_properties.reports.progress import LiveProgress
from filterproof_properties.targets.target import TargetError

EPILOG = f"""\
Every target of [tool.{NAME}] is audited, compared with what it was at the base (LOOSER fails), and
must be proved where it was proved there.  The settings of the base are a minimum: fewer examples,
attacks turned off, a target removed or pointed elsewhere fail, with the reason.  So does a target
of the base that cannot be found or loaded there, and a configuration of the base that cannot be
read.  A gate that checked nothing, or less than is configured at the base, is red.

The base is the commit where this branch left the branch that it is to be merged into (which GitHub
and GitLab name; else origin/HEAD, main, master), or the commit before on that branch itself.

examples:
  filterproof gate
  filterproof gate --seconds 600 --report filterproof/report.md --report filterproof/report.sarif
  filterproof gate --base v1.2 src/shop/ledger.py:Budget

exit codes: 0 every target passed everything; 1 a violation, a LOOSER version, a lost proof; 2 wrong
usage, a target failed, or less is checked than at the base; 3 too little could be tried; 4 a defect
of filterproof itself"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument(
        "targets", nargs="*", metavar="TARGET", help="more targets than the configured ones"
    )
    made.add_argument("--base", metavar="COMMIT", help="the commit to compare with")
    made.add_argument(
        "--seconds",
        type=exact(positive_seconds),
        metavar="S",
        help="about how long all of it may take (default: as long as each target is configured)",
    )
    add_reports(made)


def run(options: argparse.Namespace) -> int:
    """Check every target, print and write the reports, return the exit code."""
    writers = [(path, writer(path)) for path in options.report]
    config = find_config()
    names = list(dict.fromkeys((*config.targets, *options.targets)))
    with older(options.base or "") as base:
        before, unread = config_at(base) if base else (Config(), {})
        reasons = unread | weaker(before, config)
        if not names and not reasons:
            raise TargetError(f"nothing to check: [tool.{NAME}] in pyproject.toml has no targets")
        records = [as_record(name, why) for name, why in reasons.items()]
        records += checked(names, config, base, before, fits(options.seconds, names, config, base))
        if base:
            base.check()
    show(records, options)
    texts = {path: text(records) for path, text in writers} | certificates(records, options)
    wrote = [save(path, text, quiet=options.json) for path, text in texts.items()]
    code = exit_code(records, expected=False)
    return code if all(wrote) else code or 2


@contextmanager
def older(ref: str) -> Iterator[Base | None]:
    """Yield the checkout of the base; None if this is the first commit."""
    commit = base_commit(Path.cwd(), ref, os.environ)
    if commit is None:
        say("gate", "this is the first commit: there is no older version to compare with")
        yield None
        return
    say("gate", f"the base is {commit.words}")
    with checked_out(commit) as base:
        yield base


def config_at(base: Base) -> tuple[Config, dict[str, list[str]]]:
    """Return the configuration of the base for this directory; if it is unreadable, also why."""
    here = Path(base.checkout.directory())
    folders = [one for one in (here, *here.parents) if one.is_relative_to(base.folder)]
    for path in (folder / "pyproject.toml" for folder in folders):
        if path.is_file():
            try:
                return read_config(path), {}
            except ConfigError as error:
                said = str(error).replace(f"{base.folder}{os.sep}", "")
                why = f"no minimum is known: at {base.commit.words}, {said}"
                return Config(), {f"[tool.{NAME}]": [why]}
    return Config(), {}


def as_record(name: str, reasons: list[str]) -> Record:
    """Return the line that says what is checked less than at the base."""
    why = "; ".join(reasons)
    return Record(name, Verdict.WEAKENED, None, "", 0, 0.0, error=why, kind=SETTINGS)


def fits(
    seconds: float | None, names: list[str], config: Config, base: Base | None
) -> float | None:
    """Return the time for everything; raise if it is less than what is configured."""
    each = [config.settings({}, name).seconds or 0.0 for name in names]
    if inf in each:
        raise TargetError("a gate has to end: need a positive number of seconds, not seconds = 0")
    needed = sum(each) * (2 if base else 1)
    if seconds is not None and seconds < needed:
        raise TargetError(f"--seconds {seconds:g} is less than the {needed:g} that are configured")
    return seconds


def checked(
    names: list[str], config: Config, base: Base | None, before: Config, seconds: float | None
) -> list[Record]:
    """Check one target after the other, with live progress on a terminal."""
    with LiveProgress(len(names), terminal.console(stderr=True), seconds) as live:
        gate, records = Gate(config, base, before, Clock(seconds, len(names)), live), list[Record]()
        for name in names:
            records += gate.check(name)
            if records[-1].error == INTERRUPTED:
                break
        return records
