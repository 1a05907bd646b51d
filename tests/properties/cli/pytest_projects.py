"""Projects in which the pytest plugin is run: a filter module, a fixture, and a run of pytest."""

import os
import subprocess
import sys
from pathlib import Path

FILTERS = """
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive

class Sound(Additive):
    pass

class Wrong(Naive):
    pass

class Boastful(Additive):
    claims = ("dp", "horizon")

class Kept(Compensator):
    pass

class Lost(Compensator):
    def remaining(self, state, step, pair):
        return super().remaining(state, step, pair) / 2

class Raises(Additive):
    def decide(self, state, step):
        raise RuntimeError("no idea")
"""

FIXTURE = """
import pytest
from filters import Sound

filterproof_claims = ("dp", "purity")

@pytest.fixture
def filterproof_target():
    return Sound

def test_something_else():
    pass
"""


def run(project: Path, *words: str, cache: bool = False) -> subprocess.CompletedProcess[str]:
    """Run pytest without the plugins that this run does not need: loading them takes longest."""
    spare = ["anyio"] + ["cacheprovider"] * (not cache)
    spare += ["hypothesispytest"] * ("--filterproof-examples" not in words)
    spare += ["xdist"] * ("-n" not in words)
    without = [word for one in spare for word in ("-p", f"no:{one}")]
    command = [sys.executable, "-m", "pytest", *without, "-rA", *words]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        command, cwd=project, capture_output=True, text=True, check=False, env=clean
    )
