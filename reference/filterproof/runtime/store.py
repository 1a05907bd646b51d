"""A file that holds an account across restarts, and never gives budget back.

A new state is written beside the old one, flushed to the disk, and moved into place in one step;
the directory is flushed too.  Whenever the process is killed, the file holds the old state or the
new one.  The filter writes a spend *before* the mechanism runs.  While a filter is open the file
is locked, so that no second process spends the same budget.

What a file cannot prevent: whoever deletes it, or puts an older copy back, restores its budget.
"""

import fcntl
import hashlib
import json
import os
from math import isnan
from pathlib import Path
from typing import Any

from filterproof.runtime.account import Account, Entry

SCHEMA = "filterproof-runtime-1"


class StoreError(RuntimeError):
    """A state file that is in use, damaged, or of another filter."""


class Store:
    """The state file of one filter, locked from construction to `close`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise StoreError(f"{self.path} is in use by another filter") from error

    def close(self) -> None:
        """Release the lock; saving is refused from here on."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def load(self, owner: dict[str, str], size: int) -> tuple[int, Account] | None:
        """Return (rounds, account) as saved for this owner; None where nothing was saved yet."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return _decoded(text, owner, size, self.path)

    def save(self, owner: dict[str, str], rounds: int, account: Account) -> None:
        """Make this state the one that survives, before returning."""
        if self._lock < 0:
            raise StoreError(f"{self.path} was closed")
        beside = self.path.with_name(f"{self.path.name}.next")
        with open(beside, "w", encoding="utf-8") as file:
            file.write(_encoded(owner, rounds, account))
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
        directory = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _encoded(owner: dict[str, str], rounds: int, account: Account) -> str:
    entries = [entry and [value.hex() for value in entry] for entry in account]
    body = {"schema": SCHEMA, "owner": owner, "rounds": rounds, "entries": entries}
    return json.dumps(body | {"digest": _digest(body)}, sort_keys=True)


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _decoded(text: str, owner: dict[str, str], size: int, path: Path) -> tuple[int, Account]:
    try:
        body = json.loads(text)
        digest = body.pop("digest")
        rounds, entries = body["rounds"], body["entries"]
        account = tuple(row and Entry(*map(float.fromhex, row)) for row in entries)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{path} is damaged: {error}") from error
    if digest != _digest(body) or any(isnan(v) for entry in account if entry for v in entry):
        raise StoreError(f"{path} is damaged: its digest does not match")
    if body["schema"] != SCHEMA or body["owner"] != owner or len(account) != size:
        raise StoreError(f"{path} belongs to another filter: {body['owner']}, not {owner}")
    return rounds, account
