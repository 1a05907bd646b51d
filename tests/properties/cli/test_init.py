"""What `filterproof init` writes runs as it is: test, audit, proof, workflow, draft adapters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from filterproof_properties.cli.main import main

FILES = [
    ".github/workflows/filterproof.yml",
    "my_filter.py",
    "pyproject.toml",
    "test_my_filter.py",
]
PAYS = "after.append(account - cost)"


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def steps(folder: Path) -> list[str]:
    """The commands of the workflow that work on the filter."""
    workflow = yaml.safe_load((folder / FILES[0]).read_text(encoding="utf-8"))
    lines = [step.get("run", "") for step in workflow["jobs"]["filter"]["steps"]]
    return [line for line in lines if line.startswith(("pytest", "filterproof"))]


def codes(folder: Path) -> list[int]:
    """The exit code of each step, run quickly."""
    settings = folder / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("seconds = 10", "examples = 40"), encoding="utf-8")
    known = {key: text for key, text in os.environ.items() if not key.startswith("PYTEST_")}
    known["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{known['PATH']}"
    asked = {"cwd": folder, "env": known, "check": False, "capture_output": True}
    return [subprocess.run(["bash", "-c", line], **asked).returncode for line in steps(folder)]  # type: ignore[call-overload]


def test_what_is_written_runs_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "new")]) == 0
    assert written(tmp_path / "new") == FILES
    said = capsys.readouterr().out
    assert said.count("wrote ") == len(FILES)
    assert f"next:\n  cd {tmp_path / 'new'}\n" in said
    assert len(steps(tmp_path / "new")) == 3
    assert codes(tmp_path / "new") == [0, 0, 0]


def test_a_filter_that_is_spoiled_fails_every_step(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path)]) == 0
    path = tmp_path / "my_filter.py"
    sound = path.read_text(encoding="utf-8")
    assert PAYS in sound
    path.write_text(sound.replace(PAYS, "after.append(account)"), encoding="utf-8")
    assert codes(tmp_path) == [1, 1, 1]


@pytest.mark.parametrize("name", FILES[:2])
def test_nothing_is_overwritten(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine\n", encoding="utf-8")
    assert main(["init", str(tmp_path)]) == 2
    assert f"{tmp_path / name} exists" in capsys.readouterr().err
    assert written(tmp_path) == [name]


def test_the_settings_of_a_project_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "pyproject.toml").read_text(encoding="utf-8") == "[project]\n"
    assert written(tmp_path) == FILES


# --- draft adapters -------------------------------------------------------------------------

LIBRARY = """
class Full(Exception):
    pass


class Keeps:
    def __init__(self, total, delta):
        self.total, self.delta = total, delta

    def allows(self, cost):
        return cost <= self.total

    def book(self, cost, delta):
        if delta > self.delta:
            raise Full
        self.total, self.delta = self.total - cost, self.delta - delta

    def unbook(self, cost):
        self.total += cost


class Forgets(Keeps):
    def book(self, cost, delta):
        if delta > self.delta:
            raise Full
"""
WORDS = ["--check", "allows(epsilon)", "--spend", "book", "--refusal", "Full"]


@pytest.mark.parametrize(("name", "code"), [("Keeps", 0), ("Forgets", 1)])
def test_the_entry_of_a_budget_object_is_audited(
    name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shelf.py").write_text(LIBRARY, encoding="utf-8")
    assert main(["init", "adapter", f"shelf.py:{name}", *WORDS]) == 0
    assert written(tmp_path) == ["pyproject.toml", "shelf.py"]
    assert main(["audit", name.lower(), "--examples", "60"]) == code


@pytest.mark.parametrize(("order", "code"), [([], 0), (["--between"], 1)])
def test_the_entry_of_a_library_gives_the_verdict_of_its_adapter(
    order: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--check", "check", "--spend", "spend", "--refusal", "ValueError"]
    words += ["--open", "(epsilon, delta)"]
    assert main(["init", "adapter", "diffprivlib:BudgetAccountant", *words, *order]) == 0
    assert main(["audit", "budgetaccountant", "--examples", "60"]) == code


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["adapter", "lib:Budget"], "need: filterproof init adapter LIBRARY --spend CALL"),
        (["adapter", "--spend", "s"], "need: filterproof init adapter LIBRARY --spend CALL"),
        (["folder", "lib:Budget", "--spend", "s"], "need: filterproof init adapter LIBRARY"),
        (["adapter", "lib", "--spend", "s"], "need FILE.py:CLASS or package.module:CLASS"),
        (["adapter", "a-b.py:C", "--spend", "s"], "no such file: a-b.py"),
    ],
)
def test_what_is_no_library_is_wrong_usage(
    words: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", *words]) == 2
    assert why in capsys.readouterr().err
    assert written(tmp_path) == []


def test_an_entry_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shelf.py").write_text(LIBRARY, encoding="utf-8")
    assert main(["init", "adapter", "shelf.py:Keeps", *WORDS]) == 0
    before = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert main(["init", "adapter", "shelf.py:Keeps", *WORDS]) == 2
    assert "nothing is overwritten" in capsys.readouterr().err
    assert (tmp_path / "pyproject.toml").read_text(encoding="utf-8") == before
