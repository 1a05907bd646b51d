"""Some seconds of the mixed faults that `mixed` goes on with for an hour, and their control."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from filterproof.runtime import CompensatorFilter
from tests.needs import needs_gcc, needs_postgres
from tests.reference.runtime import mixed
from tests.reference.runtime.faults import unsaved

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "kind",
    [
        "memory",
        pytest.param("file", marks=needs_gcc),
        pytest.param("sqlite", marks=needs_gcc),
        pytest.param("postgres", marks=needs_postgres),
    ],
)
def test_mixed_faults_give_nothing_back(kind: str) -> None:
    """In a process of its own: allocations fail in copies of it, which no other thread survives."""
    words = [sys.executable, "-m", "tests.reference.runtime.mixed", kind, "1.5", "7"]
    environment = {name: one for name, one in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert " drawn" in done.stdout


def test_a_filter_that_remembers_a_reservation_only_in_memory_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CompensatorFilter, "_commit", unsaved)
    monkeypatch.setattr(mixed, "TURN", 1.0)
    with pytest.raises(mixed.Broken):
        mixed.main("file", 20)


def test_a_filter_that_forgets_what_was_interrupted_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paid = CompensatorFilter.release

    def forgetful(self: CompensatorFilter, *release: object) -> int:
        before = self._rounds
        try:
            return paid(self, *release)  # type: ignore[arg-type]
        except BaseException:
            self._rounds = before
            raise

    monkeypatch.setattr(CompensatorFilter, "release", forgetful)
    with pytest.raises(mixed.Broken):
        mixed.main("memory", 20)
