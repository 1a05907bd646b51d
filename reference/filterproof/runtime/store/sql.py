"""One budget for several processes: a table in SQLite or in PostgreSQL.

One transaction reserves the charge before the draw, one settles after it.  Both compare the head in
the database with the one that was read, and write cell and record together.  In between the
filter holds a turn, so that nobody else reads a state whose losses are not settled yet; the
system gives the turn back when a process dies.  Safety rests on the transactions alone.

A commit whose answer was lost, because the connection broke, may have happened or not: the
filter then releases nothing, and the round is charged or never was.
"""

import fcntl
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from filterproof.runtime.store.cell import FIRST, Cell, StoreError, check_last

PATIENCE = 60.0
"""How many seconds a filter waits for its turn."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS filterproof_cell"
    " (name TEXT PRIMARY KEY, head TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS filterproof_log"
    " (name TEXT NOT NULL, number BIGINT NOT NULL, record TEXT NOT NULL,"
    " PRIMARY KEY (name, number))",
)

SELECT = "SELECT head, body FROM filterproof_cell WHERE name = ?"
LAST = "SELECT record FROM filterproof_log WHERE name = ? ORDER BY number DESC LIMIT 1"
INSERT = (
    "INSERT INTO filterproof_cell (name, head, body) VALUES (?, ?, ?)"
    " ON CONFLICT DO NOTHING RETURNING head"
)
UPDATE = "UPDATE filterproof_cell SET head = ?, body = ? WHERE name = ? AND head = ? RETURNING head"
APPEND = (
    "INSERT INTO filterproof_log (name, number, record)"
    " SELECT ?, COALESCE(MAX(number), 0) + 1, ? FROM filterproof_log WHERE name = ?"
)


class SqlStore(ABC):
    """What both databases share; `sign` stands for a parameter in a statement."""

    sign = "?"

    def __init__(self, shown: str, name: str) -> None:
        self.shown, self.name = shown, name
        self._process, self._open = os.getpid(), True

    @abstractmethod
    def _transaction(self, write: bool) -> AbstractContextManager[Any]:
        """One transaction, as a context."""

    def read(self) -> Cell | None:
        """Return the cell as the database has it now."""
        self._check_owner()
        with self._transaction(write=False) as run:
            row = run(self._sql(SELECT), self.name)
            last = run(self._sql(LAST), self.name)
        if row is None and last is None:
            return None
        if row is None or last is None:
            raise StoreError(f"{self.shown} is damaged: its state or its log is missing")
        if any(type(text) is not str for text in (*row, *last)):
            raise StoreError(f"{self.shown} is damaged: it holds something else than text")
        cell = Cell(*row)
        check_last(cell, last[0])
        return cell

    def write(self, head: str, cell: Cell, record: str) -> None:
        """Replace the cell and append the record, in one transaction, if nobody was faster."""
        self._check_owner()
        with self._transaction(write=True) as run:
            if head == FIRST:
                found = run(self._sql(INSERT), self.name, cell.head, cell.body)
            else:
                found = run(self._sql(UPDATE), cell.head, cell.body, self.name, head)
            if found is None:
                raise StoreError(f"{self.shown} was changed by another filter in the meantime")
            run(self._sql(APPEND), self.name, record, self.name)

    def records(self) -> Iterator[str]:
        """Yield the log in its order."""
        statement = "SELECT record FROM filterproof_log WHERE name = ? AND number = ?"
        number = 1
        while True:
            with self._transaction(write=False) as run:
                row = run(self._sql(statement), self.name, number)
            if row is None:
                return
            yield row[0]
            number += 1

    def _sql(self, statement: str) -> str:
        return statement.replace("?", self.sign)

    def _check_owner(self) -> None:
        if not self._open:
            raise StoreError(f"{self.shown} was closed")
        if os.getpid() != self._process:
            raise StoreError(f"{self.shown} belongs to the process that forked this one")


class SqliteStore(SqlStore):
    """A budget in an SQLite database, in write-ahead mode, every commit flushed to the disk."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        super().__init__(str(self.path), "budget")
        if not create and not self.path.exists():
            raise StoreError(f"there is no {self.path}; pass create=True for a new budget")
        if self.path.exists() and self.path.stat().st_nlink != 1:
            raise StoreError(f"{self.path} has a second hard link; a budget needs one name")
        with self._named_errors():
            self._database = sqlite3.connect(
                self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode = WAL").fetchone()
            self._database.execute("PRAGMA synchronous = FULL")
        if create:
            with self._transaction(write=True) as run:
                for statement in TABLES:
                    run(statement)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold a lock beside the database; it dies with the process."""
        with self._named_errors():
            file = os.open(f"{self.path}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            with self._named_errors():
                _wait_for(file, self.shown)
            yield
        finally:
            with suppress(OSError):  # the lock is gone with the file, whatever close says
                os.close(file)  # a fork has its own reference, so its parent stays in turn

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Any]:
        with self._named_errors():
            self._database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield lambda statement, *values: self._database.execute(
                    statement, values
                ).fetchone()
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, ValueError, OSError) as error:
            raise StoreError(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Close the database."""
        if self._open and os.getpid() == self._process:
            self._database.close()
        self._open = False


def _wait_for(file: int, shown: str) -> None:
    end, pause = time.monotonic() + PATIENCE, 0.001
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise StoreError(f"{shown}: another filter is drawing, and did not end") from None
            time.sleep(pause)
            pause = min(0.05, 2 * pause)
