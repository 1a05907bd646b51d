"""Budget classes of every kind: sound ones are proved, no wrong one is, and the runs are real."""

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import Refinement, prove_refinement
from tests.proofs.refinement.ledgers import Ledger, ledger, ledgers, played_again

SECONDS = 600.0
SECONDS_OPEN = 1.5
"""For a ledger that is OPEN whatever the time."""


def proof_of(one: Ledger, by: str = "") -> Refinement:
    seconds = SECONDS_OPEN if one.verdict == "OPEN" else SECONDS
    return prove_refinement(one.path, one.name, one.calls, by, seconds)


@pytest.mark.parametrize("one", ledgers(), ids=lambda one: one.name)
def test_each_ledger_gets_its_verdict_and_the_ordinary_object_agrees(one: Ledger) -> None:
    found = proof_of(one)
    assert found.verdict == one.verdict, found.lines()
    for play in found.replays:
        assert played_again(one, play) == [call.ran for call in play.calls]
    assert bool(found.replays) == (found.verdict is Verdict.PROVED)
    assert (found.excess is not None) == (found.verdict is Verdict.REFUTED)
    if found.excess is not None:
        calls = found.excess.play.calls
        assert played_again(one, found.excess.play) == [call.ran for call in calls]


def test_there_are_at_least_forty_and_each_verdict_has_its_twins() -> None:
    verdicts = [one.verdict for one in ledgers()]
    assert len(verdicts) >= 40
    assert verdicts.count("PROVED") >= 25
    assert verdicts.count("REFUTED") >= 20


def test_a_run_of_a_refuted_ledger_is_written_as_calls_with_what_they_come_to() -> None:
    found = proof_of(ledger("OrEqual"))
    assert str(found.excess) == (
        "OrEqual(1); 2 times spend(0.6) granted: 1.2 of 1 (the sum of the epsilons that ran)"
    )


def test_the_invariant_is_written_in_the_names_of_the_code() -> None:
    found = proof_of(ledger("ExactInside"))
    said = " ".join(found.invariant)
    assert "self.spent[0] is the sum of the epsilons that ran" in said
    assert found.theorems == ("additive_private",)


def test_doubles_are_proved_with_what_rounding_may_add() -> None:
    found = proof_of(ledger("Sums"))
    assert "epsilon (1 + n 2^-52)" in " ".join(found.covers)
    exact = proof_of(ledger("ExactInside"))
    assert "exact arithmetic: nothing is rounded" in exact.covers


def test_what_runs_nothing_is_open() -> None:
    found = proof_of(ledger("RunsNothing"))
    assert found.exit_code == 3
    assert "what runs nothing proves nothing" in found.open[0]


def test_a_source_that_is_no_python_is_open(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "broken.py"
    path.write_text("class Budget(:\n")
    found = prove_refinement(path, "Budget", BudgetCalls(spend=("spend",)))
    assert found.verdict is Verdict.OPEN
    assert "broken.py:1" in found.open[0]
