"""On a machine that lacks programs the tests pass, and their last lines say how to get the rest."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(path: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The tests of the shells, with this search path for programs."""
    unset = ("CI", "PYTEST_")
    known = {key: text for key, text in os.environ.items() if not key.startswith(unset)}
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/properties/cli/test_completion.py",
    ]
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**known, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A search path on which there is bash and nothing else."""
    bash = shutil.which("bash")
    assert bash is not None
    (tmp_path / "bash").symlink_to(bash)
    return str(tmp_path)


def test_what_is_missing_is_skipped_and_named_in_the_last_lines(bare: str) -> None:
    done = run(bare)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-4:-1] == [
        "7 tests were skipped because zsh is missing",
        "7 tests were skipped because fish is missing",
        "to run them too: apt-get install zsh fish",
    ]


def test_in_ci_it_is_a_failure(bare: str) -> None:
    done = run(bare, CI="true")
    assert done.returncode == 1
    assert "skipped" not in done.stdout


def test_every_package_that_a_test_needs_is_installed_in_ci() -> None:
    from tests import needs

    marks = [one.mark for one in vars(needs).values() if isinstance(one, pytest.MarkDecorator)]
    text = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for mark in marks:
        packages = mark.kwargs["reason"].rpartition("apt-get install ")[2].split()
        assert all(package in text for package in packages), mark
