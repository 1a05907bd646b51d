"""Stores at their edges: what is missing, emptied, closed, waited for, or used by a thread."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filterproof.runtime import CompensatorFilter, FileStore, SqliteStore, StoreError
from filterproof.runtime.store import sql
from filterproof.runtime.store.cell import FIRST, Cell, check_last, digest, record
from tests.reference.runtime.budgets import (
    DELTA,
    EPSILON,
    KINDS,
    ONE_BIT,
    RESPONSE,
    Witness,
    ask_again,
    guarded,
    place,
)
from tests.reference.runtime.test_misuse import in_child

kinds = pytest.mark.parametrize("kind", KINDS)
STORES: dict[str, Callable[..., Any]] = {"file": FileStore, "sqlite": SqliteStore}


@kinds
def test_a_store_is_made_only_where_that_is_asked_for(kind: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no .*; pass create=True"):
        STORES[kind](tmp_path / "budget")
    assert not [*tmp_path.iterdir()]
    STORES[kind](tmp_path / "budget", create=True).close()
    STORES[kind](tmp_path / "budget").close()
    with pytest.raises(StoreError, match="pass create=True"):
        CompensatorFilter(EPSILON, DELTA, domain=ONE_BIT, store=place(kind, tmp_path / "none"))


@kinds
def test_a_closed_store_says_that_it_was_closed(kind: str, tmp_path: Path) -> None:
    guard, draw = guarded(place(kind, tmp_path), create=True), Witness()
    guard.close()
    guard.close()
    with pytest.raises(StoreError, match="was closed"):
        ask_again(guard, draw)
    assert not draw.ran


@kinds
def test_threads_share_a_filter_with_a_store(kind: str, tmp_path: Path) -> None:
    guard, found = guarded(place(kind, tmp_path), create=True), []
    thread = threading.Thread(target=lambda: found.append(ask_again(guard)))
    thread.start()
    thread.join()
    ask_again(guard)
    assert (found, guard.rounds) == ([0], 2)


def test_asking_needs_no_turn_and_opening_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = place("sqlite", tmp_path)
    first, second = guarded(where, create=True), guarded(where)
    monkeypatch.setattr(sql, "PATIENCE", 0.01)

    def draw() -> int:
        assert not second.ask(RESPONSE).spent
        with pytest.raises(StoreError, match="another filter is drawing"):
            guarded(where)
        return 0

    assert ask_again(first, draw) == 0
    assert guarded(where).rounds == 1


# --- files ----------------------------------------------------------------------------------------


def test_a_file_may_be_the_first_that_a_process_opens(tmp_path: Path) -> None:
    """Its number is 0 where standard input is closed."""

    def work() -> None:
        os.close(0)
        store = FileStore(tmp_path / "budget", create=True)
        assert store._held == 0
        store.write(FIRST, Cell(digest("{}"), ""), "{}")
        store.close()
        again = FileStore(tmp_path / "budget")
        assert again._held == 0
        again.close()
        FileStore(tmp_path / "budget").close()

    assert in_child(work) == b"nothing"


def test_a_file_is_locked_unless_it_is_for_reading(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "budget", create=True)
    with pytest.raises(StoreError, match="in use"):
        FileStore(tmp_path / "budget")
    reading = FileStore(tmp_path / "budget", reading=True)
    assert reading.read() is None
    assert reading._held < 0
    with pytest.raises(StoreError, match="was closed"):
        reading.write(FIRST, Cell("", ""), "{}")
    store.close()


def test_what_is_written_in_parts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, data[:100], at))
    guard = guarded(tmp_path / "budget", create=True)
    ask_again(guard)
    guard.close()
    monkeypatch.undo()
    assert guarded(tmp_path / "budget").rounds == 1


def test_only_the_first_record_may_be_there_without_a_state(tmp_path: Path) -> None:
    path, log = tmp_path / "budget", tmp_path / "budget.log"
    path.touch()
    store = FileStore(path)
    assert store.read() is None
    log.write_text("{}\n")
    assert store.read() is None, "a process was killed before anything was reserved"
    log.write_text("{}\n{}\n")
    with pytest.raises(StoreError, match="it is empty, and"):
        store.read()
    store.close()


def test_a_file_that_was_emptied_is_noticed(tmp_path: Path) -> None:
    guard, draw = guarded(tmp_path / "budget", create=True), Witness()
    ask_again(guard)
    (tmp_path / "budget.log").unlink()
    os.truncate(tmp_path / "budget", 0)
    with pytest.raises(StoreError, match="this filter has spent from it"):
        ask_again(guard, draw)
    assert not draw.ran


def test_only_the_owner_may_read_or_write_what_is_stored(tmp_path: Path) -> None:
    for kind in KINDS:
        guard = guarded(place(kind, tmp_path), create=True)
        ask_again(guard)
        guard.close()
    modes = {one.name: one.stat().st_mode & 0o066 for one in tmp_path.iterdir()}
    assert {name for name, mode in modes.items() if mode} <= {"budget.db"}
    assert {"budget", "budget.log", "budget.db-turn"} <= set(modes)


# --- databases ------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["filterproof_cell", "filterproof_log"])
def test_a_state_without_its_log_and_a_log_without_its_state_are_damaged(
    table: str, tmp_path: Path
) -> None:
    where, draw = place("sqlite", tmp_path), Witness()
    guard = guarded(where, create=True)
    ask_again(guard)
    other = sqlite3.connect(tmp_path / "budget.db")
    other.execute(f"DELETE FROM {table}")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="its state or its log is missing"):
        ask_again(guard, draw)
    with pytest.raises(StoreError, match="its state or its log is missing"):
        guarded(where, create=True)
    assert not draw.ran


def test_a_fork_leaves_the_database_of_its_parent_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "budget", create=True)

    def work() -> None:
        store.close()
        store._database.execute("SELECT 1")

    assert in_child(work) == b"nothing"
    assert store.read() is None
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store._database.execute("SELECT 1")


def test_a_turn_is_waited_for_at_shorter_and_then_at_equal_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, pauses = [0.0], []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sql, "PATIENCE", 1.0)
    one, other = (SqliteStore(tmp_path / "budget", create=True) for _ in range(2))
    with one.turn(), pytest.raises(StoreError, match="did not end"), other.turn():
        pass
    assert pauses[:4] == [0.001, 0.002, 0.004, 0.008]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 0.05
    assert 1.0 < sum(pauses) <= 1.05
    with other.turn():
        pass


def test_a_record_is_the_last_one_of_its_state_only() -> None:
    text = record(FIRST, "{}", {"kind": "open"})
    check_last(Cell(digest(text), "{}"), text)
    for cell in (None, Cell("other", "{}"), Cell(digest(text), "[]")):
        with pytest.raises(StoreError):
            check_last(cell, text)
    with pytest.raises(StoreError, match="a record of the log is damaged"):
        check_last(Cell(digest("[]"), "{}"), "[]")
