"""Verdicts on small filters: proved, refuted by numbers that replay, open, or unable to run."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.exact import Log
from filterproof.filter import ProtocolError
from filterproof.filters.bounds import CompensatorLower
from filterproof.filters.compensator import Compensator
from filterproof.filters.registry import entry
from filterproof_proofs.potential import CannotRun, Effort, NoPotential, Verdict, driver, prove
from filterproof_proofs.potential.plays import Subject
from filterproof_proofs.potential.replay import NotAllowed, replay
from filterproof_proofs.potential.verdicts import KnownState, Round
from filterproof_proofs.symbolic.paths import Limits
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import shape_of
from filterproof_properties.reports.proof import as_data, as_text

QUICK = Effort(outputs=2, seconds=120, second_opinion=False)
LEDGERS = Path(__file__).parent / "programs" / "ledgers.py"
ONE_OUTPUT = Effort(outputs=1, seconds=120, second_opinion=False)


def ledger(name: str) -> Program:
    """The source of one of the small filters."""
    return Program.load(LEDGERS, name)


@pytest.mark.parametrize("target", ["Ledger", "RefusingLedger", "LastLedger", "Invariant"])
def test_a_ledger_that_pays_is_proved(target: str) -> None:
    found = prove(ledger(target), QUICK, "ledger")
    assert found.verdict is Verdict.PROVED
    assert found.exit_code == 0
    assert "at most 2 outputs" in as_text(found)
    assert "('open', #)" in as_text(found)


WRONG = [
    ("LastAnyway", "the last round is paid for"),
    ("Refund", "a refusal does not raise the potential"),
    ("Phases", "a round that runs is paid for"),
    ("Starting", "at the start B <= delta"),
    ("FalseInvariant", "the invariant is kept"),
    ("NeverTrue", "the invariant holds of the first state"),
]


@pytest.mark.parametrize(("target", "rule"), WRONG)
def test_a_ledger_that_does_not_is_refuted_by_numbers_that_replay(target: str, rule: str) -> None:
    program = ledger(target)
    found = prove(program, QUICK)
    assert found.verdict is Verdict.REFUTED
    assert found.exit_code == 1
    assert found.refutation is not None
    assert found.refutation.rule.startswith(rule)
    assert found.refutation.broken.left > found.refutation.broken.right
    assert found.refutation in replay(Subject(program, {}), found.refutation.round, Limits())
    assert rule in as_text(found)
    assert as_data(found)["refutation"]["rule"].startswith(rule)


def test_a_refuted_round_of_a_specimen_is_not_one_of_the_sound_filter() -> None:
    bad, good = (Program.of(one) for one in (CompensatorLower, Compensator))
    found = prove(bad, QUICK)
    assert found.refutation is not None
    here = found.refutation.round
    assert replay(Subject(bad, {}), here, Limits())
    assert replay(Subject(good, {}), replace(here, parameters={}), Limits()) == []


def test_numbers_that_are_no_round_are_not_allowed() -> None:
    one = Fraction(1)
    row = {"0": one, "1": one}
    state = KnownState(shape_of(("open", one)), (-one,))
    here = Round(1, Log(Fraction(2)), one, {}, state, row, {"0": row})
    with pytest.raises(NotAllowed, match="negative"):
        replay(Subject(ledger("Ledger"), {}), here, Limits())


@pytest.mark.parametrize("databases", [2, 3])
def test_the_compensator_is_proved_with_all_its_pairs_at_once(databases: int) -> None:
    outputs = 4 - databases
    found = prove(Program.of(Compensator), Effort(outputs, databases, second_opinion=False))
    assert found.verdict is Verdict.PROVED
    shapes = {part.shape for part in found.parts}
    assert "(" + ", ".join(["#"] * databases * (databases - 1)) + ")" in shapes


CANNOT = [
    ("Floats", r"ledgers\.py:\d+: .*log\(\) of a number"),
    ("Keys", "used as a key"),
    ("Historian", r"step\.history is looked at"),
    ("Named", r"step\.request is looked at"),
    ("Scale", "common factor"),
    ("Depth", r"step\.game\.depth is looked at"),
    ("AskedFor", r"step\.mechanism"),
    ("FloatState", "a float is computed"),
    ("Dividing", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("target", "reason"), CANNOT)
def test_code_that_cannot_run_on_unknown_numbers_is_named(target: str, reason: str) -> None:
    with pytest.raises(CannotRun, match=reason):
        prove(ledger(target), ONE_OUTPUT)


@pytest.mark.parametrize(
    ("name", "missing"),
    [("naive", "Naive"), ("floor-gdp", "GaussianDP"), ("floor-rdp", "RenyiTight")],
)
def test_a_filter_without_a_potential_says_so_and_so_does_one_over_it(
    name: str, missing: str
) -> None:
    with pytest.raises(NoPotential, match=rf"{missing} has no remaining"):
        prove(Program.of(entry(name).target), ONE_OUTPUT)


def test_what_does_not_end_is_open() -> None:
    found = prove(ledger("Growing"), ONE_OUTPUT)
    assert found.verdict is Verdict.OPEN
    assert found.exit_code == 3
    assert "shapes" in as_text(found)


def test_time_that_is_over_is_open_and_never_proved() -> None:
    found = prove(ledger("Ledger"), Effort(2, seconds=0.0, second_opinion=False))
    assert found.verdict is Verdict.OPEN
    assert found.open[0].question == "the time is over"


@pytest.mark.parametrize("target", ["Halting", "Declining"])
def test_what_runs_nothing_proves_nothing(target: str) -> None:
    found = prove(ledger(target), ONE_OUTPUT)
    assert found.verdict is Verdict.OPEN
    assert "runs nothing" in as_text(found)


def test_a_filter_that_answers_through_decide_many_is_not_what_the_proof_is_about() -> None:
    with pytest.raises(ProtocolError, match="decide_many"):
        prove(ledger("Many"), ONE_OUTPUT)


@pytest.mark.parametrize(("outputs", "databases"), [(0, 2), (2, 1), (2, 0)])
def test_a_proof_about_nothing_is_refused(outputs: int, databases: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        Effort(outputs, databases)


def test_the_second_solver_agrees_and_a_disagreement_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("cvc5")
    found = prove(Program.of(Compensator), Effort(outputs=1))
    assert found.second.asked
    assert found.second.agreed > 0
    monkeypatch.setattr(driver, "_text", lambda _: "(set-logic ALL)\n(check-sat)\n")
    with pytest.raises(driver.Disagreement):
        prove(Program.of(Compensator), Effort(outputs=1))
