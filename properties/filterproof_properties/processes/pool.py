"""Independent tasks on many cores or many machines, with the same results as on one core.

Results are kept by the number of their task, so it does not matter who computes what and when.
If a result says to stop, tasks with a higher number do not count and need not run; tasks with a
lower one still do.  So whatever the number of workers, the results that count are the same.

A worker that dies gives its task back: another one runs it again.  A task during which workers
die again and again is reported by name.  An interrupt (Ctrl-C) ends the run and hands over what
is done so far, marked as interrupted.
"""

import pickle
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, TypeVar

from filterproof_properties.processes import isolated
from filterproof_properties.processes.cluster import on_cluster
from filterproof_properties.processes.tasks import (
    ALONE_SECONDS,
    LOOK_SECONDS,
    Board,
    Failed,
    Gathered,
    attempt,
)

ALIVE = b""
"""What a worker says that is still at its task."""

Piece = TypeVar("Piece")
Found = TypeVar("Found")


def run_tasks(
    function: Callable[[Piece], Found],
    tasks: Iterable[Piece],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    on_done: Callable[[int, Found], None] | None = None,
    stop_when: Callable[[Found], bool] | None = None,
    keep: bool = True,
) -> Gathered[Found]:
    """Apply a function to every task, on `jobs` processes or on a Dask cluster.

    `function` must be importable and the tasks picklable unless jobs = 1.  As results arrive,
    `on_done(number, result)` is called here.  `stop_when(result)` tells that later tasks do not
    count.  Tasks are taken one by one, as there is somebody to run them, so there may be endlessly
    many.  Without `keep` nobody but `on_done` gets the results.

    >>> run_tasks(abs, [3, -4, 5], stop_when=lambda result: result == 4)
    Gathered(numbers=(0, 1), results=(3, 4), interrupted=False)
    """
    if type(jobs) is not int or jobs < 1:
        raise ValueError(f"need jobs >= 1; got {jobs!r}")
    board = Board(
        iter(tasks),
        stop_when or (lambda result: False),
        on_done or (lambda n, result: None),
        keep,
    )
    try:
        if cluster is not None:
            on_cluster(function, board, cluster)
        elif jobs == 1:
            in_turn(function, board)
        else:
            in_processes(function, board, jobs)
    except KeyboardInterrupt:
        return board.run(interrupted=True)
    return board.run(interrupted=False)


def in_turn(function: Callable[[Any], Any], board: Board) -> None:
    """Run the tasks here, one after the other."""
    while (number := board.take()) is not None:
        board.put(number, attempt(function, board.given[number]))


# --- processes on this machine ----------------------------------------------------------------


@dataclass
class Worker:
    """A process, the line to it, and the task that it has."""

    process: "subprocess.Popen[bytes]"
    line: Connection
    number: int | None = None
    heard: float = field(default_factory=monotonic)
    """When it last said anything."""


def in_processes(function: Callable[[Any], Any], board: Board, jobs: int) -> None:
    """Run the tasks in processes, each of which is replaced if it dies."""
    workers = list[Worker]()
    try:
        while len(workers) < jobs and (number := board.take()) is not None:
            workers.append(_hire(function))
            _assign(workers[-1], board, number)
        while busy := [worker for worker in workers if worker.number is not None]:
            for worker in _ready(busy):
                if not (still := _collect(worker, board)):
                    workers[workers.index(worker)] = worker = _hire(function)
                if not still or worker.number is None:
                    _assign(worker, board, board.take())
            if all(worker.number is None or worker.number >= board.limit for worker in workers):
                return
    finally:
        for worker in workers:
            _dismiss(worker)


def _hire(function: Callable[[Any], Any]) -> Worker:
    here, there = socket.socketpair()
    with there:
        process = subprocess.Popen(
            isolated.python(__name__, str(there.fileno()), serves=function),
            stdin=subprocess.DEVNULL,
            pass_fds=[there.fileno()],
            start_new_session=True,  # an interrupt is for the process that asked
            env=isolated.environment(),
        )
    line = Connection(here.detach())
    line.send(function)
    return Worker(process, line)


def _dismiss(worker: Worker) -> None:
    """End a worker, also one that is stopped; what it started ends with it."""
    worker.process.kill()
    worker.process.wait()
    worker.line.close()


def main(arguments: list[str]) -> None:
    """Work on tasks in this process for the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Connection(int(arguments[0]))
    function = line.recv()
    while True:
        try:
            task = line.recv()
        except EOFError:  # nobody is there to ask any more
            return
        with _signs_of_life(line):
            parcel = _parcel(attempt(function, task))
        line.send_bytes(parcel)


@contextmanager
def _signs_of_life(line: Connection) -> Iterator[None]:
    """Say again and again that this process is alive, from a thread of its own."""
    done = threading.Event()

    def say() -> None:
        with suppress(OSError):  # nobody listens any more
            while not done.wait(LOOK_SECONDS):
                line.send_bytes(ALIVE)

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _parcel(result: Any) -> bytes:
    """Pickle a result; one that does not survive it becomes an error that does."""
    try:
        parcel = pickle.dumps(result)
        pickle.loads(parcel)
    except Exception as error:
        what = result.error if isinstance(result, Failed) else result
        parcel = pickle.dumps(Failed(TypeError(f"cannot send {what!r:.200}: {error}")))
    return parcel


def _assign(worker: Worker, board: Board, number: int | None) -> None:
    worker.number, worker.heard = number, monotonic()
    if worker.number is not None:
        try:
            worker.line.send(board.given[worker.number])
        except OSError:  # it died while idle: the end of its line will say so
            return


def _ready(busy: list[Worker]) -> Iterator[Worker]:
    found = set(wait([worker.line for worker in busy], LOOK_SECONDS))
    late = monotonic() - ALONE_SECONDS
    return (worker for worker in busy if worker.line in found or worker.heard < late)


def _collect(worker: Worker, board: Board) -> bool:
    """Note a worker's result; return False, its task taken back, if it has died or is silent."""
    if worker.number is None:
        return True
    try:
        said = worker.line.recv_bytes() if worker.line.poll() else None
    except (EOFError, OSError):
        said = None
    if said is None:
        _dismiss(worker)
        board.lost(worker.number)
        return False
    worker.heard = monotonic()
    if said != ALIVE:
        number, worker.number = worker.number, None
        board.put(number, pickle.loads(said))
    return True
