"""The options of the table on a command line, and what they mean together with a configuration."""

import argparse
from collections.abc import Callable
from dataclasses import replace

from filterproof_properties.options.config import find_config
from filterproof_properties.options.settings import Settings
from filterproof_properties.options.table import Group, argument, exact, integer, options_of
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.target import COMMAND

SECONDS = 30.0
"""How long each target that is named on the command line is searched by default."""
EVERYTHING_EXAMPLES = 400
"""How many games each filter is tried on when all built-in ones are audited."""


def at_least(least: int) -> Callable[[str], int]:
    """Return an argparse type for integers that are not below `least`."""
    return exact(integer(least))


def add_options(made: argparse.ArgumentParser, *groups: Group) -> None:
    """Declare the options of these groups; what is not given is None."""
    for one in options_of(*groups):
        made.add_argument(one.word, **argument(one))


def add_services(made: argparse.ArgumentParser) -> None:
    """Declare how targets are named that are no code in Python."""
    made.add_argument(
        "--command",
        dest="commands",
        action="append",
        default=[],
        metavar='"PROG ARGS"',
        help="a program that answers JSON lines (filterproof help protocol)",
    )
    made.add_argument(
        "--http",
        action="append",
        default=[],
        metavar="URL",
        help="a budget service on this machine, asked as --open and --spend say",
    )


def targets_of(options: argparse.Namespace) -> list[str]:
    """Return the targets that a command line names, programs and services among them."""
    return [*options.targets, *(COMMAND + words for words in options.commands), *options.http]


def limits(options: argparse.Namespace, name: str = "") -> Limits:
    """Return what a target may use: command line first, then pyproject.toml, then the defaults."""
    return find_config().limits(vars(options), name)


def settings(options: argparse.Namespace, name: str = "") -> Settings:
    """Return how hard to try, likewise."""
    return find_config().settings(vars(options), name)


def effort(chosen: Settings, *, everything: bool) -> Settings:
    """Return the settings with a limit: the user's, or a usual one."""
    if chosen.seconds is not None or chosen.examples is not None:
        return chosen
    if everything:
        return replace(chosen, examples=EVERYTHING_EXAMPLES)
    return replace(chosen, seconds=SECONDS)
