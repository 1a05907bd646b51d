"""`filterproof watch` audits again when the file is saved, and not before."""

from pathlib import Path

import pytest

from filterproof_properties.audit.record import Record
from filterproof_properties.cli import watch
from filterproof_properties.cli.main import main
from filterproof_properties.cli.watch import changes, save_times

RIGHT = "from filterproof.filters.additive import Additive\n\nclass Mine(Additive):\n    pass\n"
WRONG = RIGHT.replace("pass", "def decide(self, state, step):\n        return 'continue', state")


def test_a_file_that_is_saved_is_audited_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(RIGHT)
    monkeypatch.chdir(tmp_path)
    shown = watch.show

    def show_and_save(record: Record) -> None:
        shown(record)
        (tmp_path / "mine.py").write_text(WRONG)

    monkeypatch.setattr(watch, "show", show_and_save)
    code = main(["watch", "mine.py:Mine", "--examples", "40", "--times", "2"])
    said = capsys.readouterr().out
    assert code == 1
    assert "no violation found, " in said
    assert "  VIOLATED, " in said
    assert "1 of 1 lines run" in said


def test_nothing_is_audited_while_nothing_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WRONG)
    spec = f"{path}:Mine"
    turns = changes(spec)
    next(turns)
    before = save_times(spec)
    assert save_times(spec) == before
    path.write_text(f"{WRONG}\n")
    assert save_times(spec) != before
    next(turns)


def test_each_audit_of_a_watch_has_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(RIGHT)
    monkeypatch.chdir(tmp_path)
    assert main(["watch", "mine.py:Mine", "--seconds", "0"]) == 2
    assert "each audit of a watch has to end" in capsys.readouterr().err


def test_what_has_no_file_is_not_watched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "additive"]) == 2
    assert "no Python file" in capsys.readouterr().err
