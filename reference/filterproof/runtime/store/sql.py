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

EVERYTHING = 2**62
"""As many records as no log has."""
PATIENCE = 60.0
"""How many seconds a filter waits for its turn."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS {schema}filterproof_cell"
    " (name TEXT PRIMARY KEY, head TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS {schema}filterproof_log"
    " (name TEXT NOT NULL, number BIGINT NOT NULL, record TEXT NOT NULL,"
    " PRIMARY KEY (name, number))",
)

SELECT = "SELECT head, body FROM {schema}filterproof_cell WHERE name = ?"
LAST = "SELECT record FROM {schema}filterproof_log WHERE name = ? ORDER BY number DESC LIMIT ?"
INSERT = (
    "INSERT INTO {schema}filterproof_cell (name, head, body) VALUES (?, ?, ?)"
    " ON CONFLICT DO NOTHING RETURNING head"
)
UPDATE = (
    "UPDATE {schema}filterproof_cell SET head = ?, body = ?"
    " WHERE name = ? AND head = ? RETURNING head"
)
APPEND = (
    "INSERT INTO {schema}filterproof_log (name, number, record)"
    " SELECT ?, COALESCE(MAX(number), 0) + 1, ? FROM {schema}filterproof_log WHERE name = ?"
)


class SqlStore(ABC):
    """What both databases share; `sign` stands for a parameter, `schema` stands before a table."""

    sign = "?"
    schema = ""

    def __init__(self, shown: str, name: str) -> None:
        self.shown, self.name = shown, name
        self._process, self._open = os.getpid(), True

    @abstractmethod
    def _transaction(self, write: bool) -> AbstractContextManager[Any]:
        """One transaction, as a context."""

    def read(self) -> Cell | None:
        """Return the cell as the database has it now."""
        return self.history(1)[0]

    def history(self, last: int | None = None) -> tuple[Cell | None, list[str]]:
        """Return the cell and the log, or its `last` records, as one transaction sees them."""
        self._check_owner()
        with self._transaction(write=False) as run:
            cells = run(self._sql(SELECT), self.name)
            log = run(self._sql(LAST), self.name, EVERYTHING if last is None else last)
        if any(type(text) is not str for row in (*cells, *log) for text in row):
            raise StoreError(f"{self.shown} is damaged: it holds something else than text")
        if not cells and not log:
            return None, []
        if not cells or not log:
            raise StoreError(f"{self.shown} is damaged: its state or its log is missing")
        cell, records = Cell(*cells[0]), [row[0] for row in reversed(log)]
        check_last(cell, records[-1])
        return cell, records

    def write(self, head: str, cell: Cell, record: str) -> None:
        """Replace the cell and append the record, in one transaction, if nobody was faster."""
        self._check_owner()
        with self._transaction(write=True) as run:
            if head == FIRST:
                found = run(self._sql(INSERT), self.name, cell.head, cell.body)
            else:
                found = run(self._sql(UPDATE), cell.head, cell.body, self.name, head)
            if not found:
                raise StoreError(f"{self.shown} was changed by another filter in the meantime")
            run(self._sql(APPEND), self.name, record, self.name)

    def _sql(self, statement: str) -> str:
        return statement.format(schema=self.schema).replace("?", self.sign)

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
            self._place = _identity(self.path)
        if create:
            with self._transaction(write=True) as run:
                for statement in TABLES:
                    run(self._sql(statement))

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
            self._check_place()
            self._database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield lambda statement, *values: self._database.execute(
                    statement, values
                ).fetchall()
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _check_place(self) -> None:
        """Raise unless the file that is open is still the one that has its name."""
        if _identity(self.path) != self._place:
            raise StoreError(f"{self.path} is not the file that was opened: it was replaced")

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


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


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
