"""`filterproof watch`: audit a target again whenever one of its files is saved."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import localtime, sleep, strftime

from filterproof_properties.audit.engine import INTERRUPTED
from filterproof_properties.audit.memory import memory_folder
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import exit_code
from filterproof_properties.cli.audit import task
from filterproof_properties.cli.calls import check_calls
from filterproof_properties.cli.options import add_options, at_least
from filterproof_properties.options.config import find_config
from filterproof_properties.reports import terminal
from filterproof_properties.reports.terminal import ratio_text
from filterproof_properties.targets.coverage.own_code import own_files
from filterproof_properties.targets.target import TargetError

EPILOG = """\
Each audit is one line: when, the verdict, plays, the worst H/delta, lines that were run.  What
broke the target before is tried first.  Ctrl-C ends it, with the exit code of the last audit.

examples:
  filterproof watch my_filter.py:MyFilter
  filterproof watch shop.py:Budget --spend spend --seconds 10"""
PAUSE = 0.3
"""So many seconds between two looks at the files: sooner than a person notices."""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("target", metavar="TARGET", help="what to audit whenever it is saved")
    add_options(made, "search", "limits", "calls")
    made.add_argument(
        "--times", type=at_least(1), metavar="N", help="end after N audits (default: never)"
    )


def run(options: argparse.Namespace) -> int:
    """Audit again and again; return the exit code of the last audit."""
    check_calls([options.target], vars(options))
    chosen = task(options.target, find_config(), options, everything=False)
    if not own_files(chosen.spec):
        raise TargetError(f"{chosen.spec} has no Python file of yours that could be saved")
    if chosen.tried.endless:
        raise TargetError("each audit of a watch has to end: give it --seconds above 0")
    code = 0
    try:
        for number, _ in enumerate(changes(chosen.spec), 1):
            given = chosen.spec, chosen.tried, chosen.allowed
            record = run_audit(*given, lambda event: None, memory=memory_folder())
            code = exit_code([record], expected=False)
            show(record)
            if number == options.times or record.error == INTERRUPTED:
                break
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return code


def changes(spec: str) -> Iterator[None]:
    """Yield at once, and then whenever a file of the target has been saved."""
    seen: object = None
    while True:
        now = save_times(spec)
        if now != seen:
            seen = now
            yield
        else:
            sleep(PAUSE)


def save_times(spec: str) -> dict[str, tuple[int, int]]:
    """Return when each file of a target was saved, and its size; one that is gone has neither."""
    files = {one.path: Path(one.path) for one in own_files(spec)}
    return {
        name: (path.stat().st_mtime_ns, path.stat().st_size)
        for name, path in files.items()
        if path.is_file()
    }


def show(record: Record) -> None:
    """Print the line of one audit, and below it the play that breaks the promise."""
    run = record.coverage
    lines = f"{run.run} of {run.lines} lines run" if run else ""
    worst = f"worst H/delta {ratio_text(record).plain}"
    said = [str(record.verdict), f"{record.tried} plays", worst, lines, record.error]
    sys.stdout.write(f"{strftime('%H:%M:%S', localtime())}  {', '.join(filter(None, said))}\n")
    if record.certificate:
        console = terminal.console()
        console.print(terminal.report([record]))
    sys.stdout.flush()
