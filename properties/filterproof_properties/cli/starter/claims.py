"""The filter keeps its promise wherever it is tried; a failure shows the counterexample."""

from pathlib import Path

import pytest

filterproof_claims = ("dp", "determinism", "purity")


@pytest.fixture
def filterproof_target() -> str:
    """Return the name of the filter, as `filterproof audit` takes it."""
    return f"{Path(__file__).with_name('my_filter.py')}:MyFilter"
