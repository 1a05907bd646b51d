"""Where a budget lives between releases: a file, an SQLite database, or PostgreSQL."""

import os

from filterproof.runtime.store.cell import Cell, Store, StoreError
from filterproof.runtime.store.file import FileStore
from filterproof.runtime.store.postgres import PostgresStore
from filterproof.runtime.store.sql import SqliteStore
from filterproof.runtime.store.witness import FileWitness, StoreWitness, Witness

__all__ = [
    "Cell",
    "FileStore",
    "FileWitness",
    "PostgresStore",
    "SqliteStore",
    "Store",
    "StoreError",
    "StoreWitness",
    "Witness",
    "opened",
]


def open_store(
    where: str | os.PathLike[str] | Store, *, create: bool = False, reading: bool = False
) -> Store:
    """Return the store of a name: `sqlite:PATH`, `postgresql://...`, or the path of a file.

    Only for `reading`, a file that a filter has open is read all the same.
    """
    if not isinstance(where, str | os.PathLike):
        return where
    text = os.fspath(where)
    if text.startswith("sqlite:"):
        return SqliteStore(text.removeprefix("sqlite:"), create=create)
    if text.startswith(("postgresql://", "postgres://")):
        return PostgresStore(text, create=create)
    return FileStore(text, create=create, reading=reading)
