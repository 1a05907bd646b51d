"""An audit on a real Dask cluster, of processes that are killed in the middle of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TARGET = """
from pathlib import Path
from filterproof.filters.additive import Additive

class Busy(Additive):
    def decide(self, state, step):
        if "1000" in str(self.epsilon):
            Path(__file__).with_name("mark").touch()
        return super().decide(state, step)
"""
"""Leaves a mark in the fifth task, which is handed out when one of the first four is back."""
OPTIONS = ["--json", "--sandbox", "off"]
DASK = [sys.executable, "-m", "distributed.cli.dask_"]


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """Start a scheduler and two workers; yield its address and the three processes."""
    where = folder / "scheduler.json"
    started = [run(folder, "scheduler", "--port", "0", "--scheduler-file", str(where))]
    try:
        wait_for(where)
        for _ in range(2):
            words = ["--scheduler-file", str(where), "--nthreads", "1", "--no-nanny"]
            started.append(run(folder, "worker", *words))
        yield json.loads(where.read_text())["address"], started
    finally:
        for one in started:
            one.kill()
            one.wait()


def run(folder: Path, kind: str, *words: str) -> "subprocess.Popen[bytes]":
    more = ["--no-dashboard", "--host", "127.0.0.1"]
    with (folder / f"{kind}.log").open("ab") as log:
        return subprocess.Popen(
            [*DASK[:2], DASK[2] + kind, *words, *more],
            stderr=log,
            cwd=folder,
        )


def wait_for(path: Path) -> None:
    for _ in range(1200):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited 60 s for {path}")


@pytest.mark.parametrize(
    ("lost", "why"),
    [(slice(1), "the scheduler is gone"), (slice(1, None), "the cluster has had no worker")],
    ids=["the scheduler", "all workers"],
)
def test_an_audit_whose_cluster_is_killed_ends_with_what_it_has(
    lost: slice, why: str, tmp_path: Path
) -> None:
    (tmp_path / "target.py").write_text(TARGET)
    words = ["audit", f"{tmp_path}/target.py:Busy", "--seconds", "600", *OPTIONS]
    with cluster(tmp_path) as (address, started):
        audit = subprocess.Popen(
            [sys.executable, "-m", "filterproof_properties.cli.main", *words, "--cluster", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        wait_for(tmp_path / "mark")
        for one in started[lost]:
            os.kill(one.pid, signal.SIGKILL)
        out, _ = audit.communicate(timeout=120)
    result = json.loads(out)["results"][0]
    assert (audit.returncode, result["verdict"]) == (3, "inconclusive")
    assert why in result["error"]
    assert result["tried"] > 0
