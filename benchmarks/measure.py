"""What is measured, each as rows of data."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.games import OUTPUTS, Everything, EverythingMerged, raw, responses, tree
from benchmarks.heavy import CASES
from filterproof import witness
from filterproof.engine.by_round.asking import Asker
from filterproof.engine.by_round.verdicts import RoundAnalysis
from filterproof.filter import Filter
from filterproof.filters.naive import Naive
from filterproof.filters.registry import REGISTRY
from filterproof.filters.repaired import Repaired
from filterproof.game import Game
from filterproof_properties.audit.engine import audit_one
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.targets.loading import load

ONE = Fraction(1)


@dataclass(frozen=True)
class Speed:
    """Leaves per second of the specification, the fast engine and raw floats on one tree.

    `slowdown` is the time of the fast engine over that of raw floats for the whole tree.
    """

    rule: str
    leaves: int
    spec: float
    fast: float
    exact: float
    raw: float
    slowdown: float
    decide_share: float


@dataclass(frozen=True)
class Growth:
    """Positions and seconds for each number of rounds, and the fitted exponents."""

    rounds: list[int]
    positions: list[int]
    seconds: list[float]
    positions_exponent: float
    seconds_exponent: float


def clock(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """Return the least of several durations, and the last result."""
    durations, result = [], None
    for _ in range(times):
        begun = perf_counter()
        result = work()
        durations.append(perf_counter() - begun)
    return min(durations), result


def loaded() -> str:
    """Say how busy the machine is."""
    return f"the load was {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"


class Stopwatch:
    """Adds up the time spent in the filter's own decisions, level by level."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.decide = Asker.decide

    def __enter__(self) -> "Stopwatch":
        def timed(asker: Asker, *question: Any) -> Any:
            begun = perf_counter()
            try:
                return self.decide(asker, *question)
            finally:
                self.seconds += perf_counter() - begun

        Asker.decide = timed  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: object) -> None:
        Asker.decide = self.decide  # type: ignore[method-assign]


def rules(rounds: int) -> dict[str, Filter[Any]]:
    """Return the filters that the tree is played against: one opaque, one built in."""
    bold = Repaired(ONE, ONE, N=rounds + 1, theta=Fraction(1, 11), delta_tilde=Fraction(9, 10))
    naive = Naive(ONE, Fraction(999, 1000))
    return {"a filter that runs everything": Everything(), "naive": naive, "repaired": bold}


def speeds(rounds: int, spec_rounds: int) -> list[Speed]:
    """Measure all engines; the specification on a smaller tree, where it is at its fastest."""
    play, small = tree(rounds), tree(spec_rounds)
    floats, _ = clock(lambda: raw(play, 1.0), 7)
    found = []
    for name, rule in rules(rounds).items():
        spec, _ = clock(partial(witness.worst_case, rule, small, ONE), 1)
        found.append(speed(name, rule, play, OUTPUTS**spec_rounds / spec, floats))
    return found


def speed(name: str, rule: Filter[Any], play: Game, spec: float, floats: float) -> Speed:
    """Measure the fast engine on one tree, given what the others take."""
    taken, analysis = clock(lambda: RoundAnalysis(rule, play, ONE), 5)
    leaves = ended(analysis)
    with Stopwatch() as watch:
        whole, _ = clock(lambda: RoundAnalysis(rule, play, ONE), 1)
    exact, _ = clock(lambda: analysis.masses(analysis.worst_pair()), 1)
    share = watch.seconds / whole
    fast, certain, limit = leaves / taken, leaves / (taken + exact), OUTPUTS**play.depth / floats
    return Speed(name, leaves, spec, fast, certain, limit, taken / floats, share)


def ended(analysis: RoundAnalysis) -> int:
    """Return how many transcripts were played to their end."""
    blocks = (block for level in analysis.levels.all for block in level.blocks)
    return sum(block.size * len(block.ends) for block in blocks)


def growth(rounds: list[int]) -> Growth:
    """Measure how positions and time grow with the rounds of an i.i.d. family."""
    seconds, positions = [], []
    for n in rounds:
        play = responses(n)
        taken, analysis = clock(partial(RoundAnalysis, EverythingMerged(), play, ONE), 1)
        seconds.append(taken)
        positions.append(sum(level.size for level in analysis.levels.all))
    return Growth(rounds, positions, seconds, fitted(rounds, positions), fitted(rounds, seconds))


def fitted(sizes: list[int], values: list[Any]) -> float:
    """Return the exponent of the power law through the points, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def heavy() -> list[dict[str, Any]]:
    """Run the large audits, each in its own process."""
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-m", "benchmarks.heavy", name],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for name in CASES
    ]


@dataclass(frozen=True)
class Caught:
    """How long one known-bad filter takes to a checked certificate: recalled, and from scratch."""

    name: str
    recalled: float
    searched: float
    found: bool


def certificates(seconds: float, only: str = "") -> list[Caught]:
    """Audit each known-bad filter (or only one) with its stored specimen, and without."""
    return [caught(e.name, seconds) for e in REGISTRY if not e.sound and only in ("", e.name)]


def caught(name: str, seconds: float) -> Caught:
    """Audit one known-bad filter twice; a target of unknown verdict has no specimen."""
    known, settings = load(name), Settings(seconds=seconds)
    targets = known, replace(known, expected_sound=None)
    first, second = (audit_one(target, settings, lambda event: None) for target in targets)
    found = all(one.verdict is Verdict.VIOLATED for one in (first, second))
    return Caught(name, first.seconds, second.seconds, found)
