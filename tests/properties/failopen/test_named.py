"""`filterproof failopen`: each mistake is seen in its rows, and in no other."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.cli.main import main
from filterproof_properties.failopen import inputs, named
from filterproof_properties.failopen.desk import ONE, PAIRS, Desk
from filterproof_properties.failopen.probes import NAMED_ROWS, exactly
from filterproof_properties.failopen.table import as_text, cell
from filterproof_properties.targets.target import TargetError

TILLS = Path(__file__).with_name("tills.py")


def till(name: str, **more: Any) -> named.Budget:
    return named.Budget(f"{TILLS}:{name}", **{"spend": "spend(epsilon, delta)", **more})


def opened(budget: named.Budget) -> set[str]:
    """Return the rows in which an object fails open, asked in this process."""
    desk = named.desk(budget)
    return {row for row, probe in NAMED_ROWS.items() if cell(row, desk, probe).open}


@pytest.mark.parametrize(
    ("budget", "rows"),
    [
        (till("Till"), set()),
        (till("Till", refusal="Empty"), set()),
        (till("LetsNaNPass"), {"NaN", "NaN delta", "NaN budget"}),
        (till("LetsNegativesPass"), {"negative"}),
        (till("ZeroIsUnlimited"), {"zero budget"}),
        (till("SumsInDoubles"), {"subnormal", "tiny spends", "order"}),
        (till("Tolerates"), {"subnormal", "tiny spends", "slices", "order"}),
        (till("Unlocked"), {"racing threads"}),
        (till("Apart", check="check(epsilon, delta)"), {"racing threads"}),
        (
            till("Apart", check="check(epsilon, delta)", between=True),
            {"racing threads", "failing mechanism"},
        ),
        (till("Refunds"), set()),
        (till("Refunds", fails="refund(epsilon, delta)"), {"failing mechanism"}),
    ],
    ids=lambda one: one.target.rpartition(":")[2] if isinstance(one, named.Budget) else "",
)
def test_a_mistake_is_seen_in_its_rows_and_in_no_other(
    budget: named.Budget, rows: set[str]
) -> None:
    assert opened(budget) == rows


def test_a_budget_that_is_too_large_is_seen_at_once() -> None:
    assert "one unit too many" in opened(till("OneMore"))


def test_an_object_that_knows_no_delta_is_asked_about_epsilon() -> None:
    budget = till("PureOnly", spend="take(cost=epsilon)", opens="target(total=epsilon)")
    assert opened(budget) == {"NaN delta", "tiny spends"}  # which it cannot see, and so it grants


# --- the same inputs as the vectors ---------------------------------------------------------


def test_every_sequence_that_is_handed_in_is_a_vector() -> None:
    vectors = {(one.budget, tuple(map(inputs.doubles, one.spends))) for one in inputs.sequences()}
    written = {(inputs.doubles(budget), str(spends)) for budget, spends in vectors}
    heard: list[tuple[Any, list[Any]]] = []

    def hears(epsilon: float, delta: float = 1e-5) -> list[Any]:
        heard.append(((epsilon, delta), []))
        return heard[-1][1]

    desk = Desk(hears, lambda it, pair: it.append(pair) or True, ONE, PAIRS, "", None)
    for row, flag in (*inputs.AMID.items(), ("subnormal", "subnormal"), ("slices", "slices")):
        cell(row, replace(desk, pairs=True), NAMED_ROWS[row])
        cell(row, replace(desk, pairs=True), exactly(flag))
    assert len(heard) > 40
    assert {(budget, str(tuple(spends))) for budget, spends in heard} <= written


def test_what_is_granted_in_every_sequence_is_never_more_than_the_vectors_say() -> None:
    desk = named.desk(till("Till"))
    for flag in inputs.INPUT_FLAGS:
        assert not exactly(flag)("", desk).open


# --- at the door ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        (till("Till", spend="pay(epsilon, delta)"), "first unit, which fits, raises: Attribute"),
        (till("Till", spend="spend(2 * epsilon, delta)"), "first unit, which fits, raises: Empty"),
        (till("Till", opens="target()"), "it cannot be made: TypeError"),
        (till("Till", refusal="Full"), "a unit too many raises no Full: Empty"),
        (till("Nobody"), "has no attribute 'Nobody'"),
    ],
)
def test_an_object_that_does_not_grant_what_fits_is_not_called_closed(
    budget: named.Budget, why: str
) -> None:
    with pytest.raises(TargetError, match=why):
        named.desk(budget)


@pytest.mark.parametrize("text", ["", "3", "spend(x)", "spend(", "a.b(epsilon)", "spend; exit()"])
def test_a_call_is_a_name_or_a_call_of_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"need NAME or NAME\(\.\.\.\)"):
        named.call(text)


# --- in a process of its own ----------------------------------------------------------------


def test_the_command_prints_the_table_and_its_exit_code_says_whether_something_is_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["failopen", f"{TILLS}:Till", "--spend", "spend", "--refusal", "Empty"]) == 0
    assert "closed NaN                ValueError; 1 of 1 units" in capsys.readouterr().out
    assert main(["failopen", f"{TILLS}:LetsNaNPass", "--spend", "spend", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["seen"]["NaN"] == {"text": "granted; 3 of 1 units", "open": True}


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Hangs", 3, "?      NaN                hangs: no answer in 2 s"),
        ("Aborts", 3, "?      NaN                aborts the process (SIGABRT)"),
        ("Leaves", 2, "at 'NaN' its process ended: exit status 3"),
        ("Forges", 2, "it wrote no answer: b'everything is fine'"),
        ("Nobody", 2, "has no attribute 'Nobody'"),
    ],
)
def test_an_object_that_behaves_badly_ends_its_own_process_only(
    name: str,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {row: NAMED_ROWS[row] for row in ("NaN", "zero")}
    monkeypatch.setattr(named, "NAMED_ROWS", rows)  # each that ends its process costs a new one
    words = ["failopen", f"{TILLS}:{name}", "--spend", "spend"]
    assert main([*words, "--timeout", "2" if name == "Hangs" else "20"]) == code
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_what_nobody_was_asked_is_not_in_the_table() -> None:
    desk = replace(named.desk(till("Till")), pairs=False, fail=None)
    seen = {row: cell(row, desk, NAMED_ROWS[row]) for row in ("slices", "failing mechanism", "NaN")}
    assert as_text("till", seen).splitlines()[1:] == [
        "  closed NaN                ValueError; 1 of 1 units"
    ]
