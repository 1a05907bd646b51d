"""pytest and the gate say the same of every kind of target, and of none."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.main import main
from tests.properties.audit.repository import git, repository
from tests.properties.cli.pytest_projects import run

TARGETS = """
import time
from fractions import Fraction
from filterproof.filters.additive import Additive
from filterproof.filters.naive import Naive

class Sound(Additive):
    pass

class Wrong(Naive):
    pass

class Boastful(Additive):
    claims = ("dp", "horizon")

class Raises(Additive):
    def decide(self, state, step):
        raise RuntimeError("no idea")

class Hangs(Additive):
    def decide(self, state, step):
        time.sleep(3600)

def Shy(epsilon, delta):
    raise ValueError("not today")

def Rounds(epsilon, delta):
    rational = isinstance(epsilon, Fraction)
    return Additive(epsilon * (1 + Fraction(1, 2**41)) if rational else epsilon, delta)

class Till:
    def __init__(self, total):
        self.total, self.spent = Fraction(total), Fraction(0)

    def spend(self, epsilon):
        if self.spent + Fraction(epsilon) > self.total:
            return False
        self.spent += Fraction(epsilon)
        return True
"""
EXPECTED = {
    "Sound": Verdict.NOT_FOUND,
    "Wrong": Verdict.VIOLATED,
    "Boastful": Verdict.CLAIM_BROKEN,
    "Raises": Verdict.FAILED,
    "Hangs": Verdict.FAILED,
    "Shy": Verdict.INCONCLUSIVE,
    "Rounds": Verdict.ROUNDING,
    "Till": Verdict.NOT_FOUND,
}
HEAD = "[tool.filterproof]\nexamples = 60\ntimeout = 5\n"
SPEND = {"Till": 'spend = ["spend"]\n'}
SECTION = '[tool.filterproof.targets.{0}]\ntarget = "targets.py:{0}"\n'
CONFIG = HEAD + "".join(SECTION.format(name) + SPEND.get(name, "") for name in EXPECTED)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"targets.py": TARGETS, "pyproject.toml": CONFIG}
    made = repository(tmp_path / "project", files)
    git(made, "branch", "--force", "main")
    monkeypatch.chdir(made)
    return made


def of_the_gate(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    """Return the record of each target's audit by its class."""
    main(["gate", "--json"])
    found = json.loads(capsys.readouterr().out)["results"]
    return {re.search(r"targets\.py:(\w+)", one["target"])[1]: one for one in found}  # type: ignore[index]


def of_pytest(project: Path) -> dict[str, tuple[bool, str]]:
    """Return of each target whether all of its tests passed, and what was said of it."""
    words = [word for name in EXPECTED for word in ("--filterproof", name)]
    said = run(project, *words, "-k", "not hypothesis").stdout
    failed = {name: re.search(rf"^FAILED \S*{name}\S*::", said, re.M) for name in EXPECTED}
    passed = {name: re.search(rf"^PASSED \S*{name}\S*::dp", said, re.M) for name in EXPECTED}
    assert all((failed[name] or passed[name]) for name in EXPECTED), said
    return {name: (failed[name] is None, said) for name in EXPECTED}


def test_each_kind_of_target_gets_the_same_verdict(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate, tests = of_the_gate(capsys), of_pytest(project)
    assert {name: one["verdict"] for name, one in gate.items()} == EXPECTED
    for name, one in gate.items():
        passes, said = tests[name]
        assert passes == (one["verdict"] in (Verdict.NOT_FOUND, Verdict.ROUNDING)), name
        if one["error"]:
            assert f"{one['verdict']}: {one['error'][:60]}" in said


def test_nothing_that_is_configured_passes_neither(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(HEAD)
    git(project, "commit", "--all", "--message", "nothing is configured")
    git(project, "branch", "--force", "main")
    assert main(["gate", "--json"]) == 2
    capsys.readouterr()
    assert run(project, "-k", "not hypothesis").returncode == pytest.ExitCode.NO_TESTS_COLLECTED
