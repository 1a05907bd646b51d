"""`python -m benchmarks.strangers [EXAMPLES [TIMES]]`: a stranger's filter in its own process.

The same audit, of `additive` loaded as a file, four ways in one run, each in a fresh process: as a
filter of ours (nobody watches it), watched in this process, and watched in a process of its own,
asked for whole games and inquiries as it is, and by one question a message for comparison.
By default that is half of the plays that a whole audit makes in its thirty seconds.  There is no
sandbox around the target's process, because its processor time could not be seen from outside.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from filterproof.filters import additive
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import audit_here, run_audit
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.link import Connection, Message
from filterproof_properties.targets.loading import load
from filterproof_properties.targets.prober import Answer, Prober, Question
from filterproof_properties.targets.remote import RemoteFilter

POTENTIAL = "def remaining"
"""Without it nobody tries to prove the code, which would take most of the time."""


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of the processors for one way to ask, and how often it was asked."""

    way: str
    plays: int
    wall: float
    processors: float
    trips: int


def ours(spec: str, settings: Settings) -> Record:
    """Audit a file as if it were a filter of this project."""
    return audit_here(load(spec), settings, lambda news: None)


def here(spec: str, settings: Settings) -> Record:
    """Audit it watched, in this process."""
    return run_audit(spec, settings, Limits(sandbox="off"), lambda news: None, in_process=True)


def there(spec: str, settings: Settings) -> Record:
    """Audit it in a process of its own."""
    return run_audit(spec, settings, Limits(sandbox="off"), lambda news: None)


def one_by_one(spec: str, settings: Settings) -> Record:
    """Audit it in a process of its own, and put each question of the search by itself."""

    def decisions(self: Prober, questions: list[Question]) -> list[Answer]:
        return [self.ask_one(*one) for one in questions]

    def unable(self: RemoteFilter, context: Any, inquiries: Any, *, again: bool) -> None:
        return None

    Prober.decisions = decisions  # type: ignore[method-assign]
    RemoteFilter.inquire = unable  # type: ignore[method-assign]
    return there(spec, settings)


WAYS: dict[str, Callable[[str, Settings], Record]] = {
    "as ours": ours,
    "in this process": here,
    "in its own process": there,
    "in its own process, one question a message": one_by_one,
}


def costs(examples: int, times: int = 1) -> list[Cost]:
    """Audit the same file in all ways in turn, each in a fresh process; the least of some times."""
    words = [sys.executable, "-m", "benchmarks.strangers", str(examples), "1"]
    found: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for way in list(WAYS) * times:
        told = subprocess.run([*words, way], check=True, capture_output=True)
        found[way].append(Cost(**json.loads(told.stdout)))
    return [least(some) for some in found.values()]


def least(some: list[Cost]) -> Cost:
    """Return the least that one way has taken: what else the machine does only adds to it."""
    wall, processors = min(one.wall for one in some), min(one.processors for one in some)
    return replace(some[0], wall=wall, processors=processors)


def measured(way: str, examples: int) -> Cost:
    """Time one audit, its children included."""
    trips = 0
    ask = Connection.ask

    def counted(self: Connection, questions: list[Message]) -> list[Message]:
        nonlocal trips
        trips += 1
        return ask(self, questions)

    Connection.ask = counted  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(Path(additive.__file__).read_text().replace(POTENTIAL, f"{POTENTIAL}_not"))
        clock, processors = perf_counter(), sum(os.times()[:4])
        record = WAYS[way](f"{path}:Additive", Settings(examples=examples))
        taken = perf_counter() - clock, sum(os.times()[:4]) - processors
    assert record.verdict is Verdict.NOT_FOUND, record.error
    return Cost(way, record.tried, *taken, trips)


def table(found: list[Cost]) -> str:
    """Return the costs and their ratios to the first."""
    lines = [
        "| asked | plays | round trips | seconds | x | processor seconds | x |",
        "|---|---|---|---|---|---|---|",
    ]
    first = found[0]
    lines += [
        f"| {one.way} | {one.plays} | {one.trips:,} | {one.wall:.1f} | {one.wall / first.wall:.2f} "
        f"| {one.processors:.1f} | {one.processors / first.processors:.2f} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


def main(examples: str = "20000", times: str = "3", way: str = "") -> None:
    """Print the table, or what one way costs."""
    if way:
        print(json.dumps(asdict(measured(way, int(examples)))))
    else:
        print(table(costs(int(examples), int(times))))


if __name__ == "__main__":
    main(*sys.argv[1:])
