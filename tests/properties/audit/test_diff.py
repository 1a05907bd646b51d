"""The gate for changes: which way decisions differ, the smallest game, and whether NEW is sound."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator, Recycling
from filterproof.filters.naive import Naive, NaiveOverN
from filterproof.filters.repaired import Repaired
from filterproof.game import Step
from filterproof.game.json import game_from_json, load_json
from filterproof.palette import erasure, game, repeated, response
from filterproof_proofs.checker import check
from filterproof_properties.audit.diff import compare, rounds_change
from filterproof_properties.case import Case
from filterproof_properties.cli.main import main
from filterproof_properties.games.named import erasures, guess, wasted_branch
from filterproof_properties.targets.target import Loaded
from filterproof_properties.targets.walk import EARLIER, LATER, differences

TENTH = Fraction(1, 10)
CASES = [erasures(TENTH, 3), guess(4), wasted_branch()]
SAME = """
from filterproof.filters.additive import Additive
class Old(Additive):
    pass
class New(Additive):
    def spend(self, spent, asked):
        return asked
"""


def loaded(target: type) -> Loaded:
    return Loaded(target.__name__, target, ("dp",))


def test_a_filter_does_not_differ_from_itself() -> None:
    found = compare(loaded(Compensator), loaded(Compensator), CASES)
    assert len(found.cases) == 3
    assert (found.total(LATER), found.total(EARLIER)) == (0, 0)
    assert found.witnesses == ()
    assert len(set(rounds_change(found))) == 1


def test_a_looser_filter_halts_later_and_its_violation_is_certified() -> None:
    found = compare(loaded(NaiveOverN), loaded(Naive), CASES)
    assert found.total(LATER) > 0
    assert found.total(EARLIER) == 0
    assert "not (1, 1/10)-DP" in check(found.certificate)
    old, new = rounds_change(found)
    assert new > old


def test_a_tighter_filter_halts_earlier_and_is_sound() -> None:
    found = compare(loaded(Naive), loaded(NaiveOverN), CASES)
    assert (found.total(LATER), found.total(EARLIER) > 0) == (0, True)
    assert found.certificate == ""


def test_the_smallest_game_still_shows_the_difference() -> None:
    found = compare(loaded(Algorithm1), loaded(Repaired), [guess(4)])
    (witness,) = found.witnesses
    small = game_from_json(load_json(witness.game))
    assert sum(len(menu) for menu in small.nodes) < sum(len(menu) for menu in guess(4).game.nodes)
    case = guess(4)
    rules = tuple(
        target(case.epsilon, case.delta, **case.parameters) for target in (Algorithm1, Repaired)
    )
    shown = [*differences((rules[0], rules[1]), small)]
    assert {one.direction for one in shown} == {EARLIER}
    assert (witness.history, witness.request) in {
        (one.step.history, one.step.request) for one in shown
    }


def test_a_larger_budget_on_one_branch_is_found() -> None:
    found = compare(loaded(Compensator), loaded(Recycling), [wasted_branch()])
    assert found.total(EARLIER) == 0
    budget = Fraction(1, 10)
    wide = Case("wide", game(repeated(erasure(Fraction(1, 19)), 2)), Fraction(1), budget)
    assert compare(loaded(Compensator), loaded(Recycling), [wide]).total(EARLIER) == 0


class StopsAfter:
    """Runs so many rounds; says so with LAST, or with HALT when asked once more."""

    def __init__(self, rounds: int, *, with_last: bool) -> None:
        self.rounds, self.with_last = rounds, with_last

    def start(self) -> None:
        pass

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        if self.with_last and step.index == self.rounds:
            return Decision.LAST, None
        return (Decision.CONTINUE if step.index <= self.rounds else Decision.HALT), None


def test_last_and_then_nothing_is_the_same_as_continue_and_then_halt() -> None:
    four = game(repeated(response(Fraction(2, 3)), 4))
    rules = StopsAfter(2, with_last=True), StopsAfter(2, with_last=False)
    assert [*differences(rules, four)] == []
    more = StopsAfter(2, with_last=True), StopsAfter(3, with_last=True)
    assert {one.direction for one in differences(more, four)} == {LATER}


class Refuses:
    """Refuses the first request it is sent, and runs the others."""

    def __init__(self, first: str) -> None:
        self.first = first

    def start(self) -> None:
        pass

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return (Decision.REFUSE if step.request == self.first else Decision.CONTINUE), None


def test_a_refusal_is_followed_to_the_other_requests_of_the_menu() -> None:
    menu = {"a": erasure(TENTH), "b": erasure(TENTH)}
    rules = Refuses("a"), Refuses("b")
    assert {(one.direction, one.step.request) for one in differences(rules, game(menu))} == {
        (LATER, "a"),
        (EARLIER, "b"),
    }
    halting = Refuses("a"), StopsAfter(0, with_last=False)
    assert {one.step.request for one in differences(halting, game(menu))} == {"b"}


def test_declined_budgets_are_left_out() -> None:
    never = Loaded("never", _declines, ("dp",))
    assert compare(never, loaded(Additive), CASES).cases == ()


def _declines(epsilon: object, delta: object) -> Additive:
    raise ValueError("not today")


# --- the command ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["naive", "naive-over-n"], 0),
        (["naive", "naive-over-n", "--no-looser"], 0),
        (["naive-over-n", "naive"], 1),
        (["naive-over-n", "compensator"], 0),
        (["naive-over-n", "compensator", "--no-looser"], 1),
        (["naive", "no-such-filter"], 2),
    ],
)
def test_the_exit_code_says_whether_the_change_may_pass(words: list[str], code: int) -> None:
    assert main(["diff", *words]) == code


def test_two_files_are_compared_each_in_its_own_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SAME)
    assert main(["diff", f"{path}:Old", f"{path}:New", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert sum(one["later"] for one in found["cases"]) > 0
    assert found["witnesses"][0]["direction"] == LATER
    assert f"{path}:New" in found["certificate"]
    assert main(["diff", f"{path}:Old", f"{path}:Missing"]) == 2
    assert "has no attribute 'Missing'" in capsys.readouterr().err


def test_the_report_shows_the_smallest_game(capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "algorithm1", "repaired", "--epsilon", "log(3/2)"])
    text = capsys.readouterr().out
    assert "NEW halts earlier: after" in text
    assert "the smallest game that shows it:\n  request" in text


def test_nothing_to_compare_is_inconclusive(tmp_path: Path) -> None:
    path = tmp_path / "never.py"
    path.write_text("def F(epsilon, delta):\n    raise ValueError('never')\n")
    assert main(["diff", f"{path}:F", "additive"]) == 3
