"""Which test runs which line of a room, also in the processes that it starts.

Every process writes a line of code down when it first runs it, at once: many are killed before
they could do so at their end.  A process learns by its environment what it is to watch.
"""

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

WATCH = "MUTATION_WATCH"
"""The environment's name for the folder of the code, and the file to write to."""

Place = tuple[str, int]
Covered = Mapping[Place, set[str]]

SITE = """\
import os
if os.environ.get("MUTATION_WATCH"):
    from tests.mutation import lines
    lines.watch(*os.environ["MUTATION_WATCH"].split(os.pathsep))
"""
"""What every process of Python does first, as `sitecustomize.py` in the copy of the project."""


def watch(code: str, notes: str) -> Callable[[], None]:
    """Note each line of this folder that runs from now on, with the test that pytest is at.

    Return a function that begins again: Python ends a watch in which it runs out of stack.
    """
    file = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    seen: set[tuple[str, str, int]] = set()

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        at = (test, frame.f_code.co_filename[len(code) :], frame.f_lineno)
        if event == "line" and at not in seen:
            seen.add(at)
            os.write(file, "\t".join(map(str, at)).encode() + b"\n")
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(code) else None

    def begin() -> None:
        threading.settrace(call)
        sys.settrace(call)

    begin()
    return begin


def covered(notes: Path) -> Covered:
    """Return the tests that run each line."""
    found: dict[Place, set[str]] = defaultdict(set)
    for one in notes.read_text(encoding="utf-8", errors="replace").splitlines():
        match one.split("\t"):
            case [test, file, number] if number.isdigit() and " (" in test:
                found[file, int(number)].add(test.rpartition(" (")[0])
    return found
