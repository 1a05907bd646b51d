"""`python -m benchmarks.overhead [PLAYS [TIMES]] [--against DIR]`: what a search costs us.

Overhead is the processor time of a campaign over the time inside the target's own code: its
constructor, `start`, `decide` and `observe`, with all that these call.  It is measured on a cheap
target and a dear one, on the first tasks of a default audit up to so many plays, without a time
limit.  Every figure is the least of some runs, each in a fresh process: one that only plays, and
one with a clock around the target, the cost of the clock itself taken off.

With `--against DIR` the package of another checkout plays the same tasks, in turn with this one.
The answers are compared: a faster search that finds something else is not faster.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

TARGETS = ("additive", "compensator")
OWN = ("__init__", "start", "decide", "observe")
PACKAGES = ("reference", "proofs", "properties")
ROOT = Path(__file__).parents[1]
SECONDS = 30
"""The tasks are those of an audit of so many seconds."""


@dataclass(frozen=True)
class Cost:
    """Processor seconds of one campaign, and of the target in it; `answers` digests its results."""

    target: str
    version: str
    plays: int
    seconds: float
    inside: float
    questions: int
    answers: str

    @property
    def overhead(self) -> float:
        """The time of the campaign over that of the target."""
        return self.seconds / self.inside

    @property
    def speed(self) -> float:
        """Plays per second."""
        return self.plays / self.seconds


class Clock:
    """Adds up the processor time inside some methods, calls from one to another counted once."""

    def __init__(self) -> None:
        self.seconds, self.calls, self.depth = 0.0, 0, 0

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with the clock running while it works."""

        def watched(*given: Any, **named: Any) -> Any:
            if self.depth:
                return work(*given, **named)
            self.depth, begun = 1, process_time()
            try:
                return work(*given, **named)
            finally:
                self.seconds += process_time() - begun
                self.calls, self.depth = self.calls + 1, 0

        return watched

    def watch(self, rule: type) -> None:
        """Run while a filter of this class is made or asked."""
        for name in OWN:
            if hasattr(rule, name):
                setattr(rule, name, self.timed(getattr(rule, name)))

    def own(self) -> float:
        """Return the seconds without what the clock itself takes."""
        idle = Clock()
        nothing = idle.timed(lambda: None)
        for _ in range(100_000):
            nothing()
        return self.seconds - self.calls * idle.seconds / idle.calls


def campaign(name: str, plays: int, *, clock: Clock | None = None) -> Cost:
    """Play the first tasks of an audit against one target, in this process."""
    from filterproof_properties.options.settings import Settings
    from filterproof_properties.search.plan import plan
    from filterproof_properties.search.workers import run_task
    from filterproof_properties.targets.loading import load

    target: Any = load(name).target
    if clock is not None:
        clock.watch(target)
    tasks = iter(plan(Settings(seconds=SECONDS)))
    tallies: list[Any] = []
    begun = process_time()
    while sum(one.tried for one in tallies) < plays:
        tallies.append(run_task(next(tasks), target))
    taken = process_time() - begun
    found = [(t.number, t.tried, t.best and (t.best.case.name, str(t.best.value))) for t in tallies]
    digest = sha256(json.dumps(found).encode()).hexdigest()
    tried = sum(one.tried for one in tallies)
    inside, calls = (clock.own(), clock.calls) if clock is not None else (taken, 0)
    return Cost(name, "", tried, taken, inside, calls, digest)


def elsewhere(root: Path, name: str, plays: int, *, watched: bool) -> Cost:
    """Play a campaign with the package of a checkout, in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.overhead", str(plays), "--alone", name]
    words += ["--watched"] if watched else []
    path = os.pathsep.join(str(root.resolve() / package) for package in PACKAGES)
    there = {**os.environ, "PYTHONPATH": path}
    told = subprocess.run(words, check=True, stdout=subprocess.PIPE, env=there, cwd=ROOT)
    return Cost(**json.loads(told.stdout))


def costs(versions: dict[str, Path], plays: int, times: int) -> Iterator[Cost]:
    """Yield what each target costs with each version, all of them in turn."""
    for name in TARGETS:
        found: dict[str, list[tuple[Cost, Cost]]] = {version: [] for version in versions}
        for version in list(versions) * times:
            root = versions[version]
            both = [elsewhere(root, name, plays, watched=w) for w in (False, True)]
            found[version].append((both[0], both[1]))
        yield from (least(version, some) for version, some in found.items())


def measured(plays: int, times: int, against: Path | None = None) -> list[Cost]:
    """Return what a search costs with this version, and with another one before it."""
    versions = {"this": ROOT} if against is None else {"before": against, "after": ROOT}
    return list(costs(versions, plays, times))


def least(version: str, some: list[tuple[Cost, Cost]]) -> Cost:
    """Return the least of some runs: what else the machine does only adds to it."""
    if len({one.answers for pair in some for one in pair}) > 1:
        raise ValueError(f"{some[0][0].target}, {version}: the same tasks gave different answers")
    seconds = min(plain.seconds for plain, _ in some)
    inside = min(watched.inside for _, watched in some)
    plain, watched = some[0]
    return replace(
        plain, version=version, seconds=seconds, inside=inside, questions=watched.questions
    )


def table(found: list[Cost]) -> str:
    """Return the costs, and the plays per second as a ratio to the first version of a target."""
    lines = [
        "| target | version | plays | questions | processor seconds | inside the target "
        "| overhead | plays per second | x | answers |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    first: dict[str, Cost] = {}
    for one in found:
        base = first.setdefault(one.target, one)
        lines.append(
            f"| {one.target} | {one.version} | {one.plays:,} | {one.questions:,} "
            f"| {one.seconds:.2f} | {one.inside:.2f} | {one.overhead:.2f} | {one.speed:,.0f} "
            f"| {one.speed / base.speed:.2f} | {said(one, base)} |"
        )
    return "\n".join(lines) + "\n"


def said(one: Cost, base: Cost) -> str:
    """Say whether the answers are those of the first version."""
    if one is base:
        return one.answers[:8]
    return "the same" if one.answers == base.answers else f"**{one.answers[:8]}**"


def main() -> None:
    """Print the table, or what one campaign costs as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("plays", nargs="?", type=int, default=3000)
    parser.add_argument("times", nargs="?", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout, measured first")
    parser.add_argument("--alone", help="one target, in this process")
    parser.add_argument("--watched", action="store_true")
    given = parser.parse_args()
    if given.alone:
        clock = Clock() if given.watched else None
        print(json.dumps(asdict(campaign(given.alone, given.plays, clock=clock))))
        return
    print(table(measured(given.plays, given.times, given.against)))


if __name__ == "__main__":
    main()
