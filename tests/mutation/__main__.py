"""`python -m tests.mutation ROOM [COUNT [SECONDS]]`: change the code of a room, run its tests.

One operator, constant, comparison or condition is changed at a time, in a copy of the project, and
the tests that run the changed line are run there.  A mutant that they pass has survived: a test is
missing, or the change makes no difference; `survivors` has the reasons, and a survivor without one
makes this fail.  With COUNT so many are drawn at random; tests for one take SECONDS together.

`python -m tests.mutation` alone prints docs/internals/MUTANTS.md from what is known of all rooms.
What was found stays in build/mutants, until the code of the room changes: mutants that were killed
or are explained are not tried again, and tests are not measured again.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.mutation.lines import SITE
from tests.mutation.page import Found, page, row
from tests.mutation.rooms import ROOMS, ROOT
from tests.mutation.runner import all_mutants, fates, key, told

PARTS = (
    "reference",
    "proofs/filterproof_proofs",
    "properties",
    "tests",
    "docs",
    "pyproject.toml",
    "examples",
    "benchmarks",
)
KEPT = ROOT / "build" / "mutants"


def copied(folder: Path) -> Path:
    """Copy the project, so that nobody else runs the mutants."""
    for part in PARTS:
        source, place = ROOT / part, folder / part
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__", "blind"))
        else:
            shutil.copy(source, place)
    (folder / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    return folder


def kept(name: str) -> Path:
    """Return the folder for what is known of a room with just this code."""
    code = b"".join((ROOT / path).read_bytes() for path in ROOMS[name].files())
    folder = KEPT / f"{name}-{sha256(code).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def said(words: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what the runner says, line by line."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = copied(Path(temporary).resolve())
        path = [str(copy), *(str(copy / one) for one in ("reference", "proofs", "properties"))]
        with subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.runner", *words],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            stdout=subprocess.PIPE,
        ) as running:
            assert running.stdout is not None
            yield from (json.loads(line) for line in running.stdout if line.startswith(b"{"))


def run(room: str, count: str = "100000", seconds: str = "4") -> None:
    """Judge mutants of a room, and keep what came of each."""
    folder = kept(room)
    with (folder / "judged").open("a", encoding="utf-8") as file:
        for one in said([room, str(folder), count, seconds]):
            sys.stderr.write(json.dumps(one) + "\n")
            if "said" in one:
                file.write(json.dumps(one) + "\n")
                file.flush()


def known(room: str) -> Found:
    """Return what is known of a room as its code is now."""
    keys = {key(told(*one)) for one in all_mutants(ROOMS[room])}
    return Found(room, len(keys), [one for one in fates(kept(room)) if key(one) in keys])


def main(*words: str) -> int:
    """Judge mutants of a room, or print the page; 1 if a survivor is not explained."""
    if words:
        run(*words)
    found = [known(room) for room in words[:1] or ROOMS]
    sys.stdout.write(
        "".join(row(one) + "\n" for one in found[0].survivors) if words else page(found)
    )
    return 1 if any(one.unexplained for one in found) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
