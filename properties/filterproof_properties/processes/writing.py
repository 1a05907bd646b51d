"""Writes files without waiting for ever: a path may be a pipe that nobody reads."""

import errno
import os
import select
from pathlib import Path
from time import monotonic
from typing import BinaryIO

PATIENCE = 10.0
"""Seconds that whoever reads a pipe may take to read on."""


def open_at_once(path: Path) -> BinaryIO:
    """Open a file for writing; a pipe that nobody reads is an `OSError`, as are others' devices."""
    return open(path, "wb", opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def write_in_time(path: Path, data: bytes) -> None:
    """Write a whole file; raise `OSError` where nobody reads it in time."""
    with open_at_once(path) as file:
        until = monotonic() + PATIENCE
        while data:
            if not select.select([], [file], [], max(0.0, until - monotonic()))[1]:
                raise OSError(errno.ETIMEDOUT, f"nobody has read on for {PATIENCE:g} s")
            sent = os.write(file.fileno(), data[: 2**16])
            data, until = data[sent:], monotonic() + PATIENCE
