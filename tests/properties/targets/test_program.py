"""Filters in other languages: two that work, and every way in which one can fail."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from filterproof.exact import Log
from filterproof.filter import Decision, ask, start
from filterproof.game import opening
from filterproof_properties.cli.main import main
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.games.families import families_at
from filterproof_properties.games.named import guess, named_cases, switch
from filterproof_properties.processes.child import Child, Limits
from filterproof_properties.targets.connect import connect, disconnect, open_target
from filterproof_properties.targets.evaluate import make_filter, parameters_for, worst
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.link import Connection, InProcess
from filterproof_properties.targets.prober import Prober
from filterproof_properties.targets.program import ProgramTarget, step_to_json
from filterproof_properties.targets.target import TargetError
from tests.needs import needs_node

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/schemas/command.schema.json").read_text())
NODE, SHELL = f"node {ROOT}/examples/filter.js", f"sh {ROOT}/examples/filter.sh"


def audit(
    words: str, capsys: pytest.CaptureFixture[str], timeout: int = 30, sandbox: str = "auto"
) -> tuple[int, dict[str, Any]]:
    limits = ["--timeout", str(timeout), "--sandbox", sandbox, "--examples", "5", "--json"]
    code = main(["audit", "--command", words, *limits])
    return code, json.loads(capsys.readouterr().out)["results"][0]


@needs_node
def test_a_sound_filter_in_javascript_passes(capsys: pytest.CaptureFixture[str]) -> None:
    code, result = audit(NODE, capsys)
    assert (code, result["verdict"]) == (0, "no violation found")
    assert result["tried"] > 5


@needs_node
def test_a_wrong_filter_in_shell_is_caught_with_a_certificate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, result = audit(SHELL, capsys)
    assert (code, result["verdict"]) == (1, "VIOLATED")
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(result["certificate"], sort_keys=True, indent=1) + "\n")
    assert main(["check", str(path), "--replay", f"command:{SHELL}"]) == 0
    assert main(["check", str(path), "--replay", f"command:{NODE}"]) == 1


# --- a program that misbehaves on purpose ---------------------------------------------------

PROGRAM = """
import json, os, subprocess, sys, time
def say(asked, **answer):
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["call"] == "hello":
        say(asked, protocol="filterproof.command", version=1)
    elif asked["call"] == "start":
        say(asked, state="")
    else:
        WHAT
"""

FAILURES = {
    "time.sleep(60)": "it did not answer within 2 s",
    "sys.exit(7)": "it ended without an answer; exit status 7",
    "os.abort()": "it ended without an answer; killed by SIGABRT",
    "print('continue', flush=True)": "its answer is no JSON object",
    "print('[1, 2]', flush=True)": "need a JSON object; got list",
    'print(\'{"id": 3, "id": 3}\', flush=True)': "duplicate key 'id'",
    "os.write(1, b'\\xff\\n')": "its answer is no JSON object",
    "print('x' * 3_000_000, flush=True)": "its answer is longer than 1048576 bytes",
    "os.write(1, b'{')": "it did not answer within 2 s",
    "say({'id': 99}, decision='continue', state='')": "its answer has id 99, not",
    "say(asked, decision='maybe', state='')": "a decision is one of",
    "say(asked, decision='continue')": "'state' must be a JSON string; got None",
    "say(asked, decision='continue', state=4)": "'state' must be a JSON string; got 4",
    "say(asked, decision='continue', state=0.5)": 'write numbers as "p/q" strings',
    "say(asked, error='out of paper')": "it reports an error: 'out of paper'",
    "sys.stderr.write('boom at line 3'); sys.exit(1)": "standard error ends with: boom at line 3",
    "say(asked, decision='continue', state=str(time.time_ns()))": "to the same question",
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_program_that_misbehaves_ends_in_exit_code_2_with_a_reason(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("WHAT", what))
    hangs = "did not answer" in FAILURES[what]
    code, result = audit(f"{sys.executable} {program}", capsys, 2 if hangs else 30)
    assert (code, result["verdict"]) == (2, "target failed")
    assert FAILURES[what] in result["error"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("no-such-program-anywhere", "cannot start 'no-such-program-anywhere'"),
        ("false", "asked to 'hello': it ended without an answer; exit status 1"),
        ("cat", "it speaks ('filterproof.command', None)"),
        ("yes", "its answer is no JSON object"),
        ("sleep 60", "asked to 'hello': it did not answer within 2 s"),
        ("", "need a command"),
    ],
)
def test_a_program_that_speaks_another_language_is_turned_down(
    words: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = audit(words, capsys, 2 if "sleep" in words else 30)
    assert code == 2
    assert why in result["error"]


def test_noise_on_standard_error_does_no_harm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noisy = "sys.stderr.write('x' * 200_000); say(asked, decision='last', state='')"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("WHAT", noisy))
    code, _ = audit(f"{sys.executable} {program}", capsys)
    assert code == 0


def test_no_process_is_left_behind_not_even_a_grandchild(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pid = tmp_path / "pid"
    start_one = f"open({str(pid)!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid))"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("WHAT", f"{start_one}; time.sleep(60)"))
    code, _ = audit(f"{sys.executable} {program}", capsys, 2, sandbox="off")
    assert code == 2
    assert _is_gone(int(pid.read_text()))


def _is_gone(pid: int) -> bool:
    for _ in range(100):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


@needs_node
def test_the_program_that_is_compared_in_a_sandbox_ends_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"command:{NODE}", "additive", "--no-looser", "--examples", "40"]
    assert main(["diff", *words]) == 0
    assert "no looser play found" in capsys.readouterr().out


# --- the wire -------------------------------------------------------------------------------


@pytest.fixture
def node() -> Iterator[ProgramTarget]:
    with open_target(f"command:{NODE}", Limits()) as loaded:
        assert isinstance(loaded.target, ProgramTarget)
        yield loaded.target


@needs_node
def test_one_process_answers_all_questions(node: ProgramTarget) -> None:
    assert isinstance(node.link, Connection)
    for case in (switch(), *named_cases()):
        rule = node(case.epsilon, case.delta)
        decision, _ = ask(rule, start(rule), opening(case.game))
        assert decision is Decision.CONTINUE
    assert node.link.child.how(0) == ""


@needs_node
def test_every_question_and_answer_obeys_the_schema(
    node: ProgramTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    ask_really = Connection.ask

    def recorded(self: Connection, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        answers = ask_really(self, questions)
        for question, answer in zip(questions, answers, strict=True):
            seen.extend([("question", {"id": self.asked, **question}), ("answer", answer)])
        return answers

    monkeypatch.setattr(Connection, "ask", recorded)
    for case in named_cases():
        rule = node(case.epsilon, case.delta)
        step = opening(case.game)
        _, state = ask(rule, start(rule), step)
        first = step.next("⊥", next(iter(case.game.menu)))
        ask(rule, state, first)
        shown = step_to_json(first, with_history=True)
        seen.append(("question", {**seen[-2][1], "call": "observe", "step": shown, "output": "y"}))
    assert len(seen) > 40
    for kind, message in seen:
        Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{kind}"}]}).validate(message)


@pytest.mark.parametrize(
    "spec",
    [
        "filterproof.filters.additive:Additive",
        "filterproof.filters.compensator:Capped",
        "filterproof.filters.algorithm1:Algorithm1",
        "filterproof.odometers.guesses:Guesses",
    ],
)
def test_every_message_of_version_3_obeys_its_schema(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = json.loads((ROOT / "docs/schemas/command-3.schema.json").read_text())
    seen: list[tuple[str, Any]] = []
    ask_really = InProcess.ask

    def recorded(self: InProcess, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        answers = ask_really(self, questions)
        for question, answer in zip(questions, answers, strict=True):
            seen.extend([("question", {"id": answer["id"], **question}), ("answer", answer)])
        return answers

    monkeypatch.setattr(InProcess, "ask", recorded)
    with open_target(spec, Limits(), in_process=True) as loaded:
        for case in (switch(), guess(3)):
            for parameters in parameters_for(loaded.target, case)[:2]:
                rule = make_filter(loaded.target, case.epsilon, case.delta, parameters)
                worst(rule, case.game, case.epsilon)
                there = Prober(rule, PLAIN, {}).first_state()
                assert there is not None
                families = families_at(case.epsilon, case.delta)
                Prober(rule, PLAIN, {}).largest_admitted(there, families)
    assert {"hello", "make", "explore", "ask"} <= {
        message["call"] for kind, message in seen if kind == "question"
    }
    for kind, message in seen:
        validator = Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})
        validator.validate(json.loads(json.dumps(message)))


def test_the_schema_turns_down_a_rounded_number() -> None:
    validator = Draft202012Validator(SCHEMA)
    good = {"id": 1, "call": "start", "epsilon": "1/2", "exp_epsilon": ["1", "2"], "delta": "0"}
    assert validator.is_valid(good)
    assert not validator.is_valid({**good, "delta": 0.1})
    assert not validator.is_valid({**good, "epsilon": "0.5"})


def test_a_program_may_decline_a_budget(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace('say(asked, state="")', 'say(asked, declined="too small")'))
    loaded = connect(f"command:{shlex.join([sys.executable, str(program)])}", Limits())
    with pytest.raises(ValueError, match="declines: 'too small'"):
        loaded.target(Log(Fraction(2)), Fraction(1, 10))
    disconnect(loaded)
    with pytest.raises(Misbehaved, match="already been ended"):
        loaded.target(Log(Fraction(2)), Fraction(1, 10))


def test_a_program_that_reads_nothing_is_given_up() -> None:
    limits = Limits(timeout=0.3)
    line = Connection(Child(["sleep", "60"], limits), limits, "sleep")
    with pytest.raises(Misbehaved, match=r"it read nothing for 0\.3 s"):
        line.ask([{"call": "hello", "filler": "x" * 1_000_000}])
    assert not line.child.alive


def test_a_missing_program_is_named() -> None:
    with pytest.raises(TargetError, match="cannot start 'nowhere'"):
        connect("command:nowhere", Limits())


@needs_node
def test_the_sample_programs_run_from_anywhere(tmp_path: Path) -> None:
    hello = json.dumps({"id": 1, "call": "hello"}) + "\n"
    for words in (NODE, SHELL):
        done = subprocess.run(
            shlex.split(words),
            input=hello,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=True,
            env={"PATH": os.environ["PATH"]},
        )
        assert json.loads(done.stdout)["version"] == 1
