"""`python -m benchmarks.peers PYTHON`: found, proved, falsely accused, seconds; writes PEERS.md.

PYTHON is an interpreter that has CrossHair; Hypothesis is our own.  Every tool gets the same files
and the same limit of time; CrossHair gets a function that says what the state machine says.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from benchmarks.peers.objects import EDITS, OBJECTS

SECONDS = 10
"""The limit of each tool for each object; a state machine ends by its own count of runs."""
GRACE = 60
FOUND, PROVED, NOTHING, FAILED = "found", "proved", "-", "failed"
PAGE = Path(__file__).parents[2] / "docs" / "internals" / "PEERS.md"
WITHIN = '''
from typing import List

def stays_within(total: float, costs: List[float]) -> bool:
    """
    pre: 0 < total <= 10 and len(costs) <= 8 and all(0 <= one <= 20 for one in costs)
    post: _
    """
    budget, granted = Budget(total), 0.0
    for one in costs:
        if budget.spend(one):
            granted += one
    return granted <= total + 1e-9
'''
GRANTS = '''
from typing import List

def grants(total: float, costs: List[float]) -> List[bool]:
    """
    pre: 0 < total <= 10 and len(costs) <= 8 and all(0 <= one <= 20 for one in costs)
    post: True
    """
    budget = Budget(total)
    return [budget.spend(one) for one in costs]
'''
WORDS = ["--open", "(epsilon)", "--spend", "spend(epsilon)"]


@dataclass(frozen=True)
class Outcome:
    """What a tool said of one object or edit, and how long it took."""

    said: str
    seconds: float


def run(words: list[str], folder: Path) -> tuple[int, str, float]:
    """Run a tool; return its exit code, what it said, and the seconds."""
    begun = monotonic()
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=SECONDS + GRACE, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, "", monotonic() - begun
    return done.returncode, done.stdout + done.stderr, monotonic() - begun


def ours(folder: Path, python: str, *, edit: bool) -> Outcome:
    """This tool: `diff`, or `audit` and, where nothing is found, `prove`."""
    command = [str(Path(sys.executable).with_name("filterproof"))]
    limit = ["--seconds", str(SECONDS)]
    if edit:
        words = [*command, "diff", "old.py:Budget", "budget.py:Budget", *WORDS, *limit]
        code, said, seconds = run(words, folder)
        return Outcome(
            FOUND if code == 1 else PROVED if "PROVED" in said else _nothing(code), seconds
        )
    words = [*command, "audit", "budget.py:Budget", *WORDS, *limit, "--no-memory"]
    code, _, seconds = run(words, folder)
    if _nothing(code) is FAILED:
        return Outcome(FOUND if code == 1 else FAILED, seconds)
    code, _, more = run([*command, "prove", "budget.py:Budget", *WORDS, *limit], folder)
    return Outcome(PROVED if code == 0 else NOTHING, seconds + more)


def hypothesis(folder: Path, python: str, *, edit: bool) -> Outcome:
    """A state machine of ten lines."""
    machine = str(Path(__file__).with_name("machine.py"))
    words = [sys.executable, machine, str(folder), *(["both"] if edit else [])]
    code, _, seconds = run(words, folder)
    return Outcome(FOUND if code == 1 else _nothing(code), seconds)


def crosshair(folder: Path, python: str, *, edit: bool) -> Outcome:
    """A contract, or the comparison of two functions."""
    limit = ["--per_condition_timeout", str(SECONDS)]
    command = [python, "-m", "crosshair"]
    for name in ("budget", "old") if edit else ("budget",):
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        (folder / f"{name}_checked.py").write_text(text + (GRANTS if edit else WITHIN))
    if edit:
        both = ["old_checked.grants", "budget_checked.grants"]
        code, said, seconds = run([*command, "diffbehavior", *both, *limit], folder)
        proved = "No differences found" in said and "all paths" in said.lower()
        return Outcome(FOUND if code == 1 else PROVED if proved else _nothing(code), seconds)
    words = [*command, "check", "budget_checked.stays_within", "--report_all", *limit]
    code, said, seconds = run(words, folder)
    if "Confirmed over all paths" in said:
        return Outcome(PROVED, seconds)
    return Outcome(FOUND if "error:" in said else _nothing(min(code, 0)), seconds)


def _nothing(code: int) -> str:
    return NOTHING if code in (0, 3) else FAILED


Tool = Callable[..., Outcome]
TOOLS: Mapping[str, Tool] = {"filterproof": ours, "Hypothesis": hypothesis, "CrossHair": crosshair}


def asked(texts: Mapping[str, str], python: str) -> dict[str, Outcome]:
    """Put one object, or an edit with its old version, to every tool."""
    found = {}
    for name, tool in TOOLS.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, text in texts.items():
                (Path(folder) / f"{file}.py").write_text(text, encoding="utf-8")
            found[name] = tool(Path(folder), python, edit="old" in texts)
    return found


def row(name: str, truth: str, found: Mapping[str, Outcome]) -> str:
    """Return a row of the table, and print it."""
    cells = [f"{one.said}, {one.seconds:.0f} s" for one in found.values()]
    print(json.dumps([name, truth, *cells]), flush=True)
    return f"| {name} | {truth} | {' | '.join(cells)} |"


def main() -> None:
    """Ask every tool about everything; write the page."""
    (python,) = sys.argv[1:]
    rows = []
    for name, one in OBJECTS.items():
        found = asked({"budget": one.text}, python)
        rows.append(row(name, "right" if one.right else "wrong", found))
    for name, edit in EDITS.items():
        found = asked({"old": edit.old.text, "budget": edit.new.text}, python)
        rows.append(row(f"edit: {name}", "looser" if edit.looser else "no looser", found))
    head = f"| object or edit | it is | {' | '.join(TOOLS)} |\n|{'---|' * (2 + len(TOOLS))}\n"
    table = head + "\n".join(rows) + "\n"
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition("<!-- measured -->\n")
    PAGE.write_text(before + mark + table, encoding="utf-8")


if __name__ == "__main__":
    main()
