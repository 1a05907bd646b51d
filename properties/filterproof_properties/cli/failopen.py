"""`filterproof failopen`: what a budget object does with odd input."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from filterproof_properties.cli.busy import busy
from filterproof_properties.cli.calls import budget_object, check_is_budget_object
from filterproof_properties.cli.options import add_options, add_services, limits, targets_of
from filterproof_properties.failopen.named import observe
from filterproof_properties.failopen.table import Column, as_json, as_text, unanswered_rows
from filterproof_properties.options.config import find_config
from filterproof_properties.reports.columns import screen_width
from filterproof_properties.targets.budget.names import spec_of
from filterproof_properties.targets.target import TargetError

if TYPE_CHECKING:
    from filterproof_properties.targets.budget.trial import Tried

EPILOG = """\
TARGET is a budget object as `filterproof audit` takes it, in the same words: FILE.py:CLASS or
package.module:CLASS with --spend, a name of the configuration, or a service.

examples:
  filterproof failopen shop.py:Budget --spend spend
  filterproof failopen diffprivlib:BudgetAccountant --check check --spend spend --between
  filterproof failopen shop.py:Till --open "(total=epsilon)" --spend "take(epsilon)" --refusal Empty
  filterproof failopen shop                       an entry of [tool.filterproof.targets]

exit codes: 0 nothing fails open; 1 something does; 2 wrong usage, or the object does not grant what
fits; 3 nothing seen to fail open, but some input hangs or aborts the process"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("targets", nargs="*", metavar="TARGET", help="the budget object")
    add_services(made)
    made.add_argument("--json", action="store_true", help="print one line of JSON instead")
    add_options(made, "calls", "limits")


def run(options: argparse.Namespace) -> int:
    """Observe the object, print the table and return the exit code."""
    found = named_object(options)
    target = spec_of(found.target, found.calls)
    with busy(f"odd input to {found.target} ..."):
        seen = observed_by(options, found)
    told = as_text(target, seen, screen_width())
    sys.stdout.write(as_json({"target": target}, seen) if options.json else told)
    return code(seen)


def named_object(options: argparse.Namespace) -> "Tried":
    """Return the budget object that the options describe, tried once."""
    return budget_object(target_of(options), find_config(), vars(options))


def observed_by(options: argparse.Namespace, found: "Tried") -> Column:
    """Return what an object does with every odd input, within the limits of the options."""
    return observe(found.target, found.calls, limits(options, target_of(options)))


def target_of(options: argparse.Namespace) -> str:
    """Return the one target that the options name."""
    named = targets_of(options)
    if len(named) != 1:
        raise TargetError(f"need one budget object; got {named or 'none'}")
    return named[0]


def column(options: argparse.Namespace) -> Column:
    """Return what the object that the options describe does with every odd input."""
    return observed_by(options, named_object(options))


def code(seen: Column) -> int:
    """Return 1 if something fails open, 3 if something could not be seen, or 0."""
    if any(one.open for one in seen.values()):
        return 1
    return 3 if unanswered_rows(seen) else 0


def read(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line that is given as words, checked."""
    made = argparse.ArgumentParser(prog="filterproof failopen")
    add(made)
    options = made.parse_args(words)
    check_is_budget_object(target_of(options), find_config(), vars(options))
    return options
