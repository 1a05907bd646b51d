"""Time that is set by hand."""

from collections.abc import Callable

import pytest

from filterproof_properties.targets import link as linking


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Time that is set by hand."""

    def at(now: float) -> None:
        monkeypatch.setattr(linking, "monotonic", lambda: now)

    at(100.0)
    return at
