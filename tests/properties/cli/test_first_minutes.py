"""What somebody new sees: a sentence first, lines that fit, and what is missing from a command."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.runtime import (
    AddedNoise,
    BudgetExceeded,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
)
from filterproof_properties.audit.comparison import Comparison, Stricter
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.diff import stricter_lines
from filterproof_properties.cli.main import main
from filterproof_properties.failopen.desk import Seen
from filterproof_properties.failopen.table import as_text
from filterproof_properties.reports.columns import fitted
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


def written_words(text: str) -> list[str]:
    """The words of a table without its bars, in any order of lines."""
    return sorted(re.sub("█+", " ", text).split())


@pytest.mark.parametrize("width", [60, 80])
def test_tune_fits_a_narrow_screen_and_leaves_no_word_out(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []
    for columns in (width, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        words = ["gaussian:2", "--epsilon", "10", "--delta", "0.001", "--rounds", "3"]
        assert main(["tune", *words, "--paths", "2"]) == 0
        table, _, _ = capsys.readouterr().out.partition("\n\n")
        first, *lines = table.splitlines()
        assert first.startswith("epsilon = 10")
        assert max(map(len, lines)) <= columns
        assert ("█" * 30 in table) is (columns == 200)
        shown.append(written_words(table))
    assert shown[0] == shown[1]


def test_a_log_fits_a_narrow_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = Domain.of([0, 1], [(0, 1)])
    guard = CompensatorFilter(1, Fraction(1, 100), domain=domain, store=tmp_path / "s", create=True)
    with pytest.raises(BudgetExceeded):
        guard.release(AddedNoise(DiscreteGaussian(1)), lambda: 0)
    guard.close()
    for width, heading in ((200, True), (60, False)):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(["ledger", str(tmp_path / "s")]) == 0
        text = capsys.readouterr().out
        assert text.startswith("time") is heading
        assert max(map(len, text.splitlines())) <= width
        assert {"refuse", "AddedNoise(DiscreteGaussian(1))", "chain"} <= {*text.split()}


def test_what_is_proved_fits_a_narrow_screen_and_is_one_line_where_nobody_says_how_wide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = f"PROVED  a.py:A\n  invariant  {'E + spent >= D; ' * 9}\n\n"
    monkeypatch.setenv("COLUMNS", "60")
    narrow = fitted(text)
    assert max(map(len, narrow.splitlines())) <= 60
    assert narrow.split() == text.split()
    assert [line[:13] for line in narrow.splitlines()[1:4]] == ["  invariant  ", " " * 13, " " * 13]
    monkeypatch.delenv("COLUMNS")
    assert fitted(text).splitlines() == [line.rstrip() for line in text.splitlines()]


def test_odd_input_fits_a_narrow_screen_and_no_number_is_cut() -> None:
    seen = {"tiny spends": Seen("epsilon 5e-324: 2 of 1; subnormal again and again: 21 of 1", True)}
    title = "shop.py:Budget --spend 'spend(epsilon)' --open '(epsilon)'"
    wide, narrow = (as_text(title, seen, width) for width in (200, 40))
    assert max(map(len, narrow.splitlines())) <= 40
    assert narrow.split() == wide.split()


def test_without_a_command_the_commands_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "look for a game in which a filter breaks its promise" in said


def test_plays_that_read_alike_are_listed_once() -> None:
    plays = [Stricter(f"budget ({n // 2}, 0)", "1", "0", ()) for n in range(4)]
    found = Comparison("old", "new", Verdict.NOT_FOUND, 9, stricter_plays=4, stricter=(*plays,))
    listed = [line for line in stricter_lines(found) if "expected rounds" in line]
    assert listed == [f"  budget ({n}, 0): expected rounds 1 -> 0" for n in range(2)]


def test_two_arguments_that_may_be_the_cost_are_both_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = BUDGET.replace("charge(self, epsilon)", "charge(self, user, cents)")
    (tmp_path / "shop.py").write_text(source, encoding="utf-8")
    assert main(["audit", f"{tmp_path / 'shop.py'}:Budget", "--spend", "charge"]) == 2
    said = capsys.readouterr().err
    assert "is 'user' or 'cents' the cost? Say so in the call" in said
    assert "--spend 'charge(user=..., cents=epsilon)'" in said


QUOTA = """
import datetime as dt

class Quota:
    def __init__(self, epsilon):
        self.epsilon, self.day = epsilon, None

    def spend(self, epsilon):
        if self.day != dt.date.today():
            self.day, self.left = dt.date.today(), self.epsilon
        if epsilon > self.left:
            raise ValueError
        self.left -= epsilon
"""


def test_a_class_that_reads_the_time_is_not_called_fine_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "quota.py").write_text(QUOTA, encoding="utf-8")
    words = ["audit", f"{tmp_path / 'quota.py'}:Quota", "--spend", "spend", "--no-memory"]
    assert main([*words, "--examples", "20"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "not tried: requests on later days" in said
    assert main([*words, "--clock", "datetime.date.today"]) == 1
    said = capsys.readouterr().out
    assert "not tried" not in said
    assert "(1 day passes)" in said or "(31 days pass)" in said


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
