"""`filterproof check` asks the target that it can ask, and says so when it asked none."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.game.json import game_from_json
from filterproof_proofs import checker
from filterproof_properties.cli.main import main
from filterproof_properties.games.named import guess
from tests.reference.test_certificate import certificate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "guess.json"
    made.write_text(certificate(guess(4)))
    return made


def retarget(path: Path, **changes: Any) -> None:
    data = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(data, sort_keys=True, indent=1) + "\n")


def test_a_built_in_target_is_asked_without_being_given(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(path)]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("accepted: P_")
    assert second == "parameters: N = 2, delta_tilde = 0, theta = 1/4"
    assert third == "replayed: algorithm1 gives all 5 answers"


def test_a_certificate_with_the_line_ends_of_windows_is_the_same_certificate(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.startswith("accepted: P_")
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\r\n\r\n", 1))
    assert main(["check", str(path)]) == 1


def test_a_built_in_target_that_answers_otherwise_is_a_rejection(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="repaired")
    assert main(["check", str(path)]) == 1
    assert "the filter says 'last'" in capsys.readouterr().out.splitlines()[0]


def test_a_certificate_of_a_strange_target_is_no_success_unless_that_is_asked_for(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="my_filter.py:Mine")
    assert main(["check", str(path)]) == 3
    first, _, last = capsys.readouterr().out.splitlines()
    assert first.startswith("accepted, target not asked: P_")
    assert last.startswith("not replayed: my_filter.py:Mine was not asked; --replay my_filter")
    assert main(["check", str(path), "--no-replay"]) == 0
    assert "target not asked" in capsys.readouterr().out


def test_the_command_that_is_offered_runs_nothing_of_a_strangers_when_it_is_pasted(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = "it's $(touch here) `touch here`.py:T"
    retarget(path, target=target)
    assert main(["check", str(path)]) == 3
    offered = capsys.readouterr().out.splitlines()[-1].partition("--replay ")[2]
    assert shlex.split(offered.removesuffix(" asks it")) == [target]


@pytest.mark.parametrize("command", ["explain", "repro"])
def test_nobody_is_accused_who_was_not_asked_without_a_word_in_the_first_line(
    command: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="opendp")
    assert main([command, str(path)]) == 0
    assert "not replayed: opendp was not asked" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("command", ["explain", "repro"])
def test_a_target_that_answers_otherwise_is_not_accused(
    command: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(path)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert "replayed: algorithm1 gives all 5 answers" in first
    assert main([command, str(path), "--replay", "repaired"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("rejected: ")
    assert "DP" not in out


# --- what a game refuses, and how long a check may take -------------------------------------------


def false_pair(data: Any) -> None:
    data["game"]["nodes"][-1]["ask"]["declared"] = ["1", "5"]


def no_name(data: Any) -> None:
    node = data["game"]["nodes"][-1]
    node[""] = node.pop("ask")
    data["adversary"][0] = ""


def bell(data: Any) -> None:
    node = data["game"]["nodes"][-1]
    node["\x07"] = node.pop("ask")
    data["adversary"][0] = "\x07"


def never(data: Any) -> None:
    mechanism = data["game"]["nodes"][0] or data["game"]["nodes"][-1]["ask"]
    mechanism["law"]["never"] = {"0": "0", "1": "0"}
    mechanism["after"]["never"] = 0


REFUSED = [
    (false_pair, "the declared pair is out of range"),
    (no_name, "a request's name is no name"),
    (bell, "a request's name is no name"),
    (never, "an output that never happens"),
]


@pytest.mark.parametrize(("damage", "why"), REFUSED)
def test_the_checker_refuses_what_a_game_refuses(
    damage: Callable[[Any], None],
    why: str,
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = json.loads(path.read_text())
    damage(data)
    with pytest.raises(ValueError, match=r"."):
        game_from_json(data["game"])
    retarget(path, **data)
    assert main(["check", str(path), "--no-replay"]) == 1
    assert why in capsys.readouterr().out


def primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % one for one in found if one * one <= number):
            found.append(number)
        number += 1
    return found


def coprime(path: Path, count: int) -> None:
    """Give one law many outputs whose probabilities have nothing below the line in common."""
    data = json.loads(path.read_text())
    shares = [Fraction(1, count * p) for p in primes(count)]
    rows = [*shares, 1 - sum(shares)]
    mechanism = data["game"]["nodes"][-1]["ask"]
    mechanism["law"] = {f"y{i}": {"0": str(p), "1": str(p)} for i, p in enumerate(rows)}
    retarget(path, **data)


def test_a_check_that_takes_too_long_is_undecided(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coprime(path, 3000)
    assert main(["check", str(path), "--seconds", "0.02"]) == 3
    assert capsys.readouterr().out == "undecided: not decided within 0.02 s\n"


def test_the_checker_alone_escapes_what_it_prints(path: Path) -> None:
    data = json.loads(path.read_text())
    data["epsilon"] = "\x1b[2J"
    retarget(path, **data)
    words = [sys.executable, "-I", checker.__file__, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == "rejected: not a rational: '\\x1b[2J'\n"
    retarget(path, epsilon="1", pair=["\x1b[2J", "1"])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "\x1b" not in done.stdout


def test_whatever_the_checker_says_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Also what it would not have quoted itself."""
    checker.say("rejected", "\x1b[2J\naccepted: \u202e")
    assert capsys.readouterr().out == "rejected: \\x1b[2J\\naccepted: \\u202e\n"


def test_the_target_that_is_given_is_asked_instead(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="my_filter.py:Mine")
    assert main(["check", str(path), "--replay", "algorithm1"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("accepted: P_")


def test_a_target_that_declines_the_parameters_is_not_replayed(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = json.loads(path.read_text())["parameters"]
    retarget(path, parameters={**parameters, "N": 0})
    assert main(["check", str(path)]) == 3
    assert "not replayed: the target declines" in capsys.readouterr().out
