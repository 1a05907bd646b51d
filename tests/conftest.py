"""The last lines of a test run: what was skipped for want of a program, and how to get it."""

import os
from collections.abc import Generator

import pytest

from tests.needs import closing

os.environ["FILTERPROOF_NO_MEMORY"] = "1"  # what one test breaks is not tried first by another
os.environ.pop("COLUMNS", None)  # xdist's workers have 80; what a pipe gets is not wrapped
collect_ignore_glob = ["*/hostile_*.py", "*/tills.py", "*/odometer_targets.py"]
"""Targets of tests, loaded by name in processes of their own: some start threads or never end."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Write the lines below all that pytest writes itself, but for its count of tests."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [str(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple)]
    for line in closing(reasons):
        terminalreporter.write_line(line)
