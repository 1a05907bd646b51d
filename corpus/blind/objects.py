"""Measures the search on a blind set of budget classes, for the sets' own commands.

Every line is what `filterproof audit` says of a class, on one core, with the words of its entry.
"""

import importlib
import json
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from time import monotonic
from typing import Any

from corpus.blind.fifth.base import Case

VERDICTS = {0: "holds", 1: "VIOLATED", 2: "not asked"}
MAIN = "import sys; from filterproof_properties.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Row:
    """What an audit said, and what it took."""

    case: Case
    verdict: str
    seconds: float
    plays: int
    said: str

    @property
    def right(self) -> bool:
        return self.verdict == ("VIOLATED" if self.case.wrong else "holds")

    def text(self) -> str:
        kind = "wrong" if self.case.wrong else "sound"
        name = f"{self.case.theme}.{self.case.name}"
        line = f"{name:28} {kind:6} {self.verdict:10} {self.seconds:6.1f} s {self.plays:6} plays"
        return line if self.verdict in ("holds", "VIOLATED") else f"{line}  {self.said}"


def audit(case: Case, seconds: float) -> Row:
    """Audit one class by the command line."""
    path = importlib.import_module(case.made.__module__).__file__
    words = [*shlex.split(case.words), "--seconds", str(seconds), "--no-memory", "--json"]
    begun = monotonic()
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "audit", f"{path}:{case.name}", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = VERDICTS.get(done.returncode, f"exit {done.returncode}")
    told: dict[str, Any] = {"tried": 0, "note": ""}
    if done.stdout:
        (told,) = json.loads(done.stdout)["results"]
    said = " ".join((told["note"] + done.stderr).split())[-300:]
    return Row(case, verdict, monotonic() - begun, told["tried"], said)


def summary(rows: list[Row]) -> str:
    """What was found, what was accused, how long it took and what was missed."""
    wrong = [row for row in rows if row.case.wrong]
    sound = [row for row in rows if not row.case.wrong]
    found = [row for row in wrong if row.right]
    accused = [row.case.name for row in sound if row.verdict == "VIOLATED"]
    refused = [row.case.name for row in sound if row.verdict not in ("holds", "VIOLATED")]
    middle = "-"
    if found:
        plays = median(row.plays for row in found)
        middle = f"{median(row.seconds for row in found):.1f} s and {plays:.0f} plays"
    return "\n".join(
        [
            f"found {len(found)} of {len(wrong)} wrong; median {middle} to a certificate",
            f"accused {len(accused)} of {len(sound)} sound: {', '.join(accused) or '-'}",
            f"sound, no verdict: {', '.join(refused) or '-'}",
            f"missed: {', '.join(row.case.name for row in wrong if not row.right) or '-'}",
        ]
    )


def measure(cases: Sequence[Case]) -> int:
    """Audit each class, as many at a time as there are jobs, and write what came of it."""
    parser = ArgumentParser(description="The search, measured on classes it was not made for.")
    parser.add_argument("--seconds", type=float, default=30.0, help="per class")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda case: audit(case, options.seconds), cases):
            rows.append(row)
            sys.stdout.write(row.text() + "\n")
            sys.stdout.flush()
    sys.stdout.write(summary(rows) + "\n")
    return 0
