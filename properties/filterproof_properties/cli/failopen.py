"""`filterproof failopen`: what a budget object does with odd input."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from filterproof_properties.cli.options import add_options, limits
from filterproof_properties.failopen.named import BOTH, Budget, call, observed, opening
from filterproof_properties.failopen.table import Column, as_json, as_text, unanswered
from filterproof_properties.options.table import exact

EPILOG = f"""\
CLASS is package.module:Class or path/to/file.py:Class.  A CALL is the name of a method, which is
given {BOTH}, or the whole call, in which epsilon and delta stand for the numbers.
An answer of False is a refusal, and so is anything that is raised.

examples:
  filterproof failopen shop.py:Budget --spend spend
  filterproof failopen diffprivlib:BudgetAccountant --check check --spend spend --between
  filterproof failopen shop.py:Till --open "(total=epsilon)" --spend "take(epsilon)" --refusal Empty

exit codes: 0 nothing fails open; 1 something does; 2 wrong usage, or the object does not grant what
fits; 3 nothing seen to fail open, but some input hangs or aborts the process"""

UNSET = argparse.SUPPRESS


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("target", metavar="CLASS", help="what makes the budget object")
    add_calls(made)
    made.add_argument("--json", action="store_true", help="print one line of JSON instead")
    add_options(made, "limits")


def add_calls(made: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare how a budget object is made and asked."""
    made.add_argument(
        "--spend",
        type=exact(call),
        metavar="CALL",
        required=required,
        default=UNSET,
        help="what books a spend",
    )
    made.add_argument(
        "--check", type=exact(call), metavar="CALL", default=UNSET, help="what is asked before it"
    )
    made.add_argument(
        "--open",
        type=exact(opening),
        dest="opens",
        metavar="ARGS",
        default=UNSET,
        help=f"what the target is called with (default: {BOTH})",
    )
    made.add_argument(
        "--refusal", metavar="NAME", default=UNSET, help="the exception that is a refusal"
    )
    made.add_argument(
        "--fails", type=exact(call), metavar="CALL", default=UNSET, help="what follows a failure"
    )
    made.add_argument(
        "--between",
        action="store_true",
        help="mechanisms run after the check and before the spend (default: after the spend)",
    )


def run(options: argparse.Namespace) -> int:
    """Observe the object, print the table and return the exit code."""
    seen = column(options)
    text = as_json({"target": options.target}, seen) if options.json else None
    sys.stdout.write(text or as_text(options.target, seen))
    return code(seen)


def column(options: argparse.Namespace) -> Column:
    """Return what the object that the options describe does with every odd input."""
    return observed(budget(options), limits(options))


def budget(options: argparse.Namespace) -> Budget:
    """Return the budget object that the options describe."""
    given: dict[str, Any] = vars(options)
    return Budget(**{name: given[name] for name in Budget.__dataclass_fields__ if name in given})


def code(seen: Column) -> int:
    """Return 1 if something fails open, 3 if something could not be seen, or 0."""
    if any(one.open for one in seen.values()):
        return 1
    return 3 if unanswered(seen) else 0


def read(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line that is given as words."""
    made = argparse.ArgumentParser(prog="filterproof failopen")
    add(made)
    return made.parse_args(words)
