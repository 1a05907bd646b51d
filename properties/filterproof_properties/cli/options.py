"""The options of the table on a command line, and what they mean together with a configuration."""

import argparse
from collections.abc import Callable
from dataclasses import replace

from filterproof_properties.options.config import configured
from filterproof_properties.options.settings import Settings
from filterproof_properties.options.table import Group, argument, exact, integer, options_of
from filterproof_properties.processes.child import Limits

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


def limits(options: argparse.Namespace, name: str = "") -> Limits:
    """Return what a target may use: command line first, then pyproject.toml, then the defaults."""
    return configured().limits(vars(options), name)


def settings(options: argparse.Namespace, name: str = "") -> Settings:
    """Return how hard to try, likewise."""
    return configured().settings(vars(options), name)


def effort(chosen: Settings, *, everything: bool) -> Settings:
    """Return the settings with a limit: the user's, or a usual one."""
    if chosen.seconds is not None or chosen.examples is not None:
        return chosen
    if everything:
        return replace(chosen, examples=EVERYTHING_EXAMPLES)
    return replace(chosen, seconds=SECONDS)
