"""Options that several sub-commands share, and what they mean in exact numbers."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from filterproof.exact import ExactError
from filterproof_properties.config import (
    budget_epsilon,
    configured,
    positive_seconds,
    probability,
)
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.quoting import quoted
from filterproof_properties.settings import Settings

SECONDS = 30.0
"""How long each target that is named on the command line is searched by default."""
EVERYTHING_EXAMPLES = 400
"""How many games each filter is tried on when all built-in ones are audited."""


def exact(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return an argparse type that turns a named error into a usage error."""

    def reader(text: str) -> Any:
        try:
            return read(text)
        except (ExactError, OverflowError, ValueError) as error:
            raise argparse.ArgumentTypeError(quoted(error)) from None

    return reader


def at_least(least: int) -> Callable[[str], int]:
    """Return an argparse type for integers that are not below `least`."""

    def reader(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least:
            raise argparse.ArgumentTypeError(f"need an integer >= {least}; got {text!r}")
        return int(text)

    return reader


def add_budget(made: argparse.ArgumentParser) -> None:
    """Declare --epsilon and --delta."""
    made.add_argument(
        "--epsilon",
        type=exact(budget_epsilon),
        metavar="E",
        help="the budget epsilon, exact: 1/2, log(3/2), or 0.1 read as the decimal it says "
        "(default: several)",
    )
    made.add_argument(
        "--delta",
        type=exact(probability),
        metavar="D",
        help="the budget delta, exact: 1/100 or 0.01 (default: several)",
    )


def add_settings(made: argparse.ArgumentParser) -> None:
    """Declare how hard to try; defaults come from [tool.filterproof] in pyproject.toml."""
    add_budget(made)
    made.add_argument("--seed", type=at_least(0), metavar="N", help="repeat a run (default 0)")
    made.add_argument(
        "--seconds",
        type=exact(positive_seconds),
        metavar="S",
        help=f"stop searching after S seconds per target (default {SECONDS:g}, for named targets)",
    )
    made.add_argument(
        "--examples",
        type=at_least(1),
        metavar="N",
        help="stop searching after N games per target",
    )
    made.add_argument(
        "--jobs", type=at_least(1), metavar="N", help="processes to search with (default 1)"
    )
    made.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to search with")
    made.add_argument(
        "--proved",
        action="store_true",
        default=None,
        help="also demand a proof of the filter's own code: without one the audit fails",
    )
    made.add_argument(
        "--no-attacks",
        dest="attacks",
        action="store_const",
        const=False,
        help="leave the hand-made attacks out, search only",
    )


def add_limits(made: argparse.ArgumentParser) -> None:
    """Declare what an untrusted target may use."""
    made.add_argument(
        "--timeout",
        type=exact(positive_seconds),
        default=Limits.timeout,
        metavar="S",
        help=f"seconds that a filter may take for one answer (default {Limits.timeout:g})",
    )
    made.add_argument(
        "--memory",
        type=at_least(64),
        default=Limits.memory,
        metavar="MIB",
        help=f"memory that a filter's process may use (default {Limits.memory} MiB)",
    )
    made.add_argument(
        "--disk",
        type=at_least(1),
        default=Limits.disk,
        metavar="MIB",
        help=f"the largest file that a filter's process may write (default {Limits.disk} MiB)",
    )


def limits(options: argparse.Namespace) -> Limits:
    """Return the limits of a command line."""
    return Limits(options.timeout, options.memory, options.disk)


def settings(options: argparse.Namespace) -> Settings:
    """Return the settings: command line first, then pyproject.toml, then the defaults."""
    names = Settings.__dataclass_fields__
    given = {name: getattr(options, name, None) for name in names}
    chosen = {name: value for name, value in given.items() if value is not None}
    return Settings(**{**configured().settings, **chosen})


def effort(chosen: Settings, *, everything: bool) -> Settings:
    """Return the settings with a limit: the user's, or a usual one."""
    if chosen.seconds is not None or chosen.examples is not None:
        return chosen
    if everything:
        return replace(chosen, examples=EVERYTHING_EXAMPLES)
    return replace(chosen, seconds=SECONDS)
