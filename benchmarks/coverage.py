"""`python -m benchmarks.coverage [PLAYS [TIMES]]`: what marks in a target's code cost an audit.

The first tasks of a default audit are played in this process by one filter as it is and by the same
file loaded with marks, in turn; every figure is the least processor time of some runs.  Where a
target answers from a process of its own, its code is a smaller part of the whole.
"""

import builtins
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any

from filterproof_properties.options.settings import Settings
from filterproof_properties.search.plan import plan
from filterproof_properties.search.workers import run_task
from filterproof_properties.targets.coverage.marks import HIT, MARKS, compile_marked, marks_in

TARGETS = (
    ("filterproof.filters.additive", "Additive"),
    ("filterproof.filters.compensator", "Compensator"),
)


@dataclass(frozen=True)
class Row:
    """Processor seconds of the same plays without marks and with them."""

    name: str
    plays: int
    marks: int
    plain: float
    marked: float

    def text(self) -> str:
        """Return a line of the table."""
        times = f"{self.plain:.2f} | {self.marked:.2f} | {self.marked / self.plain:.3f}"
        return f"| {self.name} | {self.plays:,} | {self.marks} | {times} |"


def with_marks(module: str, name: str) -> tuple[Any, int]:
    """Return a filter of a module that is loaded again with marks in it, and how many there are."""
    path = str(import_module(module).__file__)
    source = Path(path).read_bytes()
    count = len(marks_in(source.decode(), [name]))
    marks = bytearray(count)
    setattr(builtins, MARKS, marks)
    setattr(builtins, HIT, marks.__setitem__)
    again = ModuleType(f"{module}_marked")
    sys.modules[again.__name__] = again
    exec(compile_marked(source, path, [name], 0), vars(again))
    return getattr(again, name), count


def campaign(target: Any, plays: int) -> tuple[float, int]:
    """Return the processor time of the first tasks of an audit, and how many plays these were."""
    tasks, tried = iter(plan(Settings(seconds=30))), 0
    begun = process_time()
    while tried < plays:
        tried += run_task(next(tasks), target).tried
    return process_time() - begun, tried


def measured(module: str, name: str, plays: int, times: int) -> Row:
    """Measure one filter, without marks and with them in turn."""
    marked, count = with_marks(module, name)
    plain = getattr(import_module(module), name)
    found = [(campaign(plain, plays), campaign(marked, plays)) for _ in range(times)]
    tried = {some for pair in found for _, some in pair}
    if len(tried) != 1:
        raise ValueError(f"{name}: the marks have changed what is played: {sorted(tried)}")
    seconds = [min(pair[which][0] for pair in found) for which in (0, 1)]
    return Row(name, tried.pop(), count, *seconds)


def main() -> None:
    """Print the table."""
    plays, times = [*map(int, sys.argv[1:]), *(1000, 3)[len(sys.argv) - 1 :]]
    print("| filter | plays | marks | without, processor seconds | with | x |")
    print("|---|---|---|---|---|---|")
    for module, name in TARGETS:
        print(measured(module, name, plays, times).text(), flush=True)


if __name__ == "__main__":
    main()
