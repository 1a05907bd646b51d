"""An exit code says what it means: 1 is a certified violation and nothing else, 4 is our fault."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from filterproof_proofs.symbolic.run import Unsupported
from filterproof_properties.audit import engine
from filterproof_properties.cli import audit as audit_command
from filterproof_properties.cli.main import main
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.processes.tasks import ClusterError, WorkerLost
from filterproof_properties.targets.guard import TimeIsUp

ROOT = Path(__file__).parents[3]
HOSTILE = ROOT / "tests/properties/targets/hostile_targets.py"

PICKY = """
from filterproof.filters.additive import Additive

class Picky(Additive):
    def __post_init__(self):
        if self.delta != 0:
            raise ValueError("only delta = 0, \\x1b[2Jplease")
"""


@pytest.mark.parametrize("kind", [ZeroDivisionError, TimeIsUp, Unsupported, GeneratorExit])
def test_a_defect_of_ours_is_exit_code_4_with_a_line_to_report_it(
    kind: type[BaseException], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it is: Python itself would end with 1, which is a certified violation."""

    def broken(*_: object, **__: object) -> int:
        raise kind

    monkeypatch.setattr(audit_command, "exit_code", broken)
    assert main(["audit", "additive", "--examples", "1"]) == 4
    err = capsys.readouterr().err
    assert f"internal error, {kind.__name__}" in err
    assert "please report" in err


DEEP = """
from filterproof.filters.additive import Additive

class Mine(Additive):
    def decide(self, state, step):
        depth = {}1
        return super().decide(state, step)

class Budget:
    def __init__(self, epsilon):
        self.left = epsilon

    def spend(self, epsilon):
        depth = {}1
        self.left -= epsilon
        return self.left >= 0
"""


@pytest.mark.parametrize("before", ["-" * 900, "1 + " * 3000])
@pytest.mark.parametrize("words", [["Mine"], ["Budget", "--spend", "spend"]])
def test_code_that_is_too_deep_to_be_proved_is_exit_code_2(
    before: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep.py").write_text(DEEP.replace("depth = {}", f"depth = {before}"))
    assert main(["prove", f"{tmp_path}/deep.py:{words[0]}", *words[1:], "--seconds", "5"]) == 2
    said = "".join(capsys.readouterr())
    assert "deeply" in said or "recursion" in said


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "additive", "--epsilon", "1e-9999"],
        ["audit", "additive", "--epsilon", "1e9999"],
        ["audit", "additive", "--delta", "1e-9999"],
        ["audit", "additive", "--delta", "1"],
        ["audit", "additive", "--seconds", "1e9999"],
        ["tune", "gaussian:1", "--epsilon", "1e-9999", "--delta", "0"],
    ],
)
def test_a_number_beyond_reason_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(words)
    assert refused.value.code == 2


@pytest.mark.parametrize("size", ["1e400", "1e-400"])
def test_a_mechanism_beyond_reason_is_wrong_usage(size: str) -> None:
    assert main(["tune", f"gaussian:{size}", "--epsilon", "1", "--delta", "0.1"]) == 2


@pytest.mark.parametrize(
    "line", ["delta = 2", "seconds = -1", 'epsilon = "1e-9999"', "delta = 1e-9999"]
)
def test_a_config_file_is_checked_like_the_command_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.filterproof]\n{line}\n")
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "additive", "--examples", "1"]) == 2
    assert repr(line.split()[0]) in capsys.readouterr().err


@pytest.mark.parametrize(("target", "code"), [("additive", 2), ("naive", 1)])
def test_a_report_that_cannot_be_written_does_not_cost_the_verdict(
    target: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    words = ["--examples", "1", "--report", f"{tmp_path}/file/report.html"]
    assert main(["audit", target, *words]) == code
    shown = capsys.readouterr()
    assert {"additive": "no violation found", "naive": "VIOLATED"}[target] in shown.out
    assert "cannot write" in shown.err


def test_a_target_that_declines_most_budgets_is_inconclusive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "picky.py").write_text(PICKY)
    assert main(["audit", f"{tmp_path}/picky.py:Picky", "--examples", "60", "--json"]) == 3
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert result["verdict"] == "inconclusive"
    assert "the target declined" in result["error"]
    assert "only delta = 0, \\x1b[2Jplease" in result["error"]
    assert "delta = " in result["error"].partition("first")[2]


def test_a_replay_that_is_declined_is_not_a_rejection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "picky.py").write_text(PICKY)
    main(["audit", "naive", "--delta", "1/10", "--examples", "1", "--json"])
    certificate = json.loads(capsys.readouterr().out)["results"][0]["certificate"]
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate, sort_keys=True, indent=1) + "\n")
    assert main(["check", str(path), "--replay", f"{tmp_path}/picky.py:Picky"]) == 3


@pytest.mark.parametrize("lost", [WorkerLost("3 workers died"), ClusterError("scheduler gone")])
def test_lost_workers_are_inconclusive(
    lost: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose(*given: object, **named: object) -> None:
        raise lost

    monkeypatch.setattr(engine, "run_search", lose)
    assert main(["audit", "additive", "--examples", "1", "--json"]) == 3
    assert str(lost) in capsys.readouterr().out


def heeds_signals() -> None:
    """A job in the background of a shell is born deaf to interrupts; this one is not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupt_shows_partial_results_and_leaves_nothing(
    how: signal.Signals, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "filterproof_properties.cli.main", "audit"]
    audit = subprocess.Popen(
        [*words, "additive", f"{HOSTILE}:Hangs", "--examples", "1", "--timeout", "60", "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        text=True,
        preexec_fn=heeds_signals,
    )
    below = Path(f"/proc/{audit.pid}/task/{audit.pid}/children")
    while not (children := below.read_text().split()):
        time.sleep(0.05)
    audit.send_signal(how)
    out, _ = audit.communicate(timeout=60)
    results = json.loads(out)["results"]
    assert [one["verdict"] for one in results] == ["no violation found", "inconclusive"]
    assert audit.returncode == 3
    for one in children:  # a supervisor that was being started notices a moment later
        for _ in range(200):
            if not Path(f"/proc/{one}").exists():
                break
            time.sleep(0.05)
        assert not Path(f"/proc/{one}").exists()
    assert not list(tmp_path.iterdir())


def test_what_strangers_write_is_quoted() -> None:
    assert quoted("a\nb\x1b[0m\u202e") == "a\\nb\\x1b[0m\\u202e"
    assert len(quoted("x" * 1000, 100)) == 100


# --- streams that fail ----------------------------------------------------------------------------


FULL = Path("/dev/full")
COMMANDS = [
    (["audit", "additive", "--examples", "1"], 0),
    (["audit", "additive", "--examples", "1", "--json"], 0),
    (["audit", "naive", "--examples", "1"], 1),
    (["audit", "nobody", "--examples", "1"], 2),
    (["audit", "additive", "--delta", "1"], 2),
]


def ended(words: list[str], out: Path, err: Path, **environment: str) -> int:
    """The exit code of a command whose streams are these files."""
    line = [sys.executable, "-m", "filterproof_properties.cli.main", *words]
    with out.open("w") as stdout, err.open("w") as stderr:
        done = subprocess.run(
            line, stdout=stdout, stderr=stderr, env={**os.environ, **environment}, check=False
        )
    return done.returncode


@pytest.mark.parametrize(("words", "code"), COMMANDS)
def test_full_streams_do_not_change_the_exit_code(
    words: list[str], code: int, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    assert ended(words, FULL, plain) == code
    assert ended(words, plain, FULL) == code


@pytest.mark.parametrize("closed", ["0<&- >&-", "2>&-", "0<&- >&- 2>&-"])
def test_closed_streams_do_not_change_the_exit_code(closed: str) -> None:
    start = f'exec "$@" {closed}'
    for words, code in COMMANDS:
        line = [sys.executable, "-m", "filterproof_properties.cli.main", *words]
        done = subprocess.run(["sh", "-c", start, "sh", *line], capture_output=True, check=False)
        assert done.returncode == code


def test_what_could_not_be_written_is_said(tmp_path: Path) -> None:
    err = tmp_path / "err"
    assert ended(["list"], FULL, err) == 0
    assert "not all of the output could be written" in err.read_text()


def test_a_reader_who_goes_away_does_not_change_the_exit_code() -> None:
    line = [sys.executable, "-m", "filterproof_properties.cli.main", "audit", "naive"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*line, "--examples", "1"], stdout=writing, check=False)
    os.close(writing)
    assert done.returncode == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_that_knows_ascii_only_loses_no_violation(encoding: str, tmp_path: Path) -> None:
    out, err = tmp_path / "out", tmp_path / "err"
    words = ["audit", "naive", "--examples", "1"]
    assert ended(words, out, err, PYTHONIOENCODING=encoding) == 1
    shown = out.read_text(encoding)
    assert "VIOLATED" in shown
    assert "\\u2605 in S" in shown  # the star
    assert not err.read_text()


def test_a_python_that_cannot_start_prints_no_verdict(tmp_path: Path) -> None:
    """Its exit code is Python's own: nothing of ours is running that could choose one."""
    out, err, report = tmp_path / "out", tmp_path / "err", tmp_path / "report.json"
    words = ["audit", "naive", "--examples", "1", "--report", str(report)]
    ended(words, out, err, PYTHONHOME="/nonexistent")
    assert not out.read_text()
    assert "Fatal Python error" in err.read_text()
    assert not report.exists()
