"""An older copy of a budget is noticed: by a filter that runs, by the log, or by a witness."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filterproof.runtime import FileStore, FileWitness, SqliteStore, StoreError, StoreWitness
from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import FIRST
from tests.reference.runtime.budgets import KINDS, RESPONSE, ask_again, guarded, place

kinds = pytest.mark.parametrize("kind", KINDS)


def copied(folder: Path, to: Path) -> Path:
    """A copy of everything in a folder, as a backup would have it."""
    return shutil.copytree(folder, to)


def put_back(backup: Path, folder: Path) -> None:
    """Overwrite every file in place, so that even the file's identity is the same."""
    for old in folder.iterdir():
        if not (backup / old.name).exists() and not old.name.endswith("-turn"):
            old.unlink()
    for saved in backup.iterdir():
        (folder / saved.name).write_bytes(saved.read_bytes())


def cells_and_logs(path: Path) -> tuple[list[Any], list[Any]]:
    with sqlite3.connect(path) as database:
        cells = database.execute("SELECT * FROM filterproof_cell").fetchall()
        return cells, database.execute("SELECT * FROM filterproof_log").fetchall()


def set_back(path: Path, saved: tuple[list[Any], list[Any]]) -> None:
    """What a restored database looks like to a connection that stays open."""
    cells, log = saved
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM filterproof_cell")
        database.execute("DELETE FROM filterproof_log")
        database.executemany("INSERT INTO filterproof_cell VALUES (?, ?, ?)", cells)
        database.executemany("INSERT INTO filterproof_log VALUES (?, ?, ?)", log)


def test_a_running_filter_does_not_believe_an_older_file(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    guard = guarded(tmp_path / "store" / "budget", create=True)
    ask_again(guard)
    backup = copied(tmp_path / "store", tmp_path / "backup")
    ask_again(guard)
    put_back(backup, tmp_path / "store")
    with pytest.raises(StoreError, match="older copy"):
        ask_again(guard)


def test_a_running_filter_does_not_believe_an_older_database(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    guard = guarded(f"sqlite:{path}", create=True)
    ask_again(guard)
    saved = cells_and_logs(path)
    ask_again(guard)
    ask_again(guard)
    set_back(path, saved)
    with pytest.raises(StoreError, match="does not go on from what this filter has seen"):
        ask_again(guard)
    assert guard.rounds == 3


def test_a_running_filter_does_not_believe_another_past_of_the_same_length(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    one = guarded(f"sqlite:{path}", create=True)
    ask_again(one)
    saved = cells_and_logs(path)
    ask_again(one, lambda: 1)
    set_back(path, saved)
    other = guarded(f"sqlite:{path}")
    ask_again(other)
    ask_again(other)
    with pytest.raises(StoreError, match="does not go on"):
        ask_again(one)


def test_fewer_rounds_are_not_believed_though_the_log_goes_on(tmp_path: Path) -> None:
    """As of another program that spends from the same store, and is wrong."""
    where = f"sqlite:{tmp_path / 'budget.db'}"
    one, fresh = guarded(where, create=True), guarded()
    ask_again(one)
    ask_again(one)
    other = guarded(where)
    other._commit("settle", 1, fresh._account, RESPONSE, None)
    with pytest.raises(StoreError, match="counts 1 rounds, this filter 2"):
        ask_again(one)


def test_what_another_process_has_spent_is_believed_however_long_it_took(tmp_path: Path) -> None:
    where = f"sqlite:{tmp_path / 'budget.db'}"
    one = guarded(where, create=True, share=1)
    other = guarded(where, share=1)
    for _ in range(40):  # more records than are looked at first
        other.ask(RESPONSE)
        try:
            ask_again(other)
        except RuntimeError:
            break
    assert one.ask(RESPONSE) is not None
    assert one.rounds == other.rounds


def test_a_database_that_was_replaced_under_an_open_connection_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    guard = guarded(f"sqlite:{path}", create=True)
    ask_again(guard)
    shutil.copy(path, tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(path)
    with pytest.raises(StoreError, match="it was replaced"):
        ask_again(guard)


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_state_that_is_older_than_its_log_cannot_be_opened(rounds: int, tmp_path: Path) -> None:
    path = tmp_path / "budget"
    guard = guarded(path, create=True)
    first = path.read_bytes()
    for _ in range(rounds):
        ask_again(guard)
    guard.close()
    log = (tmp_path / "budget.log").read_bytes()
    path.write_bytes(first)  # the state of round 0, with the log of all rounds
    with pytest.raises(StoreError, match="is older than its log"):
        guarded(path)
    assert (tmp_path / "budget.log").read_bytes() == log  # the evidence is still there


def test_a_log_may_be_ahead_by_the_one_record_of_an_interrupted_write(tmp_path: Path) -> None:
    path = tmp_path / "budget"
    guard = guarded(path, create=True)
    ask_again(guard)
    guard.close()
    store, log = FileStore(path), tmp_path / "budget.log"
    cell, records = store.history()
    store.close()
    assert cell is not None
    whole = log.read_bytes()
    ahead = records[-1].replace(_before(records[-1]), cell.head).encode()
    for more in (ahead + b"\n", ahead[:20]):
        log.write_bytes(whole + more)
        guarded(path).close()
    for more in (records[0].encode() + b"\n", ahead + b"\n" + ahead + b"\n"):
        log.write_bytes(whole + more)
        with pytest.raises(StoreError, match="older than its log"):
            guarded(path)


def _before(record: str) -> str:
    found = json.loads(record)["before"]
    assert isinstance(found, str)
    return found


WITNESSES: dict[str, Callable[[Path], Any]] = {
    "file": lambda folder: FileWitness(folder / "seen", key=b"secret"),
    "database": lambda folder: StoreWitness(SqliteStore(folder / "seen.db", create=True)),
}


@kinds
@pytest.mark.parametrize("witness", WITNESSES)
def test_a_witness_notices_an_older_copy_of_everything(
    kind: str, witness: str, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    where = place(kind, tmp_path / "store")
    seen = WITNESSES[witness](tmp_path)
    guard = guarded(where, create=True, witness=seen)
    ask_again(guard)
    guard.close()
    backup = copied(tmp_path / "store", tmp_path / "backup")
    guard = guarded(where, witness=seen)
    ask_again(guard)
    guard.close()
    put_back(backup, tmp_path / "store")
    guarded(where).close()  # without the witness nothing is wrong with it
    with pytest.raises(StoreError, match="its witness saw it end"):
        guarded(where, witness=seen)


@kinds
def test_a_deleted_budget_cannot_be_begun_anew_beside_its_witness(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    where, seen = place(kind, tmp_path / "store"), FileWitness(tmp_path / "seen")
    guarded(where, create=True, witness=seen).close()
    shutil.rmtree(tmp_path / "store")
    (tmp_path / "store").mkdir()
    with pytest.raises(StoreError, match="witness"):
        guarded(where, create=True, witness=seen)


def test_a_witness_may_be_one_record_behind_and_no_more(tmp_path: Path) -> None:
    where, seen = place("file", tmp_path), FileWitness(tmp_path / "seen")
    guard = guarded(where, create=True, witness=seen)
    ask_again(guard)
    guard.close()
    store = open_store(where)
    _, records = store.history()
    store.close()
    seen.write(_before(records[-1]))  # killed between the two writes
    guarded(where, witness=seen).close()
    seen.write(_before(records[-2]))
    with pytest.raises(StoreError, match="witness"):
        guarded(where, witness=seen)


def test_a_witness_that_was_changed_is_not_believed(tmp_path: Path) -> None:
    seen = FileWitness(tmp_path / "seen", key=b"secret")
    assert seen.read() == FIRST
    seen.write("ab" * 32)
    assert seen.read() == "ab" * 32
    with pytest.raises(StoreError, match="signature"):
        FileWitness(tmp_path / "seen", key=b"another").read()
    (tmp_path / "seen").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match="witness"):
        seen.read()
