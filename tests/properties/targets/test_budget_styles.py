"""Budget objects of the styles that people have at work: each has its verdict, or is explained."""

import re
from pathlib import Path

import pytest

from filterproof_properties.cli.main import main

STYLES = """
import datetime
import json
import math
import os
import tempfile
from dataclasses import dataclass, replace


class Plain:
    def __init__(self, epsilon):
        self.left = epsilon

    @classmethod
    def create(cls, epsilon):
        return cls(epsilon)

    def spend(self, epsilon):
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


def closure(epsilon):
    budget = Plain(epsilon)

    def spend(epsilon):
        return budget.spend(epsilon)

    return spend


@dataclass(frozen=True)
class Unchanged:
    epsilon: float
    spent: float = 0.0

    def spend(self, epsilon):
        if self.spent + epsilon > self.epsilon:
            raise OverflowError("exceeded")
        return replace(self, spent=self.spent + epsilon)


class UnchangedWrong(Unchanged):
    def spend(self, epsilon):
        if self.spent > self.epsilon:
            raise OverflowError("exceeded")
        return replace(self, spent=self.spent + epsilon)


@dataclass
class ByName:
    epsilon: float
    delta: float = 1e-6
    spent: float = 0.0

    def spend(self, *, epsilon_cost, delta_cost=0.0):
        if self.spent + epsilon_cost > self.epsilon or delta_cost > self.delta:
            return False
        self.spent += epsilon_cost
        self.delta -= delta_cost
        return True


class ByNameWrong(ByName):
    def spend(self, *, epsilon_cost, delta_cost=0.0):
        self.delta += delta_cost
        return super().spend(epsilon_cost=epsilon_cost, delta_cost=delta_cost)


class NeedsDelta:
    def __init__(self, epsilon, delta):
        self.epsilon, self.log, self.rho = epsilon, math.log(1 / delta), 0.0

    def spend(self, epsilon):
        rho = self.rho + epsilon * epsilon / self.share
        if rho + 2 * math.sqrt(rho * self.log) > self.epsilon * (1 - 1e-9):
            return False
        self.rho = rho
        return True

    share = 2


class NeedsDeltaWrong(NeedsDelta):
    share = 32


class TwoBooks:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta, self.rho = epsilon, delta, 0.0

    def spend_epsilon(self, epsilon):
        if epsilon > self.epsilon:
            return False
        self.epsilon -= epsilon
        return True

    def spend_rho(self, rho):
        rho += self.rho
        if self.delta <= 0 or rho + 2 * math.sqrt(rho * math.log(1 / self.delta)) > self.epsilon:
            return False
        self.rho = rho
        return True


@dataclass
class Cost:
    epsilon: float
    delta: float


class TakesCosts:
    def __init__(self, total):
        self.left = total

    def spend(self, cost):
        if cost.epsilon > self.left.epsilon or cost.delta > self.left.delta:
            return False
        self.left = Cost(self.left.epsilon - cost.epsilon, self.left.delta - cost.delta)
        return True


class Daily(Plain):
    def __init__(self, epsilon):
        self.epsilon = self.left = epsilon
        self.day = datetime.datetime.now().date()

    def spend(self, epsilon):
        today = datetime.datetime.now(datetime.timezone.utc).date()
        if today > self.day:
            self.left, self.day = self.epsilon, today
        return super().spend(epsilon)


class InAFile:
    def __init__(self, epsilon):
        self.path = tempfile.mktemp()
        self.write(epsilon)

    def write(self, left):
        with open(self.path, "w") as file:
            json.dump(left, file)

    def spend(self, epsilon):
        with open(self.path) as file:
            left = json.load(file)
        if epsilon > left:
            raise OverflowError
        self.write(left - epsilon)


class Only(Plain):
    _one = None

    def __new__(cls, *arguments):
        if cls._one is None:
            cls._one = super().__new__(cls)
            cls._one.left = arguments[0]
        return cls._one

    def __init__(self, epsilon):
        pass


class ForUsers:
    def __init__(self, epsilon):
        self.left = epsilon

    def spend(self, user, epsilon):
        return Plain.spend(self, epsilon)


class NeedsADatabase(Plain):
    def __init__(self, connection, epsilon):
        super().__init__(epsilon)


class Orders(Plain):
    def spend(self, rdp):
        return False


class RaisesKeyError(Plain):
    def spend(self, epsilon):
        if not super().spend(epsilon):
            raise KeyError("budget")


class Dies(Plain):
    def spend(self, epsilon):
        if not super().spend(epsilon):
            os._exit(3)


class Stingy:
    def __init__(self, epsilon):
        self.left = epsilon / 16

    def spend(self, epsilon):
        if epsilon > self.left:
            raise RuntimeError
        self.left -= epsilon


class Never(Plain):
    def spend(self, epsilon):
        return False


class Unawaited(Plain):
    async def _book(self, epsilon):
        self.left -= epsilon

    def spend(self, epsilon):
        if epsilon > self.left:
            return False
        self._book(epsilon)
        return True
"""
SPEND = ["--spend", "spend"]
COSTS = ["--spend", "spend(Cost(epsilon, delta))", "--open", "(Cost(epsilon, delta))"]
VERDICTS: list[tuple[str, list[str], int]] = [
    ("Plain.create", SPEND, 0),
    ("closure", ["--spend", "__call__"], 0),
    ("Unchanged", SPEND, 0),
    ("UnchangedWrong", SPEND, 1),
    ("ByName", SPEND, 0),
    ("ByNameWrong", SPEND, 1),
    ("NeedsDelta", SPEND, 0),
    ("NeedsDeltaWrong", SPEND, 1),
    ("TwoBooks", ["--spend", "spend_epsilon", "--spend", "spend_rho"], 1),
    ("TakesCosts", COSTS, 0),
    ("Daily", SPEND, 0),
    ("Daily", [*SPEND, "--clock", "datetime.datetime.now"], 1),
    ("InAFile", SPEND, 0),
    ("Only", SPEND, 0),
    ("RaisesKeyError", [*SPEND, "--refusal", "KeyError"], 0),
    ("ForUsers", [*SPEND, "--free", "user=a,b"], 0),
    ("Unawaited", SPEND, 1),
    ("Stingy", SPEND, 0),
]
SAID = {
    "ForUsers": r"spend\(user, epsilon\): what is 'user'\? .*--free user=a,b",
    "NeedsADatabase": "what is 'connection', which makes the object",
    "Orders": "which Renyi orders.*--currency rdp:2,4,8",
    "RaisesKeyError": "raised KeyError.*say --refusal KeyError",
    "Dies": r"ended its process on one of these: spend\(0.25\); spend\(4.0\)",
    "Never": "refuses a quarter of its budget: spend",
    "Plian": "has no 'Plian'; did you mean Plain?",
}


@pytest.fixture
def styles(tmp_path: Path) -> Path:
    """The file with all classes."""
    path = tmp_path / "styles.py"
    path.write_text(STYLES)
    return path


def audited(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Audit by command line; return the exit code and what was printed."""
    code = main(["audit", *words, "--examples", "60"])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize(("name", "words", "wanted"), VERDICTS, ids=lambda one: str(one))
def test_a_class_has_its_verdict(
    name: str, words: list[str], wanted: int, styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = audited(capsys, f"{styles}:{name}", *words)
    assert code == wanted, said


@pytest.mark.parametrize("name", SAID)
def test_what_is_in_the_way_is_said(
    name: str, styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = audited(capsys, f"{styles}:{name}", *SPEND)
    assert code == 2, said
    assert re.search(SAID[name], said), said


def test_a_class_without_its_call_is_no_filter(
    styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = audited(capsys, f"{styles}:NeedsDelta")
    assert code == 2
    assert re.search(r"NeedsDelta has no start\(\).*--spend", said, re.DOTALL), said


def test_objects_that_share_what_they_remember_are_named(
    styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "share what they remember" in audited(capsys, f"{styles}:Only", *SPEND)[1]
    assert "share what they remember" not in audited(capsys, f"{styles}:Plain", *SPEND)[1]


def test_budgets_without_delta_are_declined_where_it_divides_by_delta(
    styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = audited(capsys, f"{styles}:NeedsDelta", *SPEND)
    assert "no answer at delta = 0" in said
    assert "ZeroDivisionError" in said
