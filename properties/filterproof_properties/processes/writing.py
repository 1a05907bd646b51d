"""Writes files where whoever named them meant them: through no link, and without waiting for ever.

A report is often written where others may write, too: into a checked-out repository, or beside a
target that has no sandbox.  A symbolic link there could lead to any file of the user's.
"""

import errno
import os
import select
from pathlib import Path
from time import monotonic
from typing import BinaryIO

PATIENCE = 10.0
"""Seconds that whoever reads a pipe may take to read on."""


def open_at_once(path: Path) -> BinaryIO:
    """Open a file for writing; `OSError` for a link, and for a pipe that nobody reads."""
    refuse_links(path)
    return open(path, "wb", opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW, 0o666)


def refuse_links(path: Path) -> None:
    """Raise `OSError` if a path is a symbolic link, or leads through one below this directory."""
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    below = [one for one in whole.parents if one != here and one.is_relative_to(here)]
    for one in (whole, *below):
        if one.is_symlink():
            raise OSError(errno.ELOOP, f"{one} is a symbolic link, and what it names is not ours")


def write_in_time(path: Path, data: bytes) -> None:
    """Write a whole file, its folder too; raise `OSError` where nobody reads it in time."""
    refuse_links(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_at_once(path) as file:
        until = monotonic() + PATIENCE
        while data:
            if not select.select([], [file], [], max(0.0, until - monotonic()))[1]:
                raise OSError(errno.ETIMEDOUT, f"nobody has read on for {PATIENCE:g} s")
            sent = os.write(file.fileno(), data[: 2**16])
            data, until = data[sent:], monotonic() + PATIENCE
