"""Ordinary budget objects, audited as they are: each example has the verdict that it announces."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filterproof.filter import ProtocolError
from filterproof_properties.cli.main import main
from filterproof_properties.targets.budget.replies import read_reply

LEDGERS = Path(__file__).parents[3] / "examples" / "ledgers"
DECIMAL = ["--spend", "spend(Decimal(epsilon))", "--open", "(Decimal(epsilon))"]
MICROS = ["--spend", "spend(ceil(epsilon * 10**6))", "--open", "(floor(epsilon * 10**6))"]
STATUS = ["--spend", "handle", "--granted", "result['status'] == 'ok'"]
CALLS: dict[str, list[str]] = {
    "plain.py": ["--spend", "spend"],
    "asynchronous.py": ["--spend", "reserve"],
    "context.py": ["--spend", "spending"],
    "service.py": STATUS,
    "zcdp.py": ["--spend", "spend"],
    "per_user.py": ["--spend", "spend", "--free", "analyst=ann,bob"],
    "refund.py": ["--spend", "reserve", "--fails", "cancel"],
    "decimals.py": DECIMAL,
}
RIGHT = {"no violation found", "holds up to rounding"}


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(LEDGERS)
    yield
    os.chdir(before)


def audited(capsys: pytest.CaptureFixture[str], *words: str, plays: int = 60) -> tuple[int, str]:
    """Audit by command line; return the exit code and what was printed."""
    code = main(["audit", *words, "--examples", str(plays)])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize("file", CALLS)
def test_a_right_ledger_passes(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = audited(capsys, f"{file}:Right", *CALLS[file], plays=30)
    assert code == 0, said
    assert any(verdict in said for verdict in RIGHT)


@pytest.mark.parametrize("file", CALLS)
def test_a_wrong_ledger_is_violated(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = audited(capsys, f"{file}:Wrong", *CALLS[file], plays=600)
    assert code == 1, said
    assert "VIOLATED" in said


@pytest.mark.parametrize(("kind", "wanted"), [("Right", 0), ("Wrong", 1)])
def test_a_factory_makes_an_object_with_a_database(
    kind: str, wanted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    opens = f"sqlite_store.py:{kind.lower()}(epsilon)"
    code, said = audited(capsys, f"sqlite_store.py:{kind}", "--spend", "spend", "--open", opens)
    assert code == wanted, said


@pytest.mark.parametrize(
    ("words", "wanted"),
    [(["micro_units.py:Right", *MICROS], 0), (["micro_units.py:Wrong", "--spend", "spend"], 1)],
)
def test_micro_units(words: list[str], wanted: int, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = audited(capsys, *words)
    assert code == wanted, said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plain.py:Right", "--spend", "spent"], "no method 'spent'; did you mean spend?"),
        (["plain.py:Rigth", "--spend", "spend"], "no 'Rigth'; did you mean Right"),
        (["plaim.py:Right", "--spend", "spend"], "no such file: plaim.py"),
        (["plain.py"], "which one of plain.py.* it has BudgetExceeded, Right, Wrong"),
        (["plain.py", "--spend", "spend"], "which one of plain.py.* it has BudgetExceeded, Right"),
        (["plain.py:Right", "--spend", "spend(epsilon, delta)"], "takes 2 positional arguments"),
        (["plain.py:Right", "--spend", "spend(epsilom)"], "did you mean epsilon?"),
        (["plain.py:Right", "--spend", "spend", "--open", "(epsilon, 3)"], "raised TypeError"),
        (["service.py:Right", "--spend", "handle"], "returned|cannot tell a grant from a refusal"),
        (["service.py:Right", "--spend", "handle", "--granted", "result.ok"], "AttributeError"),
        (["plain.py:Right", "--spend", "spend", "--refusal", "KeyError"], "a refusal is KeyError"),
        (["per_user.py:Right", "--spend", "spend"], "what is 'analyst'?"),
    ],
)
def test_what_is_in_the_way_is_said_at_once(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = audited(capsys, *words)
    assert code == 2, printed
    assert re.search(said, printed), printed


def test_an_object_that_is_told_of_failures_has_them_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, told = audited(capsys, "refund.py:Right", *CALLS["refund.py"])
    _, untold = audited(capsys, "refund.py:Right", "--spend", "reserve")
    assert "failures played" in told
    assert "failures not played" in untold


@pytest.mark.parametrize(("kind", "wanted"), [("PerTable", 0), ("ForgetsTables", 1)])
def test_parts_of_the_data_have_budgets_of_their_own(
    kind: str, wanted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--spend", "spend(epsilon, table)", "--part", "table"]
    code, said = audited(capsys, f"per_user.py:{kind}", *words)
    assert code == wanted, said


ODD = """
import time

class Plain:
    def __init__(self, epsilon):
        self.left = epsilon

    def spend(self, epsilon):
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True

class Daily(Plain):
    def __init__(self, epsilon):
        self.epsilon = self.left = epsilon
        self.day = time.time() // 86400

    def spend(self, epsilon):
        if time.time() // 86400 != self.day:
            self.left, self.day = self.epsilon, time.time() // 86400
        return super().spend(epsilon)

class Shared(Plain):
    def __init__(self, epsilon):
        Shared.left = epsilon

    def spend(self, epsilon):
        if epsilon > Shared.left:
            return False
        Shared.left -= epsilon
        return True

class SharedWithRoom:  # asked for all of the budget it refuses
    spent = []

    def __init__(self, epsilon):
        self.epsilon = epsilon
        self.spent.clear()

    def spend(self, epsilon):
        if sum(self.spent) + epsilon > self.epsilon * (1 - 1e-9):
            return False
        self.spent.append(epsilon)
        return True

class Steps(Plain):
    def spend(self, epsilon):
        if not super().spend(epsilon):
            return
        yield self.left
        self.done = True

class Runs(Plain):
    def run(self, mechanism, epsilon):
        if not self.spend(epsilon):
            raise PermissionError("no")
        try:
            return mechanism()
        except Exception:
            self.left += epsilon
            raise

class Counts:
    def __init__(self, count):
        self.left = count

    def ask(self):
        self.left -= 1
        return self.left >= 0

class CountsOneMore(Counts):
    def ask(self):
        self.left -= 1
        return self.left >= -1

class Mu:
    def __init__(self, epsilon, delta, mu):
        self.mu, self.squares = mu, 0.0

    def spend(self, mu):
        if self.squares + mu * mu > self.mu * self.mu * (1 - 1e-9):
            return False
        self.squares += mu * mu
        return True

class MuAdded(Mu):
    def spend(self, mu):
        if max(self.squares, mu * mu) > self.mu * self.mu:
            return False
        self.squares = max(self.squares, mu * mu)
        return True
"""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["Plain", "--spend", "spend", "--clock", "time.time"], 0),
        (["Daily", "--spend", "spend"], 0),
        (["Daily", "--spend", "spend", "--clock", "time.time"], 1),
        (["Plain", "--spend", "spend", "--instances", "2"], 0),
        (["Shared", "--spend", "spend"], 0),
        (["Shared", "--spend", "spend", "--instances", "2"], 1),
        (["SharedWithRoom", "--spend", "spend"], 0),
        (["Steps", "--spend", "spend"], 0),
        (["Runs", "--spend", "run"], 1),
        (["Counts", "--spend", "ask", "--currency", "count"], 0),
        (["CountsOneMore", "--spend", "ask", "--currency", "count"], 1),
        (["Mu", "--spend", "spend"], 0),
        (["MuAdded", "--spend", "spend"], 1),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_odd_objects(
    words: list[str], wanted: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.py").write_text(ODD)
    plays = 100 if wanted else 30  # a wrong one is found within a hundred
    code, said = audited(capsys, f"{tmp_path / 'odd.py'}:{words[0]}", *words[1:], plays=plays)
    assert code == wanted, said


FORGES = """
import os

def forge():
    for file in range(3, 64):
        try:
            os.write(file, b'SAID\\n')
        except OSError:
            pass

if WHEN == "loaded":
    forge()

class Forger:
    def __init__(self, epsilon):
        if WHEN == "made":
            forge()

    def spend(self, epsilon):
        return True
"""
SAID = [
    *("7", "[1]", "[" * 20_000, "no JSON", "{}", '{"fault": 1}', '{"declined": []}'),
    *('{"answers": 5}', '{"answers": [[true, "x"]]}', '{"answers": [[1, "x", "none"]]}'),
    *('{"open": 1, "methods": {"spend": null}}', '{"open": [], "methods": {"spend": [["e"]]}}'),
]


@pytest.mark.parametrize("said", SAID, ids=lambda said: said[:40])
def test_what_an_object_writes_in_the_place_of_its_process_is_a_fault(said: str) -> None:
    """Its code may write to every descriptor; nothing that comes is believed to have a shape."""
    questions: list[dict[str, Any]] = [{"events": [{}]}, {"methods": ["spend"]}, {}]
    for question in questions:
        with pytest.raises(ProtocolError, match="no reply"):
            read_reply(said.encode(), question, question.get("methods", ["spend"]))


@pytest.mark.parametrize("when", ["loaded", "made"])
def test_an_object_that_answers_for_its_process_is_exit_code_2(
    when: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = FORGES.replace("WHEN", repr(when)).replace("SAID", '{"answers": 5}')
    (tmp_path / "forger.py").write_text(source)
    code, said = audited(capsys, f"{tmp_path}/forger.py:Forger", "--spend", "spend", plays=1)
    assert (code, "no reply" in said) == (2, True), said
