"""The stints of a search, here or on other processes and machines.

With one job they run in this process.  Elsewhere a worker loads the target again by its
name; one that is not ours is guarded there too, and a worker whose target does not answer in time
ends itself, so that the stint counts as lost and the target is reported, never passed.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import sleep, time

from filterproof_properties.processes.pool import Run, run_tasks
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import Stint
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.targets import loading as targets
from filterproof_properties.targets.guard import Watch, guard
from filterproof_properties.targets.target import COMMAND, Loaded, Target

LARGEST_SHARE = 0.1
"""No stint takes more than this share of the time."""
CALL_SECONDS = 10.0
"""How long a target that is not ours may take for one answer in a worker."""


@dataclass(frozen=True)
class Job:
    """A stint, the name of its target, and when (in seconds since the epoch) to stop.

    `share` is how many seconds one stint may take.
    """

    spec: str
    stint: Stint
    until: float | None
    share: float | None


def run_search(
    target: Loaded,
    stints: list[Stint],
    on_done: Callable[[Tally], None],
    *,
    seconds: float | None,
    jobs: int,
    cluster: str | None,
) -> Run[Tally]:
    """Run the stints up to the first violation; tallies come back in the order of the stints."""
    until = None if seconds is None else time() + seconds
    share = None if seconds is None else seconds * LARGEST_SHARE
    todo = [Job(target.spec, stint, until, share) for stint in stints]
    alone = target.spec.startswith(COMMAND) or (jobs == 1 and cluster is None)
    return run_tasks(
        (lambda job: run_here(job, target.target)) if alone else run_elsewhere,
        todo,
        jobs=1 if alone else jobs,
        cluster=None if alone else cluster,
        on_done=lambda number, tally: on_done(tally),
        stop_when=lambda tally: tally.violation is not None or tally.hopeless,
    )


def run_here(job: Job, target: Target) -> Tally:
    """Run one stint against a target that is at hand."""
    left = None if job.until is None else max(0.0, job.until - time())
    return run_stint(job.stint, target, left if job.share is None else min(left or 0.0, job.share))


def run_stint(stint: Stint, target: Target, seconds: float | None = None) -> Tally:
    """Run one stint; without a time limit the tally depends on the stint and the target alone."""
    if seconds is not None and seconds <= 0:
        return Tally(stint.number, stint.source)
    loop = Loop(target, stint.plays, seconds)
    return loop.run(SOURCES[stint.source](stint, target), stint.number, stint.source)


def run_elsewhere(job: Job) -> Tally:
    """Run one stint in a worker, which loads the target by its name."""
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
