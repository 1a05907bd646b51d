"""What no play can see of a change: lines that nothing ran, and odd input; each is red."""

import os
from pathlib import Path

import pytest

from filterproof_properties.audit.comparison import Comparison
from filterproof_properties.audit.diff import run_diff
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.diff import shown
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.reports.plain import plain

STORE = """
import os, sqlite3, threading

class Declined(Exception):
    pass

class Store:
    def __init__(self, total):
        self.total, self.lock = total, threading.Lock()
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        self.db.execute("create table spends (epsilon real)")

    def spend(self, epsilon):
        if not epsilon >= 0:
            raise Declined
        with self.lock:
            used = self.db.execute("select coalesce(sum(epsilon), 0) from spends").fetchone()[0]
            if used + epsilon > self.total:
                raise Declined
            self.db.execute("insert into spends values (?)", (epsilon,))
"""
CHECK = "        if not epsilon >= 0:\n            raise Declined\n"
LET_IN = CHECK + "        if os.environ.get('STORE_FREE'):\n            {}\n"
EXPORT = (
    "\n    def export(self):\n        return self.db.execute('select * from spends').fetchall()\n"
)
EXAMPLES = 60


def compared(folder: Path, new: str, old: str = STORE, examples: int = EXAMPLES) -> Comparison:
    specs = []
    for name, text in (("old", old), ("new", new)):
        (folder / f"{name}.py").write_text(text)
        specs.append(f"{folder / name}.py:Store --spend spend(epsilon) --open (epsilon)")
    old_spec, new_spec = specs
    return run_diff(old_spec, new_spec, Settings(examples=examples), Limits(), lambda _: None)


def test_a_branch_that_no_play_took_is_not_passed(tmp_path: Path) -> None:
    found = compared(tmp_path, STORE.replace(CHECK, LET_IN.format("return")))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "line 17 (in Store.spend) was never reached" in found.error
    assert "STORE_FREE" not in os.environ


def test_the_same_branch_passes_where_it_raises(tmp_path: Path) -> None:
    found = compared(tmp_path, STORE.replace(CHECK, LET_IN.format("raise Declined")))
    assert found.verdict is Verdict.NO_LOOSER_PLAY
    assert "changed lines: line 17 (in Store.spend) was never reached" in plain(shown(found))


def test_a_new_function_that_nothing_calls_passes_and_is_named(tmp_path: Path) -> None:
    found = compared(tmp_path, STORE + EXPORT)
    assert found.verdict is Verdict.NO_LOOSER_PLAY
    assert "(def Store.export)" in plain(shown(found))


def test_without_a_change_nothing_is_named(tmp_path: Path) -> None:
    found = compared(tmp_path, STORE)
    assert found.verdict is Verdict.NO_LOOSER_PLAY
    assert "changed lines" not in plain(shown(found))


@pytest.mark.parametrize(
    ("before", "now", "row"),
    [
        (CHECK, CHECK.replace("not epsilon >= 0", "epsilon < 0"), "NaN"),
        (CHECK, "", "negative"),
        ("with self.lock:", "if epsilon >= 0:", "racing threads"),
    ],
)
def test_odd_input_that_only_the_new_version_lets_through_is_looser(
    tmp_path: Path, before: str, now: str, row: str
) -> None:
    weak = STORE.replace(before, now)
    found = compared(tmp_path, weak, examples=20)
    assert found.verdict is Verdict.LOOSER
    assert found.looser is not None
    assert row in [one.asked for one in found.looser.rows]
    again = compared(
        tmp_path, weak, old=weak, examples=20
    )  # the failing twin: it always let that through
    assert again.verdict is Verdict.NO_LOOSER_PLAY
    back = compared(tmp_path, STORE, old=weak, examples=20)
    assert back.verdict is Verdict.NO_LOOSER_PLAY
