"""Which tasks there are, who has them, and what came of them; whoever computes them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from math import inf
from typing import Any, Generic, TypeVar

MOST_LOSSES = 3
"""A task is given up when this many workers died during it."""

LOOK_SECONDS, ALONE_SECONDS = 1, 15
"""How often to look whether there are workers, and how long none is taken for lost ones.

A worker says once in LOOK_SECONDS that it is alive; one that is silent for ALONE_SECONDS, because
it was stopped or hangs, is ended, and its task given to another one.
"""

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
