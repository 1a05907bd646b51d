"""Settings from `[tool.filterproof]` in the nearest pyproject.toml.

    [tool.filterproof]
    epsilon = "log(3/2)"
    delta = 0.1            # read as the decimal it says
    examples = 500

    [tool.filterproof.targets.shop]       # `filterproof audit shop`
    target = "shop/filters.py:Mine"
    epsilon = 1

The keys are the options of the command line (`options`), and each is optional; what stands under a
target is for it alone.  `targets = ["package.module:Mine"]` is short for targets without options.
An unknown key is an error that names the nearest known one.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from filterproof_properties.options.settings import Settings
from filterproof_properties.options.table import OptionError, file_value, options_of, unknown
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.sanitise import quoted

NAME = "filterproof"
Values = Mapping[str, Any]


class ConfigError(Exception):
    """A `[tool.filterproof]` table that cannot be used; the message names the file and key."""


@dataclass(frozen=True)
class ConfiguredTarget:
    """A target that is named in the configuration, and the options for it alone."""

    spec: str
    options: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Config:
    """The targets by name, and the options for all of them."""

    targets: Mapping[str, ConfiguredTarget] = field(default_factory=dict)
    options: Values = field(default_factory=dict)

    def target(self, name: str) -> ConfiguredTarget:
        """Return what a name stands for: a target of the configuration, or itself."""
        return self.targets.get(name, ConfiguredTarget(name))

    def settings(self, given: Values, name: str = "") -> Settings:
        """Return how hard to try: what is given, then the target's own, then that of all."""
        return Settings(**self._values("search", given, name))

    def limits(self, given: Values, name: str = "") -> Limits:
        """Return what the target may use, likewise."""
        return Limits(**self._values("limits", given, name))

    def _values(self, group: Any, given: Values, name: str) -> dict[str, Any]:
        names = [one.name for one in options_of(group)]
        chosen = {key: value for key, value in given.items() if value is not None}
        every = {**self.options, **self.target(name).options, **chosen}
        return {key: every[key] for key in names if key in every}


def find_config(start: Path | None = None) -> Config:
    """Return the configuration of the project that `start` (the current directory) is in."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (path := folder / "pyproject.toml").is_file():
            return read_config(path)
    return Config()


def read_config(path: Path) -> Config:
    """Return the configuration in one file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=str)
    except (ValueError, RecursionError) as error:  # no TOML, no text, or nested without end
        raise ConfigError(f"{path}: {quoted(error)}") from None
    try:
        return _config(_section(data.get("tool", {})))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: {quoted(error, 400)}") from None


def _section(tools: Any) -> dict[str, Any]:
    """Return the table; one whose name is nearly ours would be ignored, and is an error."""
    if not isinstance(tools, dict):
        return {}
    if NAME not in tools and (near := get_close_matches(NAME, tools, n=1, cutoff=0.85)):
        raise OptionError(f"[tool.{near[0]}] is read by nobody; did you mean [tool.{NAME}]?")
    table = tools.get(NAME, {})
    if not isinstance(table, dict):
        raise OptionError(f"[tool.{NAME}] must be a table; got {table!r:.80}")
    return table


def _config(table: dict[str, Any]) -> Config:
    where = f"[tool.{NAME}]"
    rest = {key: value for key, value in table.items() if key != "targets"}
    options = _read_table(rest, ("search", "limits"), where, "targets")
    return Config(_targets(table["targets"]) if "targets" in table else {}, options)


def _targets(given: Any) -> dict[str, ConfiguredTarget]:
    texts = isinstance(given, list) and all(isinstance(one, str) for one in given)
    if not (texts or isinstance(given, dict)) or not given:
        raise OptionError(f"'targets' must be a list of strings or a table; got {given!r:.80}")
    if isinstance(given, list):
        return {one: ConfiguredTarget(one) for one in given}
    return {name: _target(name, table) for name, table in given.items()}


def _target(name: str, table: Any) -> ConfiguredTarget:
    where = f"[tool.{NAME}.targets.{name}]"
    if not isinstance(table, dict) or not isinstance(table.get("target"), str):
        raise OptionError(f"{where} must be a table with a string 'target'; got {table!r:.80}")
    rest = {key: value for key, value in table.items() if key != "target"}
    return ConfiguredTarget(
        table["target"], _read_table(rest, ("search", "limits", "calls"), where, "target")
    )


def _read_table(table: dict[str, Any], groups: Any, where: str, *more: str) -> dict[str, Any]:
    known = {one.name: one for one in options_of(*groups)}
    found = {}
    for key, value in table.items():
        if key not in known:
            raise unknown(key, (*known, *more), where)
        try:
            found[key] = file_value(known[key], value)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise OptionError(f"{key!r} in {where}: {error}") from None
    return found
