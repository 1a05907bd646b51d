"""Plays that reach new lines are kept and varied; blind rows do not reach the last stage."""

import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from corpus.conditions import FOR_COVERAGE, PARTS, Pair
from filterproof.filter import Filter
from filterproof.filters.run_all import RunAll
from filterproof.game.json import game_to_json
from filterproof_properties.case import Case, Scored
from filterproof_properties.processes.child import Limits
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import VARIED, SearchTask
from filterproof_properties.search.solving.rounds import Kind
from filterproof_properties.search.varied import (
    LONGEST,
    Row,
    Vocabulary,
    case_of,
    changed_row,
    vary_rounds,
)
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.coverage.changed import changed_marks, with_changes
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.remote import RemoteTarget

PLAYS = 150
ROOT = Path(__file__).parents[3]
PAIRS = (*FOR_COVERAGE, PARTS)


def played(spec: str, plays: int = PLAYS, *, blind: bool = False) -> Tally:
    """Play varied rows so often; `blind` for what the marks say."""
    with open_target(spec, Limits()) as loaded:
        target = loaded.target
        assert isinstance(target, RemoteTarget)
        if blind:
            target.link = Blind(target.link)  # type: ignore[assignment]
        task = SearchTask(0, VARIED, (Fraction(1), Fraction(0)), plays, loaded.spec)
        return Loop(target, plays).run(vary_rounds(task, target))


class Blind:
    """A link that tells of no marks."""

    def __init__(self, link: object) -> None:
        vars(self).update(link=link, reached=0)

    def __getattr__(self, name: str) -> object:
        return getattr(self.link, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.link, name, value if name != "reached" else 0)


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.wrong.__name__ for pair in PAIRS])
def test_stage_after_stage_is_reached(pair: Pair) -> None:
    assert played(pair.spec()).violation is not None


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.wrong.__name__ for pair in PAIRS])
def test_the_sound_twin_is_not_accused(pair: Pair) -> None:
    tally = played(pair.spec(sound=True), 60)
    assert tally.violation is None
    assert not tally.error
    assert tally.tried == 60


def test_without_the_marks_the_last_stage_is_not_reached() -> None:
    """The failing twin: the same draws, and nothing is known of the lines."""
    assert played(FOR_COVERAGE[0].spec(), blind=True).violation is None


def test_the_same_task_gives_the_same_plays() -> None:
    one, other = (played(FOR_COVERAGE[0].spec(sound=True), 40) for _ in range(2))
    assert one.sample
    some, others = ([game_to_json(case.game) for case in t.sample] for t in (one, other))
    assert some == others


def test_a_row_is_over_the_budget_for_who_runs_all() -> None:
    words, random = Vocabulary((Kind.RESPONSE, Kind.QUIET), ("ask",), fails=True), Random(1)
    row: Row = (words.asking(random),)
    for _ in range(20):
        row = changed_row(row, words, random, [row])
        assert 0 < len(row) <= LONGEST
        case = case_of(row, Fraction(1), Fraction(0))
        assert worst(RunAll(), case.game, case.epsilon).value > case.delta


SEARCH = """
import sys
from corpus.conditions import FOR_COVERAGE
from filterproof.game.json import game_to_json
from filterproof_properties.processes.child import Limits
from filterproof_properties.search.plan import BRANCHES, VARIED, SearchTask
from filterproof_properties.search.workers import run_search
from filterproof_properties.targets.connect import open_target
if __name__ == "__main__":
    spec, tallies = FOR_COVERAGE[0].spec(sound=True), []
    tasks = [SearchTask(0, BRANCHES, (None, Fraction(0)), 4, spec)]
    tasks += [SearchTask(n, VARIED, (Fraction(1), Fraction(0)), 20, spec, n) for n in (1, 2)]
    with open_target(spec, Limits()) as loaded:
        run_search(loaded, tasks, tallies.append, seconds=None, jobs=int(sys.argv[1]), cluster=None)
    for one in sorted(tallies, key=lambda tally: tally.number):
        print(one.number, one.tried, [game_to_json(case.game) for case in one.sample])
"""


def test_the_plays_are_the_same_for_any_jobs_and_hash_seed(tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.write_text(f"from fractions import Fraction\n{SEARCH}", encoding="utf-8")
    said = []
    for jobs, seed in (("1", "0"), ("2", "1")):
        words = [sys.executable, str(script), jobs]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        found = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
        said.append(found.stdout)
    assert said[0] == said[1]
    tried = [line.split()[:2] for line in said[0].splitlines()]
    assert tried == [["0", "4"], ["1", "20"], ["2", "20"]]


# --- along changed lines --------------------------------------------------------------------------

BEFORE = """
class Till:
    def __init__(self, total):
        self.total, self.spent, self.small, self.kinds = total, 0.0, 0, set()

    def spend(self, epsilon):
        share = epsilon / self.total
DECOYS
        if share < 0.002:
            self.small += 1
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True
"""
DECOY = "        if share > {0} / 24:\n            self.kinds.add({0})"
BEFORE = BEFORE.replace("DECOYS", "\n".join(map(DECOY.format, range(1, 24))))
STAGE = "            if self.small > {0}:\n                self.kinds.discard({0})\n"
COUNTED = "            self.small += 1\n"
NOW = BEFORE.replace(COUNTED, COUNTED + "".join(map(STAGE.format, range(2, 27, 3))))


class Watching:
    """Counts the plays that ran one of some marks."""

    noted: object = None

    def __init__(self, target: RemoteTarget, marks: int) -> None:
        self.target, self.marks, self.count = target, marks, 0

    def __call__(self, case: Case, rule: Filter[Any], scored: Scored) -> None:
        self.count += bool(self.target.link.reached & self.marks)


def on_changed_lines(path: Path, seed: int, *, steered: bool) -> int:
    """Return how many of so many plays ran a changed line."""
    path.write_text(NOW)
    with open_target(f"{path}:Till --spend spend(epsilon) --open (epsilon)", Limits()) as loaded:
        target = loaded.target
        assert isinstance(target, RemoteTarget)
        changed = with_changes(target.own, (replace(target.own[0], text=BEFORE),))
        watching = Watching(target, changed_marks(changed))
        target.own = changed if steered else target.own
        task = SearchTask(0, VARIED, (Fraction(1), Fraction(0)), 80, loaded.spec, seed)
        Loop(target, 80, watch=watching).run(vary_rounds(task, target))
        return watching.count


def test_changed_lines_are_run_more_often_where_they_are_known(tmp_path: Path) -> None:
    """The failing twin is the same search without them."""
    path = tmp_path / "till.py"
    steered, blind = (
        sum(on_changed_lines(path, seed, steered=one) for seed in range(3)) for one in (True, False)
    )
    assert steered > blind
