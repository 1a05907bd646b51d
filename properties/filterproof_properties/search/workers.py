"""A campaign's tasks, here or on other processes and machines.

With one job the tasks run in this process.  Elsewhere a worker loads the target again by its
name; one that is not ours is guarded there too, and a worker whose target does not answer in time
ends itself, so that the task counts as lost and the target is reported, never passed.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import sleep, time

from filterproof_properties.processes.pool import Run, run_tasks
from filterproof_properties.search.tasks import Task, TaskResult, run_task
from filterproof_properties.targets import loading as targets
from filterproof_properties.targets.guard import Watch, guard
from filterproof_properties.targets.target import COMMAND, Loaded, Target

CALL_SECONDS = 10.0
"""How long a target that is not ours may take for one answer in a worker."""


@dataclass(frozen=True)
class Job:
    """A task, the name of its target, and when (in seconds since the epoch) to stop."""

    spec: str
    task: Task
    until: float | None


def run_campaign(
    target: Loaded,
    tasks: list[Task],
    on_done: Callable[[TaskResult], None],
    *,
    seconds: float | None,
    jobs: int,
    cluster: str | None,
) -> Run[TaskResult]:
    """Run the tasks up to the first violation or error; results come back in task order."""
    until = None if seconds is None else time() + seconds
    todo = [Job(target.spec, task, until) for task in tasks]
    alone = target.spec.startswith(COMMAND) or (jobs == 1 and cluster is None)
    return run_tasks(
        (lambda job: run_here(job, target.target)) if alone else run_elsewhere,
        todo,
        jobs=1 if alone else jobs,
        cluster=None if alone else cluster,
        on_done=lambda number, result: on_done(result),
        stop_when=lambda result: result.violation is not None or bool(result.error),
    )


def run_here(job: Job, target: Target) -> TaskResult:
    """Run one task against a target that is at hand."""
    left = None if job.until is None else max(0.0, job.until - time())
    return run_task(job.task, target, left)


def run_elsewhere(job: Job) -> TaskResult:
    """Run one task in a worker, which loads the target by its name."""
    return run_here(job, _target(job.spec))


@lru_cache(maxsize=8)
def _target(spec: str) -> Target:
    loaded = targets.load(spec)
    if targets.is_trusted(spec):
        return loaded.target
    watch = Watch()
    threading.Thread(target=_end_if_stuck, args=(watch,), daemon=True).start()
    return guard(loaded, watch).target


def _end_if_stuck(watch: Watch) -> None:
    while watch.busy < CALL_SECONDS:
        sleep(0.5)
    os._exit(70)
