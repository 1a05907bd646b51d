"""`filterproof check` asks the target that it can ask, and says so when it asked none."""

import json
from pathlib import Path
from typing import Any

import pytest

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
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("accepted: P_")
    assert second == "replayed: algorithm1 gives all 5 answers"


def test_a_built_in_target_that_answers_otherwise_is_a_rejection(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="repaired")
    assert main(["check", str(path)]) == 1
    assert "the filter says 'last'" in capsys.readouterr().out.splitlines()[0]


def test_the_first_line_says_that_a_strange_target_was_not_asked(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retarget(path, target="my_filter.py:Mine")
    assert main(["check", str(path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("accepted, target not asked: P_")
    assert second == "to ask it: --replay 'my_filter.py:Mine'"


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
