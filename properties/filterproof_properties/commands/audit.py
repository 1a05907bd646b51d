"""`filterproof audit`: play the strongest adversary against filters and report."""

import argparse
import json
import sys
from pathlib import Path

from filterproof_properties.audit import audit, exit_code
from filterproof_properties.commands.options import Commands, add_settings, command, settings
from filterproof_properties.config import configured
from filterproof_properties.reports.record import Recorder
from filterproof_properties.targets import built_ins, load

EPILOG = """\
A TARGET is a built-in name or an adapter (see `filterproof list`), package.module:attribute, or
path/to/file.py:attribute, where the attribute is called as (epsilon, delta) and returns a filter.

examples:
  filterproof audit
  filterproof audit compensator naive
  filterproof audit my_filter.py:MyFilter --epsilon 'log(3/2)' --delta 0.1
  filterproof audit mine.py:F --report out.html --report junit.xml --certificates certificates/
  filterproof audit --command "node filter.js" --timeout 5"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    made = command(
        commands, "audit", run, "look for a game in which a filter breaks its promise", EPILOG
    )
    made.add_argument("targets", nargs="*", metavar="TARGET", help="what to audit")
    add_settings(made)
    made.add_argument("--json", action="store_true", help="print the JSON report, nothing else")
    made.add_argument(
        "--certificates", type=Path, metavar="DIR", help="write a certificate per violation"
    )


def run(options: argparse.Namespace) -> int:
    """Audit the targets, print the report, return the exit code."""
    from filterproof_properties.reports import terminal
    from filterproof_properties.reports.machine import json_report

    chosen = options.targets or configured().targets
    targets = [load(spec) for spec in chosen] if chosen else built_ins()
    recorder = Recorder()
    with terminal.LiveProgress(len(targets), terminal.console(stderr=True)) as live:
        results = audit(targets, settings(options), lambda event: live(recorder(event)))
    if options.json:
        sys.stdout.write(json.dumps(json_report(recorder.records), indent=1) + "\n")
    else:
        terminal.console().print(terminal.report(recorder.records, expected=not chosen))
    return exit_code(results, expected=not chosen)
