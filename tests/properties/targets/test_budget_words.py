"""What is told of a budget object's violation, the script of it, and calls that are made again."""

import subprocess
import sys
from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof.filter import ProtocolError
from filterproof_properties.cli.main import main
from filterproof_properties.targets.target import Declined
from tests.properties.targets.calls import run_calls

LEDGERS = Path(__file__).parents[3] / "examples" / "ledgers"
WRONG = {
    "refund.py": ["--spend", "reserve", "--fails", "cancel"],
    "context.py": ["--spend", "spending"],
    "asynchronous.py": ["--spend", "reserve"],
    "plain.py": ["--spend", "spend", "--refusal", "BudgetExceeded"],
}
MENDED = {
    "refund.py": ("self.left += epsilon", "self.cancelled += epsilon"),
    "context.py": ("            self.left += epsilon\n", ""),
    "asynchronous.py": ("and delta <= self.delta", "and self.spent[1] + delta <= self.delta"),
    "plain.py": ("if epsilon > self.total", "if self.spent + epsilon > self.total"),
}


@pytest.fixture(params=WRONG)
def found(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, Path, str]:
    """A copy of a ledger, the certificate of its violation, and what was printed."""
    name: str = request.param
    ledger = tmp_path / name
    ledger.write_text((LEDGERS / name).read_text())
    words = [*WRONG[name], "--examples", "300", "--certificates", str(tmp_path)]
    assert main(["audit", f"{ledger}:Wrong", *words]) == 1
    (certificate,) = tmp_path.glob("*.json")
    return ledger, certificate, capsys.readouterr().out


def test_a_violation_is_told_by_the_calls_that_were_made(found: tuple[Path, Path, str]) -> None:
    ledger, _, printed = found
    method = WRONG[ledger.name][1]
    assert "budget = Wrong(" in printed
    assert f"budget.{method}(0." in printed
    assert "-> granted" in printed
    assert "This play has probability" in printed


@pytest.mark.parametrize("kind", [[], ["--pytest"]])
def test_the_script_fails_until_the_bug_is_mended(
    found: tuple[Path, Path, str], kind: list[str], tmp_path: Path
) -> None:
    ledger, certificate, _ = found
    script = tmp_path / "test_again.py"
    assert main(["repro", str(certificate), "--output", str(script), *kind]) == 0
    line = [sys.executable, *(["-m", "pytest", "-q"] if kind else []), str(script)]
    assert subprocess.run(line, check=False, cwd=tmp_path).returncode == 1
    before, after = MENDED[ledger.name]
    text = ledger.read_text()
    assert before in text
    ledger.write_text(text.replace(before, after))
    assert subprocess.run(line, check=False, cwd=tmp_path).returncode == 0


def test_a_test_is_printed_for_budget_objects_only(tmp_path: Path) -> None:
    assert main(["audit", "naive", "--examples", "1", "--certificates", str(tmp_path)]) == 1
    (certificate,) = tmp_path.glob("*.json")
    assert main(["repro", str(certificate), "--pytest"]) == 2


def test_scripted_calls_are_answered_by_the_object_itself() -> None:
    calls = BudgetCalls(("spend(epsilon)",))
    costs = [{"epsilon": 0.5}, {"epsilon": 0.75}, {"epsilon": 0.5}]
    answers = run_calls(f"{LEDGERS / 'plain.py'}:Right", calls, {"epsilon": 1.0}, costs)
    assert [one.granted for one in answers] == [True, False, True]
    assert answers[0].shown == "spend(0.5) -> None"
    assert answers[1].shown == "spend(0.75) raised BudgetExceeded"


def test_a_failure_is_told_where_it_is_scripted() -> None:
    calls = BudgetCalls(("reserve(epsilon)",), fails="cancel(epsilon)")
    costs = [{"epsilon": 0.75, "failed": True}, {"epsilon": 0.75}]
    granted = {
        kind: [
            one.granted
            for one in run_calls(f"{LEDGERS / 'refund.py'}:{kind}", calls, {"epsilon": 1.0}, costs)
        ]
        for kind in ("Right", "Wrong")
    }
    assert granted == {"Right": [True, False], "Wrong": [True, True]}


def test_what_the_object_does_wrong_is_raised(tmp_path: Path) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text(
        "class Odd:\n"
        "    def __init__(self, e):\n"
        "        if e > 2: raise ValueError('at most 2')\n"
        "    def spend(self, e): return 1 / 0\n"
    )
    calls = BudgetCalls(("spend(epsilon)",))
    with pytest.raises(ProtocolError, match=r"ZeroDivisionError: division by zero .*odd.py:4"):
        run_calls(f"{odd}:Odd", calls, {"epsilon": 1.0}, [{"epsilon": 0.5}])
    with pytest.raises(Declined, match="at most 2"):
        run_calls(f"{odd}:Odd", calls, {"epsilon": 3.0}, [{"epsilon": 0.5}])
