"""Budgets that are functions of a module, exist once in a process, or hand out tickets."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls, to_table
from filterproof.filter import ProtocolError
from filterproof_proofs.refinement.budget import BudgetMachine
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import BadState
from filterproof_properties.cli.main import main
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.completing import completed, located
from filterproof_properties.targets.budget.named import BudgetTarget
from filterproof_properties.targets.budget.player import Player
from filterproof_properties.targets.budget.plays import COPY, FORK, RELOAD, REPLAY, Event, Plays
from filterproof_properties.targets.target import TargetError

MODULE = Path(__file__).with_name("budget_modules.txt").read_text()
HANDLE = ["--open", "open_budget(epsilon)", "--spend"]
SINGLE = ["--spend", "spend", "--open"]
TICKETS = ["--check", "reserve", "--spend", "commit", "--fails", "abort", "--between"]
VERDICTS = {
    "right handle": ("", [*HANDLE, "spend"], 0),
    "wrong handle": ("", [*HANDLE, "spend_half"], 1),
    "right singleton": (":Single", [*SINGLE, "Single.instance(epsilon)"], 0),
    "wrong singleton": (":EveryThird", [*SINGLE, "EveryThird.instance(epsilon)"], 1),
    "right tickets": (":Tickets", TICKETS, 0),
    "wrong tickets": (":TicketsGivenBack", TICKETS, 1),
}
KINDS = {
    "right handle": ("bank.py", "open_budget(epsilon)", "spend", REPLAY),
    "no handle": ("bank.py", "init(epsilon)", "take", RELOAD),
    "singleton": ("bank.py:Single", "Single.instance(epsilon)", "spend", RELOAD),
    "there already": ("bank.py:later", "later.reset(epsilon)", "spend", RELOAD),
    "outside of its module": ("bank.py:Everywhere", "Everywhere.instance(epsilon)", "spend", FORK),
    "class": ("bank.py:Single", "(epsilon)", "spend", COPY),
}


@pytest.fixture(autouse=True)
def _bank(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "bank.py").write_text(MODULE)
    before = Path.cwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


def told(target: str, opens: str, spend: str) -> tuple[str, BudgetCalls]:
    """Return a target with its calls completed."""
    target, calls = located(target, BudgetCalls((spend,), opens))
    return target, completed(target, calls, Limits())


@pytest.mark.parametrize("case", VERDICTS)
def test_a_budget_has_its_verdict(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, words, wanted = VERDICTS[case]
    line = ["audit", f"bank.py{name}", *words, "--in-process", "--no-memory", "--examples"]
    assert main([*line, "60" if wanted else "8"]) == wanted, capsys.readouterr()


@pytest.mark.parametrize("case", KINDS)
def test_every_play_has_a_fresh_budget(case: str) -> None:
    target, opens, spend, how = KINDS[case]
    made = BudgetTarget(*told(target, opens, spend))
    assert made.how == how
    plays = made.answers((("epsilon", 1.0), ("delta", 0.0)))
    first, second = (Event(0, (("epsilon", share),)) for share in (0.75, 0.5))
    for past, granted in {(first,): True, (first, second): False, (second, second): True}.items():
        assert plays.granted(past) == granted


def test_what_was_spent_stays_spent_where_nothing_is_fresh() -> None:
    target, calls = told("bank.py:Single", "Single.instance(epsilon)", "spend")
    player = Player({**to_table(calls), "target": target})
    plays = Plays(player, (("epsilon", 1.0),), REPLAY)
    first, second = (Event(0, (("epsilon", share),)) for share in (0.75, 0.5))
    assert plays.granted((first,))
    assert not plays.granted((second, second))


def test_arguments_of_functions_are_read_off_their_parameters() -> None:
    assert told("bank.py", "open_budget(epsilon)", "spend") == (
        "bank.py:open_budget",
        BudgetCalls(("module.spend(id, epsilon)",), "(epsilon)"),
    )
    assert told("bank.py", "init(epsilon)", "take")[1].spend == ("module.take(epsilon)",)
    with pytest.raises(ProtocolError, match=r"is a call on later: write --open 'later\.reset"):
        told("bank.py:later", "reset(epsilon)", "spend")
    with pytest.raises(ProtocolError, match=r"made already.*--open 'later\.reset"):
        told("bank.py:later", "", "spend")


@pytest.mark.parametrize("case", ["wrong handle", "wrong singleton", "wrong tickets"])
def test_the_script_fails_until_the_bug_is_mended(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, words, _ = VERDICTS[case]
    save = ["--certificates", "found", "--no-memory", "--in-process"]
    assert main(["audit", f"bank.py{name}", *words, *save]) == 1
    assert "spend_half(id, " in capsys.readouterr().out or case != "wrong handle"
    (certificate,) = Path("found").iterdir()
    assert main(["repro", str(certificate), "--output", "again.py"]) == 0
    line = [sys.executable, "again.py"]
    assert subprocess.run(line, check=False, cwd=tmp_path).returncode == 1
    mended = MODULE.replace("amount / 2", "amount").replace("% 3", "% 3 or True")
    Path("bank.py").write_text(mended.replace("self.left += self.held[ticket]", "pass"))
    assert subprocess.run(line, check=False, cwd=tmp_path).returncode == 0


def test_how_many_requests_are_granted_is_to_be_said() -> None:
    counted = BudgetCalls(("spend",), "(5)", currency="count")
    told = completed("bank.py:Few", replace(counted, currency="count:5"), Limits())
    assert told.spend == ("spend()",)
    with pytest.raises(TargetError, match=r"how many requests.*--currency count:5"):
        completed("bank.py:Few", counted, Limits())


def test_a_budget_of_its_own_is_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["audit", "bank.py:Fixed", "--spend", "spend", "--in-process", "--no-memory"]
    assert main(line) == 2
    assert "say which it promises, --epsilon, or" in capsys.readouterr().err
    assert main([*line, "--examples", "8", "--epsilon", "2"]) == 0
    assert main([*line, "--examples", "60", "--epsilon", "1"]) == 1


@pytest.mark.parametrize("call", ["module.spend(id, epsilon)", "spend(result)"])
def test_what_is_not_followed_is_not_proved(call: str) -> None:
    program = Program.load(Path("bank.py"), "Single")
    followed = BudgetCalls(("spend(epsilon)",), "(epsilon)")
    assert BudgetMachine(program, followed).first(None, {"epsilon": 1.0}).objects
    with pytest.raises(BadState, match="not followed"):
        BudgetMachine(program, replace(followed, spend=(call,))).first(None, {"epsilon": 1.0})
