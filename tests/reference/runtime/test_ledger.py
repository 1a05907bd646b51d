"""`filterproof ledger` prints every step of a store and notices a changed one."""

from pathlib import Path

import pytest

from filterproof.runtime import BudgetExceeded
from filterproof_properties.cli.main import main
from tests.reference.runtime.budgets import KINDS, ask_again, guarded, place


def worn(where: str) -> None:
    """A store with releases, a failed draw and a refusal."""
    guard = guarded(where, create=True)
    for output in (0, 1):
        ask_again(guard, lambda: output)  # noqa: B023
    with pytest.raises(ZeroDivisionError):
        ask_again(guard, lambda: 1 // 0)
    with pytest.raises(BudgetExceeded):  # noqa: PT012
        while True:
            ask_again(guard)
    guard.close()


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_is_printed(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = place(kind, tmp_path)
    worn(where)
    assert main(["ledger", where]) == 0
    heading, *lines, last = capsys.readouterr().out.splitlines()
    assert heading.split() == ["time", "process", "kind", "round", "asked", "spent", "what"]
    assert all(line.index(line.split()[2]) == heading.index("kind") for line in lines)
    kinds = [line.split()[2] for line in lines]
    assert kinds[:6] == ["open", "reserve", "settle", "reserve", "settle", "reserve"]
    assert kinds[-1] == "refuse"
    assert last == f"{len(lines)} records, the chain holds"


def test_a_file_that_is_in_use_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = place("file", tmp_path)
    guard, codes = guarded(where, create=True), []

    def draw() -> int:
        codes.append(main(["ledger", where]))
        return 0

    ask_again(guard, draw)
    assert codes == [0]
    assert "the last round is not settled" in capsys.readouterr().out


def test_a_changed_record_is_told_by_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = place("file", tmp_path)
    worn(where)
    log = tmp_path / "budget.log"
    log.write_text(log.read_text().replace('"asked": 0.0', '"asked": 1.0', 1))
    assert main(["ledger", where]) == 2
    assert "record 3 of the log does not follow" in capsys.readouterr().err


def test_a_log_that_is_shorter_than_the_state_says_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = place("file", tmp_path)
    guard = guarded(where, create=True)
    ask_again(guard)
    guard.close()
    log = tmp_path / "budget.log"
    log.write_bytes(log.read_bytes()[:-1])
    assert main(["ledger", where]) == 2
    assert "missing or too short" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["nothing", "sqlite:nothing.db"])
def test_a_missing_store_is_an_error_in_one_line(
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ledger", where]) == 2
    assert capsys.readouterr().err.startswith("filterproof ledger: there is no")
    assert not [*tmp_path.iterdir()]
