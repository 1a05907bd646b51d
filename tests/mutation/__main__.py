"""`python -m tests.mutation ROOM [COUNT [SEED]]`: change the code of a room, run its fast tests.

One operator, constant, comparison or condition is changed at a time, in a copy of the project, and
the room's fast tests are run there.  A mutant that they pass has survived: a test is missing, or
the change makes no difference; docs/MUTANTS.md says which.  With COUNT so many are drawn at random.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from filterproof_proofs.symbolic.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
PARTS = (
    "reference",
    "proofs/filterproof_proofs",
    "properties",
    "tests",
    "docs",
    "pyproject.toml",
    "examples",
)
SECONDS = 600
"""A mutant whose tests take longer than this is noticed: it hangs."""
P, T = "properties/filterproof_properties", "tests/properties"
R = "reference/filterproof/runtime"


@dataclass(frozen=True)
class Room:
    """Where the code is, and the tests that notice most in the least time."""

    code: str
    tests: tuple[str, ...]


ROOMS = {
    "processes": Room(
        f"{P}/processes",
        (f"{T}/processes/test_child.py", f"{T}/processes/test_pool.py", "-k", "not cluster"),
    ),
    "targets": Room(
        f"{P}/targets",
        (
            "tests/fuzz",
            f"{T}/targets/test_program.py",
            f"{T}/targets/test_hostile.py::test_a_target_that_breaks_the_protocol_fails_also_"
            "without_a_sandbox",
        ),
    ),
    "runtime": Room(
        R,
        (
            *(f"tests/reference/runtime/test_{one}.py" for one in ("rounding", "misuse", "store")),
            *(f"tests/reference/runtime/test_{one}.py" for one in ("filter", "ledger", "plan")),
            "-k",
            "not (manual or largest or average or printed or linearly or hash_seed)",
        ),
    ),
}


def all_mutants(room: Room) -> Iterator[tuple[Path, Mutant]]:
    """Yield every mutant of every file of a room."""
    for path in sorted((ROOT / room.code).rglob("*.py")):
        for one in mutants(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT), one


def copied(folder: Path) -> Path:
    """Copy the project, so that nobody else runs the mutants."""
    for part in PARTS:
        source, place = ROOT / part, folder / part
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__", "blind"))
        else:
            shutil.copy(source, place)
    return folder


def passes(room: Room, folder: Path) -> bool:
    """Whether the room's tests pass in a copy."""
    path = [str(folder), *(str(folder / one) for one in ("reference", "proofs", "properties"))]
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *room.tests]
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survivors(name: str, count: int | None, seed: int) -> Iterator[str]:
    """Yield a line for every mutant that was tried, and how many survived."""
    room, lived = ROOMS[name], 0
    every = list(all_mutants(room))
    chosen = every if count is None else Random(seed).sample(every, min(count, len(every)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(Path(temporary))
        assert passes(room, folder), "the tests of the unchanged room must pass"
        for path, one in chosen:
            place = folder / path
            before = place.read_text(encoding="utf-8")
            place.write_text(ast.unparse(one.tree), encoding="utf-8")
            alive = passes(room, folder)
            place.write_text(before, encoding="utf-8")
            lived += alive
            where = f"{path.relative_to(room.code)}:{one.line}"
            said = "SURVIVED" if alive else "killed"
            yield f"{said} {where} {one.owner}: {_short(one.before)} -> {_short(one.after)}"
    yield f"{name}: {len(chosen)} of {len(every)} mutants tried, {lived} survived"


def _short(text: str) -> str:
    return " ".join(text.split())[:90]


def main(room: str, count: str = "", seed: str = "0") -> None:
    """Print the fate of a room's mutants as it becomes known."""
    for line in survivors(room, int(count) if count else None, int(seed)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
