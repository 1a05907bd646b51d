"""Budget objects of the styles that people have at work: each has its verdict, or is explained."""

import re
from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_properties.cli.main import main
from filterproof_properties.targets.budget.trial import tried

STYLES = Path(__file__).with_name("budget_styles.txt").read_text()
"""The classes, as people write them."""
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
    ("RaisesKeyError", [*SPEND, "--refusal", "KeyError"], 0),
    ("ForUsers", [*SPEND, "--free", "user=a,b"], 0),
    ("Unawaited", SPEND, 1),
    ("Stingy", SPEND, 0),
    ("Left", SPEND, 0),
    ("Says", [*SPEND, "--granted", "result == Outcome.GRANTED"], 0),
    ("Yields", SPEND, 0),
    ("YieldsAndGivesBack", SPEND, 1),
    ("Decorates", SPEND, 0),
    ("DecoratesWrong", SPEND, 1),
    ("Micros", ["--spend", "spend(ceil(epsilon * 1_000_000))"], 0),
    ("Decimals", SPEND, 0),
    ("Declares", SPEND, 0),
    ("DeclaresWrong", SPEND, 1),
    ("Model", SPEND, 0),
]
SAID = {
    "ForUsers": r"spend\(user, epsilon\): what is 'user'\? .*--free user=a,b",
    "NeedsADatabase": "what is 'connection', which makes the object",
    "Orders": "which Renyi orders.*--currency rdp:2,4,8",
    "RaisesKeyError": "raised KeyError.*say --refusal KeyError",
    "Dies": r"ended its process on one of these: spend\(0.25\); spend\(4.0\)",
    "Never": "refuses a quarter of its budget: spend",
    "Micros": r"counts epsilon in units of its own.*spend\(ceil\(epsilon \* 1_000_000\)\)",
    "Refills": "--clock says what tells it the time",
    "Plian": "has no 'Plian'; did you mean Plain?",
}


@pytest.fixture
def styles(tmp_path: Path) -> Path:
    """The file with all classes."""
    path = tmp_path / "styles.py"
    path.write_text(STYLES)
    return path


def audited(capsys: pytest.CaptureFixture[str], *words: str, examples: int = 12) -> tuple[int, str]:
    """Audit by command line; return the exit code and what was printed.

    Only a clock is replaced in a process of its own: the others are tried in one as well.
    """
    here = [] if "--clock" in words else ["--in-process"]
    code = main(["audit", *words, *here, "--examples", str(examples), "--no-memory"])
    printed = capsys.readouterr()
    return code, " ".join((printed.out + printed.err).split())


@pytest.mark.parametrize(("name", "words", "wanted"), VERDICTS, ids=lambda one: str(one))
def test_a_class_has_its_verdict(
    name: str, words: list[str], wanted: int, styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = 60 if wanted else 12  # a wrong one ends its audit itself
    code, said = audited(capsys, f"{styles}:{name}", *words, examples=examples)
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
    assert re.search("NeedsDelta has no method 'decide'.*--spend", said), said


def notes(styles: Path, name: str) -> str:
    """Return what the user is told of a class that is tried."""
    return " ".join(tried(f"{styles}:{name}", BudgetCalls(("spend",))).notes)


def test_an_object_that_refuses_by_none_is_not_said_to_grant_too_much(styles: Path) -> None:
    assert "four times its budget" not in notes(styles, "Left")
    assert "four times its budget" in notes(styles, "Boundless")


def test_objects_that_share_what_they_remember_are_named(styles: Path) -> None:
    assert "share what they remember" in notes(styles, "Only")
    assert "share what they remember" not in notes(styles, "Plain")


def test_budgets_without_delta_are_declined_where_it_divides_by_delta(
    styles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = audited(capsys, f"{styles}:NeedsDelta", *SPEND)
    assert "no answer at delta = 0" in said
    assert "ZeroDivisionError" in said
