"""A budget in PostgreSQL, through psycopg (`pip install 'filterproof[postgres]'`).

The tables are named with their schema, so that two roles with different search paths spend one
budget and not two.  What is read together is read in one snapshot.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from filterproof.runtime.store.cell import StoreError
from filterproof.runtime.store.sql import PATIENCE, TABLES, SqlStore


class PostgresStore(SqlStore):
    """The budget `name` in a schema of a database; every commit is flushed by the server."""

    sign = "%s"

    def __init__(
        self, url: str, *, name: str = "budget", schema: str = "public", create: bool = False
    ) -> None:
        super().__init__(f"the budget {name!r} in PostgreSQL", name)
        if not re.fullmatch("[a-z_][a-z0-9_]*", schema):
            raise StoreError(f"need a schema of small letters, digits and _; got {schema!r}")
        self.schema = f"{schema}."
        self._lock = _number(f"{schema}.{name}")
        try:
            import psycopg
        except ImportError as error:
            raise StoreError("PostgreSQL needs the extra filterproof[postgres]") from error
        self._psycopg: Any = psycopg
        self._url, self._connection = url, None
        with self._transaction(write=True) as run:
            if create:
                run("SELECT pg_advisory_xact_lock(%s)", _number("filterproof"))
                for statement in TABLES:
                    run(self._sql(statement))
            elif run("SELECT to_regclass(%s)", f"{self.schema}filterproof_cell") == [(None,)]:
                raise StoreError(f"there is no {self.shown}; pass create=True for a new one")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold an advisory lock of the session; the server drops it when the connection ends."""
        with self._named_errors():
            self._live_connection().execute("SELECT pg_advisory_lock(%s)", [self._lock])
        try:
            yield
        finally:
            self._give_back()

    def _give_back(self) -> None:
        """Release the turn, or drop the connection that cannot: the server then releases it."""
        if os.getpid() != self._process or self._connection is None:
            return
        try:
            self._connection.execute("SELECT pg_advisory_unlock(%s)", [self._lock])
        except self._psycopg.Error:
            self._drop()

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Any]:
        with self._named_errors():
            connection = self._live_connection()
            with connection.transaction():
                if not write:
                    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield lambda statement, *values: _rows(connection.execute(statement, values))

    def _live_connection(self) -> Any:
        """Return the connection; a lost one is made anew, never inside a transaction."""
        if self._connection is None or self._connection.closed:
            wait = f"-c lock_timeout={int(PATIENCE * 1000)} -c synchronous_commit=on"
            self._connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=10, options=wait
            )
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            self._drop()
            raise StoreError(f"{self.shown}: {str(error).strip()}") from error

    def close(self) -> None:
        """End the connection."""
        if os.getpid() == self._process:
            self._drop()
        self._open = False


def _rows(cursor: Any) -> Any:
    return cursor.fetchall() if cursor.description else []


def _number(name: str) -> int:
    """Return the 63-bit number that stands for a name among the server's locks."""
    return int.from_bytes(sha256(name.encode()).digest()[:8]) >> 1
