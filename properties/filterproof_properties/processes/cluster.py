"""Tasks on a Dask cluster of machines that run the same filterproof as this one.

Every task says which filterproof it is for: a worker with another version, another Python or
other sources refuses it.  A worker that is silent loses its tasks to the others.
"""

import platform
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from filterproof_properties.processes import isolated
from filterproof_properties.processes.tasks import (
    ALONE_SECONDS,
    LOOK_SECONDS,
    MOST_LOSSES,
    Board,
    ClusterError,
    Failed,
    WorkerLost,
    attempt,
)

CONNECT_SECONDS = 10
"""How long to wait for a cluster's scheduler to answer."""


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
        workers = Workers(client)
        numbers = dict(_submit(workers, function, board))
        while numbers:
            for future in _finished_tasks(workers, list(numbers)):
                with suppress(TimeoutError):  # lost with its worker: it is waited for again
                    board.put(numbers[future], _result(future))
                    del numbers[future]
            for future in workers.stuck(numbers):
                board.lost(numbers.pop(future))
                client.cancel([future], force=True)
            numbers |= _submit(workers, function, board, len(numbers))
            if all(n >= board.limit for n in numbers.values()):
                client.cancel(list(numbers))
                return


class Workers:
    """The workers of a cluster, and when each was heard of last, by the clock of this process."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.heard: dict[str, tuple[float, float]] = {}

    def look(self) -> None:
        """Note who was heard of since the last look."""
        told = self.client.scheduler_info()["workers"]
        now = monotonic()
        seen = {name: one["last_seen"] for name, one in told.items()}
        self.heard = {
            name: self.heard[name] if self.heard.get(name, (None,))[0] == when else (when, now)
            for name, when in seen.items()
        }

    def live(self) -> list[str]:
        """Return the workers that are not silent."""
        late = monotonic() - ALONE_SECONDS
        return [name for name, (_, when) in self.heard.items() if when > late]

    def stuck(self, futures: Iterable[Any]) -> list[Any]:
        """Return those of the tasks that silent workers have: they are stopped, or hang."""
        if not (silent := {*self.heard} - {*self.live()}):
            return []
        theirs = {
            key for name, keys in self.client.processing().items() if name in silent for key in keys
        }
        return [future for future in futures if future.key in theirs]


def _result(future: Any) -> Any:
    """Return what came of a task; its worker may die before that has been fetched."""
    if future.status != "finished":
        return _failure_of(future)
    return future.result(timeout=ALONE_SECONDS)


def _finished_tasks(workers: Workers, futures: list[Any]) -> list[Any]:
    """Return those that are finished, none if a worker is silent; raise if nobody works."""
    from distributed import wait

    alone = monotonic()
    while True:
        try:
            return list(wait(futures, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            workers.look()
        if workers.live():
            alone = monotonic()
            if workers.stuck(futures):
                return []
        if monotonic() - alone > ALONE_SECONDS:
            raise ClusterError(f"the cluster has had no worker for {ALONE_SECONDS} s")


def _submit(
    workers: Workers, function: Callable[[Any], Any], board: Board, waiting: int = 0
) -> Iterator[tuple[Any, int]]:
    workers.look()
    cores = workers.client.ncores()
    live = [name for name in workers.live() if name in cores]
    room = max(2 * sum(cores[name] for name in live), 2)  # so that every worker has a next task
    some = live if len(live) < len(cores) else None
    for _ in range(room - waiting):
        if (number := board.take()) is None:
            return
        given = identity(), function, board.given[number]
        submit = workers.client.submit
        yield submit(attempt_here, *given, pure=False, retries=MOST_LOSSES, workers=some), number


def attempt_here(expected: str, function: Callable[[Any], Any], task: Any) -> Any:
    """Return the result of a task, in a process that runs the same filterproof; else `Failed`."""
    if (own := identity()) != expected:
        return Failed(ClusterError(f"a worker of the cluster runs {own}, not {expected}"))
    return attempt(function, task)


@lru_cache(maxsize=1)
def identity() -> str:
    """Name what runs here: version, Python, and a digest of all our sources."""
    digest = sha256()
    for package in isolated.PACKAGES:
        for root in map(Path, isolated.ROOTS):
            for path in sorted((root / package).rglob("*.py")):
                digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"filterproof {version('filterproof')} ({digest.hexdigest()[:16]}) on {python}"


@contextmanager
def lost_with_the_scheduler() -> Iterator[None]:
    """Turn whatever a client says that has lost its scheduler into one error."""
    try:
        yield
    except (OSError, CancelledError, FutureCancelled, TimeoutError) as error:
        raise ClusterError(f"the scheduler is gone: {type(error).__name__}") from error


def _failure_of(future: Any) -> Failed:
    if future.status in ("cancelled", "lost"):
        raise CancelledError
    why = future.exception(timeout=ALONE_SECONDS)
    return Failed(WorkerLost(f"the cluster gave up on a task: {why!r:.300}"))
