"""From the words of a command line or a configuration to a budget object, completed and tried."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filterproof.budget_calls import CallError, from_table
from filterproof_properties.cli.errors import say
from filterproof_properties.config import Config
from filterproof_properties.options import options_of
from filterproof_properties.targets.budget.names import is_budget_object, named, spec_of
from filterproof_properties.targets.loading import which_of
from filterproof_properties.targets.target import TargetError

if TYPE_CHECKING:
    from filterproof_properties.targets.budget.trial import Tried

NAMES = tuple(one.name for one in options_of("calls"))


def check_calls(targets: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raise where the words for one budget object are given for several targets, or for none."""
    words = calls_among(given)
    if words and len(targets) != 1:
        raise TargetError(f"--{next(iter(words))} is about one class; got {[*targets]}")


def calls_among(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words for a budget object among all options."""
    return {name: given[name] for name in NAMES if given.get(name) not in (None, ())}


def target_spec(name: str, config: Config, given: Mapping[str, Any]) -> str:
    """Return the name that a target goes by everywhere; a budget object is tried once."""
    target = config.target(name)
    words = {**calls_among(target.options), **calls_among(given)}
    if not words and not is_budget_object(target.spec):
        return target.spec
    found = tried_object(target.spec, words)
    return spec_of(found.target, found.calls)


def tried_object(target: str, given: Mapping[str, Any]) -> "Tried":
    """Return the budget object that a class and words name, tried once; say what was noticed."""
    try:
        words = calls_among(given)
        name, calls = (_class_name(target), from_table(words)) if words else named(target)
    except CallError as error:
        raise TargetError(str(error)) from None
    from filterproof_properties.targets.budget.trial import tried  # loads numpy

    found = tried(name, calls)
    for note in found.notes:
        say("note", f"{name}: {note}")
    return found


def _class_name(spec: str) -> str:
    if spec.endswith(".py"):
        raise TargetError(which_of(Path(spec)))
    if ":" not in spec:
        raise TargetError(f"need FILE.py:CLASS or package.module:CLASS; got {spec!r}")
    return spec
