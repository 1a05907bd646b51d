"""In the target's process: loads its files with marks in them, and tells which were set.

`begin` comes before the target is loaded.  The marks are in memory that is shared with copies of
this process, because a budget object may be asked in one.
"""

import builtins
import mmap
import os
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import Any

from filterproof_properties.targets.coverage.marks import (
    HIT,
    MARKS,
    compile_marked,
    marks_in,
    to_digits,
)

OwnFiles = Sequence[tuple[str, list[str]]]
"""The files of a target, and the names in them that are its own."""


class Recorder:
    """The marks of the target's own code; `taken` tells which were set since the last time."""

    def __init__(self, files: OwnFiles) -> None:
        self.starts: dict[str, tuple[list[str], int]] = {}
        count = 0
        for path, names in files:
            self.starts[os.path.realpath(path)] = names, count
            count += len(marks_in(Path(path).read_text(encoding="utf-8"), names))
        self.marks = mmap.mmap(-1, max(1, count))
        self.none = bytes(len(self.marks))

    def code(self, path: str) -> Any:
        """Return the code of a file with its marks; None if it is none of the target's."""
        known = self.starts.get(os.path.realpath(path))
        if known is None:
            return None
        return compile_marked(Path(path).read_bytes(), path, *known)

    def taken(self) -> str:
        """Return which marks were set since the last time, as digits of base 16; "" for none."""
        now = self.marks[:]
        if now == self.none:
            return ""
        self.marks[:] = self.none
        return to_digits(now)


def _compiled(path: str) -> CodeType:
    return compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)


def begin(files: OwnFiles) -> Recorder:
    """Let these files be loaded with marks from now on, and nothing of that be kept in a cache."""
    recorder = Recorder(files)
    setattr(builtins, MARKS, recorder.marks)
    setattr(builtins, HIT, recorder.marks.__setitem__)
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Any:
        path = self.get_filename(fullname)
        marked = recorder.code(path)
        if marked is None:
            return plain(self, fullname)
        if os.path.exists(cache_from_source(path)) and plain(self, fullname) != _compiled(path):
            raise ImportError(
                f"what is in __pycache__ is not the code of {path}, and Python runs it"
            )
        return marked

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    return recorder
