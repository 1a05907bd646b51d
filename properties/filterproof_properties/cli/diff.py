"""`filterproof diff`: what a change of a filter changes; a gate for continuous integration."""

import argparse
import json
import os
import sys
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from filterproof_properties.audit.base import Base, base_commit, checked_out
from filterproof_properties.audit.comparison import Comparison, Looser
from filterproof_properties.audit.diff import run_diff
from filterproof_properties.audit.side_by_side import Row
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.cli.calls import target_spec
from filterproof_properties.cli.options import add_options, effort, limits, settings
from filterproof_properties.options.config import find_config
from filterproof_properties.reports import picture, terminal
from filterproof_properties.reports.progress import LiveProgress
from filterproof_properties.targets.loading import check_name
from filterproof_properties.targets.target import TargetError

EPILOG = """\
First a proof: both sources are interpreted side by side on unknown numbers.  Where there is none,
both versions are played on the games of an audit, for as long as an audit searches.  LOOSER is a
play in which NEW runs a mechanism that OLD does not; the shortest one found is shown.

With one target OLD is the same target in git: at the commit that --base names, or else where this
branch left the branch that it is to be merged into.

examples:
  filterproof diff naive naive-over-n
  filterproof diff --base main src/shop/ledger.py:Budget --spend spend --no-looser
  filterproof diff src/filters.py:Mine --no-looser
  filterproof diff old/filters.py:Mine filters.py:Mine --no-looser
  filterproof diff old/shop.py:Budget shop.py:Budget --spend spend --no-looser
  filterproof diff "command:node old.js" "command:node new.js" --json

exit codes: 0 NEW is no looser on all that was compared, or LOOSER without --no-looser and within
its budget; 1 NEW breaks its budget, or (--no-looser) is LOOSER; 2 wrong usage or a version failed;
3 too little could be compared; 4 a defect of filterproof itself"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("targets", nargs="+", metavar="TARGET", help="OLD and NEW, or NEW alone")
    made.add_argument(
        "--base",
        metavar="COMMIT",
        help="take OLD out of git at this branch, tag or commit (default: where this branch began)",
    )
    made.add_argument(
        "--no-looser", action="store_true", help="fail if NEW runs anything that OLD does not"
    )
    made.add_argument("--json", action="store_true", help="print the comparison as JSON")
    add_options(made, "search", "limits", "calls")


def run(options: argparse.Namespace) -> int:
    """Compare, print, return the exit code."""
    if options.proved:
        raise TargetError("diff proves where it can; --proved is an option of audit and gate")
    if len(options.targets) > 2 or (options.base and len(options.targets) > 1):
        raise TargetError("need OLD and NEW, or one target (of which OLD is then taken out of git)")
    found = compared(options) if len(options.targets) == 2 else compared_with_base(options)
    if options.json:
        sys.stdout.write(json.dumps(asdict(found), indent=1) + "\n")
    else:
        terminal.console().print(shown(found))
    return exit_code(found, no_looser=options.no_looser)


def compared(options: argparse.Namespace) -> Comparison:
    """Compare two targets."""
    config = find_config()
    old, new = (target_spec(name, config, vars(options)) for name in options.targets)
    for spec in (old, new):
        check_name(spec)
    return watched(options, old, new, None)


def compared_with_base(options: argparse.Namespace) -> Comparison:
    """Compare a target with what it was at an older commit."""
    (name,), config = options.targets, find_config()
    if ":" not in name and name not in config.targets:
        raise TargetError(
            f"need NEW as well: {name!r} is no file whose older version git could have"
        )
    commit = base_commit(Path.cwd(), options.base or "", os.environ)
    if commit is None:
        raise TargetError("this is the first commit: there is no older version to compare with")
    with checked_out(commit) as base:
        old = target_spec(name, config, vars(options), base)
        if not old:
            raise TargetError(f"nothing to compare: {name} did not exist at {commit.words}")
        found = watched(options, old, target_spec(name, config, vars(options)), base)
        base.check()
    return replace(found, old=f"{found.new} at {commit.words}")


def watched(options: argparse.Namespace, old: str, new: str, base: Base | None) -> Comparison:
    """Compare two versions, with live progress on a terminal."""
    chosen = effort(settings(options, options.targets[-1]), everything=False)
    allowed = limits(options, options.targets[-1])
    console = terminal.console(stderr=True)
    with LiveProgress(1, console, chosen.seconds) as live:
        checkout = base.checkout if base else None
        return run_diff(old, new, chosen, allowed, live, checkout=checkout)


def exit_code(found: Comparison, *, no_looser: bool) -> int:
    """Return the verdict's exit code; what is only looser fails where that is asked for."""
    if found.verdict is Verdict.LOOSER and not no_looser and not found.certificate:
        return 0
    return entry(found.verdict).exit_code


def shown(found: Comparison) -> RenderableType:
    """Return the verdict with what it rests on."""
    parts: list[RenderableType] = []
    if found.looser:
        parts += [Text(line) for line in looser_lines(found.looser)]
    if found.certificate:
        parts += [terminal.violation(picture.picture(found.certificate))]
    if found.stricter_plays:
        parts += [Text(line) for line in stricter_lines(found)]
    if found.proof:
        parts += [Text(f"proof: {found.proof[0]}"), *(Text(f"  {one}") for one in found.proof[1:])]
    parts += [Text(line) for line in (*found.notes, *privacy(found), found.error) if line]
    if found.envelope:
        parts.append(Text(f"compared: {found.envelope}, {found.seconds:.1f} s"))
    said = entry(found.verdict)
    parts.append(Text(f"{found.verdict}: {said.words}", f"bold {said.colour}"))
    return Group(*parts)


def privacy(found: Comparison) -> list[str]:
    """Say whether a looser version breaks its budget or only spends more."""
    if found.verdict is not Verdict.LOOSER:
        return []
    if found.certificate:
        return ["the new version breaks its budget: the certificate is checked"]
    return ["it spends more; no play was found on which its budget is broken"]


def looser_lines(play: Looser) -> list[str]:
    """Return the play, both answers beside each other."""
    return [f"the new version runs what the old one does not: {play.opening}", *table(play.rows)]


def stricter_lines(found: Comparison) -> list[str]:
    """Return how often the new version runs less, and what users lose by that."""
    lines = [f"STRICTER on {found.stricter_plays} of {found.plays} plays; the smallest:"]
    each = (
        f"  {s.opening}: expected rounds {s.rounds_old} -> {s.rounds_new}" for s in found.stricter
    )
    lines += [*dict.fromkeys(each)][:3]
    return lines + table(found.stricter[0].rows) if found.stricter else lines


def table(rows: tuple[Row, ...]) -> list[str]:
    """Return rows as aligned lines; equal ones in a row are one line."""
    counted = [(one, len([*same])) for one, same in groupby(rows)]
    cells = [("asked", "old", "new", "")]
    cells += [
        (f"{n} times {r.asked}" if n > 1 else r.asked, r.old, r.new, r.released) for r, n in counted
    ]
    wide = [max(len(one[i]) for one in cells) for i in range(3)]
    return [
        "  " + "  ".join([*(c.ljust(w) for c, w in zip(one, wide, strict=False)), one[3]]).rstrip()
        for one in cells
    ]
