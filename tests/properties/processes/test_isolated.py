"""Every kind of child imports our code and sees no variable, file or descriptor it must not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.smt.cvc5_solver import SecondOpinion
from filterproof_properties.failopen import named
from filterproof_properties.processes import isolated
from filterproof_properties.processes.child import Child, Limits
from filterproof_properties.processes.pool import run_tasks
from filterproof_properties.targets.connect import open_target

SHADOWS = ("_compat_pickle.py", "fractions.py", "pickle.py", "z3.py")
"""Files in the working directory that Python would take for its own modules."""
OURS = ("filterproof", "filterproof_proofs", "filterproof_properties")
TARGET = """
import os, sys
from pathlib import Path
import filterproof, fractions, pickle, neighbour
from filterproof.filters.additive import Additive as Mine

seen = {
    "files": [sys.modules[one].__file__ for one in ("filterproof", "fractions", "pickle")],
    "variables": sorted(os.environ),
}
neighbour.write(repr(seen))
"""
NEIGHBOUR = """
from pathlib import Path
def write(text):
    Path(__file__).with_name("seen").write_text(text)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory full of files that want to be imported, with a target in it."""
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for name in SHADOWS:
        (tmp_path / name).write_text(f"raise SystemExit('{name} of a stranger')\n")
    for name in OURS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise SystemExit('{name} of a stranger')\n")
    (tmp_path / "target.py").write_text(TARGET)
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_targets_process_imports_ours_and_sees_named_variables_only(folder: Path) -> None:
    with open_target("target.py:Mine", Limits(sandbox="off")) as loaded:
        assert loaded.claims
    seen = eval((folder / "seen").read_text())
    assert not any(str(folder) in one for one in seen["files"])
    assert {*seen["variables"]} <= {*isolated.PASSED_ON, "LC_CTYPE"}


def test_a_target_by_its_modules_name_is_found_in_the_working_directory(folder: Path) -> None:
    with open_target("target:Mine", Limits(sandbox="off")) as loaded:
        assert loaded.claims
    assert (folder / "seen").exists()


def test_a_worker_imports_ours_and_sees_named_variables_only(folder: Path) -> None:
    (variables, path), *_ = run_tasks(surroundings, [0, 1], jobs=2).results
    assert {*variables} <= {*isolated.PASSED_ON, "LC_CTYPE"}
    assert str(folder) not in path


def surroundings(task: int) -> tuple[list[str], list[str]]:
    """Return what a worker sees of where it was started."""
    return [*os.environ], sys.path


def test_a_worker_knows_where_targets_are_and_hands_it_on(folder: Path) -> None:
    (found, *_) = run_tasks(first_of_the_targets_path, [0, 1], jobs=2).results
    assert found == str(folder)


def first_of_the_targets_path(task: int) -> str:
    """Return where a worker lets a target's process look first."""
    return isolated.target_path()[0]


def test_the_process_of_failopen_imports_ours(folder: Path) -> None:
    (folder / "budget.py").write_text("""
import os, fractions, pickle, filterproof
class Budget:
    def __init__(self, total): self.left = total
    def spend(self, epsilon):
        if "GITHUB_TOKEN" in os.environ or not 0 <= epsilon <= self.left: return False
        self.left -= epsilon
        return True
""")
    calls = BudgetCalls(spend=("spend(epsilon)",), open="(epsilon)")
    assert named.observe("budget.py:Budget", calls, Limits())


def test_a_copy_of_this_process_has_its_streams_and_named_variables_only(
    folder: Path, tmp_path: Path
) -> None:
    """The prover's child and the one of pytest are copies: what is open here is not theirs."""
    with (tmp_path / "transcript").open("wb") as transcript:
        number = transcript.fileno()

        def attack() -> None:
            os.write(number, b"forged")
            names = [Path("/proc/self/fd", one) for one in os.listdir("/proc/self/fd")]
            held = {one.name: os.readlink(one) for one in names if os.path.lexists(one)}
            told = [held, [*os.environ]]
            os.write(1, json.dumps(told).encode() + b"\n")

        child = Child(attack, Limits())
        held, variables = json.loads(child.line(60, 2**16))
        child.close()
    assert (tmp_path / "transcript").read_bytes() == b""
    assert {one for one, what in held.items() if what != os.devnull} == {"0", "1", "2"}
    assert {*variables} <= {*isolated.PASSED_ON, "LC_CTYPE"}


def test_an_audit_on_two_workers_is_not_changed_by_a_file_in_the_working_directory(
    folder: Path,
) -> None:
    """The file would make every worker say that it has found nothing."""
    (folder / "wrong.py").write_text("""
class RunAll:
    def __init__(self, epsilon, delta): pass
    def start(self): return 0
    def decide(self, state, step): return "continue", state
""")
    (folder / "_compat_pickle.py").write_text("import os\nos._exit(0)\n")
    words = ["-m", "filterproof_properties.cli.main", "audit", "wrong.py:RunAll", "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-P", *words, "--seconds", "20"],
        env={name: one for name, one in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1


def test_the_second_solvers_process_imports_no_file_of_the_working_directory(folder: Path) -> None:
    (folder / "cvc5.py").write_text("raise SystemExit('cvc5 of a stranger')\n")
    with SecondOpinion(60) as solver:
        solver.ask("(set-logic ALL) (declare-fun p () Real) (assert (< p p)) (check-sat)")
        assert solver.answer() == "unsat"
