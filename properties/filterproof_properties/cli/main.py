"""The command line: parse, call one function, print, return the exit code."""

import argparse
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from filterproof.exact import ExactError
from filterproof.filter import ProtocolError
from filterproof.filters.registry import UnknownFilter
from filterproof.runtime.store.cell import StoreError
from filterproof_properties.config import ConfigError
from filterproof_properties.processes.quoting import quoted
from filterproof_properties.targets.target import TargetError

COMMANDS = (
    "audit",
    "check",
    "recheck",
    "diff",
    "prove",
    "figure",
    "tune",
    "compare",
    "vectors",
    "ledger",
    "list",
)

DESCRIPTION = """\
An exact verifier for differential-privacy filters.

A privacy filter answers each request of an adaptive analyst: run it, or stop, so that the whole
conversation stays (epsilon, delta)-differentially private.  filterproof plays the strongest
adaptive adversary against a filter, in exact arithmetic, and either hands back a small
counterexample that an independent program re-checks, or says exactly what it tried."""

EXAMPLES = """\
examples:
  filterproof list                              what can be audited by name
  filterproof audit                             every built-in filter and its expected verdict
  filterproof audit my_filter.py:MyFilter       a filter of yours
  filterproof audit mine.py:F --report out.html the same, with a report to click through
  filterproof audit --command "node filter.js"  a filter in another language
  filterproof check certificate.json            re-check a counterexample
  filterproof recheck transcript.gz             judge every play of an audit again

exit codes:
  0  no violation within what was tried      2  wrong usage, or the filter broke the protocol
  1  a certified violation                   3  inconclusive: too little could be tried
  4  a defect of filterproof itself
  (audit without a target: 0 if and only if every verdict is the expected one)"""


FAILURES = (
    TargetError,
    ExactError,
    UnknownFilter,
    ConfigError,
    ProtocolError,
    StoreError,
    OSError,
    UnicodeDecodeError,
)
"""What is the user's or the target's doing, and is told in one line."""


INTERNAL = 4
"""The exit code of a defect of ours: no statement about any filter."""
REPORT_IT = "This is a defect of filterproof, not of your filter: please report the lines above."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        with tidy_end():
            return int(options.run(options))
    except FAILURES as error:
        sys.stderr.write(f"filterproof {options.command}: {quoted(error, 4000)}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except Exception as error:
        traceback.print_exc()
        said = f"{type(error).__name__}: {quoted(error)}"
        sys.stderr.write(f"filterproof {options.command}: internal error, {said}\n{REPORT_IT}\n")
        return INTERNAL


@contextmanager
def tidy_end() -> Iterator[None]:
    """Let a request to terminate do what Ctrl-C does: end everything, show what there is."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may receive signals
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def parser() -> argparse.ArgumentParser:
    """Return the parser with every sub-command."""
    made = argparse.ArgumentParser(
        prog="filterproof",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"filterproof_properties.cli.{name}").add(commands)
    return made


if __name__ == "__main__":
    sys.exit(main())
