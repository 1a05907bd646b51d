"""The templates of docs/CI.md, run line by line as GitHub, GitLab and pre-commit would run them."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.properties.audit.repository import LOOSER, commit, git, repository

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/CI.md").read_text(encoding="utf-8")
BLOCKS: list[Any] = [yaml.safe_load(one) for one in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)]
GITHUB, GITLAB, HOOKS = BLOCKS
BIN = Path(sys.executable).parent


def shell(lines: list[str], at: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the lines of one step; what pip would install is here already."""
    stub = at / "stub"
    stub.mkdir(exist_ok=True)
    (stub / "pip").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    (stub / "pip").chmod(0o755)
    away = ("GITHUB_", "CI_", "FILTERPROOF_")
    kept = {key: one for key, one in os.environ.items() if not key.startswith(away)}
    path = os.pathsep.join([str(stub), str(BIN), kept["PATH"]])
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", "\n".join(lines)]
    return subprocess.run(
        words,
        cwd=at,
        env={**kept, "PATH": path, "CI": "true", **more},
        capture_output=True,
        text=True,
        check=False,
    )


def cloned(tmp_path: Path, files: dict[str, str]) -> Path:
    """Return a clone of a project, on a branch with one change."""
    origin = repository(tmp_path / "origin")
    commit(origin, {"README": "a change", **files})
    git(tmp_path, "clone", "-q", "-b", "change", f"file://{origin}", "clone")
    return tmp_path / "clone"


@pytest.mark.parametrize(("files", "code"), [(LOOSER, 1), ({}, 0)])
def test_the_template_for_gitlab(files: dict[str, str], code: int, tmp_path: Path) -> None:
    clone = cloned(tmp_path, files)
    job = GITLAB["filterproof"]
    done = shell(job["script"], clone, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main")
    assert done.returncode == code, done.stdout + done.stderr
    report = (clone / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8")
    assert ("<failure" in report) == bool(code)
    assert str(job["variables"]["GIT_DEPTH"]) == "0"


def test_the_workflow_for_github(tmp_path: Path) -> None:
    clone = cloned(tmp_path, LOOSER)
    summary = tmp_path / "summary.md"
    told = {"GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    steps = GITHUB["jobs"]["gate"]["steps"]
    codes = [shell([one["run"]], clone, **told).returncode for one in steps if "run" in one]
    assert codes == [0, 1, 0]  # pip, the gate, the summary
    assert "LOOSER" in summary.read_text(encoding="utf-8")
    for one in steps:
        wanted = one.get("with", {}).get("sarif_file") or one.get("with", {}).get("path")
        assert not wanted or (clone / wanted).exists()


@pytest.mark.parametrize(
    ("before", "after", "code"), [("", "", 1), (":MyFilter", ":MyFitler", 2), ("audit", "aduit", 2)]
)
def test_the_hook_of_pre_commit(before: str, after: str, code: int, tmp_path: Path) -> None:
    (hook,) = HOOKS["repos"][0]["hooks"]
    (entry,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["id"], entry["pass_filenames"]) == (entry["id"], False)
    (tmp_path / "src").mkdir()
    text = (ROOT / "examples/my_filter.py").read_text(encoding="utf-8")
    (tmp_path / "src/my_filter.py").write_text(text, encoding="utf-8")
    words = [str(one).replace(before, after) for one in (entry["entry"], *hook["args"])]
    assert re.search(hook["files"], "src/my_filter.py")
    done = shell([shlex.join(words)], tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
