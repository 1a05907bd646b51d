"""How good the search is: the time to break each of many filters, and the size of what it finds.

A violation counts only with a certificate that the independent checker accepts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from filterproof_properties.case import Case, Scored
from filterproof_properties.processes.pool import run_tasks
from filterproof_properties.search.campaign import search
from filterproof_properties.settings import SearchSettings
from filterproof_properties.targets.evaluate import certified
from filterproof_properties.targets.target import Target


@dataclass(frozen=True)
class Trial:
    """One filter to be attacked from one seed."""

    name: str
    target: Target
    seed: int
    sound: bool


@dataclass(frozen=True)
class Row:
    """What came of one trial; `size` and `ratio` are those of the shrunk game, if there is one."""

    name: str
    seed: int
    sound: bool
    seconds: float
    tried: int
    size: str = ""
    ratio: float = 0.0
    error: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether a wrong filter was broken, or a sound one was not."""
        return bool(self.size) != self.sound and not self.error


def detect(trial: Trial, seconds: float) -> Row:
    """Search for a violation for so many seconds, shrink it and certify it."""
    begun = monotonic()
    result = search(trial.target, SearchSettings(seed=trial.seed, seconds=seconds))
    size, best = "", result.best
    if result.violation is not None:
        worst = certified(trial.name, trial.target, result.violation).worst
        size, best = size_of(result.violation), Scored(result.violation, worst.value)
    spent, ratio = monotonic() - begun, best.ratio if best else 0.0
    return Row(trial.name, trial.seed, trial.sound, spent, result.tried, size, ratio, result.error)


def size_of(case: Case) -> str:
    """Return rounds x widest menu x most outputs, and the databases if there are more than two."""
    game = case.game
    mechanisms = [m for menu in game.nodes for m in menu.values()]
    widest, most = max(map(len, game.nodes)), max(len(m.law) for m in mechanisms)
    size = f"{game.depth} x {widest} x {most}"
    return size if len(game.databases) == 2 else f"{size}, {len(game.databases)} databases"


def matrix(trials: Sequence[Trial], seconds: float, jobs: int) -> list[Row]:
    """Run every trial, `jobs` at a time, each on one core."""
    return list(run_tasks(partial(detect, seconds=seconds), trials, jobs=jobs).results)


def table(title: str, rows: Iterable[Row]) -> str:
    """Return the matrix as text: one line per filter, one column of seconds per seed."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.name, []).append(row)
    lines = [
        title,
        f"{'filter':24}{'seconds per seed':26}{'rounds x requests x outputs':34}H/delta",
    ]
    for name, group in sorted(grouped.items()):
        times = "  ".join(f"{row.seconds:5.1f}{_mark(row)}" for row in group)
        sizes = " | ".join(dict.fromkeys(row.size or "-" for row in group))
        ratios = " | ".join(dict.fromkeys(f"{row.ratio:.4g}" for row in group))
        lines.append(f"{name:24}{times:26}{sizes:34}{ratios}")
    every = [row for group in grouped.values() for row in group]
    met = sum(row.as_expected for row in every)
    lines.append(f"{met} of {len(every)} as expected\n")
    return "\n".join(lines)


def _mark(row: Row) -> str:
    return " " if row.as_expected else "!"
