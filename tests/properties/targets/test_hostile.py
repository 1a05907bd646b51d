"""Whatever a target does, an audit ends in exit code 2 (or 3), never in "no violation found"."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import Verdict, exit_code
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.loading import load
from filterproof_properties.targets.target import TargetError

T = TypeVar("T")
HERE = Path(__file__).parent / "hostile_targets.py"

IN_A_SANDBOX = {
    "Raises": "decide() raised RuntimeError: no idea at round 0",
    "RemembersOutsideTheState": "to the same question: a filter is a pure function",
    "Hangs": "decide(): it did not answer within 2 s",
    "HangsInC": "decide(): it did not answer within 2 s",
    "HangsWhenMade": "making the filter: it did not answer within 2 s",
    "HugeState": "raised MemoryError",
    "Leaves": "decide() raised SystemExit: 0 at round 0",
    "LeavesForGood": "it ended without an answer; exit status 0",
    "NestsItsState": "it ended without an answer; killed by SIGSEGV",
    "Prints": "decide() at round 0 wrote to standard output",
    "PrintsRaw": "decide() at round 0 wrote to standard output",
    "WritesEverywhere": "its answer is no JSON object",
    "OffersForever": "parameters(): it did not answer within 2 s",
    "WritesTheResult": "decide(): its answer has id 1, not",
    "AnswersForTheServer": "its answer has id 1, not",
    "SlowEquality": "it did not answer within 2 s",
    "SlowHash": "it did not answer within 2 s",
    "SlowProperty": "making the filter: it did not answer within 2 s",
    "FillsTheDisk": "decide() raised OSError: [Errno 27] File too large at round 0",
}

ANYWHERE = {
    "RaisesLate": "decide() raised ZeroDivisionError: at last at round 2",
    "UnhashableState": "the state from decide() must be hashable; got [0]",
    "ChangesItsMind": "to the same question: a filter is a pure function",
    "AssignsToTheStep": "FrozenInstanceError",
    "ForcesTheStep": "changed the step it was shown",
    "RewritesTheGame": "changed the step it was shown",
    "Interrupts": "decide() at round 0 raised KeyboardInterrupt",
    "Recurses": "decide() raised RecursionError",
    "SaysMaybe": "a decision is one of",
    "SaysNothing": "decide() must return (decision, state); got None",
    "IncomparableState": "raised RuntimeError: incomparable",
    "OffersNonsense": "parameters() must yield dicts",
}


def audit(
    spec: str, capsys: pytest.CaptureFixture[str], timeout: int = 30, sandbox: str = "auto"
) -> tuple[int, dict[str, object]]:
    limits = ["--timeout", str(timeout), "--memory", "700", "--disk", "8", "--sandbox", sandbox]
    code = main(["audit", spec, "--examples", "1", *limits, "--json"])
    return code, json.loads(capsys.readouterr().out)["results"][0]


@pytest.mark.parametrize("name", IN_A_SANDBOX)
def test_a_hostile_target_ends_in_exit_code_2_with_a_reason(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hangs = "within 2 s" in IN_A_SANDBOX[name]
    code, result = audit(f"{HERE}:{name}", capsys, 2 if hangs else 30)
    assert (code, result["verdict"]) == (2, "target failed")
    assert IN_A_SANDBOX[name] in str(result["error"])


@pytest.mark.parametrize("name", ANYWHERE)
def test_a_target_that_breaks_the_protocol_fails_also_without_a_sandbox(name: str) -> None:
    spec = f"{HERE}:{name}"
    record = run_audit(spec, Settings(examples=1), Limits(), lambda news: None, in_process=True)
    assert (exit_code([record], expected=False), record.verdict) == (2, Verdict.FAILED)
    assert ANYWHERE[name] in record.error


def test_a_target_that_raises_now_and_then_may_be_broken_as_well() -> None:
    spec = f"{HERE}:RaisesAndLeaks"
    record = run_audit(spec, Settings(examples=60), Limits(), lambda news: None)
    assert record.verdict is Verdict.VIOLATED
    assert "decide() raised ZeroDivisionError: at last at round 2" in record.error


def test_states_that_call_themselves_equal_and_are_not_are_judged_by_what_they_hold() -> None:
    spec = f"{HERE}:AllStatesAreEqual"
    record = run_audit(spec, Settings(examples=60), Limits(), lambda news: None)
    assert record.verdict is Verdict.VIOLATED  # two rounds of anything run


def test_an_error_that_cannot_even_be_printed_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, result = audit(f"{HERE}:RaisesTheUnspeakable", capsys)
    assert (code, result["verdict"]) == (2, "target failed")
    assert "RuntimeError: not even this" in str(result["error"])


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
        ("while True: pass", "did not answer within 2 s"),
    ],
)
def test_a_file_that_does_not_end_well_ends_in_exit_code_2(
    text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "target.py").write_text(text)
    code, result = audit(f"{tmp_path}/target.py:F", capsys, 2)
    assert (code, result["verdict"]) == (2, "target failed")
    assert why in str(result["error"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise KeyError('x')", "raised KeyError: 'x'"),
        ("F = 3", r"must be callable as \(epsilon, delta\) -> filter; got 3"),
        ("G = 3", r"has no attribute 'F'; it has \['G'\]"),
        ("def F(:", "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_why(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "target.py").write_text(text)
    with pytest.raises(TargetError, match=why):
        load(f"{tmp_path}/target.py:F")


def test_one_hostile_target_does_not_keep_the_others_from_being_audited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["audit", f"{HERE}:LeavesForGood", "naive", "--examples", "1", "--json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert code == 2
    assert [one["verdict"] for one in results] == ["target failed", "VIOLATED"]


@pytest.mark.parametrize("name", ["PatchesComparison", "PatchesTheEngine"])
def test_a_target_that_patches_what_judges_it_is_judged_all_the_same(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = audit(f"{HERE}:{name}", capsys)
    assert (code, result["verdict"]) == (1, "VIOLATED")


@pytest.mark.parametrize("name", ["CrashesLate", "HangsLate", "LeavesLate", "PrintsLate"])
def test_a_fault_is_a_fault_with_two_jobs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--jobs", "2", "--no-attacks", "--examples", "400", "--timeout", "8", "--json"]
    code = main(["audit", f"{HERE}:{name}", *words])
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert (code, result["verdict"]) == (2, "target failed")


@pytest.mark.parametrize("words", [["--seconds", "5"], ["--seconds", "4", "--jobs", "2"]])
def test_a_target_that_hangs_longer_than_a_part_of_the_search_takes_has_failed(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["audit", f"{HERE}:HangsAfterManyPlays", *words, "--timeout", "2", "--json"])
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert result["tried"] > 40
    assert (code, result["verdict"]) == (2, "target failed")
    assert "it did not answer within 2 s" in result["error"]


def test_a_target_that_slows_down_is_no_target_without_a_violation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = f"{HERE.parent}/hostile_python.py:SlowsDown"
    code = main(["audit", spec, "--seconds", "12", "--timeout", "2", "--json"])
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert result["tried"] > 40
    assert (code, result["verdict"]) == (3, "inconclusive")
    assert "plays in the second half of" in result["error"]


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["audit", f"{HERE}:Quiet", "--jobs", "2"], {3, 130}),  # 3 if there was a target by then
        (["audit", f"{HERE}:Hangs", "--jobs", "2", "--timeout", "60"], {3, 130}),
        (["diff", f"{HERE}:Quiet", f"{HERE}:Hangs", "--timeout", "60"], {130}),
        (["prove", f"{HERE}:Hangs"], {130}),
    ],
    ids=["audit", "audit of one that hangs", "diff", "prove"],
)
def test_an_interrupt_ends_everything_without_a_trace(words: list[str], codes: set[int]) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "filterproof_properties.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    below = wait_for(lambda: running.poll() is not None or children(running.pid))
    assert isinstance(below, list), "it ended before it had asked anybody"
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode in codes
    assert "Traceback" not in out + err
    wait_for(lambda: not any(Path(f"/proc/{one}").exists() for one in below))


def test_a_file_that_is_changed_meanwhile_is_no_file_without_a_violation(tmp_path: Path) -> None:
    path = tmp_path / "target.py"
    sound = "from filterproof.filters.additive import Additive\nclass Mine(Additive):\n    pass\n"

    def audited(later: str) -> Record:
        path.write_text(sound)
        settings, changed = Settings(examples=1, attacks=False), partial(path.write_text, later)
        return run_audit(f"{path}:Mine", settings, Limits(), lambda news: [changed()].clear())

    assert audited(sound).verdict is Verdict.NOT_FOUND
    record = audited(f"{sound}    # another one\n")
    assert record.verdict is Verdict.INCONCLUSIVE
    assert "target.py was changed meanwhile" in record.error


def test_what_left_the_session_dies_with_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code, _ = audit(f"{HERE}:Survives", capsys, sandbox="off")
    assert code == 0
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_strangers_text_is_printed_on_one_line_without_escapes(
    capfd: pytest.CaptureFixture[str],
) -> None:
    main(["audit", f"{HERE}:ForgesLines", "--examples", "1"])
    out, err = capfd.readouterr()
    assert "\x1b[2J" not in out + err
    assert not any(
        line.startswith(("::", "no violation found")) for line in (out + err).split("\n")
    )


def test_in_process_is_said_in_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--in-process", "--examples", "1", "--json"]
    assert main(["audit", f"{HERE}:Quiet", *words]) == 0
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert "asked in the audit's own process" in result["note"]


PYTHON = {
    "PatchesFractions": (1, ""),
    "PatchesJson": (2, "its answer is no JSON object"),
    "PatchesJsonWithVerdicts": (2, "an error is a text; got None"),
    "PatchesTheServer": (1, ""),
    "LeavesInTheCollector": (2, "it ended without an answer; exit status 0"),
    "HangsAtExit": (1, ""),
    "AnswersLate": (2, "its answer has id"),
    "SaysBoth": (2, "to the same question: a filter is a pure function"),
    "LyingDecision": (2, "a decision is one of"),
    "LyingState": (2, "to the same question: a filter is a pure function"),
    "NotATuple": (2, "decide() must return (decision, state)"),
    "HugeNumbers": (2, "its answer cannot be written: ValueError: Exceeds the limit"),
    "HashesForever": (2, "the state from decide() must be hashable"),
    "Unpicklable": (0, ""),
    "Surrogates": (2, "unknown claim '\\\\ud800"),
    "SurrogateParameters": (2, "must be an identifier; got 'N\\\\udfff'"),
    "EscapingParameters": (2, "a parameter must be printable; got"),
    "SurrogateError": (2, "decide() raised RuntimeError: \\ud800 \\udfff \\x9b2J"),
    "SurrogateDeclines": (3, "\\ud800 no"),
}
"""What tampers with Python, or only looks like an answer: the exit code, and what is said."""


@pytest.mark.parametrize("name", PYTHON)
def test_tampering_with_python_changes_nothing_but_its_own_answers(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"{HERE.parent}/hostile_python.py:{name}"
    page = tmp_path / "report.html"
    words = ["--examples", "1", "--memory", "700", "--json", "--report", str(page)]
    code = main(["audit", spec, *words])
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert code == PYTHON[name][0]
    assert PYTHON[name][1] in result["error"]
    assert result["verdict"] in page.read_text()


def test_a_number_that_grows_without_end_is_too_slow_or_too_large(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, result = audit(f"{HERE.parent}/hostile_python.py:GrowingState", capsys, 2)
    assert (code, result["verdict"]) == (2, "target failed")


def test_a_file_can_import_its_neighbours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "neighbour.py").write_text("from filterproof.filters.additive import Additive")
    (tmp_path / "target.py").write_text("from neighbour import Additive as F")
    code, _ = audit(f"{tmp_path}/target.py:F", capsys)
    assert code == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running_when_the_audit_itself_is_ended(how: signal.Signals) -> None:
    words = [sys.executable, "-m", "filterproof_properties.cli.main", "audit", f"{HERE}:Hangs"]
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
