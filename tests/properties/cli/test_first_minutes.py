"""What somebody new sees: a sentence first, lines that fit, and what is missing from a command."""

import re
from pathlib import Path

import pytest

from filterproof_properties.cli.main import main
from filterproof_properties.reports.terminal import console
from filterproof_properties.targets.loading import check_shape


def test_list_fits_a_narrow_screen_even_through_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width, first in ((100, "built-in filter              family"), (60, "built-in filter\n")):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(["list"]) == 0
        text = capsys.readouterr().out
        assert text.startswith(first)
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", ["60", "80"])
def test_an_audit_fits_a_narrow_screen_even_through_a_pipe(
    width: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    assert main(["audit", "naive", "--examples", "1", "--no-memory"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= int(width)
    assert any("is not (" in line for line in lines)


@pytest.mark.parametrize("size", ["0", "1", "²", "9" * 30, "wide", ""])
def test_a_screen_of_an_odd_size_hides_no_violation(
    size: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", size)
    monkeypatch.setenv("LINES", size)
    console().print("naive is not (1, 1/100)-DP")
    assert capsys.readouterr().out == "naive is not (1, 1/100)-DP\n"


BUDGET = """
class Budget:
    def __init__(self, total):
        self.left = total

    def charge(self, epsilon):
        return True
"""


@pytest.mark.parametrize("command", ["audit", "prove", "watch"])
def test_a_budget_class_without_its_call_is_told_what_is_missing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.py").write_text(BUDGET, encoding="utf-8")
    assert main([command, f"{tmp_path / 'shop.py'}:Budget"]) == 2
    said = capsys.readouterr().err
    assert "no method 'decide'" in said
    assert "--spend NAME (its methods: charge)" in said


@pytest.mark.parametrize(
    "source",
    [
        BUDGET.replace("Budget:", "Budget(dict):"),
        f"import functools\n@functools.cache{BUDGET}",
        f"{BUDGET}\n    decide = charge\n",
        f"{BUDGET}\n    def __getattr__(self, name): return 1\n",
    ],
)
def test_a_class_that_may_be_a_filter_is_not_judged_by_its_source(
    source: str, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(source, encoding="utf-8")
    check_shape(f"{tmp_path / 'shop.py'}:Budget")


def test_the_first_line_of_a_violation_is_a_sentence_with_decimals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.py").write_text(BUDGET, encoding="utf-8")
    words = [f"{tmp_path / 'shop.py'}:Budget", "--spend", "charge", "--examples", "5"]
    assert main(["audit", *words, "--no-memory"]) == 1
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.match(r".*shop.py:Budget breaks its promise \(epsilon = [\d.]+, delta = 0\): ", first)
    assert not re.search(r"\d/\d", first)
    assert any(f"{words[0]} was called with --spend 'charge(epsilon)'" in one for one in rest)
    assert any(one.startswith(f"{words[0]}  VIOLATED") for one in rest)
