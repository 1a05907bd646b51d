"""Whatever a target does, an audit ends in exit code 2 (or 3), never in "no violation found"."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from filterproof_properties.cli import main

T = TypeVar("T")
HERE = Path(__file__).parent / "hostile_targets.py"

EXPECTED = {
    "Raises": "decide() raised RuntimeError: no idea at round 0",
    "RaisesLate": "decide() raised ZeroDivisionError: at last at round 2",
    "Hangs": "decide() at round 0 did not answer within 1 s",
    "HangsInC": "gave no sign of life for 6 s",
    "HangsWhenMade": "making the filter did not answer within 1 s",
    "HugeState": "raised MemoryError",
    "UnhashableState": "the state from decide() must be hashable; got [0]",
    "ChangesItsMind": "to the same question: a filter is a pure function",
    "RemembersOutsideTheState": "to the same question: a filter is a pure function",
    "AssignsToTheStep": "FrozenInstanceError",
    "ForcesTheStep": "changed the step it was shown",
    "RewritesTheGame": "changed the step it was shown",
    "Leaves": "decide() raised SystemExit: 0 at round 0",
    "LeavesForGood": "the target ended its process (exit status 0)",
    "Interrupts": "decide() at round 0 raised KeyboardInterrupt",
    "Recurses": "decide() raised RecursionError",
    "NestsItsState": "the target ended its process (killed by SIGSEGV)",
    "Prints": "decide() at round 0 wrote to standard output",
    "PrintsRaw": "decide() at round 0 wrote to standard output",
    "SaysMaybe": "a decision is one of",
    "SaysNothing": "decide() must return (decision, state); got None",
    "RaisesTheUnspeakable": "RuntimeError: not even this",
    "IncomparableState": "raised RuntimeError: incomparable",
    "OffersNonsense": "parameters() must yield dicts",
    "OffersForever": "parameters() did not answer within 1 s",
}


def audit(spec: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    limits = ["--timeout", "1", "--memory", "700", "--examples", "1", "--json"]
    code = main(["audit", spec, *limits])
    return code, json.loads(capsys.readouterr().out)["results"][0]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_target_ends_in_exit_code_2_with_a_reason(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = audit(f"{HERE}:{name}", capsys)
    assert (code, result["verdict"]) == (2, "target failed")
    assert EXPECTED[name] in str(result["error"])


def test_a_target_without_a_filter_for_any_budget_is_inconclusive(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, result = audit(f"{HERE}:DeclinesEverything", capsys)
    assert (code, result["verdict"]) == (3, "inconclusive")


def test_the_target_that_the_hostile_ones_are_built_on_is_found_harmless(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, result = audit(f"{HERE}:Quiet", capsys)
    assert (code, result["verdict"]) == (0, "no violation found")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.exit(0)", "raised SystemExit: 0"),
        ("raise KeyError('x')", "raised KeyError: 'x'"),
        ("while True: pass", "did not answer within 1 s"),
        ("F = 3", "must be callable as (epsilon, delta) -> filter; got 3"),
        ("G = 3", "has no attribute 'F'; it has ['G']"),
        ("def F(:", "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_ends_in_exit_code_2(
    text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "target.py").write_text(text)
    code, result = audit(f"{tmp_path}/target.py:F", capsys)
    assert (code, result["verdict"]) == (2, "target failed")
    assert why in str(result["error"])


def test_one_hostile_target_does_not_keep_the_others_from_being_audited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["audit", f"{HERE}:LeavesForGood", "naive", "--examples", "1", "--json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert code == 2
    assert [one["verdict"] for one in results] == ["target failed", "VIOLATED"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running_when_the_audit_itself_is_ended(how: signal.Signals) -> None:
    words = [sys.executable, "-m", "filterproof_properties.cli", "audit", f"{HERE}:Hangs"]
    audit = subprocess.Popen([*words, "--timeout", "60"], stdout=subprocess.DEVNULL)
    child = wait_for(lambda: children(audit.pid))
    audit.send_signal(how)
    audit.wait()
    wait_for(lambda: not any(Path(f"/proc/{one}").exists() for one in child))


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in listed]


def wait_for(found: Callable[[], T]) -> T:
    for _ in range(400):
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("waited for 20 s")
