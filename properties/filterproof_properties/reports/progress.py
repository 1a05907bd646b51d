"""Long work on a terminal: what is being tried, how much of the time is gone, the worst so far.

It shows on a terminal and nowhere else.
"""

from contextlib import AbstractContextManager
from time import monotonic
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from filterproof_properties.audit.record import Record, Tick


class LiveProgress(AbstractContextManager["LiveProgress"]):
    """A bar for several targets, of which each may take so many seconds."""

    def __init__(self, total: int, on: Console, seconds: float | None = None) -> None:
        self.seconds, self.done, self.begun = seconds, 0, monotonic()
        self.bar = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
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
            self.done, self.begun = self.done + 1, monotonic()
            self.bar.update(self.task, completed=self.done)
        else:
            self.bar.update(self.task, description=self.words(news))

    def words(self, tick: Tick) -> str:
        """Say what is being tried, and how far it is."""
        worst = "" if tick.ratio is None else f", worst H/delta {tick.ratio:.4g}"
        gone = monotonic() - self.begun
        time = f", {gone:.0f} of {self.seconds:g} s" if self.seconds is not None else ""
        return f"{tick.target}: {tick.stage}, {tick.tried} plays{worst}{time}"
