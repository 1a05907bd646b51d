"""Tasks on many workers: the results of one worker, whoever dies on the way."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from filterproof_properties.processes import cluster as machines
from filterproof_properties.processes import isolated, pool
from filterproof_properties.processes.pool import run_tasks
from filterproof_properties.processes.tasks import (
    MOST_LOSSES,
    Board,
    ClusterError,
    Gathered,
    WorkerLost,
)

TASKS = """
import os, signal, time
from pathlib import Path

def square(task):
    number, folder = task
    (Path(folder) / f"{number}-{os.getpid()}").touch()
    time.sleep(0.03)
    return number * number

def fall(task):
    number, folder = task
    if number == 3 and not list(Path(folder).glob("3-*")):
        square(task)
        os.kill(os.getpid(), signal.SIGKILL)
    return square(task)

def always_fall(task):
    os.kill(os.getpid(), signal.SIGKILL)

def complain(task):
    if task[0] in (2, 5):
        raise ValueError(f"no task {task[0]}")
    return square(task)

def stop_once(task):
    number, folder = task
    if number == 3 and not list(Path(folder).glob("3-*")):
        square(task)
        os.kill(os.getpid(), signal.SIGSTOP)
    return square(task)

def slow(task):
    time.sleep(6)
    return square(task)

def lambda_maker(task):
    return lambda: None
"""


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module that fresh processes can import."""
    (tmp_path / "task_functions.py").write_text(TASKS)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "task_functions", raising=False)
    import task_functions  # type: ignore[import-not-found]

    return task_functions


def numbered(count: int, folder: Path) -> list[tuple[int, str]]:
    marks = folder / "marks"
    marks.mkdir(exist_ok=True)
    return [(n, str(marks)) for n in range(count)]


def workers_used(folder: Path) -> set[str]:
    return {mark.name.split("-")[1] for mark in (folder / "marks").iterdir()}


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_results_are_the_same_whatever_the_number_of_jobs(
    jobs: int, tasks: Any, tmp_path: Path
) -> None:
    run = run_tasks(tasks.square, numbered(8, tmp_path), jobs=jobs)
    assert run == Gathered(tuple(range(8)), tuple(n * n for n in range(8)), False)


def test_a_partial_function_leaves_its_worker_the_standard_library() -> None:
    run = run_tasks(partial(Fraction, denominator=7), [3, 4], jobs=2)  # a partial is of functools
    assert run.results == (Fraction(3, 7), Fraction(4, 7))


def test_several_processes_share_the_work(tasks: Any, tmp_path: Path) -> None:
    run_tasks(tasks.square, numbered(30, tmp_path), jobs=2)
    assert len(workers_used(tmp_path)) == 2


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_after_the_first_that_says_stop_do_not_count(
    jobs: int, tasks: Any, tmp_path: Path
) -> None:
    run = run_tasks(tasks.square, numbered(9, tmp_path), jobs=jobs, stop_when=lambda r: r >= 16)
    assert run.results == (0, 1, 4, 9, 16)


def test_a_worker_that_dies_gives_its_task_back(tasks: Any, tmp_path: Path) -> None:
    run = run_tasks(tasks.fall, numbered(6, tmp_path), jobs=2)
    assert run.results == (0, 1, 4, 9, 16, 25)
    assert len(list((tmp_path / "marks").glob("3-*"))) == 2


def test_a_worker_that_is_stopped_is_replaced(
    tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "ALONE_SECONDS", 3)
    run = run_tasks(tasks.stop_once, numbered(6, tmp_path), jobs=2)
    assert run.results == (0, 1, 4, 9, 16, 25)
    stopped = [int(mark.name.split("-")[1]) for mark in (tmp_path / "marks").glob("3-*")]
    assert len(stopped) == 2
    assert not any(Path(f"/proc/{one}").exists() for one in stopped)


def test_a_worker_that_is_slow_is_not_taken_for_a_stopped_one(
    tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "ALONE_SECONDS", 3)
    run = run_tasks(tasks.slow, numbered(2, tmp_path), jobs=2)
    assert len(run.results) == len(list((tmp_path / "marks").iterdir())) == 2


def test_a_task_that_kills_every_worker_is_named(tasks: Any, tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match="task 0"):
        run_tasks(tasks.always_fall, numbered(2, tmp_path), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_failure_is_raised_as_it_was(jobs: int, tasks: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no task 2"):
        run_tasks(tasks.complain, numbered(8, tmp_path), jobs=jobs)


def test_a_result_that_cannot_travel_is_an_error(tasks: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="cannot send"):
        run_tasks(tasks.lambda_maker, numbered(2, tmp_path), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_hands_over_what_is_done(jobs: int, tasks: Any, tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt(number: int, result: int) -> None:
        seen.append(number)
        if len(seen) == 4:
            raise KeyboardInterrupt

    run = run_tasks(tasks.square, numbered(20, tmp_path), jobs=jobs, on_done=interrupt)
    assert run.interrupted
    assert run.numbers == tuple(sorted(seen))
    assert run.results == tuple(n * n for n in sorted(seen))


def test_progress_is_reported_as_results_arrive(tasks: Any, tmp_path: Path) -> None:
    seen: dict[int, int] = {}
    run_tasks(tasks.square, numbered(5, tmp_path), jobs=2, on_done=seen.__setitem__)
    assert seen == {n: n * n for n in range(5)}


def test_the_number_of_jobs_must_be_positive() -> None:
    with pytest.raises(ValueError, match="need jobs >= 1; got 0"):
        run_tasks(abs, [1], jobs=0)


# --- a real Dask cluster ----------------------------------------------------------------------


@pytest.fixture
def cluster(tasks: Any) -> Any:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local:
        yield local


def kill_one_worker_soon(folder: Path) -> None:
    """Kill the first process that shows up, while it is at work."""
    while not (marks := list((folder / "marks").glob("*-*"))):
        time.sleep(0.01)
    os.kill(int(marks[0].name.split("-")[1]), signal.SIGKILL)


def test_a_cluster_gives_the_same_results_although_a_worker_is_killed(
    cluster: Any, tasks: Any, tmp_path: Path
) -> None:
    work = numbered(60, tmp_path)
    killer = threading.Thread(target=kill_one_worker_soon, args=(tmp_path,))
    killer.start()
    run = run_tasks(tasks.square, work, cluster=cluster.scheduler_address)
    killer.join()
    assert run == run_tasks(tasks.square, work)
    assert len(workers_used(tmp_path) - {str(os.getpid())}) >= 2
    stopped = run_tasks(
        tasks.square, work, cluster=cluster.scheduler_address, stop_when=lambda r: r >= 100
    )
    assert stopped.results == tuple(n * n for n in range(11))
    with pytest.raises(ValueError, match="no task 2"):
        run_tasks(tasks.complain, work, cluster=cluster.scheduler_address)


def test_a_worker_of_a_cluster_that_is_stopped_holds_nobody(
    cluster: Any, tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "ALONE_SECONDS", 4)
    run = run_tasks(tasks.stop_once, numbered(12, tmp_path), cluster=cluster.scheduler_address)
    assert run.results == tuple(n * n for n in range(12))
    for mark in (tmp_path / "marks").glob("3-*"):
        os.kill(int(mark.name.split("-")[1]), signal.SIGCONT)


def test_a_worker_of_a_cluster_that_runs_another_filterproof_is_refused(
    cluster: Any, tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "identity", lambda: "filterproof 9 (other) on CPython 3")
    with pytest.raises(ClusterError, match=r"runs filterproof .* on CPython .*, not filterproof 9"):
        run_tasks(tasks.square, numbered(4, tmp_path), cluster=cluster.scheduler_address)
    assert not (tmp_path / "marks" / "0").exists()


def test_what_runs_here_is_named_by_version_python_and_sources(tmp_path: Path) -> None:
    known = machines.identity()
    machines.identity.cache_clear()
    assert machines.identity() == known
    changed = tmp_path / "filterproof"
    changed.mkdir()
    (changed / "new.py").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "ROOTS", [*isolated.ROOTS, str(tmp_path)])
        machines.identity.cache_clear()
        assert machines.identity() != known
    machines.identity.cache_clear()


def test_a_cluster_that_is_not_there_is_an_error_that_says_where(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machines, "CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match=r"tcp://127\.0\.0\.1:9"):
        run_tasks(abs, [1], cluster="tcp://127.0.0.1:9")


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_a_scheduler_that_goes_away_is_an_error_of_the_cluster(status: str) -> None:
    with (
        pytest.raises(ClusterError, match="the scheduler is gone"),
        machines.lost_with_the_scheduler(),
    ):
        machines._failure_of(SimpleNamespace(status=status))
    failed = SimpleNamespace(status="error", exception=lambda timeout: KeyError(3))
    assert "gave up" in str(machines._failure_of(failed).error)


def test_a_missing_dask_is_an_error_that_names_the_extra() -> None:
    code = textwrap.dedent("""
        import sys
        sys.modules["distributed"] = None
        from filterproof_properties.processes.pool import run_tasks
        from filterproof_properties.processes.tasks import ClusterError
        try:
            run_tasks(abs, [1], cluster="tcp://127.0.0.1:1")
        except ClusterError as error:
            print(error)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "extra 'cluster'" in done.stdout


def test_more_deaths_than_allowed_are_counted_per_task() -> None:
    board = Board(iter([0, 1]), lambda result: False, lambda n, result: None, True)
    for _ in range(MOST_LOSSES - 1):
        number = board.take()
        assert number == 0
        board.lost(number)
    assert board.take() == 0
    board.lost(0)
    assert board.limit == 1
    assert board.take() is None  # what does not count is not even begun


def test_what_was_done_beyond_the_result_that_stops_does_not_count() -> None:
    board = Board(iter([0, 1, 2]), lambda result: result == "stop", lambda n, result: None, True)
    board.put(1, "early")
    board.put(0, "stop")
    assert board.run(interrupted=False).numbers == (0,)


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_are_taken_as_they_are_needed_and_results_need_not_be_kept(
    tasks: Any, jobs: int, tmp_path: Path
) -> None:
    taken, seen = count(), list[int]()
    endless = ((number, str(tmp_path)) for number in taken)
    run = run_tasks(
        tasks.square,
        endless,
        jobs=jobs,
        on_done=lambda number, result: seen.append(result),
        stop_when=lambda result: result >= 16,
        keep=False,
    )
    assert (run.results, run.numbers) == ((), ())
    assert {0, 1, 4, 9, 16} <= {*seen}
    assert next(taken) <= 5 + jobs
