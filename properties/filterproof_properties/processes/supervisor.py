"""A process that stands above a program nobody vouches for, and lets nothing of it survive.

The supervisor adopts every orphan below it (Linux: PR_SET_CHILD_SUBREAPER), also those that left
the session.  When the program ends, or when whoever asked for it is gone (the control line closes),
it kills all that is left below it, reports how the program ended, and goes.  Meanwhile it looks at
everything below it now and then: all together may use as much memory as one process may, and have
so many processes and threads.  (The system's own limits are for each process, or not for root.)

It uses the standard library only, so that it starts at once: `python -I -S supervisor.py ...`.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

PR_SET_CHILD_SUBREAPER = 36
MIB = 2**20
CANNOT_START = 127
LOOK = 0.5
"""Seconds between two looks at what all processes use; one takes a few milliseconds."""
SWEEPS = 3
"""How often everything below a process is killed: also what was started meanwhile."""


def keep(control: int, become: Callable[[], object], limits: Mapping[str, int]) -> NoReturn:
    """Run a program below this process, and leave only when nothing of it is left."""
    adopt_orphans()
    hear, told = os.pipe()
    os.set_blocking(told, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    program = os.fork()
    if not program:
        for line in (hear, told):
            os.close(line)
        _become(control, become, limits)
    go_first()
    for standard in (0, 1, 2):  # these streams are the program's alone
        os.close(standard)
    status = _wait(program, control, hear, limits)
    end_everything_below()
    with contextlib.suppress(OSError):
        os.write(control, f"{status}\n".encode())
    os._exit(0)


def go_first() -> None:
    """Run before whatever the program starts, where that is allowed: root may.

    The system bounds the processes of other users; thousands of root's would leave no time here.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    with contextlib.suppress(OSError, AttributeError):  # elsewhere than on Linux: direct ones only
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _become(control: int, become: Callable[[], object], limits: Mapping[str, int]) -> NoReturn:
    """Turn into the program, in a session of its own and within its limits."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.set_inheritable(control, False)
    limit(limits)
    try:
        become()
    except OSError as error:
        os.write(control, f"errno {error.errno}\n".encode())
    os._exit(CANNOT_START)


def limit(limits: Mapping[str, int]) -> None:
    """Bound the memory of each process and the size of each file, in MiB; no core files."""
    for name, kind in (("memory", resource.RLIMIT_DATA), ("disk", resource.RLIMIT_FSIZE)):
        resource.setrlimit(kind, (limits[name] * MIB, limits[name] * MIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(program: int, control: int, hear: int, limits: Mapping[str, int]) -> str:
    """Return how the program ended, or that nobody waits for it any more, or why it must end."""
    watch = select.poll()
    watch.register(control, select.POLLIN)
    watch.register(hear, select.POLLIN)
    while True:
        ready = {file for file, _ in watch.poll(1000 * LOOK)}
        if not ready and (why := too_much(os.getpid(), limits)):
            return why
        if hear in ready:
            os.read(hear, 4096)
            if (status := _reap(program)) is not None:
                return said(status)
        if control in ready:
            return "killed by the audit"


def _reap(program: int) -> int | None:
    """Collect whatever has ended; return the program's status if it is among it."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found = ended[1] if ended[0] == program else found
    return found


def said(status: int) -> str:
    """Say how a process ended."""
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit status {os.WEXITSTATUS(status)}"


def too_much(top: int, limits: Mapping[str, int]) -> str:
    """Say what all processes below this one use too much of, together; "" if nothing."""
    below, memory, threads = descendants(top), limits["memory"], limits["threads"]
    if sum(map(_threads, below)) > threads:
        return f"ended for having more than {threads} processes and threads at a time"
    if sum(map(_own_pages, below)) > memory * MIB and _share(below) > memory * MIB:
        return f"ended for using more than {memory} MiB of memory in all its processes"
    return ""


def _threads(pid: int) -> int:
    after_the_name = _read_proc(pid, "stat").rpartition(b")")[2].split()
    return int(after_the_name[17]) if after_the_name else 0


def _own_pages(pid: int) -> int:
    """Return the bytes of a process that are no file's; what copies share counts for each."""
    sizes = [int(word) for word in _read_proc(pid, "statm").split()]
    return (sizes[1] - sizes[2]) * resource.getpagesize() if sizes else 0


def _share(below: list[int]) -> int:
    """Return the bytes that processes use together, where what some share counts once."""
    return sum(map(_proportional, below))


def _proportional(pid: int) -> int:
    for line in _read_proc(pid, "smaps_rollup").splitlines():
        if line.startswith(b"Pss_Anon:"):
            return int(line.split()[1]) * 1024
    return _own_pages(pid)


def _read_proc(pid: int, name: str) -> bytes:
    """Return what the system says of a process; nothing if it has just ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def end_everything_below() -> None:
    """Kill every descendant, again and again, until there is none."""
    while True:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.002)


def end_tree(top: int) -> None:
    """Kill a process that does not do so itself, after everything below it."""
    for _ in range(SWEEPS):
        for pid in descendants(top):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(top, signal.SIGKILL)


def descendants(top: int) -> list[int]:
    """Return every process below this one, from /proc; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            parent = int(path.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.parent.name))
    found: list[int] = []
    todo = children.get(top, [])
    while todo:
        found += todo
        todo = [below for pid in todo for below in children.get(pid, [])]
    return found


def main() -> None:
    """Keep the program whose words follow the control line and the limits."""
    control, limits, *words = sys.argv[1:]
    keep(int(control), lambda: os.execvp(words[0], words), json.loads(limits))


if __name__ == "__main__":
    main()
