"""How good the search is: the time to break each of many filters, and the size of what it finds.

A trial is `run_audit`, the function behind `filterproof audit NAME`, sandbox and all: what is
measured is what a user gets.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from filterproof.certificate import read_certificate
from filterproof.game import Game
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.pool import run_tasks


@dataclass(frozen=True)
class Trial:
    """One filter to be attacked from one seed; `spec` is what a user would type."""

    name: str
    spec: str
    seed: int
    sound: bool


@dataclass(frozen=True)
class Row:
    """What came of one trial; `size` is that of the game in the certificate, if there is one."""

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


def detect(trial: Trial, settings: Settings) -> Row:
    """Audit the filter as the command would."""
    begun = monotonic()
    found = run_audit(trial.spec, replace(settings, seed=trial.seed), Limits(), lambda _: None)
    spent = monotonic() - begun
    size = size_of(read_certificate(found.certificate).game) if found.certificate else ""
    ratio = found.best.ratio if found.best else 0.0
    error = "" if found.verdict in (Verdict.VIOLATED, Verdict.NOT_FOUND) else str(found.verdict)
    infinite = float("inf") if ratio is None else ratio
    return Row(trial.name, trial.seed, trial.sound, spent, found.tried, size, infinite, error)


def size_of(game: Game) -> str:
    """Return rounds x widest menu x most outputs, and the databases if there are more than two."""
    mechanisms = [m for menu in game.nodes for m in menu.values()]
    widest, most = max(map(len, game.nodes)), max(len(m.law) for m in mechanisms)
    size = f"{game.depth} x {widest} x {most}"
    return size if len(game.databases) == 2 else f"{size}, {len(game.databases)} databases"


def matrix(trials: Sequence[Trial], settings: Settings, jobs: int) -> list[Row]:
    """Run every trial, `jobs` at a time, each on one core."""
    return list(run_tasks(partial(detect, settings=settings), trials, jobs=jobs).results)


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
