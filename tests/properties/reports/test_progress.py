"""Long work on a terminal says in words what is tried; an interrupt loses nothing."""

from io import StringIO
from itertools import islice
from math import inf

import pytest
from rich.console import Console

from filterproof_properties.audit.record import Tick
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.reports.progress import TRYING, Gathering, LiveProgress
from filterproof_properties.search.plan import plan


def console(*, is_terminal: bool) -> Console:
    return Console(force_terminal=is_terminal, record=True, file=StringIO(), width=100)


def test_every_source_of_games_has_words() -> None:
    tasks = plan(Settings(seconds=30.0), code="mine.py:Mine")
    sources = {task.source for task in islice(tasks, 500)}
    assert len(sources) > 5
    assert sources <= set(TRYING)


def test_the_bar_grows_with_the_time_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveProgress(2, console(is_terminal=True), seconds=30)
    monkeypatch.setattr(live, "gone", lambda: 15.0)
    live(Tick("mine", "equal rounds", 7, 1.25))
    (shown,) = live.bar.tasks
    assert (shown.completed, shown.percentage) == (0.5, 25.0)
    said = "mine: many equal rounds, 7 plays, worst H/delta 1.25, 15 of 30 s"
    assert shown.description == said


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_search_without_end_prints_a_line_whenever_the_worst_grows(is_terminal: bool) -> None:
    on = console(is_terminal=is_terminal)
    live = LiveProgress(1, on, seconds=inf)
    for tried, ratio in ((1, 0.25), (2, 0.25), (3, 0.5)):
        live(Tick("mine", "one round", tried, ratio))
    lines = [line for line in on.export_text().splitlines() if "worst H/delta" in line]
    assert [line.split()[-3] for line in lines] == ["0.25", "0.5"]
    assert "Ctrl-C ends it" in live.words(Tick("mine"))


def test_a_search_that_ends_prints_none() -> None:
    on = console(is_terminal=False)
    LiveProgress(1, on, seconds=30)(Tick("mine", "one round", 1, 0.5))
    assert "worst" not in on.export_text()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_was_gathered_survives_an_interrupt(is_terminal: bool) -> None:
    on = console(is_terminal=is_terminal)
    with Gathering[int](on, "numbers") as found:
        found(1, "one")
        raise KeyboardInterrupt
    assert (found.items, found.interrupted) == ([1], True)
    assert ("numbers: 1 done, last one" in on.export_text()) is is_terminal


def test_a_fault_is_not_an_interrupt() -> None:
    with pytest.raises(LookupError), Gathering[int](console(is_terminal=False), "numbers"):
        raise LookupError


@pytest.mark.parametrize("name", ["tune", "figure", "compare", "prove"])
def test_an_interrupted_command_prints_what_it_has(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of them is interrupted after the first thing that it finds."""

    def interrupted(self: Gathering[object], item: object, _: str) -> None:
        self.items.append(item)
        raise KeyboardInterrupt

    budget = ["--epsilon", "3", "--rounds", "4"]
    words = {"tune": ["gaussian:2", "--delta", "0.01", "--paths", "9", *budget], "figure": budget}
    monkeypatch.setattr(Gathering, "__call__", interrupted)
    assert main([name, *words.get(name, [])]) == 130
    shown = capsys.readouterr()
    first = {"tune": "additive", "figure": "█", "compare": "| additive |", "prove": "caught"}
    assert first[name] in shown.out
    assert "interrupted" in shown.err
