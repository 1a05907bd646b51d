"""`filterproof diff`: what a change of a filter changes; a gate for continuous integration."""

import argparse
import json
import sys
from dataclasses import asdict

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from filterproof_properties.audit.diff import Comparison, Witness, rounds_change
from filterproof_properties.audit.running import run_diff
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.cli.calls import target_spec
from filterproof_properties.cli.options import (
    add_options,
    limits,
    settings,
)
from filterproof_properties.config import configured
from filterproof_properties.reports import picture, terminal
from filterproof_properties.targets.loading import check_name
from filterproof_properties.targets.walk import EARLIER, LATER

EPILOG = """\
Both filters see the same games.  NEW halts *later* where it runs a mechanism that OLD does not:
there it is looser.  The smallest game that shows a difference is printed.

examples:
  filterproof diff naive naive-over-n
  filterproof diff old/filters.py:Mine filters.py:Mine --no-looser
  filterproof diff old/shop.py:Budget shop.py:Budget --spend spend
  filterproof diff "command:node old.js" "command:node new.js" --json

exit codes: 0 NEW is sound on every game; 1 NEW breaks its budget, or (--no-looser) halts later
somewhere; 2 wrong usage or a filter broke the protocol; 3 no game that both filters accept"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("old", metavar="OLD", help="the target as it was")
    made.add_argument("new", metavar="NEW", help="the target as it is going to be")
    made.add_argument(
        "--no-looser", action="store_true", help="fail if NEW halts later anywhere than OLD"
    )
    made.add_argument("--json", action="store_true", help="print the comparison as JSON")
    add_options(made, "search", "limits", "calls")


def run(options: argparse.Namespace) -> int:
    """Compare, print, return the exit code."""
    config = configured()
    old, new = (target_spec(name, config, vars(options)) for name in (options.old, options.new))
    for spec in (old, new):
        check_name(spec)
    chosen, allowed = settings(options, options.new), limits(options, options.new)
    found = run_diff(old, new, chosen, allowed)
    if options.json:
        sys.stdout.write(json.dumps({"verdict": found.verdict, **asdict(found)}, indent=1) + "\n")
    else:
        terminal.console().print(shown(found))
    return exit_code(found, no_looser=options.no_looser)


def exit_code(found: Comparison, *, no_looser: bool) -> int:
    """Return the verdict's exit code; what is only looser fails where that is asked for."""
    if found.verdict is Verdict.LOOSER and not no_looser:
        return 0
    return entry(found.verdict).exit_code


def shown(found: Comparison) -> RenderableType:
    """Return the table of changed cases, the smallest witnesses, and the verdict on NEW."""
    differ = found.total(LATER) + found.total(EARLIER)
    parts: list[RenderableType] = [*([table(found)] if differ else []), Text(sentence(found))]
    for witness in found.witnesses:
        parts += [Text(), Text(witness_text(witness))]
    if found.certificate:
        parts += [Text(), terminal.violation(picture.picture(found.certificate))]
    said = entry(found.verdict)
    parts.append(Text(f"{found.verdict}: {said.words}", f"bold {said.colour}"))
    return Group(*parts)


def table(found: Comparison) -> Table:
    """Return one line per case that differs."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("case", "parameters", "halts later", "halts earlier", "expected rounds"):
        made.add_column(heading, overflow="fold")
    for one in found.cases:
        if one.later or one.earlier:
            rounds = f"{one.rounds_old} -> {one.rounds_new}"
            made.add_row(one.case, one.parameters, str(one.later), str(one.earlier), rounds)
    return made


def sentence(found: Comparison) -> str:
    """Return the totals in one sentence."""
    old, new = rounds_change(found)
    later, earlier = found.total(LATER), found.total(EARLIER)
    rounds = f"expected rounds {float(old):.4g} -> {float(new):.4g}"
    if not later and not earlier:
        return f"{len(found.cases)} plays compared: no decision differs; {rounds}"
    return (
        f"{len(found.cases)} plays compared: NEW halts later at {later} partial transcripts "
        f"and earlier at {earlier}; {rounds}"
    )


def witness_text(witness: Witness) -> str:
    """Return where the smallest game shows the difference."""
    said = "; ".join(f"{request} -> {output}" for request, output in witness.history)
    return (
        f"NEW halts {witness.direction}: after [{said}], asked {witness.request!r}, "
        f"OLD says {witness.old}, NEW says {witness.new}; the smallest game that shows it:\n"
        f"{game_text(json.loads(witness.game))}"
    )


def game_text(game: dict[str, object]) -> str:
    """Return a game as indented lines: requests, outputs, probabilities."""
    nodes = game["nodes"]
    assert isinstance(nodes, list)
    return "\n".join(_menu_lines(nodes, len(nodes) - 1, "  "))


def _menu_lines(
    nodes: list[dict[str, dict[str, dict[str, object]]]], node: int, indent: str
) -> list[str]:
    lines = []
    for request, mechanism in nodes[node].items():
        lines.append(f"{indent}request {request!r}")
        for y, row in mechanism["law"].items():
            assert isinstance(row, dict)
            likely = ", ".join(f"P_{x} = {p}" for x, p in row.items())
            lines.append(f"{indent}  {y}  ({likely})")
            after = mechanism["after"].get(y, 0)
            assert isinstance(after, int)
            lines += _menu_lines(nodes, after, indent + "    ")
    return lines
