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
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from math import inf
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic, TypeVar

from filterproof_properties.processes import isolated

MOST_LOSSES = 3
"""A task is given up when this many workers died during it."""

CONNECT_SECONDS = 10
"""How long to wait for a cluster's scheduler to answer."""
LOOK_SECONDS, ALONE_SECONDS = 1, 15
"""How often to look whether there are workers, and how long none is taken for lost ones."""

Piece = TypeVar("Piece")
Found = TypeVar("Found")


class WorkerLost(RuntimeError):
    """A task during which every worker died."""


class ClusterError(RuntimeError):
    """A Dask cluster that cannot be used."""


@dataclass(frozen=True)
class Gathered(Generic[Found]):
    """The results that count, in the order of their tasks.

    After an interrupt `numbers` may have gaps: it says which tasks the results belong to.
    """

    numbers: tuple[int, ...]
    results: tuple[Found, ...]
    interrupted: bool


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


@dataclass(frozen=True)
class Failed:
    """The task raised this."""

    error: Exception


@dataclass
class Board:
    """Which tasks are to do, and what has come of the others."""

    tasks: Iterator[Any]
    stop_when: Callable[[Any], bool]
    on_done: Callable[[int, Any], None]
    keep: bool
    done: dict[int, Any] = field(default_factory=dict)
    losses: dict[int, int] = field(default_factory=dict)
    given: dict[int, Any] = field(default_factory=dict)  # tasks that are not done, by number
    back: list[int] = field(default_factory=list)  # tasks that a worker died over
    taken: int = 0
    limit: float = inf  # tasks from here on do not count

    def take(self) -> int | None:
        """Hand out the first task that counts and that nobody has; None if there is none."""
        if self.back:
            return heappop(self.back) if self.back[0] < self.limit else None
        if self.taken >= self.limit:
            return None
        for task in islice(self.tasks, 1):
            self.given[self.taken] = task
            self.taken += 1
            return self.taken - 1
        return None

    def lost(self, number: int) -> None:
        """Take a task back from a worker that died."""
        self.losses[number] = self.losses.get(number, 0) + 1
        if self.losses[number] >= MOST_LOSSES:
            self.put(number, Failed(WorkerLost(f"{MOST_LOSSES} workers died in task {number}")))
        else:
            heappush(self.back, number)

    def put(self, number: int, result: Any) -> None:
        """Note the result of a task."""
        self.given.pop(number, None)
        if self.keep or isinstance(result, Failed):
            self.done[number] = result
        if isinstance(result, Failed):
            self.limit = min(self.limit, number + 1)
            return
        if self.stop_when(result):
            self.limit = min(self.limit, number + 1)
        self.on_done(number, result)

    def run(self, *, interrupted: bool) -> Gathered[Any]:
        """Return the results that count; raise what the first failed task among them raised."""
        numbers = tuple(n for n in sorted(self.done) if n < self.limit)
        results = tuple(self.done[n] for n in numbers)
        for result in results:
            if isinstance(result, Failed):
                raise result.error
        return Gathered(numbers, results, interrupted)


def attempt(function: Callable[[Any], Any], task: Any) -> Any:
    """Return the result of a task, or `Failed` with what it raised."""
    try:
        return function(task)
    except Exception as error:
        return Failed(error)


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


def in_processes(function: Callable[[Any], Any], board: Board, jobs: int) -> None:
    """Run the tasks in processes, each of which is replaced if it dies."""
    workers = list[Worker]()
    try:
        while len(workers) < jobs and (number := board.take()) is not None:
            workers.append(_hire(function))
            _assign(workers[-1], board, number)
        while busy := [worker for worker in workers if worker.number is not None]:
            for worker in _ready(busy):
                if not _collect(worker, board):
                    workers[workers.index(worker)] = worker = _hire(function)
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
        line.send_bytes(_parcel(attempt(function, task)))


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
    worker.number = number
    if worker.number is not None:
        try:
            worker.line.send(board.given[worker.number])
        except OSError:  # it died while idle: the end of its line will say so
            return


def _ready(busy: list[Worker]) -> Iterator[Worker]:
    found = set(wait([worker.line for worker in busy]))  # a line ends with its worker
    return (worker for worker in busy if worker.line in found)


def _collect(worker: Worker, board: Board) -> bool:
    """Note a worker's result; return False, its task taken back, if it has died."""
    number, worker.number = worker.number, None
    if number is None:
        return True
    try:
        result = pickle.loads(worker.line.recv_bytes())
    except (EOFError, OSError):
        _dismiss(worker)
        board.lost(number)
        return False
    board.put(number, result)
    return True


# --- a cluster of machines --------------------------------------------------------------------


def on_cluster(function: Callable[[Any], Any], board: Board, address: str) -> None:
    """Run the tasks on the Dask cluster whose scheduler has this address.

    The scheduler itself gives the tasks of a dead worker to another one.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError("a cluster needs the extra 'cluster' (dask.distributed)") from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler at {address!r}: {error}") from error
    with client, lost_with_the_scheduler():
        numbers = dict(_submitted(client, function, board))
        while numbers:
            for future in _finished(client, list(numbers)):
                with suppress(TimeoutError):  # lost with its worker: it is waited for again
                    board.put(numbers[future], _result(future))
                    del numbers[future]
            numbers |= _submitted(client, function, board, len(numbers))
            if all(n >= board.limit for n in numbers.values()):
                client.cancel(list(numbers))
                return


def _result(future: Any) -> Any:
    """Return what came of a task; its worker may die before that has been fetched."""
    if future.status != "finished":
        return _broken(future)
    return future.result(timeout=ALONE_SECONDS)


def _finished(client: Any, futures: list[Any]) -> list[Any]:
    """Wait until some are finished and return them; raise if nobody is left to work on them."""
    from distributed import wait

    alone = monotonic()
    while True:
        try:
            return list(wait(futures, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            alone = monotonic() if client.ncores() else alone
        if monotonic() - alone > ALONE_SECONDS:
            raise ClusterError(f"the cluster has had no worker for {ALONE_SECONDS} s")


def _submitted(
    client: Any, function: Callable[[Any], Any], board: Board, waiting: int = 0
) -> Iterator[tuple[Any, int]]:
    room = max(2 * sum(client.ncores().values()), 2)  # enough for every worker to have a next task
    for _ in range(room - waiting):
        if (number := board.take()) is None:
            return
        task = board.given[number]
        yield client.submit(attempt, function, task, pure=False, retries=MOST_LOSSES), number


@contextmanager
def lost_with_the_scheduler() -> Iterator[None]:
    """Turn whatever a client says that has lost its scheduler into one error."""
    try:
        yield
    except (OSError, CancelledError, FutureCancelled, TimeoutError) as error:
        raise ClusterError(f"the scheduler is gone: {type(error).__name__}") from error


def _broken(future: Any) -> Failed:
    if future.status in ("cancelled", "lost"):
        raise CancelledError
    why = future.exception(timeout=ALONE_SECONDS)
    return Failed(WorkerLost(f"the cluster gave up on a task: {why!r:.300}"))
