"""From the words of a command line or a configuration to a budget object, completed and tried."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filterproof.budget_calls import CallError, complete, from_table
from filterproof.call_expressions import names_in
from filterproof_properties.cli.errors import say
from filterproof_properties.options.config import Config, ConfiguredTarget
from filterproof_properties.options.table import options_of
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.names import PROGRAM, is_budget_object, named, spec_of
from filterproof_properties.targets.loading import check_shape, check_spec, which_of
from filterproof_properties.targets.target import COMMAND, TargetError

if TYPE_CHECKING:
    from filterproof_properties.audit.base import Base
    from filterproof_properties.options.settings import Settings
    from filterproof_properties.targets.budget.trial import Tried

OF_FUNCTIONS = "for functions of a module, name the one that opens a budget: --open 'NAME(epsilon)'"
"""What to write where there is no class."""
NAMES = tuple(one.name for one in options_of("calls"))


def check_calls(targets: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raise where the words for one budget object are given for several targets, or for none."""
    words = calls_among(given)
    if words and len(targets) != 1:
        raise TargetError(f"--{next(iter(words))} is about one class; got {[*targets]}")


def calls_among(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words for a budget object among all options."""
    return {name: given[name] for name in NAMES if given.get(name) not in (None, ())}


def target_spec(
    name: str, config: Config, given: Mapping[str, Any], base: "Base | None" = None
) -> str:
    """Return the name that a target goes by everywhere; a budget object is tried once.

    With a `base` it is the target at that commit; "" if it did not exist then.
    """
    target = config.target(name)
    check_spec(target.spec)
    words = _words(target, given)
    spec = base.older(target.spec) if base else target.spec
    if not spec or (not words and not is_budget_object(spec)):
        check_shape(spec)
        return spec
    allowed = replace(config.limits(given, name), checkout=base.checkout if base else None)
    found = tried_object(spec, words, allowed)
    return spec_of(found.target, found.calls)


def budget_object(name: str, config: Config, given: Mapping[str, Any]) -> "Tried":
    """Return the budget object that a target's name stands for, completed and tried once."""
    check_is_budget_object(name, config, given)
    target = config.target(name)
    return tried_object(target.spec, _words(target, given), config.limits(given, name))


def check_is_budget_object(name: str, config: Config, given: Mapping[str, Any]) -> None:
    """Raise unless words say how the target of this name is spent from."""
    target = config.target(name)
    if "spend" not in _words(target, given) and not is_budget_object(target.spec):
        raise TargetError(f"{name}: name the call that spends from the object: --spend METHOD")


def _words(target: ConfiguredTarget, given: Mapping[str, Any]) -> dict[str, Any]:
    return {**calls_among(target.options), **calls_among(given)}


def check_budget(spec: str, settings: "Settings") -> None:
    """Raise if a budget object has a budget of its own, and nobody says which."""
    if not is_budget_object(spec) or not (calls := complete(named(spec)[1])).has_own_budget:
        return
    counts_delta = any("delta" in names_in(call) for call in calls.spend)
    missing = [
        word
        for word, value, counted in (
            ("--epsilon", settings.epsilon, True),
            ("--delta", settings.delta, counts_delta),
        )
        if value is None and counted
    ]
    if missing:
        raise TargetError(
            f"{named(spec)[0]}: --open '{calls.open}' hands over no budget: say which it "
            f"promises, {' and '.join(missing)}, or hand it over, as in --open '(epsilon)'"
        )


def tried_object(target: str, given: Mapping[str, Any], limits: Limits | None = None) -> "Tried":
    """Return the budget object that a class and words name, tried once; say what was noticed."""
    from filterproof_properties.targets.budget.trial import tried  # loads numpy

    try:
        words = calls_among(given)
        name, calls = (_class_name(target, words), from_table(words)) if words else named(target)
        found = tried(name, calls, limits)
    except CallError as error:
        raise TargetError(str(error)) from None
    for note in found.notes:
        say("note", f"{found.target}: {note}")
    return found


def _class_name(spec: str, words: Mapping[str, Any]) -> str:
    if spec.startswith(COMMAND):
        return PROGRAM + spec.removeprefix(COMMAND)
    if ":" in spec or words.get("open", "(").partition("(")[0]:
        return spec
    if spec.endswith(".py"):
        raise TargetError(f"{which_of(Path(spec))}; {OF_FUNCTIONS}")
    raise TargetError(f"need FILE.py:CLASS or package.module:CLASS; got {spec!r}; {OF_FUNCTIONS}")
