"""A verdict is one entry in one table: one that lacks a part does not type-check."""

import ast
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from filterproof.filters.naive import Naive
from filterproof_properties.audit import engine, verdicts
from filterproof_properties.audit.code import CodeVerdict
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Entry, Verdict, entry, exit_code, worst_code
from filterproof_properties.cli import audit as audit_command
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.plugin.outcome import expect
from filterproof_properties.reports import html, junit, markdown, sarif, terminal
from filterproof_properties.targets.target import Loaded

SOURCE = Path(verdicts.__file__).read_text(encoding="utf-8")
SIXTH = SOURCE.replace('    LOOSER = "LOOSER"\n', '    LOOSER = "LOOSER"\n    SHRUG = "shrug"\n')
UNKNOWN = cast(Verdict, "shrug")


@dataclass
class Judged:
    verdict: Verdict
    as_expected: bool | None = None


def type_checked(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "planted.py").write_text(source, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder), "planted.py"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def loaded(source: str, folder: Path) -> ModuleType:
    path = folder / "planted.py"
    path.write_text(source, encoding="utf-8")
    spec = spec_from_file_location("planted", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules["planted"] = module
    spec.loader.exec_module(module)
    return module


def test_the_table_as_it_is_type_checks(tmp_path: Path) -> None:
    found = type_checked(SOURCE, tmp_path)
    assert found.returncode == 0, found.stdout


def test_a_verdict_without_an_entry_does_not_type_check(tmp_path: Path) -> None:
    assert SIXTH != SOURCE
    found = type_checked(SIXTH, tmp_path)
    assert found.returncode == 1
    assert "Verdict.SHRUG" in found.stdout


def entries_without_a_part() -> list[str]:
    """Every entry of the table as often as it has parts, each time without one of them."""
    table = ast.parse(SOURCE)
    calls = [one.value for one in ast.walk(table) if isinstance(one, ast.Return)]
    shorter = []
    for call in calls:
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("Entry", "passing", "failing"):
            for i in range(len(call.args)):
                args = [*call.args[:i], *call.args[i + 1 :]]
                shorter.append(ast.unparse(ast.Call(call.func, args, call.keywords)))
    return shorter


def test_an_entry_without_a_part_does_not_type_check(tmp_path: Path) -> None:
    shorter = entries_without_a_part()
    assert len(shorter) > 2 * len(Verdict)
    given = "def planted(words: str, says: str, rule: Rule, sarif: Rule | None) -> None:\n"
    source = SOURCE + given + "".join(f"    {one}\n" for one in shorter)
    first = source.count("\n") - len(shorter) + 1
    found = type_checked(source, tmp_path)
    for i in range(len(shorter)):
        assert f"planted.py:{first + i}: error: " in found.stdout


def test_a_planted_verdict_has_no_exit_code_at_run_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "planted", sys)  # so that it is taken out again
    planted: Any = loaded(SIXTH, tmp_path)
    assert planted.exit_code([Judged(planted.Verdict.VIOLATED)], expected=False) == 1
    with pytest.raises(AssertionError):
        planted.exit_code([Judged(planted.Verdict.SHRUG)], expected=False)


def record(verdict: Verdict) -> Record:
    return Record("t", verdict, None, "", 1, 1.0)


REPORTS: list[Callable[[Record], object]] = [
    lambda one: junit.text([one]),
    lambda one: sarif.text([one]),
    lambda one: markdown.text([one]),
    lambda one: html.text([one]),
    lambda one: terminal.report([one]),
    lambda one: expect(one, "dp", cast(pytest.Config, None), "t"),
    lambda one: exit_code([one], expected=False),
    lambda one: exit_code([one], expected=True),
]


@pytest.mark.parametrize("report", REPORTS)
def test_no_report_passes_a_verdict_that_it_does_not_know(
    report: Callable[[Record], object],
) -> None:
    report(record(Verdict.NOT_FOUND))  # one that it knows
    with pytest.raises(AssertionError):
        report(record(UNKNOWN))


def test_a_command_with_a_verdict_that_is_not_known_is_exit_code_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit_command, "run_audit", lambda *args, **more: record(UNKNOWN))
    assert main(["audit", "additive", "--examples", "1"]) == 4
    assert main(["audit", "additive", "--examples", "1", "--json"]) == 4
    assert "defect of filterproof" in capsys.readouterr().err


def test_every_verdict_says_everything() -> None:
    for verdict in Verdict:
        said = entry(verdict)
        assert all(getattr(said, one.name) != "" for one in fields(Entry))
        assert (said.exit_code == 0) == (said.colour == "green")
        if said.exit_code and verdict is not Verdict.CLAIM_BROKEN:  # whose claim is what fails
            assert said.junit != "pass"
            assert said.sarif is not None
            assert said.outcome != "pass"


def test_nothing_tried_is_never_green() -> None:
    assert exit_code([], expected=False) == exit_code([], expected=True) == 3
    assert worst_code([]) == 3


@pytest.mark.parametrize(
    ("codes", "worst"), [([0, 1, 4], 4), ([1, 2], 2), ([3, 1], 1), ([0, 3], 3), ([0], 0)]
)
def test_of_several_exit_codes_the_most_severe_counts(codes: list[int], worst: int) -> None:
    assert worst_code(codes) == worst


def test_proved_and_violated_is_a_defect_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Loaded("mine:Naive", Naive, ("dp",))
    settings = Settings(examples=200)
    honest = engine.audit_one(target, settings, lambda event: None)
    assert (honest.verdict, exit_code([honest], expected=False)) == (Verdict.VIOLATED, 1)

    monkeypatch.setattr(
        engine, "code_verdict", lambda *args, **more: CodeVerdict("PROVED", "everything")
    )
    found = engine.audit_one(target, replace(settings, proved=True), lambda event: None)
    assert found.verdict is Verdict.CONTRADICTION
    assert found.violation is not None
    assert exit_code([found], expected=False) == 4
