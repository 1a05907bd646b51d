"""`python -m benchmarks.strangers`: what it costs to ask a stranger's filter in its own process.

The same audit, of `additive` loaded as a file, three ways in one run: as a filter of ours (nobody
watches it), watched in this process, and watched in a process of its own.  Version 0.1 watched it
in a sandbox that held the whole audit, which took 1.16 times the first.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from filterproof.filters import additive
from filterproof_properties.audit.engine import Verdict
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import audit_here, run_audit
from filterproof_properties.processes.child import Limits
from filterproof_properties.settings import Settings
from filterproof_properties.targets.loading import load


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of the processors, for one way to ask."""

    way: str
    plays: int
    wall: float
    processors: float


def costs(examples: int) -> list[Cost]:
    """Audit the same file three ways, one after the other."""
    settings, limits = Settings(examples=examples), Limits()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(Path(additive.__file__).read_text())
        spec = f"{path}:Additive"
        ways: dict[str, Callable[[], Record]] = {
            "as ours": lambda: audit_here(load(spec), settings, lambda news: None),
            "in this process": lambda: run_audit(
                spec, settings, limits, lambda news: None, in_process=True
            ),
            "in its own process": lambda: run_audit(spec, settings, limits, lambda news: None),
        }
        return [measured(way, audit) for way, audit in ways.items()]


def measured(way: str, audit: Callable[[], Record]) -> Cost:
    """Time one audit, its children included."""
    clock, processors = perf_counter(), sum(os.times()[:4])
    record = audit()
    assert record.verdict is Verdict.NOT_FOUND, record.error
    return Cost(way, record.tried, perf_counter() - clock, sum(os.times()[:4]) - processors)


def table(found: list[Cost]) -> str:
    """Return the costs and their ratios to the first."""
    lines = ["| asked | plays | seconds | x | processor seconds | x |", "|---|---|---|---|---|---|"]
    first = found[0]
    lines += [
        f"| {one.way} | {one.plays} | {one.wall:.1f} | {one.wall / first.wall:.2f} "
        f"| {one.processors:.1f} | {one.processors / first.processors:.2f} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(costs(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)))
