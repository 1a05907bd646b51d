"""`filterproof failopen`: each mistake is seen in its rows, and in no other."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filterproof.budget_calls import BudgetCalls, to_table
from filterproof_properties.cli import failopen
from filterproof_properties.cli.calls import budget_object
from filterproof_properties.cli.main import main
from filterproof_properties.failopen import inputs, named, racing
from filterproof_properties.failopen.desk import NOT_ASKED, ONE, PAIRS, Desk, Seen
from filterproof_properties.failopen.probes import NAMED_ROWS, exactly
from filterproof_properties.failopen.table import answered_cells, as_text, cell
from filterproof_properties.options.config import find_config
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.target import TargetError

TILLS = Path(__file__).with_name("tills.py")


def till(name: str, **more: Any) -> dict[str, Any]:
    """Return the words of a budget object; what is usual is left out."""
    calls = BudgetCalls(**{"spend": ("spend(epsilon, delta)",), "open": "(epsilon, delta)", **more})
    return {**to_table(calls), "target": f"{TILLS}:{name}"}


def opened(words: dict[str, Any]) -> set[str]:
    """Return the rows in which an object fails open, asked in this process."""
    desk = named.desk(words)
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
    ids=lambda one: one["target"].rpartition(":")[2] if isinstance(one, dict) else "",
)
def test_a_mistake_is_seen_in_its_rows_and_in_no_other(
    budget: dict[str, Any], rows: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "racing threads" not in rows:  # a lock holds however long one waits for it
        monkeypatch.setattr(racing, "BLOCKED", 0.03)
    assert opened(budget) == rows


def test_a_budget_that_is_too_large_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "BLOCKED", 0.03)
    assert "one unit too many" in opened(till("OneMore"))


def seen_of(words: dict[str, Any]) -> dict[str, Seen]:
    """Return all cells, asked in this process."""
    desk = named.desk(words)
    return answered_cells({row: cell(row, desk, probe) for row, probe in NAMED_ROWS.items()})


def test_an_object_that_knows_no_delta_is_asked_about_epsilon_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(racing, "BLOCKED", 0.03)
    seen = seen_of(till("PureOnly", spend=("take(cost=epsilon)",), open="(total=epsilon)"))
    assert not any(one.open for one in seen.values())
    assert "NaN" in seen
    assert not {row for row in seen if "delta" in row}
    assert seen["tiny spends"].text == "exact, 4 sequences"


@pytest.mark.parametrize(
    ("name", "spend", "opens", "currency", "rows"),
    [
        ("Rho", "spend(rho)", "(epsilon, delta)", "zcdp", {"racing threads"}),
        ("RhoLetsNaNPass", "spend(rho)", "(epsilon, delta)", "zcdp", {"NaN", "racing threads"}),
        ("Renyi", "spend(rdp)", "(rdp)", "rdp:2,8", {"racing threads"}),
        ("Admits", "admit()", "(count)", "count", set()),
        ("AdmitsOneMore", "admit()", "(count)", "count", {"one unit too many", "zero budget"}),
    ],
)
def test_every_currency_has_its_own_odd_inputs(
    name: str, spend: str, opens: str, currency: str, rows: set[str]
) -> None:
    seen = seen_of(till(name, spend=(spend,), open=opens, currency=currency))
    assert rows <= {row for row, one in seen.items() if one.open} <= {*rows, "racing threads"}
    assert ("NaN" in seen) == (currency != "count")
    assert ("slices" in seen) == currency.startswith("rdp")


def test_a_unit_is_the_largest_spend_where_the_budget_is_in_another_currency() -> None:
    desk = named.desk(till("Rho", spend=("spend(rho)",)))
    fresh = desk.open(1.0)
    assert desk.unit[0] < 0.1
    assert desk.ask(fresh, desk.unit) is True
    assert desk.ask(fresh, desk.unit) is False


def test_an_object_may_be_a_coroutine_or_a_context_and_answer_by_anything() -> None:
    seen = seen_of(till("Awaited", granted="result['ok']"))
    assert seen["NaN"].open
    assert "racing threads" not in seen  # two tasks of one thread are no two threads
    assert seen_of(
        till("GivesBack", spend=("spend(epsilon)",), open="(epsilon)", fails="exception")
    )["failing mechanism"].open


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
        (till("Till", spend=("pay(epsilon, delta)",)), "grants no spend of a fresh budget: Attr"),
        (till("Till", spend=("spend(2**60 * epsilon, delta)",)), "grants no spend of a fresh"),
        (till("Till", open="()"), "it cannot be made: TypeError"),
        (till("Till", refusal="Full"), "a unit too many raises Empty; a refusal is Full"),
        (till("Nobody"), "has no 'Nobody'"),
    ],
)
def test_an_object_that_does_not_grant_what_fits_is_not_called_closed(
    budget: dict[str, Any], why: str
) -> None:
    with pytest.raises(TargetError, match=why):
        named.desk(budget)


@pytest.mark.parametrize("text", ["", "3", "spend(x)", "spend(", "spend; exit()"])
def test_words_mean_what_they_mean_for_an_audit(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["failopen", f"{TILLS}:Till", "--spend", text]) == 2
    said = capsys.readouterr().err.replace("failopen:", "audit:")
    assert main(["audit", f"{TILLS}:Till", "--spend", text]) == 2
    assert capsys.readouterr().err == said


def test_an_object_under_another_interpreter_has_the_same_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = ("NaN", "NaN budget", "racing threads")
    monkeypatch.setattr(named, "NAMED_ROWS", {row: NAMED_ROWS[row] for row in rows})
    calls = BudgetCalls(("spend(epsilon, delta)",), "(epsilon, delta)", python=sys.executable)
    seen = named.observe(f"{TILLS}:LetsNaNPass", calls, Limits())
    assert seen["NaN"] == Seen("granted; 3 of 1 units", True)
    assert seen["NaN budget"].open
    assert seen["racing threads"] == NOT_ASKED


def test_a_name_of_the_configuration_is_asked_in_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = f'[tool.filterproof.targets.till]\ntarget = "{TILLS}:Till"\nspend = "spend"\n'
    (tmp_path / "pyproject.toml").write_text(entry)
    options = failopen.read(["till", "--refusal", "Empty"])
    found = calls_of(options)
    assert (found.spend, found.refusal) == (("spend(epsilon, delta)",), "Empty")
    with pytest.raises(TargetError, match="name the call that spends"):
        failopen.read([f"{TILLS}:Till"])


def calls_of(options: Any) -> BudgetCalls:
    """Return the words of a command line, completed."""
    return budget_object(failopen.target_of(options), find_config(), vars(options)).calls


# --- in a process of its own ----------------------------------------------------------------


def test_the_command_prints_the_table_and_its_exit_code_says_whether_something_is_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["failopen", f"{TILLS}:LetsNaNPass", "--spend", "spend", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["seen"]["NaN"] == {"text": "granted; 3 of 1 units", "open": True}


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Hangs", 3, "hangs: no answer in 2 s"),
        ("Aborts", 3, "aborts the process (SIGABRT)"),
        ("Leaves", 2, "at 'NaN' its process ended: exit status 3"),
        ("Forges", 2, "it wrote no answer: b'everything is fine'"),
        ("Nobody", 2, "has no 'Nobody'"),
    ],
)
def test_an_object_that_behaves_badly_ends_its_own_process_only(
    name: str, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {row: NAMED_ROWS[row] for row in ("NaN", "zero")}
    monkeypatch.setattr(named, "NAMED_ROWS", rows)  # each that ends its process costs a new one
    calls = BudgetCalls(("spend(epsilon, delta)",), "(epsilon, delta)")
    limits = Limits(timeout=2 if name == "Hangs" else 20)
    if code == 2:
        with pytest.raises(TargetError, match=said):
            named.observe(f"{TILLS}:{name}", calls, limits)
        return
    seen = named.observe(f"{TILLS}:{name}", calls, limits)
    assert seen["NaN"].text == said
    assert failopen.code(seen) == code


def test_what_nobody_was_asked_is_not_in_the_table() -> None:
    desk = replace(named.desk(till("Till")), pairs=False, fail=None)
    seen = {row: cell(row, desk, NAMED_ROWS[row]) for row in ("slices", "failing mechanism", "NaN")}
    assert as_text("till", seen).splitlines()[1:] == [
        "  closed NaN                refused; 1 of 1 units"
    ]
