"""Plain `pytest` ends: what a test loads in another process is not imported to be collected."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGETS = "tests/properties/targets"


def test_collection_ends_though_hostile_targets_lie_beside_the_tests() -> None:
    assert [*(ROOT / TARGETS).glob("hostile_*.py")]
    words = ["-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", TARGETS]
    found = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert found.returncode == 0, found.stdout
    assert "test_hostile.py::" in found.stdout
    assert "hostile_targets.py" not in found.stdout
