"""The guard of a training loop charges before a step, refuses what exceeds, and comes back."""

import os
import pickle
import signal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from filterproof.directed_rounding import ball, ball_ends
from filterproof.runtime import (
    BudgetError,
    FilterMisuse,
    KerasSteps,
    MechanismError,
    StepRefused,
    StoreError,
    TrainerSteps,
    TrainingGuard,
)
from filterproof.runtime.training import (
    allowed_divergence,
    best_order,
    pure_cost,
    subsampled_gaussian,
)
from filterproof_properties.cli.main import main

DP_ACCOUNTING = {2: 0.00017181, 8: 0.00089364, 20: 5.15245302, 64: 27.32173187}
"""What dp-accounting 0.6.0 says of noise 1 and Poisson sampling at 0.01, to eight digits."""
STORES = ("run.json", "sqlite:run.db")


def guarded(**more: Any) -> TrainingGuard:
    return TrainingGuard(2, 1e-5, order=8, **more)


def until_refused(guard: TrainingGuard, noise: float, rate: float) -> int:
    """Charge until the guard refuses, and return how many steps it has then."""
    for _ in range(2000):
        try:
            guard.charge(noise, rate)
        except StepRefused:
            return guard.steps
    raise AssertionError("it never refuses")


# --- what a step costs --------------------------------------------------------------------------


@pytest.mark.parametrize("order", DP_ACCOUNTING)
def test_a_step_costs_what_another_accountant_says(order: int) -> None:
    found = float(subsampled_gaussian(1.0, 0.01, order))
    assert abs(found - DP_ACCOUNTING[order]) < 1e-8


def test_a_step_that_takes_everybody_is_a_gaussian_one_and_one_that_takes_nobody_is_free() -> None:
    assert subsampled_gaussian(2, 1, 4) == Fraction(1, 2)
    assert subsampled_gaussian(2, 0, 4) == 0
    nearly = subsampled_gaussian(2, 1 - 2**-40, 4)
    assert Fraction(1, 2) - nearly < Fraction(1, 2**35)


def test_what_is_allowed_is_the_tight_conversion_rounded_down() -> None:
    def formula() -> Any:
        delta = ball(1e-5)
        return 2 + (ball(8) / 7).log() + (delta.log() + ball(8).log()) / 7

    low, _ = ball_ends(formula)
    assert (
        allowed_divergence(2, 1e-5, 8) <= low < allowed_divergence(2, 1e-5, 8) + Fraction(1, 10**15)
    )


def test_a_pure_release_costs_no_more_than_its_epsilon_and_is_charged() -> None:
    assert pure_cost(0, 8) == 0
    assert 0 < pure_cost(0.5, 8) < Fraction(1, 2)
    guard = guarded()
    guard.charge_pure(0.5)
    assert allowed_divergence(2, 1e-5, 8) - guard.left == pure_cost(0.5, 8)
    with pytest.raises(MechanismError):
        guard.charge_pure(-0.5)


@pytest.mark.parametrize("noise", [nan, inf, 0, -1.0, True, None, "1"])
def test_noise_that_is_none_is_an_error_and_no_step(noise: Any) -> None:
    guard = guarded()
    with pytest.raises(MechanismError):
        guard.charge(noise, 0.01)
    assert guard.steps == 0


@pytest.mark.parametrize("rate", [nan, -0.1, 1.5, inf])
def test_a_rate_that_is_none_is_an_error(rate: float) -> None:
    with pytest.raises(MechanismError):
        guarded().charge(1.0, rate)


@pytest.mark.parametrize("steps", [0, -5, 1.5, nan, True])
def test_steps_are_counted_in_whole_numbers(steps: Any) -> None:
    with pytest.raises(MechanismError):
        guarded().charge(1.0, 0.01, steps)


@pytest.mark.parametrize("order", [1, 1025, 2.5, nan, True])
def test_an_order_that_is_none_is_no_guard(order: Any) -> None:
    with pytest.raises(BudgetError):
        TrainingGuard(2, 1e-5, order=order)


def test_a_budget_at_which_no_step_fits_is_said_at_once() -> None:
    with pytest.raises(BudgetError, match="no step fits"):
        TrainingGuard(1, 1e-5, order=2)
    assert TrainingGuard(1, 1e-5, order=best_order(1, 1e-5, 2.0, 0.01)).steps_left(2, 0.01) > 1000


# --- refusing -----------------------------------------------------------------------------------


def test_it_refuses_the_first_step_that_would_exceed_and_charges_nothing_for_it() -> None:
    guard = guarded()
    foretold = guard.steps_left(1.0, 0.01)
    assert until_refused(guard, 1.0, 0.01) == foretold == 879
    left = guard.left
    assert 0 <= left < subsampled_gaussian(1.0, 0.01, 8)
    guard.charge(4.0, 0.01)  # a smaller step still fits
    assert guard.left == left - subsampled_gaussian(4.0, 0.01, 8)


def test_noise_and_sampling_may_change_with_every_step() -> None:
    guard, paid = guarded(), Fraction(0)
    for noise, rate in [(1.0, 0.01), (0.9, 0.02), (8, 1), (4.5, 0.5)]:
        guard.charge(noise, rate)
        paid += subsampled_gaussian(noise, rate, 8)
    assert guard.left == allowed_divergence(2, 1e-5, 8) - paid


def test_many_steps_at_once_are_all_charged_or_none() -> None:
    guard = guarded()
    with pytest.raises(StepRefused):
        guard.charge(1.0, 0.01, steps=880)
    guard.charge(1.0, 0.01, steps=879)
    assert guard.steps == 879


# --- coming back --------------------------------------------------------------------------------


@pytest.mark.parametrize("where", STORES)
def test_a_run_that_is_started_again_goes_on_with_what_it_had_left(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = guarded(store=where, create=True)
    for _ in range(3):
        first.charge(4.0, 0.5)
    left = first.left
    first.close()
    second = guarded(store=where)
    assert (second.steps, second.left) == (3, left)
    second.close()
    with pytest.raises(StoreError, match="belongs to another guard"):
        TrainingGuard(3, 1e-5, order=8, store=where)


def test_a_killed_process_has_paid_for_the_step_that_it_did_not_finish(tmp_path: Path) -> None:
    where = str(tmp_path / "run.json")
    child = os.fork()
    if not child:
        try:
            guarded(store=where, create=True).charge(4.0, 0.5)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert guarded(store=where).steps == 1


def test_two_processes_of_a_database_spend_one_budget(tmp_path: Path) -> None:
    where = f"sqlite:{tmp_path / 'run.db'}"
    one, other = guarded(store=where, create=True), guarded(store=where)
    one.charge(4.0, 0.5)
    other.charge(4.0, 0.5)
    one.charge(4.0, 0.5)
    assert (one.steps, other.left - one.left) == (3, subsampled_gaussian(4.0, 0.5, 8))


def test_a_missing_store_is_an_error_and_its_log_says_every_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(tmp_path / "run.json")
    with pytest.raises(StoreError):
        guarded(store=where)
    guard = guarded(store=where, create=True)
    guard.charge(1.0, 0.01, steps=879)
    with pytest.raises(StepRefused):
        guard.charge(1.0, 0.01)
    guard.close()
    assert main(["ledger", where]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in ("open", "charge", "refuse", "3 records, the chain holds"))
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError):
        guarded(store=where)


def test_a_guard_is_not_copied_and_not_forked() -> None:
    guard = guarded()
    with pytest.raises(FilterMisuse, match="copy"):
        pickle.dumps(guard)
    child = os.fork()
    if not child:
        try:
            guard.charge(4.0, 0.5)
        except FilterMisuse:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# --- in other people's loops --------------------------------------------------------------------


class Callback:
    """What libraries have as the base of their callbacks: attributes that the loop sets."""

    def __init__(self) -> None:
        self.model: Any = None


class Keras(KerasSteps, Callback):
    """A callback as a user mixes it."""


class Trainer(TrainerSteps, Callback):
    """The same for a trainer."""


def fitted(callback: Keras, batches: int, per_call: int = 1) -> int:
    """Run batches as Keras' `fit` does, and return how many were run."""
    model = SimpleNamespace(stop_training=False, steps_per_execution=per_call)
    callback.model, ran = model, 0
    for batch in range(0, batches, per_call):
        callback.on_train_batch_begin(batch)
        ran += per_call
        callback.on_train_batch_end(batch)
        if model.stop_training:
            break
    return ran


def test_keras_stops_before_the_batch_that_would_exceed() -> None:
    guard = guarded()
    assert fitted(Keras(guard, lambda: (1.0, 0.01)), 2000) == 879
    again = Keras(guard, lambda: (1.0, 0.01))
    with pytest.raises(StepRefused):
        fitted(again, 10)


def test_keras_pays_for_all_the_batches_of_one_call() -> None:
    guard = guarded()
    assert fitted(Keras(guard, lambda: (1.0, 0.01)), 2000, per_call=10) == 870


def test_a_second_fit_uses_the_step_that_the_first_has_paid_ahead() -> None:
    guard = guarded()
    callback = Keras(guard, lambda: (1.0, 0.01))
    assert (fitted(callback, 5), guard.steps) == (5, 6)
    assert (fitted(callback, 5), guard.steps) == (10 - 5, 11)


def test_a_trainer_is_told_to_stop_before_the_step_that_would_exceed() -> None:
    callback = Trainer(guarded(), lambda: (1.0, 0.01))
    control = SimpleNamespace(should_training_stop=False)
    ran = 0
    while not control.should_training_stop:
        callback.on_step_begin(None, None, control, model=None)
        ran += 1
        callback.on_step_end(None, None, control, model=None)
    assert ran == 879


def test_a_loop_that_does_not_stop_when_told_is_stopped_by_an_error() -> None:
    callback = Trainer(guarded(), lambda: (1.0, 0.01))
    control = SimpleNamespace(should_training_stop=False)
    for _ in range(879):
        callback.on_step_begin(None, None, control)
        callback.on_step_end(None, None, control)
    with pytest.raises(StepRefused):
        callback.on_step_begin(None, None, control)


def test_a_setting_that_changes_is_asked_anew_and_paid_for_as_it_is() -> None:
    guard = guarded()
    settings = iter([(1.0, 0.01), (2.0, 0.02), (4.0, 0.04)])
    fitted(Keras(guard, lambda: next(settings)), 2)
    paid = sum(subsampled_gaussian(n, q, 8) for n, q in [(1.0, 0.01), (2.0, 0.02), (4.0, 0.04)])
    assert guard.left == allowed_divergence(2, 1e-5, 8) - paid
