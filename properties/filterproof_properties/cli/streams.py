"""Standard output and error that never fail: the verdict decides the exit code, not a full disk.

What cannot be written is lost; a character that a stream cannot encode is written as an escape.
A stream that was closed before we began is one that leads nowhere.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class Steady:
    """A text stream whose writes never raise; `lost` says whether one of them failed."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.lost = stream, False

    def write(self, text: str) -> int:
        """Write, or lose, the text."""
        try:
            self.stream.write(text)
        except UnicodeEncodeError:
            encoding = self.stream.encoding or "ascii"
            self.write(text.encode(encoding, "backslashreplace").decode(encoding))
        except OSError:
            self.lost = True
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write, or lose, every line."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand over what is buffered, or lose it."""
        try:
            self.stream.flush()
        except OSError:
            self.lost = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def steady_streams() -> Iterator[None]:
    """Replace both streams for a while; at the end nothing is left that the interpreter flushes."""
    occupy_descriptors()
    with ExitStack() as stack:
        given = (one or stack.enter_context(_nowhere()) for one in (sys.stdout, sys.stderr))
        out, err = map(Steady, given)
        streams = out, err
        stack.enter_context(redirect_stdout(streams[0]))
        stack.enter_context(redirect_stderr(streams[1]))
        try:
            yield
        finally:
            _end(*streams)


def occupy_descriptors() -> None:
    """Let closed standard streams lead nowhere: a file opened later would take their numbers."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _end(out: Steady, err: Steady) -> None:
    out.flush()
    if out.lost:
        err.write("filterproof: not all of the output could be written\n")
    err.flush()
    for one in (out, err):
        if one.lost:
            _silence(one.stream)


def _silence(stream: TextIO) -> None:
    """Let what is still buffered go nowhere: at its end the interpreter would fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
