"""The gate for changes: no looser version passes, and what passes was proved or compared."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.palette import erasure, game, repeated, response
from filterproof_proofs.checker import check
from filterproof_properties.audit import diff
from filterproof_properties.audit.comparison import Comparison
from filterproof_properties.audit.diff import compare
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.diff import exit_code, shown
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.reports.plain import plain
from filterproof_properties.targets.loading import load
from filterproof_properties.targets.walk import EARLIER, LATER, differences

TENTH = Fraction(1, 10)


def compared(old: str, new: str, **chosen: Any) -> Comparison:
    settings = Settings(**{"examples": 150, **chosen})
    return compare(load(old), load(new), settings, lambda _: None)


# --- built-in filters -----------------------------------------------------------------------


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof may take long: the machine may have much else to do."""
    monkeypatch.setattr(diff, "LONGEST_PROOF", 600.0)
    monkeypatch.setattr(diff, "FOR_PROOF", 60.0)


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("name", ["additive", "bayesian"])
def test_a_filter_is_no_looser_than_itself(name: str) -> None:
    found = compared(name, name, examples=30)
    assert found.verdict is Verdict.NOT_LOOSER
    assert found.plays > 0
    assert (found.looser, found.stricter_plays) == (None, 0)


def test_a_looser_filter_is_shown_with_its_certificate() -> None:
    found = compared("naive-over-n", "naive")
    assert found.verdict is Verdict.LOOSER
    assert found.looser is not None
    last = found.looser.rows[-1]
    assert (last.old in ("continue", "last"), last.new in ("continue", "last")) == (False, True)
    assert "-DP" in check(found.certificate)


def test_a_looser_filter_that_is_private_only_spends_more(tmp_path: Path) -> None:
    sound, stricter = versions(tmp_path, HALF)
    found = compared(stricter, sound, examples=60)
    assert (found.verdict, found.certificate) == (Verdict.LOOSER, "")
    assert "no play was found on which its budget is broken" in plain(shown(found))


def test_a_stricter_filter_passes_and_what_users_lose_is_told() -> None:
    found = compared("compensator", "additive")
    assert found.verdict in (Verdict.NOT_LOOSER, Verdict.NO_LOOSER_PLAY)
    assert found.stricter_plays > 0
    for one in found.stricter:
        assert Fraction(one.rounds_new) < Fraction(one.rounds_old)
    assert "expected rounds" in plain(shown(found))


@pytest.mark.parametrize(
    ("verdict", "certificate", "codes"),
    [
        (Verdict.LOOSER, "", (0, 1)),
        (Verdict.LOOSER, "{}", (1, 1)),
        (Verdict.NO_LOOSER_PLAY, "", (0, 0)),
        (Verdict.NOT_LOOSER, "", (0, 0)),
        (Verdict.VIOLATED, "{}", (1, 1)),
        (Verdict.INCONCLUSIVE, "", (3, 3)),
        (Verdict.FAILED, "", (2, 2)),
        (Verdict.CONTRADICTION, "", (4, 4)),
    ],
)
def test_the_exit_code_says_whether_the_change_may_pass(
    verdict: Verdict, certificate: str, codes: tuple[int, int]
) -> None:
    found = Comparison("old", "new", verdict, certificate=certificate)
    assert tuple(exit_code(found, no_looser=strict) for strict in (False, True)) == codes


# --- the walk -------------------------------------------------------------------------------


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


def test_what_was_refused_before_is_part_of_the_play() -> None:
    menu = {"a": erasure(TENTH), "b": erasure(TENTH)}
    halting = Refuses("a"), StopsAfter(0, with_last=False)
    trails = [one.trail for one in differences(halting, game(menu))]
    assert [[one.step.request for one in trail] for trail in trails if trail] == [["a"]]


def test_histories_that_only_differ_in_names_are_asked_about_once_where_that_is_declared() -> None:
    class Counting(StopsAfter):
        markov, asked = True, 0

        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            self.asked += 1
            return super().decide(state, step)

    class Reading(Counting):
        markov = False

    long = game(repeated(response(Fraction(2, 3)), 9))
    both = [(kind(9, with_last=True), kind(9, with_last=True)) for kind in (Counting, Reading)]
    assert [[*differences(rules, long)] for rules in both] == [[], []]
    assert both[0][0].asked * 4 < both[1][0].asked


# --- what passed when nine games were played ------------------------------------------------

LEDGER = """
from filterproof.filter import Decision
class Old:
    markov = True
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta
        self.check()
    def check(self):
        pass
    def start(self):
        return Fraction(1), Fraction(0)
    def factor(self, step):
        return 1
    def decide(self, state, step):
        odds, delta = step.mechanism.declared
        spent = state[0] * odds, state[1] + delta / self.factor(step)
        fits = not exceeds(spent[0], Fraction(1), self.epsilon) and spent[1] <= self.delta
        return (Decision.CONTINUE, spent) if fits else (Decision.REFUSE, state)
"""
HEAD = "from fractions import Fraction\nfrom filterproof.exact import exceeds\n"
FACTOR = "class New(Old):\n    def factor(self, step):\n        return 2 if {} else 1\n"
LOOSER = {
    "small delta": FACTOR.format("self.delta < Fraction(1, 20)"),
    "after round 3": FACTOR.format("step.index > 3"),
    "three databases": FACTOR.format("len(step.game.databases) > 2"),
    "large epsilon": FACTOR.format("self.epsilon == 3"),
}
HALF = "class New(Old):\n    def factor(self, step):\n        return Fraction(1, 2)\n"
DECLINES = """
class New(Old):
    def check(self):
        exec("")
        if self.delta != Fraction(1, 100000):
            raise ValueError("not here")
"""


def versions(folder: Path, text: str) -> list[str]:
    path = folder / "ledger.py"
    path.write_text(HEAD + LEDGER + text)
    return [f"{path}:Old", f"{path}:New"]


@pytest.mark.parametrize("edit", LOOSER)
def test_a_version_that_is_looser_somewhere_does_not_pass(
    edit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*versions(tmp_path, LOOSER[edit]), "--no-looser", "--examples", "600", "--json"]
    assert main(["diff", *words]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "LOOSER"
    assert found["looser"]["rows"][-1]["old"] == "refuse"


def test_a_version_that_declines_all_but_one_case_is_not_concluded_from(tmp_path: Path) -> None:
    words = [*versions(tmp_path, DECLINES), "--no-looser", "--examples", "200"]
    assert main(["diff", *words]) == 3


def test_a_budget_that_only_the_new_version_takes_is_looser(tmp_path: Path) -> None:
    old, new = versions(tmp_path, DECLINES.replace("!= Fraction(1, 100000)", "== Fraction(1, 10)"))
    assert main(["diff", new, old, "--no-looser", "--examples", "100"]) == 1


# --- budget objects ---------------------------------------------------------------------------

BUDGET = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta, self.spent, self.risk = epsilon, delta, 0.0, 0.0
        self.n = 0

    def spend(self, epsilon, delta):
        self.n += 1
        if self.spent + epsilon > self.epsilon or self.risk + delta > self.delta:
            return False
        self.spent += epsilon
        self.risk += delta
        return True
"""
EDITS = {
    "renamed": (BUDGET.replace("spent", "used"), "PROVED no looser"),
    "every eighth is free": (
        BUDGET.replace(
            "self.n += 1\n", "self.n += 1\n        if self.n % 8 == 0:\n            return True\n"
        ),
        "LOOSER",
    ),
    "cents": (
        BUDGET.replace("if self.spent + epsilon", "if round(self.spent + epsilon, 2)"),
        "LOOSER",
    ),
}


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_a_ledger_get_their_verdicts(
    edit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, verdict = EDITS[edit]
    paths = [tmp_path / "old.py", tmp_path / "new.py"]
    for path, source in zip(paths, (BUDGET, text), strict=True):
        path.write_text(source)
    words = [*(f"{path}:Budget" for path in paths), "--spend", "spend", "--seconds", "12"]
    code = main(["diff", *words, "--no-looser", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], code) == (verdict, int(verdict == "LOOSER"))
    if found["looser"]:
        last = found["looser"]["rows"][-1]
        assert (last["asked"][:6], last["old"], last["new"]) == ("spend(", "refused", "granted")
    else:
        assert any("every transcript" in line for line in found["proof"])
        assert any("answered alike" in line for line in found["proof"])


# --- the command ------------------------------------------------------------------------------


def test_what_cannot_be_compared_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = versions(tmp_path, "New = Old")
    assert main(["diff", "naive", "no-such-filter"]) == 2
    assert main(["diff", old, new.replace("New", "Missing")]) == 2
    assert "has no attribute 'Missing'" in capsys.readouterr().out
    assert main(["diff", "naive", "naive", "--proved"]) == 2
    assert "--proved is an option of audit" in capsys.readouterr().err


def test_nothing_to_compare_is_inconclusive(tmp_path: Path) -> None:
    path = tmp_path / "never.py"
    path.write_text("def F(epsilon, delta):\n    raise ValueError('never')\n")
    assert main(["diff", f"{path}:F", "additive", "--examples", "40"]) == 3
    assert main(["diff", "additive", f"{path}:F", "--examples", "40", "--no-looser"]) == 3
