"""A release under an injected failure at each of its system calls; run with `faults.c` loaded.

`python -m tests.reference.runtime.faults KIND FOLDER [unsaved]` prints one JSON object: what
happened for every call and every way to fail; the log of three undisturbed releases is left in the
folder.
"""

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from filterproof.runtime import CompensatorFilter, StoreError
from tests.reference.runtime.budgets import ask_again, guarded, place

COUNT, FAIL, KILL_BEFORE, KILL_AFTER = range(4)
WAYS = {"fails": FAIL, "kills before": KILL_BEFORE, "kills after": KILL_AFTER}
shim: Any = ctypes.CDLL(None)


def armed_release(where: str, folder: Path, n: int, way: int, say: int) -> None:
    """Release once with the n-th call chosen, in a process of its own; leave letters behind."""
    guard = guarded(where)

    def draw() -> int:
        os.write(say, b"d")
        return 0

    shim.fault_arm(str(folder).encode(), n, way)
    try:
        ask_again(guard, draw)
        os.write(say, b"r")
    except (StoreError, OSError) as error:
        os.write(say, b"e" if isinstance(error, StoreError) else b"o")
    if shim.fault_count() < n:
        os.write(say, b"u")  # undisturbed: there are fewer calls than n
        os._exit(0)
    try:
        ask_again(guard, draw)
        os.write(say, b"r")
    except StoreError:
        os.write(say, b"e")
    os._exit(0)


def outcome(kind: str, origin: Path, folder: Path, n: int, way: int) -> dict[str, Any]:
    """Try one failure on a copy of the store, and look at what is left of the budget."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(origin, folder)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        armed_release(place(kind, folder), folder, n, way, writer)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        letters = pipe.read()
    after = guarded(place(kind, folder))
    found = {"n": n, "letters": letters, "rounds": after.rounds, "spent": after.spent}
    after.close()
    return found


def every_call(kind: str, origin: Path, folder: Path, way: int) -> list[dict[str, Any]]:
    """Try n = 1, 2, ... until a release has fewer calls than that."""
    found: list[dict[str, Any]] = []
    while not found or "u" not in found[-1]["letters"]:
        found.append(outcome(kind, origin, folder, len(found) + 1, way))
    return found


def written_down(kind: str, folder: Path, log: Path) -> None:
    """Open a store and release three times, with every change of a file in the log."""
    folder.mkdir()
    shim.fault_log(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
    shim.fault_arm(str(folder).encode(), 0, COUNT)
    guard = guarded(place(kind, folder), create=True)
    for output in (0, 1, 0):
        ask_again(guard, lambda: shim.fault_mark(b"draw") * 0 + output)  # noqa: B023
        shim.fault_mark(f"released {guard.spent.hex()}".encode())
    shim.fault_log(-1)
    shim.fault_count()


def unsaved(guard: Any, kind: str, *facts: Any) -> None:
    """The control: a filter that keeps a reservation in memory only."""
    if kind == "reserve":
        guard._rounds, guard._account = facts[:2]
    else:
        commit(guard, kind, *facts)


commit = CompensatorFilter._commit


def main(kind: str, base: Path, broken: bool) -> None:
    origin = base / "origin"
    origin.mkdir()
    guard = guarded(place(kind, origin), create=True)
    ask_again(guard)
    guard.close()
    ways = dict(WAYS)
    if broken:
        CompensatorFilter._commit = unsaved  # type: ignore[method-assign, assignment]
        ways = {"kills before": KILL_BEFORE}
    results = {name: every_call(kind, origin, base / "copy", way) for name, way in ways.items()}
    written_down(kind, base / "logged", base / "log")
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), broken="unsaved" in sys.argv)
