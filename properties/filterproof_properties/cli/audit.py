"""`filterproof audit`: play the strongest adversary against filters and report."""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from filterproof_properties.audit.engine import INTERRUPTED
from filterproof_properties.audit.memory import memory_folder
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import exit_code
from filterproof_properties.cli.calls import check_budget, check_calls, target_spec
from filterproof_properties.cli.errors import say
from filterproof_properties.cli.options import (
    add_options,
    add_services,
    effort,
    targets_of,
)
from filterproof_properties.options.config import Config, find_config
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.reports import terminal
from filterproof_properties.reports.files import certificate_name, json_text, writer
from filterproof_properties.reports.progress import LiveProgress
from filterproof_properties.targets.loading import BUILT_INS, check_name, is_trusted
from filterproof_properties.targets.target import TargetError
from filterproof_properties.targets.transcript import Transcript

EPILOG = """\
A TARGET is a built-in name or an adapter (see `filterproof list`), package.module:attribute, or
path/to/file.py:attribute, where the attribute is called as (epsilon, delta) and returns a filter.
With --spend it is the class of a budget object, which is audited as it is.

examples:
  filterproof audit
  filterproof audit compensator naive
  filterproof audit shop.py:Budget --spend spend
  filterproof audit my_filter.py:MyFilter --epsilon 'log(3/2)' --delta 0.1
  filterproof audit mine.py:F --report out.html --report junit.xml --certificates certificates/
  filterproof audit --command "node filter.js" --timeout 5
  filterproof audit --command "node budget.js" --spend spend
  filterproof audit --http http://127.0.0.1:8000 --open "POST /budgets {epsilon, delta} -> id" \\
    --spend "POST /budgets/{id}/spend {epsilon, delta}\""""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("targets", nargs="*", metavar="TARGET", help="what to audit")
    add_services(made)
    add_options(made, "search", "limits", "calls")
    made.add_argument(
        "--in-process",
        action="store_true",
        help="ask filters in the audit's own process, without limits: only for code you trust",
    )
    made.add_argument(
        "--transcript",
        type=Path,
        metavar="FILE",
        help="write down every question and answer, for `filterproof recheck`",
    )
    add_reports(made)


def add_reports(made: argparse.ArgumentParser) -> None:
    """Declare where reports go."""
    made.add_argument("--json", action="store_true", help="print the JSON report, nothing else")
    made.add_argument(
        "--report",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also write a report; the ending says which: .html .json .xml (JUnit) .sarif .md",
    )
    made.add_argument(
        "--certificates",
        type=Path,
        metavar="DIR",
        help="write a certificate per violation (default: next to the first report)",
    )


def run(options: argparse.Namespace) -> int:
    """Audit the targets, print and write the reports, return the exit code."""
    writers = [(path, writer(path)) for path in options.report]
    named = targets_of(options)
    config = find_config()
    chosen = named or list(config.targets)
    names = chosen or [one.name for one in BUILT_INS]
    check_calls(names, vars(options))
    tasks = [task(name, config, options, everything=not chosen) for name in names]
    book = transcript(options.transcript, tasks)
    records = audit_all(tasks, in_process=options.in_process, book=book)
    if chosen:  # what the registry announces counts only when everything is audited
        records = [replace(one, as_expected=None) for one in records]
    texts = {path: text(records) for path, text in writers}
    texts |= certificates(records, options)
    show(records, options)
    wrote = [save(path, text, quiet=options.json) for path, text in texts.items()]
    wrote += (
        [close_transcript(book, options.transcript, records[0], quiet=options.json)] if book else []
    )
    code = exit_code(records, expected=not chosen)
    return code if all(wrote) else code or 2


def show(records: list[Record], options: argparse.Namespace) -> None:
    """Print the report: as JSON where that is asked for, otherwise for a person."""
    if options.json:
        sys.stdout.write(json_text(records))
    else:
        terminal.console().print(terminal.report(records))


@dataclass(frozen=True)
class Task:
    """One target to audit, how hard to try, and what it may use."""

    spec: str
    tried: Settings
    allowed: Limits


def task(name: str, config: Config, options: argparse.Namespace, *, everything: bool) -> Task:
    """Return what a name on the command line or in the configuration asks for."""
    given = vars(options)
    tried = effort(config.settings(given, name), everything=everything)
    spec = target_spec(name, config, given)
    check_budget(spec, tried)
    return Task(spec, tried, config.limits(given, name))


def transcript(path: Path | None, tasks: list[Task]) -> Transcript | None:
    """Begin the transcript, if one is wanted: of one stranger's target, asked by one process."""
    if path is None:
        return None
    specs = [one.spec for one in tasks]
    if len(specs) != 1 or is_trusted(specs[0]):
        raise TargetError(f"a transcript is of one target that is not built in; got {specs}")
    if tasks[0].tried.jobs != 1 or tasks[0].tried.cluster is not None:
        raise TargetError("a transcript is written by one process: leave out --jobs and --cluster")
    return Transcript(path, specs[0])


def close_transcript(book: Transcript, path: Path, record: Record, *, quiet: bool) -> bool:
    """End the transcript with the verdict; where it is not whole say so."""
    if why := book.close(record.verdict, record.tried):
        say("audit", f"{path} is not whole: {why}")
        return False
    sys.stdout.write("" if quiet else f"wrote {path}\n")
    return True


def save(path: Path, text: str, *, quiet: bool) -> bool:
    """Write one file; where that fails say so, for the verdict stands without it."""
    try:
        write_in_time(path, text.encode())
    except OSError as error:
        say("audit", f"cannot write {path}: {error.strerror}")
        return False
    sys.stdout.write("" if quiet else f"wrote {path}\n")
    return True


def audit_all(tasks: list[Task], *, in_process: bool, book: Transcript | None) -> list[Record]:
    """Audit one target after the other, with live progress on a terminal."""
    for one in tasks:
        check_name(one.spec)
    console, folder = terminal.console(stderr=True), memory_folder()
    with LiveProgress(len(tasks), console, tasks[0].tried.seconds) as live:
        records: list[Record] = []
        for one in tasks:
            given = one.spec, one.tried, one.allowed, live
            records.append(run_audit(*given, in_process=in_process, book=book, memory=folder))
            if records[-1].error == INTERRUPTED:
                break
        return records


def certificates(records: list[Record], options: argparse.Namespace) -> dict[Path, str]:
    """Return every certificate with its place: the chosen folder, or next to the first report."""
    beside = options.report[0].parent if options.report else None
    folder = options.certificates or beside
    if folder is None:
        return {}
    found = [one for one in records if one.certificate]
    return {folder / certificate_name(one.target): one.certificate for one in found}
