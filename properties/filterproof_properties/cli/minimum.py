"""What a configuration checks less than an older one: a change may not lower its own bar.

Every option has a rule that says whether a new value is weaker; an option without one may not
change at all.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from filterproof_properties.cli.options import effort
from filterproof_properties.options.config import Config
from filterproof_properties.options.table import SANDBOX_MODES, options_of

Weaker = Callable[[Any, Any], bool]


def fewer(old: Any, new: Any) -> bool:
    """Whether a limit of the effort is lower, or new."""
    return new is not None and (old is None or new < old)


def turned_off(old: Any, new: Any) -> bool:
    """Whether a switch is no longer on."""
    return bool(old) and not new


def changed(old: Any, new: Any) -> bool:
    """Whether it is another value: what is then checked is something else."""
    return bool(old != new)


def taken_away(old: Any, new: Any) -> bool:
    """Whether something is missing that was there."""
    return old is not None and (not set(old) <= set(new or ()))


def replaced(old: Any, new: Any) -> bool:
    """Whether something that was there is another, or gone."""
    return old is not None and old != new


def less_confined(old: str, new: str) -> bool:
    """Whether a sandbox is required less."""
    rank = {"require": 0, "auto": 1, "off": 2}
    assert {*rank} == {*SANDBOX_MODES}
    return rank[new] > rank[old]


def allowed(old: Any, new: Any) -> bool:
    """Any value will do: a target that gets too little fails, and that is red."""
    return False


RULES: dict[str, Weaker] = {
    "seconds": fewer,
    "examples": fewer,
    "jobs": fewer,
    "cluster": replaced,
    "attacks": turned_off,
    "proved": turned_off,
    "exact": turned_off,
    "epsilon": changed,
    "delta": changed,
    "seed": changed,
    "timeout": allowed,
    "memory": allowed,
    "disk": allowed,
    "sandbox": less_confined,
    "free": taken_away,
    "clock": replaced,
    "instances": lambda old, new: fewer(old or 1, new or 1),
}
"""Whether a new value checks less than the old one; `changed` for every other option."""


def weaker(old: Config, new: Config) -> dict[str, list[str]]:
    """Return, by target, what the new configuration checks less than the old one."""
    found = {name: [*_reasons(name, old, new)] for name in old.targets}
    return {name: reasons for name, reasons in found.items() if reasons}


def _reasons(name: str, old: Config, new: Config) -> Iterator[str]:
    if name not in new.targets:
        yield "it is no longer a target of [tool.filterproof]"
        return
    before, after = old.target(name).spec, new.target(name).spec
    if before != after:
        yield f"it stands for {after}, and stood for {before}"
    values = zip(_values(old, name).items(), _values(new, name).values(), strict=True)
    for (key, was), now in values:
        if RULES.get(key, changed)(was, now):
            yield f"{key} = {_value_words(now)}, and it was {_value_words(was)}"


def _values(config: Config, name: str) -> dict[str, Any]:
    """Return every option of a target as it counts."""
    chosen = (effort(config.settings({}, name), everything=False), config.limits({}, name))
    known = {one.name for one in options_of("search", "limits")}
    found = {
        one.name: getattr(part, one.name)
        for part in chosen
        for one in fields(part)
        if one.name in known
    }
    words = config.target(name).options
    return found | {one.name: words.get(one.name) for one in options_of("calls")}


def _value_words(value: Any) -> str:
    if value is None:
        return "not set"
    return str(value).lower() if isinstance(value, bool) else str(value)
