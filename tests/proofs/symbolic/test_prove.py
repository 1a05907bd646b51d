"""Verdicts on small filters: proved, refuted by numbers that replay, open, or unable to run."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filters.bounds import CompensatorLower
from filterproof.filters.compensator import Compensator
from filterproof.filters.registry import entry
from filterproof.privacy import charge
from filterproof_proofs.symbolic import CannotRun, Effort, NoPotential, Verdict, driver, prove
from filterproof_proofs.symbolic.replay import NotAllowed, replay
from filterproof_proofs.symbolic.verdicts import Round
from filterproof_properties.reports.proof import as_data, as_text

QUICK = Effort(outputs=2, seconds=120, second_opinion=False)
ONE_OUTPUT = Effort(outputs=1, seconds=120, second_opinion=False)


class Ledger:
    """One account for all pairs: the sum of the largest charges."""

    answers = ("continue", "halt")

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.epsilon, self.delta = epsilon, delta

    def start(self) -> Any:
        return ("open", self.delta)

    def decide(self, state: Any, step: Any) -> Any:
        law, mass = step.mechanism.law, step.mass
        worst = max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        if worst > state[1]:
            return self.answers[1], state
        return self.answers[0], self.pay(state, worst)

    def pay(self, state: Any, worst: Any) -> Any:
        return (state[0], state[1] - worst)

    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return state[1]


class RefusingLedger(Ledger):
    answers = ("continue", "refuse")


class LastLedger(Ledger):
    """Runs one round."""

    def decide(self, state: Any, step: Any) -> Any:
        decision, after = super().decide(state, step)
        return ("last" if decision == "continue" and step.index else decision), after


class LastAnyway(Ledger):
    answers = ("continue", "last")


class Refund(RefusingLedger):
    def decide(self, state: Any, step: Any) -> Any:
        decision, after = super().decide(state, step)
        return decision, ((state[0], self.delta) if decision == "refuse" else after)


class Phases(Ledger):
    """Never pays in the second phase, which the potential does not know."""

    def pay(self, state: Any, worst: Any) -> Any:
        return ("free", state[1]) if state[0] == "free" else ("free", state[1] - worst)


class Starting(Ledger):
    def start(self) -> Any:
        return ("open", self.delta + Fraction(1, 100))


class Invariant(Ledger):
    """Says of its states what is true: the account holds between 0 and delta."""

    def invariant(self, state: Any, step: Any) -> bool:
        return bool(0 <= state[1] <= self.delta)


class FalseInvariant(Ledger):
    """Says that the account never changes, which the first round breaks."""

    def invariant(self, state: Any, step: Any) -> bool:
        return bool(state[1] == self.delta)


class NeverTrue(Ledger):
    def invariant(self, state: Any, step: Any) -> bool:
        return False


@pytest.mark.parametrize("target", [Ledger, RefusingLedger, LastLedger, Invariant])
def test_a_ledger_that_pays_is_proved(target: Callable[..., Any]) -> None:
    found = prove(target, QUICK, "ledger")
    assert found.verdict is Verdict.PROVED
    assert found.exit_code == 0
    assert "at most 2 outputs" in as_text(found)
    assert "('open', #)" in as_text(found)


WRONG = [
    (LastAnyway, "the last round is paid for"),
    (Refund, "a refusal does not raise the potential"),
    (Phases, "a round that runs is paid for"),
    (Starting, "at the start B <= delta"),
    (FalseInvariant, "the invariant is kept"),
    (NeverTrue, "the invariant holds of the first state"),
]


@pytest.mark.parametrize(("target", "rule"), WRONG)
def test_a_ledger_that_does_not_is_refuted_by_numbers_that_replay(
    target: Callable[..., Any], rule: str
) -> None:
    found = prove(target, QUICK)
    assert found.verdict is Verdict.REFUTED
    assert found.exit_code == 1
    assert found.refutation is not None
    assert found.refutation.rule.startswith(rule)
    assert found.refutation.left > found.refutation.right
    assert found.refutation in replay(target, found.refutation.round)
    assert rule in as_text(found)
    assert as_data(found)["refutation"]["rule"].startswith(rule)


def test_a_refuted_round_of_a_specimen_is_not_one_of_the_sound_filter() -> None:
    found = prove(CompensatorLower, QUICK)
    assert found.refutation is not None
    assert replay(CompensatorLower, found.refutation.round)
    assert replay(Compensator, found.refutation.round) == []


def test_numbers_that_are_no_round_are_not_allowed() -> None:
    one = Fraction(1)
    row = {"0": one, "1": one}
    here = Round(1, Log(Fraction(2)), one, {}, ("open", -one), row, {"0": row})
    with pytest.raises(NotAllowed, match="negative"):
        replay(Ledger, here)


@pytest.mark.parametrize("databases", [2, 3])
def test_the_compensator_is_proved_with_all_its_pairs_at_once(databases: int) -> None:
    outputs = 4 - databases
    found = prove(Compensator, Effort(outputs, databases, second_opinion=False))
    assert found.verdict is Verdict.PROVED
    shapes = {part.shape for part in found.parts}
    assert "(" + ", ".join(["#"] * databases * (databases - 1)) + ")" in shapes


class Floats(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("halt" if math.log(step.mass[step.game.databases[0]]) > 1 else "continue"), state


class Keys(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        prices = {self.delta: 1}
        return ("continue" if prices else "halt"), state


class Historian(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("halt" if len(step.history) > 3 else "continue"), state


class Named(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.request == "free" else "halt"), state


class Scale(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.mass[step.game.databases[0]] > 1000 else "halt"), state


class Depth(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.game.depth < 3 else "halt"), state


class AskedFor(Ledger):
    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class FloatState(Ledger):
    def start(self) -> Any:
        return 0.5

    def remaining(self, state: Any, step: Any, pair: Any) -> Any:
        return self.delta

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", state


class Dividing(Ledger):
    def decide(self, state: Any, step: Any) -> Any:
        return "halt", (state[0], 1 / (state[1] - 1))


CANNOT = [
    (Floats, "math.log.*\n.*a float is made"),
    (Keys, "used as a key"),
    (Historian, r"step\.history is looked at"),
    (Named, r"step\.request is looked at"),
    (Scale, "common factor"),
    (Depth, r"step\.game\.depth is looked at"),
    (AskedFor, r"step\.mechanism"),
    (FloatState, "got a float"),
    (Dividing, "ZeroDivisionError"),
]


@pytest.mark.parametrize(("target", "reason"), CANNOT)
def test_code_that_cannot_run_on_unknown_numbers_is_named(
    target: Callable[..., Any], reason: str
) -> None:
    with pytest.raises(CannotRun, match=reason):
        prove(target, ONE_OUTPUT)


@pytest.mark.parametrize(
    ("name", "missing"),
    [("naive", "Naive"), ("floor-gdp", "GaussianDP"), ("floor-rdp", "RenyiTight")],
)
def test_a_filter_without_a_potential_says_so_and_so_does_one_over_it(
    name: str, missing: str
) -> None:
    with pytest.raises(NoPotential, match=rf"{missing} has no remaining"):
        prove(entry(name).target, ONE_OUTPUT)


class Growing(Ledger):
    """Its states get longer and longer."""

    def pay(self, state: Any, worst: Any) -> Any:
        return (*state, "again")


def test_what_does_not_end_is_open() -> None:
    found = prove(Growing, ONE_OUTPUT)
    assert found.verdict is Verdict.OPEN
    assert found.exit_code == 3
    assert "shapes" in as_text(found)


def test_time_that_is_over_is_open_and_never_proved() -> None:
    found = prove(Ledger, Effort(2, seconds=0.0, second_opinion=False))
    assert found.verdict is Verdict.OPEN
    assert found.open[0].question == "the time is over"


def test_a_filter_that_runs_nothing_is_said_to_run_nothing() -> None:
    class Halting(Ledger):
        def decide(self, state: Any, step: Any) -> Any:
            return "halt", state

    assert "no path runs a mechanism" in prove(Halting, ONE_OUTPUT).covered()


def test_the_second_solver_agrees_and_a_disagreement_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("cvc5")
    found = prove(Compensator, Effort(outputs=1))
    assert found.second.asked
    assert found.second.agreed > 0
    monkeypatch.setattr(driver, "_text", lambda _: "(set-logic ALL)\n(check-sat)\n")
    with pytest.raises(driver.Disagreement):
        prove(Compensator, Effort(outputs=1))
