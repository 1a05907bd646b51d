"""Long work on a terminal: what is being tried, how much of the time is gone, the worst so far.

It shows on a terminal and nowhere else.
"""

from contextlib import AbstractContextManager
from math import inf
from time import monotonic
from types import TracebackType
from typing import Generic, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from filterproof_properties.audit.record import Record, Tick

Found = TypeVar("Found")

TRYING = {
    "specimen": "its known counterexample",
    "remembered": "what broke it before",
    "branches in the code": "branches in its code, as a solver finds them",
    "varied plays": "plays that reach new lines of its code",
    "ideas": "a round that the prover refuted",
    "named games": "the named games",
    "one round": "all that one round can lose",
    "two rounds": "all that two rounds can lose",
    "more rounds": "longer plays",
    "equal rounds": "many equal rounds",
    "many rounds": "a hundred weak rounds, and a hundred names",
    "repeated spends": "one spend after the other, and after waiting",
    "over budget": "what is over the budget, in other contexts",
    "spaces": "small spaces of games, in full",
}
"""The sources of games, in words."""


class LiveProgress(AbstractContextManager["LiveProgress"]):
    """A bar for several targets, of which each may take so many seconds."""

    def __init__(self, total: int, on: Console, seconds: float | None = None) -> None:
        self.total, self.seconds, self.done, self.begun = total, seconds, 0, monotonic()
        self.console, self.worst = on, 0.0
        self.bar = Progress(
            BarColumn(bar_width=10),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.description}", markup=False),
            console=on,
            transient=True,
            disable=not on.is_terminal,
        )
        self.task = self.bar.add_task("starting", total=total)

    def __enter__(self) -> "LiveProgress":
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def __call__(self, news: Tick | Record) -> None:
        """Take note of a tick or of a finished record."""
        if isinstance(news, Record):
            self.done, self.begun, self.worst = self.done + 1, monotonic(), 0.0
            self.bar.update(self.task, completed=self.done)
        else:
            share = min(1.0, self.gone() / self.seconds) if self.seconds is not None else 0.0
            self.bar.update(self.task, completed=self.done + share, description=self.words(news))
            self.tell_worst(news)

    def tell_worst(self, tick: Tick) -> None:
        """In a search without end, print a line whenever the worst H/delta has grown."""
        if self.seconds == inf and tick.ratio is not None and tick.ratio > self.worst:
            self.worst = tick.ratio
            said = f"{self.gone():8.1f} s  {tick.tried:7} plays  worst H/delta {tick.ratio:.6g}"
            self.console.print(f"{said}  {tick.stage}", markup=False, highlight=False)

    def gone(self) -> float:
        """Return the seconds since this target's turn began."""
        return monotonic() - self.begun

    def words(self, tick: Tick) -> str:
        """Say what is being tried, and how far it is."""
        tries = TRYING.get(tick.stage, tick.stage) or "starting"
        worst = "" if tick.ratio is None else f", worst H/delta {tick.ratio:.4g}"
        time = f", {self.gone():.0f} of {self.seconds:g} s" if self.seconds is not None else ""
        time = f", {self.gone():.0f} s; Ctrl-C ends it" if self.seconds == inf else time
        whose = f"{tick.target}: " if self.total > 1 else ""
        return f"{whose}{tries}, {tick.tried} plays{worst}{time}"


class Gathering(AbstractContextManager["Gathering[Found]"], Generic[Found]):
    """What was found one by one, shown while it grows; an interrupt ends it and loses nothing."""

    def __init__(self, on: Console, what: str) -> None:
        self.what, self.interrupted = what, False
        self.items: list[Found] = []
        self.bar = Progress(
            SpinnerColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=on,
            transient=True,
            redirect_stdout=False,
            disable=not on.is_terminal,
        )
        self.task = self.bar.add_task(what, total=None)

    def __enter__(self) -> "Gathering[Found]":
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.bar.stop()
        self.interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        return self.interrupted

    def __call__(self, item: Found, name: str) -> None:
        """Keep what was found and show how many there are."""
        self.items.append(item)
        self.say(f"{len(self.items)} done, last {name}")

    def say(self, words: str) -> None:
        """Show what is being done."""
        self.bar.update(self.task, description=f"{self.what}: {words}")
