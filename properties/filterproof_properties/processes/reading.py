"""Reads files without waiting for ever: a path may be a pipe that nobody writes, or have no end."""

import errno
import os
import select
from pathlib import Path
from time import monotonic

PATIENCE = 10.0
"""Seconds that whoever writes a pipe may take to write on."""


def read_in_time(path: Path, most: int) -> bytes:
    """Return the first bytes of a file, `most` at most; `OSError` where they do not come in time.

    A terminal, and whatever else a person types into, is read for as long as that takes.
    """
    with open(path, "rb", opener=_opener) as file:
        found, wait = bytearray(), None if file.isatty() else PATIENCE
        while len(found) < most:
            until = None if wait is None else monotonic() + wait
            found += (more := _next(file.fileno(), until, most - len(found)))
            if not more:
                break
    return bytes(found)


def refuse_endless(path: Path) -> None:
    """Raise `OSError` where a path leads to a pipe or device, which may have no end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "no regular file", str(path))


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _next(file: int, until: float | None, most: int) -> bytes:
    """Return what comes next, nothing at the end."""
    left = None if until is None else max(0.0, until - monotonic())
    if not select.select([file], [], [], left)[0]:
        raise OSError(errno.ENODATA, f"nothing was written to it for {PATIENCE:g} s")
    return os.read(file, min(most, 2**20))
