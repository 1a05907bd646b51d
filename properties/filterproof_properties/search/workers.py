"""The tasks of a search, here or on other processes and machines.

With one job they run in this process.  Elsewhere a worker opens the target again by its name, in
a process of its own under the same limits.  So what a target does wrong ends its own process and
not the worker, and it is reported from there as from here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from time import time

from filterproof.filter import ProtocolError
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.pool import run_tasks
from filterproof_properties.processes.tasks import Gathered
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import SearchTask
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.targets.connect import connect
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Loaded, Target, TargetError

LARGEST_SHARE = 0.1
"""No task takes more than this share of the time, so that all of the first ones are met."""


@dataclass(frozen=True)
class Job:
    """A task, its target's name and limits, and when (in seconds since the epoch) to stop.

    `share` is how many seconds one task may take.
    """

    spec: str
    limits: Limits | None
    task: SearchTask
    until: float | None
    share: float | None


def run_search(
    target: Loaded,
    tasks: Iterable[SearchTask],
    on_done: Callable[[Tally], None],
    *,
    seconds: float | None,
    jobs: int,
    cluster: str | None,
) -> Gathered[Tally]:
    """Run the tasks up to the first violation, while there is time; tallies go to `on_done`."""
    until = None if seconds is None else time() + seconds
    share = None if seconds is None else seconds * LARGEST_SHARE
    left = takewhile(lambda task: until is None or time() < until, tasks)
    todo = (Job(target.spec, target.limits, task, until, share) for task in left)
    alone = not target.portable or (jobs == 1 and cluster is None)
    return run_tasks(
        (lambda job: run_here(job, target.target)) if alone else run_elsewhere,
        todo,
        jobs=1 if alone else jobs,
        cluster=None if alone else cluster,
        on_done=lambda number, tally: on_done(tally),
        stop_when=lambda tally: tally.violation is not None or tally.hopeless,
        keep=False,
    )


def run_here(job: Job, target: Target) -> Tally:
    """Run one task against a target that is at hand."""
    left = None if job.until is None else max(0.0, job.until - time())
    return run_task(job.task, target, left if job.share is None else min(left or 0.0, job.share))


def run_task(task: SearchTask, target: Target, seconds: float | None = None) -> Tally:
    """Run one task; without a time limit the tally depends on the task and the target alone."""
    if seconds is not None and seconds <= 0:
        return Tally(task.number, task.source)
    if isinstance(target, RemoteTarget):
        target.refresh()
    loop = Loop(target, task.plays, seconds, exact=task.exact)
    return loop.run(SOURCES[task.source](task, target), task.number, task.source)


def run_elsewhere(job: Job) -> Tally:
    """Run one task in a worker, which opens the target by its name, once for all its tasks."""
    try:
        return run_here(job, _target(job.spec, job.limits))
    except (ProtocolError, TargetError) as error:  # the target's fault, wherever it is asked
        task = job.task
        return Tally(task.number, task.source, error=str(error), hopeless=True)


@lru_cache(maxsize=8)
def _target(spec: str, limits: Limits | None) -> Target:
    return connect(spec, limits or Limits()).target
