"""What a run of pytest asks of an audit: its options, the configuration, where certificates go.

Pytest loads the plugin in every run, so nothing of ours is imported until it is needed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from filterproof_properties.options.settings import Settings
    from filterproof_properties.processes.child import Limits


def settings(config: pytest.Config, name: str = "") -> "Settings":
    """Return how hard to try, for the target of this name."""
    from filterproof_properties.cli.options import effort
    from filterproof_properties.options.config import find_config

    chosen = find_config(config.rootpath).settings(given(config), name)
    return effort(chosen, everything=False)


def limits(config: pytest.Config, name: str = "") -> "Limits":
    """Return what a target may use: command line first, then pyproject.toml, then the defaults."""
    from filterproof_properties.options.config import find_config

    return find_config(config.rootpath).limits(given(config), name)


def target_spec(config: pytest.Config, name: str) -> str:
    """Return the target that a name stands for; a budget object is tried once."""
    from filterproof_properties.cli import calls
    from filterproof_properties.options.config import find_config

    return calls.target_spec(name, find_config(config.rootpath), given(config))


def given(config: pytest.Config) -> dict[str, Any]:
    """Return the options of the table that the command line gives."""
    from filterproof_properties.options.table import options_of

    rows = options_of("search", "limits", "calls")
    return {one.name: config.getoption(f"filterproof_{one.name}") for one in rows}


def write_certificate(target: str, text: str, config: pytest.Config) -> Path:
    """Write a certificate next to the report and return its path."""
    from filterproof_properties.processes.writing import write_in_time
    from filterproof_properties.reports.files import certificate_name

    folder = next(_folders(config))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / certificate_name(target)
    write_in_time(path, text.encode("ascii"))
    return path


def _folders(config: pytest.Config) -> Iterator[Path]:
    if chosen := config.getoption("--filterproof-certificates"):
        yield Path(chosen)
    if report := config.getoption("xmlpath", None):
        yield Path(report).parent
    yield config.rootpath / "filterproof-certificates"
