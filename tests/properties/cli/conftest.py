"""A project of its own for each run of pytest with the plugin."""

from pathlib import Path

import pytest

from tests.properties.cli.pytest_projects import FILTERS


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "filters.py").write_text(FILTERS)
    quick = '[tool.filterproof]\nexamples = 1\nsandbox = "off"\n'
    (tmp_path / "pyproject.toml").write_text(quick)
    return tmp_path
