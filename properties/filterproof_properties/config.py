"""Settings from `[tool.filterproof]` in the nearest pyproject.toml.

    [tool.filterproof]
    targets = ["my_package.filters:Mine"]
    epsilon = "log(3/2)"
    delta = 0.1            # read as the decimal it says
    examples = 500

Every key is optional; an unknown one is an error that names the known ones.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from filterproof.exact import Epsilon, ExactError, Log, parse_epsilon, parse_rational
from filterproof_properties.processes.quoting import quoted


class ConfigError(Exception):
    """A `[tool.filterproof]` table that cannot be used; the message names the file and key."""


@dataclass(frozen=True)
class Config:
    """The targets to audit by default, and values for `audit.Settings`."""

    targets: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


def configured(start: Path | None = None) -> Config:
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
    tools = data.get("tool", {})
    table = tools.get("filterproof", {}) if isinstance(tools, dict) else tools
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.filterproof] must be a table; got {table!r:.80}")
    if unknown := sorted(set(table) - {"targets", *_READERS}):
        known = ", ".join(sorted({"targets", *_READERS}))
        raise ConfigError(
            f"{path}: unknown key {unknown[0]!r} in [tool.filterproof]; it has {known}"
        )
    targets = table.pop("targets", [])
    if not (isinstance(targets, list) and all(isinstance(one, str) for one in targets)):
        raise ConfigError(f"{path}: 'targets' must be a list of strings; got {targets!r}")
    return Config(tuple(targets), {key: _read(path, key, value) for key, value in table.items()})


def _read(path: Path, key: str, value: Any) -> Any:
    try:
        return _READERS[key](value)
    except (ExactError, TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"{path}: {key!r} in [tool.filterproof]: {error}") from None


# --- what a budget and a time may be, on the command line and in a file --------------------------

MOST_BITS = 3000


def _bounded(value: Fraction, text: str) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise ExactError(f"need a number of at most 900 digits; got {text:.60}")
    return value


def budget_epsilon(text: str) -> Epsilon:
    """Read ε: a rational or log(p/q), of a size that can be computed with."""
    found = parse_epsilon(text)
    _bounded(found.argument if isinstance(found, Log) else found, text)
    return found


def probability(text: str) -> Fraction:
    """Read δ: a rational from 0 to 1."""
    value = _bounded(parse_rational(text), text)
    if not 0 <= value <= 1:
        raise ExactError(f"need 0 <= delta <= 1; got {text}")
    return value


def positive_seconds(text: str) -> float:
    """Read a positive number of seconds."""
    value = float(_bounded(parse_rational(text), text))
    if value <= 0:
        raise ExactError(f"need a positive number of seconds; got {text}")
    return value


def _integer(least: int) -> Callable[[Any], int]:
    def reader(value: Any) -> int:
        if type(value) is not int or value < least:
            raise ValueError(f"need an integer >= {least}; got {value!r}")
        return value

    return reader


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"need true or false; got {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"need a string; got {value!r}")
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "seed": _integer(0),
    "seconds": lambda value: positive_seconds(str(value)),
    "examples": _integer(1),
    "jobs": _integer(1),
    "cluster": _text,
    "attacks": _boolean,
    "proved": _boolean,
    "epsilon": lambda value: budget_epsilon(str(value)),
    "delta": lambda value: probability(str(value)),
}
