"""What a forge runs is run here: the action's own script, the hook's entry, the workflows."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.properties.audit.repository import LOOSER, commit, repository

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def act(tmp_path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the gate's step of the action as a runner would, with these inputs."""
    told = {name: one.get("default", "") for name, one in read("action.yml")["inputs"].items()}
    (step,) = [one for one in read("action.yml")["runs"]["steps"] if one.get("id") == "gate"]
    chosen = {f"${{{{ inputs.{name} }}}}": text for name, text in {**told, **inputs}.items()}
    found = {name: chosen[value] for name, value in step["env"].items()}
    summary = tmp_path / "summary.md"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    files = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    environment = {**os.environ, **found, **files, "PATH": path, "CI": "true"}
    away = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "FILTERPROOF_NO_MEMORY")
    for name in away:
        environment.pop(name, None)
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("files", "code"), [(LOOSER, 1), ({}, 0)])
def test_the_action_passes_a_change_that_holds_and_fails_one_that_does_not(
    files: dict[str, str], code: int, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project")
    commit(project, {"README": "a change", **files})
    done = act(project)
    assert done.returncode == code, done.stdout + done.stderr
    found = {path.suffix for path in (project / "filterproof-report").iterdir()}
    assert found >= {".html", ".sarif", ".md", ".xml"}
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert "src/shop/ledger.py:Budget since" in summary
    told = (project / "outputs").read_text(encoding="utf-8").strip()
    assert told == "sarif=filterproof-report/report.sarif"
    assert (project / told.removeprefix("sarif=")).is_file()
    remembered = [*(project / ".filterproof/counterexamples").rglob("*.json")]
    assert bool(remembered) == (code == 1)


def test_the_action_caches_what_is_remembered_even_if_the_gate_fails() -> None:
    action = read("action.yml")
    assert not unpinned((ROOT / "action.yml").read_text(encoding="utf-8"))
    first, *_, last = action["runs"]["steps"]
    assert first["uses"].startswith("actions/cache/restore@")
    assert (last["if"], last["uses"].partition("@")[0]) == ("always()", "actions/cache/save")
    assert {first["with"]["path"], last["with"]["path"]} == {".filterproof"}
    assert first["with"]["key"] == last["with"]["key"]
    assert action["outputs"]["sarif"]["value"] == "${{ steps.gate.outputs.sarif }}"


@pytest.mark.parametrize(
    "inputs",
    [
        {"targets": "no-such-filter"},
        {"base": "no-such-ref"},
        {"base": "--help"},
        {"seconds": "$(touch ran)"},
        {"targets": "--help"},
    ],
)
def test_the_action_keeps_the_exit_code_of_wrong_usage_and_runs_no_input(
    inputs: dict[str, str], tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", {"pyproject.toml": ""})
    commit(project, {"README": "a change"})
    done = act(project, **inputs)
    assert done.returncode == 2, done.stdout + done.stderr
    assert not (project / "ran").exists()
    assert not (project / "outputs").exists()


@pytest.mark.parametrize(("isolated", "ran"), [("-I ", False), ("", True)])
def test_the_action_installs_with_no_pip_of_the_change(
    isolated: str, ran: bool, tmp_path: Path
) -> None:
    (tmp_path / "pip.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    (step,) = [
        one for one in read("action.yml")["runs"]["steps"] if "INSTALL" in one.get("env", {})
    ]
    words = ["bash", "-eo", "pipefail", "-c", step["run"].replace("-I ", isolated)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "INSTALL": "--help", "PATH": path}
    subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert (tmp_path / "ran").exists() is ran


@pytest.mark.parametrize(("name", "code"), [("my_filter", 1), ("my_filter_fixed", 0)])
def test_the_hook_stops_a_commit_of_a_filter_that_does_not_hold(name: str, code: int) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    entry = Path(sys.executable).parent / hook["entry"]
    words = ["audit", f"examples/{name}.py:MyFilter", "--examples", "40"]
    done = subprocess.run([entry, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr


def test_the_versions_of_python_that_are_promised_are_tested() -> None:
    jobs = read(".github/workflows/tests.yml")["jobs"]
    assert jobs["pythons"]["strategy"]["matrix"]["python-version"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert named == PYTHONS


def test_every_change_builds_the_wheel_and_uses_it() -> None:
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert any({"make", "wheel"} <= {*line.partition("#")[0].split()} for line in lines)


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda p: p.stem)
def test_every_file_for_the_forge_can_be_read(path: Path) -> None:
    assert isinstance(read(str(path.relative_to(ROOT))), dict)


def test_the_citation_names_the_version_that_is_built() -> None:
    assert read("CITATION.cff")["version"] == PROJECT["version"]


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def unpinned(text: str) -> list[str]:
    """Return the actions that are not named by the digest of a commit."""
    used = re.findall(r"uses: (\S+)", text)
    return [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_checkouts_leave_no_credentials(path: Path) -> None:
    assert not unpinned(path.read_text(encoding="utf-8"))
    steps = [
        step for job in read(str(path.relative_to(ROOT)))["jobs"].values() for step in job["steps"]
    ]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_an_action_by_its_tag_would_be_noticed() -> None:
    assert unpinned("      - uses: actions/checkout@v4\n") == ["actions/checkout@v4"]


def test_what_ci_installs_is_locked() -> None:
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    locked = {line.partition("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    wanted = {re.split(r"[<>=\[;]", one)[0] for one in PROJECT["dependencies"]}
    assert wanted <= locked
    assert "PIP_CONSTRAINT" in (ROOT / ".ci/run").read_text(encoding="utf-8")
