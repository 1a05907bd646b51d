"""A witness outside of a store remembers its last record, and so notices that it was rolled back.

A filter that runs notices by itself that an older copy was put in the place of its store, because
it remembers the last record.  A filter that is started anew remembers nothing; it believes the
store and its log, which prove each other and not that they are the newest.  A *witness* lives
somewhere else (another disk, another database, another machine) and remembers for it.

Any object with `read` and `write` is a witness, for instance around a counter of the hardware or
a service that signs what it is told.
"""

import hmac
import os
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from filterproof.runtime.store.cell import FIRST, Cell, Store, StoreError, digest, record


class Witness(Protocol):
    """Remembers the digest of the last record of a store that lives elsewhere."""

    def read(self) -> str:
        """Return the digest that was written last; "" if none was."""
        ...

    def write(self, head: str) -> None:
        """Remember a digest, durably, before returning."""
        ...


def check_witness(store: Store, witness: Witness) -> None:
    """Raise unless the store ends in the record that the witness saw last, or one after it.

    One after it, because a process may be killed between the write to the store and the one to
    the witness.
    """
    cell, records = store.history(2)
    seen = witness.read()
    if cell is None and seen == FIRST:
        return
    allowed = {digest(text) for text in records} | ({FIRST} if len(records) == 1 else set())
    if seen not in allowed:
        raise StoreError(
            "the store does not end where its witness saw it end: an older copy, or another "
            "store, was put in its place"
        )


class FileWitness:
    """A witness in a small file, best on another disk; with a `key` what it holds is signed."""

    def __init__(self, path: str | os.PathLike[str], key: bytes = b"") -> None:
        self.path, self._key = Path(os.path.realpath(path)), key

    def read(self) -> str:
        """Return the digest in the file, after checking its signature."""
        try:
            text = self.path.read_text(encoding="ascii")
        except FileNotFoundError:
            return FIRST
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"the witness {self.path}: {error}") from error
        head, _, sign = text.removesuffix("\n").partition(" ")
        if not hmac.compare_digest(sign, self._sign(head)):
            raise StoreError(f"the witness {self.path} is damaged: its signature does not match")
        return head

    def write(self, head: str) -> None:
        """Replace the file in one step, flushed to the disk."""
        beside = self.path.with_name(f"{self.path.name}.next")
        try:
            with open(beside, "w", encoding="ascii") as file:
                file.write(f"{head} {self._sign(head)}\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path)
            _flush_folder(self.path.parent)
        except OSError as error:
            raise StoreError(f"the witness {self.path}: {error}") from error

    def _sign(self, head: str) -> str:
        return hmac.new(self._key, head.encode(), sha256).hexdigest()


class StoreWitness:
    """A witness in a store of its own: a row in another database, or a file with a log."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self) -> str:
        """Return the digest that the other store holds."""
        cell = self._store.read()
        return cell.body if cell is not None else FIRST

    def write(self, head: str) -> None:
        """Append the digest to the other store."""
        with self._store.turn():
            before = self._store.read()
            text = record(before.head if before else FIRST, head, {"kind": "witness"})
            self._store.write(before.head if before else FIRST, Cell(digest(text), head), text)


def _flush_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
