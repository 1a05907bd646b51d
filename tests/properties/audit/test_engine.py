"""The audit's verdicts: VIOLATED only with a certificate, and nothing sound by accident."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, ClassVar

import pytest

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.game import Step
from filterproof_proofs.certificates import check
from filterproof_properties.audit.engine import (
    INTERRUPTED,
    Progress,
    Result,
    audit_one,
)
from filterproof_properties.audit.verdicts import Verdict, exit_code
from filterproof_properties.options.settings import Settings
from filterproof_properties.search import workers
from filterproof_properties.search.loop import Tally
from filterproof_properties.search.plan import least, plan
from filterproof_properties.search.results import Merger
from filterproof_properties.search.workers import run_task
from filterproof_properties.targets.loading import BUILT_INS, load
from filterproof_properties.targets.target import Loaded, TargetError

QUICK = Settings(examples=120)


def audited(target: Any, settings: Settings = QUICK, claims: tuple[str, ...] = ("dp",)) -> Result:
    return audit_one(Loaded("mine.py:F", target, claims), settings, lambda event: None)


@pytest.mark.parametrize("entry", BUILT_INS, ids=lambda entry: entry.name)
def test_every_built_in_filter_gets_the_verdict_it_announces(entry: Any) -> None:
    result = audit_one(load(entry.name), Settings(examples=40), lambda event: None)
    assert result.as_expected
    assert (result.violation is not None) == (not entry.sound)
    if result.violation is not None:
        assert check(result.violation.certificate)


def test_the_compensator_spends_its_budget_to_the_last_drop() -> None:
    result = audit_one(load("compensator"), QUICK, lambda event: None)
    assert result.best is not None
    assert result.best.value == result.best.case.delta


def test_events_tell_how_far_it_is() -> None:
    events: list[Progress] = []
    audit_one(load("naive"), QUICK, events.append)
    assert any(event.best is not None for event in events)


# --- what is neither a violation nor a pass -------------------------------------------------


class Raises(Compensator):
    def decide(self, state: Any, step: Step) -> Any:
        raise RuntimeError("out of order")


def picky(epsilon: Epsilon, delta: Fraction) -> Any:
    raise ValueError("not at this budget")


def broken(epsilon: Epsilon, delta: Fraction) -> Any:
    raise TypeError("no such thing")


def test_a_target_that_raises_has_failed() -> None:
    result = audited(Raises)
    assert result.verdict is Verdict.FAILED
    assert "out of order" in result.error
    assert audited(broken).verdict is Verdict.FAILED


def test_a_target_that_declines_everything_is_inconclusive() -> None:
    result = audited(picky)
    assert (result.verdict, result.tried) == (Verdict.INCONCLUSIVE, 0)


def test_an_unknown_claim_is_a_failure() -> None:
    assert audited(Compensator, claims=("dp", "elegance")).verdict is Verdict.FAILED


class Forgets:
    """Answers by how often it was asked: not a function of state and step."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.asked = 0

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[str, int]:
        self.asked += 1
        return ("continue" if step.index == 0 else "halt"), self.asked


@dataclass(frozen=True)
class Endless(Compensator):
    """Claims a horizon that it does not have."""

    N: int = 1

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, int]]:
        yield {"N": 1}


def test_a_broken_claim_is_named() -> None:
    forgets, endless = audited(Forgets), audited(Endless, claims=("dp", "horizon"))
    for result, name in ((forgets, "determinism"), (endless, "horizon")):
        assert result.verdict is Verdict.CLAIM_BROKEN
        assert name in [claim.name for claim in result.claims if not claim.holds]
        assert exit_code([result], expected=False) == 1
    assert audited(Compensator, claims=("dp", "monotone")).verdict is Verdict.NOT_FOUND


@dataclass(frozen=True)
class Liar(Compensator):
    """Says that it does not look at the history, and does."""

    markov: ClassVar[bool] = True

    def decide(self, state: Any, step: Step) -> Any:
        if len(step.history) > 1:
            return Decision.HALT, state
        return super().decide(state, step)


def test_a_false_markov_declaration_is_never_a_pass() -> None:
    result = audited(Liar)
    assert result.verdict in (Verdict.FAILED, Verdict.CLAIM_BROKEN)
    assert "history" in result.error + str(result.claims)


def test_an_interrupt_leaves_a_usable_result(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Any] = []

    def interrupted(*arguments: Any) -> Any:
        if played:
            raise KeyboardInterrupt
        played.append(run_task(*arguments))
        return played[0]

    monkeypatch.setattr(workers, "run_task", interrupted)
    result = audited(Compensator)
    assert (result.verdict, result.error) == (Verdict.INCONCLUSIVE, INTERRUPTED)
    assert result.tried > 0


# --- budgets, seeds, workers ----------------------------------------------------------------


def test_a_budget_that_is_named_is_kept() -> None:
    settings = Settings(examples=60, epsilon=Log(Fraction(3)), delta=Fraction(1, 7))
    result = audited(Naive, settings)
    assert result.violation is not None
    assert result.violation.case.epsilon == Log(Fraction(3))
    assert result.violation.case.delta == Fraction(1, 7)


def test_the_same_seed_gives_the_same_result_for_any_number_of_workers() -> None:
    for name in ("rdp-some-order", "naive-over-n"):
        found = []
        for jobs in (1, 2):
            settings = Settings(examples=60, jobs=jobs, epsilon=Fraction(1))
            result = audit_one(load(name), settings, lambda event: None)
            found.append((result.verdict, result.best, result.tried if jobs == 1 else None))
        assert found[0][0] == found[1][0]
        assert repr(found[0][1]) == repr(found[1][1])


def test_another_seed_plans_other_games_and_the_same_one_the_same() -> None:
    plans = [[*plan(Settings(examples=9000, seed=seed))] for seed in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(inf, Verdict.NOT_FOUND), (60, Verdict.INCONCLUSIVE)]
)
def test_a_search_without_end_is_ended_by_hand_with_its_verdict(
    seconds: float, verdict: Verdict
) -> None:
    """The same interrupt ends a search that had a limit too early: nothing is concluded there."""

    def interrupt(event: Progress) -> None:
        if event.stage == "over budget":
            raise KeyboardInterrupt

    result = audit_one(load("additive"), Settings(seconds=seconds), interrupt)
    assert result.verdict is verdict
    assert result.tried > 40


def test_a_search_without_end_that_is_ended_at_once_concludes_nothing() -> None:
    def interrupt(event: Progress) -> None:
        if event.stage == "named games":
            raise KeyboardInterrupt

    result = audit_one(load("additive"), Settings(seconds=inf, attacks=True), interrupt)
    assert result.verdict is Verdict.INCONCLUSIVE


def test_seconds_bound_a_run() -> None:
    result = audited(Compensator, Settings(seconds=0.01))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "the time was up" in result.error


@pytest.mark.parametrize(
    ("played", "said"),
    [
        ({0: 1, 1: 1, 2: 1, 3: 1, 4: 1}, ""),
        ({0: 1, 1: 35, 2: 1, 4: 1, 5: 1}, "after 39 plays, fewer than 40, and before any of 'two"),
        ({0: 1, 1: 35, 2: 1, 4: 1, 5: 2}, ""),
        ({1: 1, 2: 1}, "after 2 plays, fewer than 40, and before any of 'named games'"),
    ],
)
def test_a_search_that_was_cut_short_says_what_is_missing(
    played: dict[int, int], said: str
) -> None:
    merger = Merger(least(Settings(seconds=30)))
    for task in islice(plan(Settings(seconds=30)), 20):
        merger.add(Tally(task.number, tried=played.get(task.number, 0)))
    assert said in merger.too_little()
    assert bool(merger.too_little()) == bool(said)


def test_a_source_without_a_game_for_this_filter_was_not_cut_short() -> None:
    merger = Merger(least(Settings(seconds=30)))
    for number in range(5):
        merger.add(Tally(number, whole=True))
    assert merger.too_little() == ""


def test_who_asks_for_little_gets_little() -> None:
    assert audited(Compensator, Settings(examples=1, seconds=60)).verdict is Verdict.NOT_FOUND


# --- exit codes -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    verdict: Verdict
    as_expected: bool | None = None


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.NOT_FOUND], 0),
        ([Verdict.NOT_FOUND, Verdict.VIOLATED], 1),
        ([Verdict.CLAIM_BROKEN], 1),
        ([Verdict.FAILED, Verdict.VIOLATED], 2),
        ([Verdict.INCONCLUSIVE, Verdict.NOT_FOUND], 3),
    ],
)
def test_exit_codes_mean_something(verdicts: list[Verdict], code: int) -> None:
    assert exit_code([Judged(verdict) for verdict in verdicts], expected=False) == code


def test_without_a_target_the_expected_verdicts_count() -> None:
    kept = Judged(Verdict.VIOLATED, as_expected=True)
    lost = Judged(Verdict.NOT_FOUND, as_expected=False)
    assert exit_code([kept], expected=True) == 0
    assert exit_code([kept, lost], expected=True) == 1


# --- targets --------------------------------------------------------------------------------


def test_targets_are_found_by_name_module_and_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from filterproof.filters.naive import Naive as F\nnumber = 3\n")
    assert load("naive").target is Naive
    assert load("filterproof.filters.naive:Naive").target is Naive
    assert load(f"{path}:F").target is Naive


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("no.such.module:F", "cannot import"),
        ("missing.py:F", "no such file"),
        ("filterproof.filters.naive:Nope", "no attribute 'Nope'"),
        ("filterproof.filters.naive:__doc__", "must be callable"),
    ],
)
def test_a_target_that_cannot_be_loaded_says_why(spec: str, complaint: str) -> None:
    with pytest.raises(TargetError, match=complaint):
        load(spec)
