"""The tasks of a search, here or on other processes and machines.

With one job they run in this process.  Elsewhere a worker opens the target again by its name, in
a process of its own under the same limits.  So what a target does wrong ends its own process and
not the worker, and it is reported from there as from here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from time import monotonic, time

from filterproof.filter import ProtocolError
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.pool import run_tasks
from filterproof_properties.processes.tasks import Gathered
from filterproof_properties.search.comparing import NEW, OLD, Comparer, Versions
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import SearchTask
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.targets.connect import connect
from filterproof_properties.targets.coverage.changed import with_changes
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Loaded, Target, TargetError

FOR_OLD = 4
"""Every so many tasks of a comparison one makes its games for the old version."""
LARGEST_SHARE = 0.1
"""No task takes more than this share of the time, so that all of the first ones are met."""


@dataclass(frozen=True)
class Job:
    """A task, its target's name and limits, and when (in seconds since the epoch) to stop.

    `share` is how many seconds one task may take; `watched` is the target that is compared with.
    """

    spec: str
    limits: Limits | None
    task: SearchTask
    until: float | None
    share: float | None
    watched: tuple[str, Limits | None] | None = None


def run_search(
    target: Loaded,
    tasks: Iterable[SearchTask],
    on_done: Callable[[Tally], None],
    *,
    seconds: float | None,
    jobs: int,
    cluster: str | None,
    old: Loaded | None = None,
) -> Gathered[Tally]:
    """Run the tasks up to the first violation, while there is time; tallies go to `on_done`.

    With an `old` version a violation is a play that the target runs and the old version does not.
    """
    until = None if seconds is None else time() + seconds
    share = None if seconds is None else seconds * LARGEST_SHARE
    left = takewhile(lambda task: until is None or time() < until, tasks)
    watched = None if old is None else (old.spec, old.limits)
    todo = (Job(target.spec, target.limits, task, until, share, watched) for task in left)
    portable = target.portable and (old is None or old.portable)
    alone = not portable or (jobs == 1 and cluster is None)
    other = None if old is None else old.target
    return run_tasks(
        (lambda job: run_here(job, target.target, other)) if alone else run_elsewhere,
        todo,
        jobs=1 if alone else jobs,
        cluster=None if alone else cluster,
        on_done=lambda number, tally: on_done(tally),
        stop_when=lambda tally: tally.violation is not None or tally.hopeless,
        keep=False,
    )


def run_here(job: Job, target: Target, old: Target | None = None) -> Tally:
    """Run one task against a target that is at hand."""
    left = None if job.until is None else max(0.0, job.until - time())
    whole = job.share is None or bool(job.task.cases)  # what is given is tried to its end
    share = job.task.seconds or (None if whole else job.share)
    seconds = left if left is None or share is None else min(left, share)
    return run_task(job.task, target, seconds, old)


def run_task(
    task: SearchTask, target: Target, seconds: float | None = None, old: Target | None = None
) -> Tally:
    """Run one task; without a time limit the tally depends on the task and the targets alone."""
    if seconds is not None and seconds <= 0:
        return Tally(task.number, task.source)
    for one in (target, old):
        if isinstance(one, RemoteTarget):
            one.refresh()
    if old is not None:
        return run_watched(task, compare_code(old, target), seconds)
    take_reached(target)
    loop = Loop(target, task.plays, seconds, exact=task.exact)
    tally = loop.run(SOURCES[task.source](task, target), task.number, task.source)
    return replace(tally, reached=take_reached(target))


def take_reached(target: Target) -> int:
    """Return which marks in a target's code were set since the last time; 0 where it has none."""
    return target.take_reached() if isinstance(target, RemoteTarget) else 0


def compare_code(old: Target, new: Target) -> Versions:
    """Tell each of two versions which lines of its code the other one does not have."""
    if isinstance(old, RemoteTarget) and isinstance(new, RemoteTarget):
        old.own, new.own = with_changes(old.own, new.own), with_changes(new.own, old.own)
    return old, new


def run_watched(task: SearchTask, versions: Versions, seconds: float | None) -> Tally:
    """Run one task for one of two versions, most tasks for the new one; the other is compared."""
    made_for = OLD if task.number % FOR_OLD == FOR_OLD - 1 else NEW
    target = versions[made_for]
    until = None if seconds is None else monotonic() + seconds
    watch = Comparer(versions, made_for, until, exact=task.exact)
    take_reached(versions[NEW])
    loop = Loop(target, task.plays, seconds, exact=task.exact, watch=watch)
    tally = loop.run(SOURCES[task.source](task, target), task.number, task.source)
    return replace(tally, reached=take_reached(versions[NEW]))


def run_elsewhere(job: Job) -> Tally:
    """Run one task in a worker, which opens the targets by name, once for all its tasks."""
    try:
        old = None if job.watched is None else _target(*job.watched)
        return run_here(job, _target(job.spec, job.limits), old)
    except (ProtocolError, TargetError) as error:  # the target's fault, wherever it is asked
        task = job.task
        return Tally(task.number, task.source, error=str(error), hopeless=True)


@lru_cache(maxsize=8)
def _target(spec: str, limits: Limits | None) -> Target:
    return connect(spec, limits or Limits()).target
