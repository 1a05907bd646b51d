"""A program of somebody else's, as a child process: started, read, limited and ended here.

The child reads lines and writes lines.  Whatever it does (it hangs, ends, writes too much), what
comes of it here is a line or a `ChildFailed`; when it is closed, or when this process ends for
whatever reason, its supervisor kills it and everything that it ever started.
"""

import contextlib
import faulthandler
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

from filterproof_properties.processes import isolated, sandbox, supervisor, syscalls
from filterproof_properties.processes.checkout import Checkout
from filterproof_properties.processes.sanitise import quoted

ENDING = 10.0
"""Seconds to wait for the word how a program ended that is known to have ended."""
STOPPED = 5.0
"""Seconds in which a supervisor ends all that is below it; if it takes longer, it was stopped."""
MOST_BYTES = 2**22
"""So much may be told at once by a function that runs in a copy of this process."""
NOISE = 500
"""So much of the end of its standard error is quoted."""

Words = Sequence[str]


class ChildFailed(Exception):
    """A child that does not answer, ended, or writes more than it may."""


class NoAnswer(ChildFailed):
    """A child that takes too long."""


class Ended(ChildFailed):
    """A child that is gone."""


@dataclass(frozen=True)
class Limits:
    """What an untrusted target may use: seconds for one answer, MiB of memory and per file.

    `sandbox` says whether it must run in one, runs in one where there is one, or in none.
    With a `checkout` it is an older version, which runs there.
    """

    timeout: float = 10.0
    memory: int = 4096
    disk: int = 256
    sandbox: str = sandbox.AUTO
    checkout: Checkout | None = None

    def directory(self) -> str:
        """Return the directory that it runs in."""
        return self.checkout.directory() if self.checkout else os.getcwd()

    def resources(self) -> dict[str, int]:
        """Return what the operating system limits, or the supervisor."""
        return {"memory": self.memory, "disk": self.disk, "threads": syscalls.THREADS}


class Child:
    """One running child; `send` sends lines, `line` returns the next one that came back."""

    def __init__(
        self,
        program: Words | Callable[[], object],
        limits: Limits,
        environment: Mapping[str, str] | None = None,
        visible: Sequence[str] = (),
    ) -> None:
        self.kept, self.confined = b"", False
        self.stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
        self.control, theirs = socket.socketpair()
        reading, self.to = os.pipe()
        self.out, writing = os.pipe()
        streams = (reading, writing, self.stderr.fileno())
        try:
            if callable(program):
                self.supervisor = None
                pid = _fork(program, streams, theirs.fileno(), limits)
            else:
                if (why := sandbox.missing(limits.sandbox)) and limits.sandbox == sandbox.REQUIRE:
                    raise ChildFailed(f"it has no sandbox: {why}")
                self.confined = not why
                shown = [*visible, *([limits.checkout.folder] if limits.checkout else [])]
                words = sandbox.enclose(
                    program, limits.sandbox, limits.disk, shown, limits.directory()
                )
                self.supervisor = _start(words, streams, theirs.fileno(), limits, environment)
                pid = self.supervisor.pid
        finally:
            for end in (reading, writing):
                os.close(end)
            theirs.close()
        os.set_blocking(self.to, False)
        files = (self.to, self.out)
        self.close = weakref.finalize(
            self, _end, os.getpid(), pid, self.supervisor, self.control, files, self.stderr
        )

    @property
    def alive(self) -> bool:
        """Whether it has not been closed."""
        return self.close.alive

    def send(self, data: bytes, seconds: float) -> None:
        """Write all of it, while keeping what comes back meanwhile."""
        until = monotonic() + seconds
        while data:
            try:
                data = data[os.write(self.to, data) :]
            except BlockingIOError:  # it has not read the last ones yet
                left = max(0.0, until - monotonic())
                readable, writable, _ = select.select([self.out], [self.to], [], left)
                if not (readable or writable):
                    raise ChildFailed(f"it read nothing for {seconds:g} s") from None
                if not writable and not self._read():
                    return
            except BrokenPipeError:  # it may have ended; what it wrote before says so or more
                return

    def line(self, seconds: float, most: int) -> bytes:
        """Return the next line; at most so many bytes, within so many seconds."""
        until = monotonic() + seconds
        while (at := self.kept.find(b"\n")) < 0:
            if len(self.kept) > most:
                raise ChildFailed(f"its answer is longer than {most} bytes")
            if not select.select([self.out], [], [], max(0.0, until - monotonic()))[0]:
                raise NoAnswer(f"it did not answer within {seconds:g} s")
            if not self._read():
                raise Ended("it ended without an answer")
        if at > most:
            raise ChildFailed(f"its answer is longer than {most} bytes")
        line, self.kept = self.kept[:at], self.kept[at + 1 :]
        return line

    def _read(self) -> bool:
        chunk = os.read(self.out, 2**16)
        self.kept += chunk
        return bool(chunk)

    def how(self, seconds: float) -> str:
        """Say how the program ended; "" if it still runs after so many seconds."""
        if not select.select([self.control], [], [], seconds)[0]:
            return ""
        said = self.control.recv(200, socket.MSG_PEEK).decode(errors="replace")
        if said.startswith("errno "):
            return f"cannot be started: {os.strerror(int(said.split()[1]))}"
        return sandbox.exit_status(said.strip()) if self.confined else said.strip()

    def noise(self) -> str:
        """Return the end of what it wrote to standard error, on one line."""
        self.stderr.seek(0, os.SEEK_END)
        self.stderr.seek(max(0, self.stderr.tell() - NOISE))
        return quoted(self.stderr.read().decode(errors="replace").strip(), 4 * NOISE)


def answer_of(
    function: Callable[[], object],
    limits: Limits,
    seconds: float,
    on_event: Callable[[str], object] = lambda event: None,
) -> Any:
    """Return what a function tells (`tell`) from a copy of this process, which is then killed.

    Whatever it calls an "event" is handed on, and what comes after it is awaited.
    """
    child, until = Child(function, limits), monotonic() + seconds
    try:
        while True:
            told = json.loads(child.line(max(0.0, until - monotonic()), MOST_BYTES))
            if not (isinstance(told, dict) and "event" in told):
                return told
            on_event(quoted(told["event"], 200))
    except (ChildFailed, ValueError, RecursionError) as error:
        late = f"it did not answer within {seconds:g} s"
        how = child.how(1.0) if isinstance(error, Ended) else ""
        why = late if isinstance(error, NoAnswer) else str(error)
        said = "; ".join(filter(None, (why, how, child.noise())))
        raise (type(error) if isinstance(error, ChildFailed) else ChildFailed)(said) from None
    finally:
        child.close()


def tell(said: object) -> None:
    """Write one line of JSON to whoever awaits it, from a copy of its process."""
    with open(1, "wb", closefd=False) as line:
        line.write(json.dumps(said).encode() + b"\n")


def _start(
    words: Words,
    streams: tuple[int, int, int],
    control: int,
    limits: Limits,
    environment: Mapping[str, str] | None,
) -> "subprocess.Popen[bytes]":
    resources = json.dumps(limits.resources())
    more = {**(limits.checkout.variables() if limits.checkout else {}), **(environment or {})}
    above = [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), str(control), resources]
    return subprocess.Popen(
        [*above, *words],
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        pass_fds=[control],
        start_new_session=True,
        cwd=limits.directory(),
        env=isolated.environment(more.items()),
    )


def _fork(
    program: Callable[[], object],
    streams: tuple[int, int, int],
    control: int,
    limits: Limits,
) -> int:
    """Run a function of this process in a copy of it; return the supervisor's process id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads: a hang is noticed
        pid = os.fork()
    if pid:
        return pid
    try:
        faulthandler.disable()  # how the copy ends is reported; a trace would go to our streams
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for standard, stream in enumerate(streams):
            os.dup2(stream, standard)
        _let_go({0, 1, 2, control})
        _clear_environment()

        def become() -> None:
            os.close(control)  # the supervisor alone says how the program ended
            if limits.sandbox != sandbox.OFF:
                syscalls.give_up_calls()
            program()

        supervisor.keep(control, become, limits.resources())
    finally:
        os._exit(supervisor.CANNOT_START)


def _let_go(needed: set[int]) -> None:
    """Point every other descriptor at nothing: files of this process are not the copy's."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for one in {int(name) for name in os.listdir("/dev/fd")} - {*needed, nothing}:
        with contextlib.suppress(OSError):  # the one that has just listed them is closed already
            os.fstat(one)
            os.dup2(nothing, one, inheritable=False)
    os.close(nothing)


def _clear_environment() -> None:
    """Keep the variables that any child sees."""
    for name in {*os.environ} - {*isolated.environment()}:
        del os.environ[name]


def _end(
    owner: int,
    pid: int,
    process: "subprocess.Popen[bytes] | None",
    control: socket.socket,
    files: tuple[int, int],
    stderr: IO[bytes],
) -> None:
    """Tell the supervisor to end it all, and wait until it is gone."""
    if os.getpid() != owner:  # a copy of the owner, made by a fork
        return
    with contextlib.suppress(OSError):
        control.shutdown(socket.SHUT_WR)
    for file in files:
        os.close(file)
    stderr.close()
    if not select.select([control], [], [], STOPPED)[0]:
        supervisor.end_tree(pid)
    if process is None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    else:
        process.wait()
    control.close()
