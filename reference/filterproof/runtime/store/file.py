"""A file that holds an account across restarts, for one process at a time.

A new state is written beside the old one, flushed to the disk, and moved into place in one step;
the directory is flushed too.  Whenever the process is killed, the file holds the old state or the
new one.  Before that the log beside it has grown by one record, flushed as well.  So the log of a
killed process may be ahead of its state by one record, whole or torn, which is overwritten; a log
that is ahead by more belongs to a newer state than the one that is there, and is refused.

One budget has one lock, whatever it is called: names are resolved, and the lock is on the
file itself, not on a name.  The next state is locked before it takes the name over, so that no
moment is free.  A file with a second hard link is refused, because the other name would keep an
old state alive.  Before each write the digest on the disk must be the one that was read.

What a file alone cannot prevent: whoever puts an older copy of both back while no filter has them
open restores its budget.  A `witness` outside of the store notices that.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from filterproof.runtime.store.cell import FIRST, Cell, StoreError, check_last, digest, follows

SCHEMA = "filterproof-runtime-3"
LONGEST = 4096
"""More bytes than a record of the log has: what it says of a mechanism is cut."""
_READ, _WRITE = os.O_RDONLY | os.O_CLOEXEC, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class FileStore:
    """The state file of one filter, locked from construction to `close`.

    Only for `reading` it is not locked: the state is replaced in one step, and its log only grows.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = False, reading: bool = False
    ) -> None:
        self.path = Path(os.path.realpath(path))
        self.log = self.path.with_name(f"{self.path.name}.log")
        for one in (self.path, self.log):
            if one.exists() and not one.is_file():  # a pipe would be waited for
                raise StoreError(f"{one} is no regular file")
        self._process = os.getpid()
        flags = _WRITE if create else os.O_RDWR | os.O_CLOEXEC
        self._held = -1 if reading else _open_locked(self.path, flags)
        self._known: tuple[str, int] = (FIRST, 0)  # the head, and how long the log is

    def turn(self) -> AbstractContextManager[None]:
        """Return at once: the lock is held all the time."""
        return nullcontext()

    def read(self) -> Cell | None:
        """Return the cell, after checking its digest and that it belongs to the end of its log."""
        return self.history(1)[0]

    def history(self, last: int | None = None) -> tuple[Cell | None, list[str]]:
        """Return the cell and the records that it speaks of, or the `last` of them."""
        with self._named_errors():
            text = self._text()
            if not text and self._log_from(0).count(b"\n") > 1:
                raise StoreError(f"{self.path} is damaged: it is empty, and {self.log} is not")
        if not text:
            return None, []  # nothing was ever reserved
        head, body = self._parse(text)
        cell, length = Cell(head["head"], body), head["bytes"]
        start = 0 if last is None else max(0, length - last * LONGEST)
        with self._named_errors():
            found = self._log_from(start)
            log, ahead = found[: length - start], found[length - start :]
            records = log.decode().removesuffix("\n").split("\n")[-last if last else 0 :]
            self._check_log(cell, length - start - len(log), records, ahead.decode())
        self._known = cell.head, length
        return cell, records

    def _log_from(self, start: int) -> bytes:
        """Return the log from a place on; nothing where there is none."""
        try:
            with open(self.log, "rb") as file:
                file.seek(start)
                return file.read()
        except FileNotFoundError:
            return b""

    def _check_log(self, cell: Cell, lacks: int, records: list[str], ahead: str) -> None:
        """Raise unless the log ends in the cell, or is ahead of it by one interrupted record."""
        if lacks:
            raise StoreError(f"{self.path} is damaged: its log {self.log} is missing or too short")
        check_last(cell, records[-1])
        *whole, _torn = ahead.split("\n")
        if len(whole) > 1 or not all(follows(record, cell.head) for record in whole):
            raise StoreError(
                f"{self.path} is older than its log {self.log}: an older copy was put in its place"
            )

    def write(self, head: str, cell: Cell, record: str) -> None:
        """Append to the log, then replace the state; each is on the disk before the next step."""
        self._check_owner()
        if (self.read() or Cell(FIRST, "")).head != head or self._known[0] != head:
            raise StoreError(f"{self.path} was changed behind the filter's back")
        with self._named_errors():
            length = self._append(record)
            self._replace(_text_of_file({"head": cell.head, "bytes": length}, cell.body))
        self._known = cell.head, length

    def close(self) -> None:
        """Release the lock."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise StoreError(f"there is no {self.path}: it was moved or deleted") from None

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError as error:
            raise StoreError(f"{self.path} is damaged: {error}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _parse(self, text: str) -> tuple[dict[str, Any], str]:
        first, _, body = text.partition("\n")
        try:
            head = json.loads(first)
            same = text == _text_of_file({"head": head["head"], "bytes": head["bytes"]}, body)
            same &= (type(head["head"]), type(head["bytes"])) == (str, int)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StoreError(f"{self.path} is damaged: {error}") from error
        if not same:
            raise StoreError(f"{self.path} is damaged: its digest does not match")
        return head, body

    def _check_owner(self) -> None:
        if self._held < 0:
            raise StoreError(f"{self.path} was closed")
        if os.getpid() != self._process:
            raise StoreError(f"{self.path} belongs to the process that forked this one")
        _check_name(self._held, self.path)

    def _append(self, record: str) -> int:
        line = record.encode() + b"\n"
        file = os.open(self.log, _WRITE, 0o600)
        try:
            os.ftruncate(file, self._known[1])
            _write_all(file, line, self._known[1])
            os.fsync(file)
        finally:
            os.close(file)
        return self._known[1] + len(line)

    def _replace(self, text: str) -> None:
        beside = self.path.with_name(f"{self.path.name}.next")
        file = os.open(beside, _WRITE | os.O_TRUNC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write_all(file, text.encode(), 0)
            os.fsync(file)
            os.replace(beside, self.path)
        except BaseException:
            os.close(file)
            raise
        before, self._held = self._held, file
        os.close(before)
        _sync_directory(self.path.parent)


def _text_of_file(facts: dict[str, Any], body: str) -> str:
    """Return the text of a file: what is known of the log, a digest of all of it, the state."""
    facts = {"schema": SCHEMA, **facts}
    facts["digest"] = digest(json.dumps(facts, sort_keys=True) + body)
    return f"{json.dumps(facts, sort_keys=True)}\n{body}"


def _open_locked(path: Path, flags: int) -> int:
    """Open and lock the file that has this name, and has it still when the lock is ours."""
    while True:
        try:
            file = os.open(path, flags, 0o600)
        except FileNotFoundError:
            raise StoreError(f"there is no {path}; pass create=True for a new budget") from None
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _check_name(file, path)
        except BlockingIOError as error:
            os.close(file)
            raise StoreError(f"{path} is in use by another filter") from error
        except _Replaced:
            os.close(file)  # it was replaced between the opening and the lock
        except BaseException:
            os.close(file)
            raise
        else:
            return file


class _Replaced(StoreError):
    """The name now belongs to another file."""


def _check_name(file: int, path: Path) -> None:
    held = os.fstat(file)
    try:
        named = os.stat(path)
    except FileNotFoundError:
        raise StoreError(f"there is no {path}: it was moved or deleted") from None
    if (held.st_dev, held.st_ino) != (named.st_dev, named.st_ino):
        raise _Replaced(f"{path} is not the file that was locked")
    if held.st_nlink != 1:
        raise StoreError(f"{path} has {held.st_nlink} hard links; a budget needs exactly one name")


def _write_all(file: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written


def _sync_directory(path: Path) -> None:
    directory = os.open(path, _READ)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
