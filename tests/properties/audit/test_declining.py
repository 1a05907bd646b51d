"""What a target declined or raised on is counted and shown, also when it is the smaller part."""

import json
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.audit.suiting import small_cases
from filterproof_properties.cli.main import main

TARGETS = """
from fractions import Fraction
from filterproof.filters.additive import Additive

class Plain(Additive):
    pass

class NoHalves(Additive):
    def __post_init__(self):
        if self.delta == Fraction(1, 2):
            raise ValueError("no halves, \\x1b[2Jplease")

class RaisesOnHalves(Additive):
    def decide(self, state, step):
        if self.delta == Fraction(1, 2) and step.index == 1:
            raise ZeroDivisionError("a half")
        return super().decide(state, step)

class Choosy(Additive):
    @classmethod
    def parameters(cls, epsilon, delta, depth):
        return [{"N": 1}, {"N": 2}, {"N": 3}]
    def __new__(cls, epsilon, delta, N):
        if N == 2:
            raise ValueError("N = 2 is unlucky")
        return Additive(epsilon, delta)

class NotTheSmallOnes(Additive):
    claims = ("dp", "tail")
    SMALL = %s
    def __post_init__(self):
        if str((self.epsilon, self.delta)) in self.SMALL:
            raise ValueError("not here")
"""


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    small = [str((case.epsilon, case.delta)) for case in small_cases()]
    (tmp_path / "targets.py").write_text(TARGETS % small)
    return tmp_path / "targets.py"


def audit(spec: str, *more: str) -> int:
    return main(["audit", spec, "--examples", "60", *more])


def result(spec: str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, Any]:
    code = audit(spec, "--json", *more)
    return code, json.loads(capsys.readouterr().out)["results"][0]


def test_a_few_declined_budgets_are_counted_and_the_first_is_named(
    targets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = result(f"{targets}:NoHalves", capsys)
    assert (code, found["verdict"], found["raised"]) == (0, "no violation found", 0)
    assert 0 < found["declined"] < found["tried"]
    plays = found["declined"] + found["tried"]
    said, _, first = found["unanswered"].partition("; the first: ")
    assert said == f"declined {found['declined']} of {plays} plays"
    assert "delta = 1/2: no halves, \\x1b[2Jplease" in first


def test_it_is_shown_on_the_terminal_and_on_the_page(
    targets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert audit(f"{targets}:NoHalves", "--report", str(page)) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "NoHalves: declined" in shown
    assert "no halves" in shown
    assert "The target declined" in page.read_text()
    assert "delta = 1/2: no halves" in page.read_text()


def test_a_target_that_declines_nothing_has_nothing_of_the_kind_in_its_report(
    targets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    code, found = result(f"{targets}:Plain", capsys, "--report", str(page))
    assert (code, found["declined"], found["raised"], found["unanswered"]) == (0, 0, 0, "")
    assert "declined" not in page.read_text()


def test_a_target_that_raises_now_and_then_fails_with_the_count_and_the_first_time(
    targets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = result(f"{targets}:RaisesOnHalves", capsys)
    assert (code, found["verdict"], found["declined"]) == (2, "target failed", 0)
    assert 0 < found["raised"] < found["tried"]
    assert f"raised on {found['raised']} of" in found["unanswered"]
    assert {one["detail"] for one in found["claims"]} == {"not tried, because the target failed"}
    assert "delta = 1/2: decide() raised ZeroDivisionError: a half" in found["unanswered"]


def test_a_declined_parameter_set_is_named(
    targets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = result(f"{targets}:Choosy", capsys)
    assert code == 0
    assert 0 < found["declined"] < found["tried"]
    assert "N = 2: N = 2 is unlucky" in found["unanswered"]


def test_a_claim_that_was_tried_on_nothing_does_not_hold(
    targets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = result(f"{targets}:NotTheSmallOnes", capsys, "--no-attacks", "--epsilon", "3")
    claims = {one["name"]: one for one in found["claims"]}
    assert claims["tail"]["holds"] is None
    assert "not tried; declined on 4 of 4 games" in claims["tail"]["detail"]
    _, plain = result(f"{targets}:Plain", capsys, "--no-attacks")
    assert {one["name"]: one["holds"] for one in plain["claims"]}["purity"] is True
