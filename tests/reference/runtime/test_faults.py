"""A release under a failure at each of its system calls, and after a loss of what was not synced.

`faults.c` stands between the store and the C library, so these are the real calls of Python and of
SQLite.  The controls: a filter that reserves in memory only, and a disk that ignores syncs.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from filterproof.runtime import StoreError
from tests.needs import needs_gcc
from tests.reference.runtime.budgets import KINDS, guarded, place
from tests.reference.runtime.server import MEMORY

HERE = Path(__file__).parent
pytestmark = needs_gcc
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shim") / "faults.so"
    files = ["-o", str(made), str(HERE / "faults.c"), "-ldl"]
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", *files], check=True)
    return made


def injected(shim: Path, kind: str, folder: Path, *more: str) -> dict[str, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.reference.runtime.faults", kind, str(folder), *more],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        cwd=HERE.parents[2],
        check=True,
        capture_output=True,
        timeout=120,
    )
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def quick() -> Iterator[Path]:
    """A folder in memory, where a sync costs nothing."""
    with TemporaryDirectory(prefix="filterproof-faults-", dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture(scope="module", params=KINDS)
def tried(
    request: pytest.FixtureRequest, shim: Path, quick: Path
) -> tuple[str, Path, dict[str, list[dict[str, Any]]]]:
    folder = quick / request.param
    folder.mkdir()
    return request.param, folder, injected(shim, request.param, folder)


def regained(one: dict[str, Any]) -> bool:
    """Whether more was drawn than is charged; one round was before."""
    return bool(one["rounds"] < 1 + one["letters"].count("d"))


@pytest.mark.parametrize("way", ["fails", "kills before", "kills after"])
def test_no_failing_call_gives_budget_back(tried: Any, way: str) -> None:
    _, _, results = tried
    assert len(results[way]) > 15
    assert not [one for one in results[way] if regained(one)]


def test_every_failing_call_is_a_store_error_and_the_filter_goes_on(tried: Any) -> None:
    """Letters: d a draw, r a release, e a StoreError, o another error."""
    _, _, results = tried
    seen = {one["letters"] for one in results["fails"][:-1]}
    assert seen <= {"edr", "dedr", "drdr"}
    assert {"edr", "dedr"} <= seen


def test_nothing_is_drawn_before_the_reservation_is_stored(tried: Any) -> None:
    _, _, results = tried
    killed = results["kills before"][:-1]
    assert {(one["letters"], one["rounds"]) for one in killed} == {("", 1), ("", 2), ("d", 2)}


@kinds
def test_a_reservation_in_memory_only_is_caught(kind: str, shim: Path, quick: Path) -> None:
    folder = quick / f"{kind}-unsaved"
    folder.mkdir()
    results = injected(shim, kind, folder, "unsaved")
    assert any(regained(one) for one in results["kills before"])


# --- what was not synced is lost -----------------------------------------------------------------


class Disk:
    """Files as the system shows them, and as they are on the disk: changed by a line of the log."""

    def __init__(self, honest: bool = True) -> None:
        self.honest = honest
        self.names: dict[str, int] = {}
        self.data: dict[int, bytes] = {}
        self.lasting_names: dict[str, int] = {}
        self.lasting_data: dict[int, bytes] = {}
        self.files: dict[str, int] = {}  # the system's number of a file, which it may use again

    def apply(self, line: str) -> None:
        what, *rest = line.split(" ")
        getattr(self, f"_{what}")(*rest)

    def _open(self, number: str, how: str, path: str) -> None:
        if how == "new":
            made = len(self.data)
            self.files[number], self.names[path], self.data[made] = made, made, b""

    def _write(self, number: str, at: str, data: str) -> None:
        file, new = self.files[number], bytes.fromhex(data)
        old = self.data[file].ljust(int(at), b"\0")
        self.data[file] = old[: int(at)] + new + old[int(at) + len(new) :]

    def _cut(self, number: str, size: str) -> None:
        file = self.files[number]
        self.data[file] = self.data[file][: int(size)].ljust(int(size), b"\0")

    def _sync(self, number: str, _: str) -> None:
        if number not in self.files:
            self.lasting_names = dict(self.names)  # the folder
        elif self.honest:
            self.lasting_data[self.files[number]] = self.data[self.files[number]]

    def _move(self, before: str, after: str) -> None:
        self.names[after] = self.names.pop(before)

    def _drop(self, path: str) -> None:
        self.names.pop(path)

    def after_power_cut(self) -> Iterator[dict[str, bytes]]:
        """What may be found: of names and of data, all that was done or only what was synced."""
        for names in (self.names, self.lasting_names):
            for data in (self.data, self.lasting_data):
                yield {name: data.get(file, b"") for name, file in names.items()}


class Found(NamedTuple):
    """How many states of the disk were tried, were refused, and gave budget back."""

    tried: int
    refused: int
    regained: int


def power_cuts(kind: str, log: Path, folder: Path, honest: bool = True) -> Found:
    """Cut the power after every line of the log and open what is left."""
    disk, drawn, counts = Disk(honest), 0, [0, 0, 0]
    seen: dict[tuple[Any, ...], int | None] = {}
    for line in log.read_text().splitlines():
        if line.startswith("mark"):
            drawn += line == "mark draw"
        else:
            disk.apply(line)
        for files in disk.after_power_cut():
            key = tuple(sorted(files.items()))
            if key not in seen:
                seen[key] = reopened(kind, files, folder / str(len(seen)))
            rounds = seen[key]
            counts[0] += 1
            counts[1] += rounds is None and drawn > 0
            counts[2] += rounds is not None and rounds < drawn
    return Found(*counts)


def reopened(kind: str, files: dict[str, bytes], folder: Path) -> int | None:
    """Return how many rounds a store made of these files knows of; None if it is refused."""
    folder.mkdir()
    for name, data in files.items():
        if not name.endswith("-shm"):  # memory, not a file
            (folder / Path(name).name).write_bytes(data)
    try:
        guard = guarded(place(kind, folder), create=True)
    except StoreError:
        return None
    found = guard.rounds
    guard.close()
    return found


def test_after_a_power_cut_nothing_that_was_drawn_is_forgotten(tried: Any) -> None:
    kind, folder, _ = tried
    (folder / "honest").mkdir()
    found = power_cuts(kind, folder / "log", folder / "honest")
    assert found.tried > 200
    assert (found.regained, found.refused) == (0, 0)


def test_if_syncs_were_left_out_a_power_cut_would_give_budget_back(tried: Any) -> None:
    kind, folder, _ = tried
    (folder / "lying").mkdir()
    assert power_cuts(kind, folder / "log", folder / "lying", honest=False).regained > 0
