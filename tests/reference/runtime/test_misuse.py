"""Uses that would break the accounting are caught: copies, forks, calls from inside, numbers."""

import copy
import math
import os
import pickle
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filterproof.runtime import (
    AddedNoise,
    Bounded,
    BudgetError,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    DomainError,
    FilterMisuse,
    Gaussian,
    Geometric,
    Laplace,
    MechanismError,
    Pure,
    Table,
    misuse,
    randomised_response,
)
from tests.reference.runtime.budgets import ask_again

RESPONSE = randomised_response(Fraction(3, 5), [0, 1])
ONE_BIT = Domain.record([0, 1])


def guarded(**keywords: Any) -> CompensatorFilter:
    return CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, **keywords)


def test_a_filter_cannot_be_copied_pickled_nested_or_forked() -> None:
    guard = CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(FilterMisuse, match="twice"):
            duplicate(guard)
    with pytest.raises(FilterMisuse, match="must not use the filter that runs it"):
        guard.release(RESPONSE, lambda: guard.release(RESPONSE, lambda: 0))
    with pytest.raises(FilterMisuse, match="must not use the filter that runs it"):
        guard.release(RESPONSE, lambda: guard.ask(RESPONSE))
    with pytest.raises(FilterMisuse, match="must not use the filter that runs it"):
        guard.release(RESPONSE, guard.close)


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, -math.inf, True, "1", None, 1j])
def test_a_budget_that_is_none_is_refused_by_name(bad: Any) -> None:
    with pytest.raises(BudgetError, match="epsilon"):
        CompensatorFilter(bad, Fraction(1, 4), domain=ONE_BIT)
    with pytest.raises(BudgetError, match="delta"):
        CompensatorFilter(1, bad if bad != math.inf else 2, domain=ONE_BIT)


def test_numbers_of_numpy_and_decimals_are_taken_at_their_word() -> None:
    guard = CompensatorFilter(Decimal("1.5"), np.float32(0.25), domain=Domain.counts(3))  # type: ignore[arg-type]
    drawn = [np.int64(2), np.float64(3.0), Decimal(1)]
    assert [guard.release(AddedNoise(DiscreteGaussian(9)), lambda y=y: y) for y in drawn] == drawn  # type: ignore[misc]
    assert guard.rounds == 3


def test_domains_are_checked_at_the_door() -> None:
    with pytest.raises(DomainError, match="two or more"):
        Domain.record(["only"])
    with pytest.raises(DomainError, match="unknown databases"):
        Domain.of([0, 1], [(0, 2)])
    with pytest.raises(DomainError, match="different databases"):
        Domain.of([0, 1], [(0, 0)])
    with pytest.raises(DomainError, match="at least one pair"):
        Domain.of([0, 1], [])
    with pytest.raises(DomainError, match="records"):
        Domain.counts(0)


def test_mechanisms_that_break_their_contract_are_refused() -> None:
    class Bad:
        def profile(self, *args: Any) -> float:
            return math.nan

        def loss(self, *args: Any) -> tuple[float, float]:
            return (1.0, 0.0)

        def plausible(self, *args: Any) -> bool:
            return True

    guard = CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, share=0, allow_own_mechanisms=True)
    with pytest.raises(MechanismError, match="a profile must be a finite number"):
        guard.release(Bad(), lambda: 0)
    assert guard.rounds == 0
    with pytest.raises(MechanismError, match="sum to 1"):
        Table({"y": {0: Fraction(1, 2), 1: Fraction(1)}})
    with pytest.raises(MechanismError, match="Fractions"):
        Table({"y": {0: 1.0, 1: 1.0}})  # type: ignore[dict-item]
    with pytest.raises(MechanismError, match="says nothing about database"):
        CompensatorFilter(1, Fraction(1, 4), domain=Domain.counts(2)).ask(RESPONSE)


# --- numbers from outside --------------------------------------------------------------------


class Own:
    """A mechanism of one's own that answers with numbers of any type."""

    def __init__(self, amount: Any, loss: Any = (0.0, 0.0)) -> None:
        self.amount, self.seen = amount, loss

    def profile(self, *args: Any) -> Any:
        return self.amount

    def loss(self, *args: Any) -> Any:
        return self.seen

    def plausible(self, *args: Any) -> bool:
        return True


def own(**keywords: Any) -> CompensatorFilter:
    return guarded(share=0, allow_own_mechanisms=True, **keywords)


def test_small_floats_of_numpy_lose_no_charge() -> None:
    """In float32 every tenth charge of 1e-9 would vanish beside a spend of 0.1."""
    guard = own()
    guard.release(Own(np.float32(0.1)), lambda: 0)
    for _ in range(10):
        before = guard.spent
        guard.release(Own(np.float32(1e-9)), lambda: 0)
        assert guard.spent >= before + float(np.float32(1e-9))
    assert type(guard.spent) is float


@pytest.mark.parametrize("amount", [Decimal("0.1"), Fraction(1, 10), np.float16(0.1), 0, 1e-300])
def test_profiles_of_any_number_type_are_rounded_up(amount: Any) -> None:
    guard = own()
    guard.release(Own(amount), lambda: 0)
    assert Fraction(guard.spent) >= Fraction(amount.item() if hasattr(amount, "item") else amount)


class Careless(Geometric):
    """Noise of one's own whose profile is a small float of numpy's, or too small to be true."""

    def profile(self, distance: Any, epsilon: Any) -> Any:
        return np.float32(0.01) if self.rate == 1 else -1.0


def test_noise_of_ones_own_is_asked_pair_by_pair_and_checked() -> None:
    guard = own()
    guard.release(AddedNoise(Careless(1)), lambda: 0)
    assert (type(guard.spent), guard.spent) == (float, float(np.float32(0.01)))
    with pytest.raises(MechanismError, match="a profile must be a number >= 0"):
        guard.release(AddedNoise(Careless(2)), lambda: 0)


@pytest.mark.parametrize("amount", [math.nan, -0.1, "0.1", None, True, 1j, [0.1]])
def test_profiles_that_are_no_bound_are_refused(amount: Any) -> None:
    with pytest.raises(MechanismError, match="a profile must be"):
        own().release(Own(amount), lambda: 0)


@pytest.mark.parametrize("loss", [(1.0, 0.0), (math.nan, 1.0), 0.5, (0.0,), "ab", (None, 1.0)])
def test_losses_that_are_no_interval_are_refused_and_the_round_stays_charged(loss: Any) -> None:
    guard = own()
    with pytest.raises(MechanismError, match="a loss must be"):
        guard.release(Own(0.01, loss), lambda: 0)
    assert (guard.rounds, guard.spent) == (1, 0.01)


# --- what has to be acknowledged -------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism", [AddedNoise(Gaussian(2)), AddedNoise(Laplace(2)), Bounded(Gaussian(2), 1)]
)
def test_noise_on_the_real_line_needs_an_acknowledgement(mechanism: Any) -> None:
    with pytest.raises(FilterMisuse, match="allow_ideal_noise=True"):
        guarded().release(mechanism, lambda: 0)
    guarded(allow_ideal_noise=True).release(mechanism, lambda: 0)


class Derived(Geometric):
    """A built-in law with changes that nobody has checked."""


@pytest.mark.parametrize("mechanism", [Own(0.0), AddedNoise(Derived(1))])
def test_a_mechanism_of_ones_own_needs_an_acknowledgement(mechanism: Any) -> None:
    with pytest.raises(FilterMisuse, match="allow_own_mechanisms=True"):
        guarded().ask(mechanism)
    guarded(allow_own_mechanisms=True).ask(mechanism)


@pytest.mark.parametrize("mechanism", [RESPONSE, Pure(1), AddedNoise(Geometric(1))])
def test_what_is_built_in_and_drawn_exactly_needs_none(mechanism: Any) -> None:
    assert guarded().ask(mechanism) is not None


# --- calls from inside, and forks ------------------------------------------------------------


class Curious(Own):
    """A profile that asks the filter which is asking it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__(0.0)
        self.call = call

    def profile(self, *args: Any) -> Any:
        self.call()
        return 0.0


def test_a_profile_must_not_use_the_filter() -> None:
    guard = own()
    for call in (lambda: guard.ask(RESPONSE), lambda: guard.release(RESPONSE, lambda: 0)):
        with pytest.raises(FilterMisuse, match="must not use the filter that runs it"):
            guard.release(Curious(call), lambda: 0)
    assert guard.rounds == 0
    guard.release(RESPONSE, lambda: 0)


def in_child(work: Callable[[], Any]) -> bytes:
    """Run in a fork and return the name of what was raised there."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            os.write(writer, b"nothing")
        except BaseException as error:
            os.write(writer, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


@pytest.mark.parametrize("store", [None, "budget", "sqlite:budget.db"])
def test_a_fork_can_neither_release_nor_ask_nor_close(
    store: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    guard = guarded(store=store, create=True)
    for work in (
        lambda: guard.release(RESPONSE, lambda: 0),
        lambda: guard.ask(RESPONSE),
        guard.close,
    ):
        assert in_child(work) == b"FilterMisuse"
    guard.release(RESPONSE, lambda: 0)
    assert guard.rounds == 1


@pytest.mark.parametrize("store", [None, "budget", "sqlite:budget.db"])
def test_a_fork_inside_draw_releases_in_the_parent_only(
    store: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    guard = guarded(store=store, create=True)
    reader, writer = os.pipe()
    here = os.getpid()
    try:
        guard.release(RESPONSE, lambda: os.fork() and 0)
        said = b"released"
    except FilterMisuse:
        said = b"caught"
    except BaseException:
        said = traceback.format_exc().encode()
    if os.getpid() != here:
        os.write(writer, said)
        os._exit(0)
    os.wait()
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert (said, pipe.read()) == (b"released", b"caught")
    guard.release(RESPONSE, lambda: 0)
    assert guard.rounds == 2


@pytest.mark.parametrize("size", [10**400, Fraction(1, 10**400)])
@pytest.mark.parametrize("law", [DiscreteGaussian, Geometric, Gaussian, Laplace])
def test_a_parameter_beyond_all_doubles_is_named(law: Any, size: Any) -> None:
    with pytest.raises(MechanismError, match=r"between 2\^-500 and 2\^500"):
        law(size)


# --- draws that would draw again -----------------------------------------------------------------


def many() -> Iterator[int]:
    yield from (0, 0, 0)


async def awaited() -> int:
    return 0


async def streamed() -> AsyncIterator[int]:
    yield 0


@pytest.mark.parametrize("draw", [many, awaited, streamed], ids=lambda draw: draw.__name__)
def test_a_draw_that_draws_later_is_refused_before_anything_is_paid(draw: Any) -> None:
    guard = guarded()
    with pytest.raises(FilterMisuse, match="a draw must return"):
        guard.release(RESPONSE, draw)
    assert guard.rounds == 0


@pytest.mark.parametrize("draw", [many, streamed], ids=lambda draw: draw.__name__)
def test_a_draw_that_hands_out_one_that_draws_later_is_not_let_out(draw: Any) -> None:
    guard = guarded()
    with pytest.raises(FilterMisuse, match="would draw again"):
        guard.release(RESPONSE, lambda: draw())
    assert guard.rounds == 1  # it has run: what it saw is not known


def test_a_fork_is_noticed_even_if_it_has_its_parents_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard, own = guarded(), os.getpid()

    def asks_under_the_parents_number() -> None:
        monkeypatch.setattr(os, "getpid", lambda: own)
        guard.release(RESPONSE, lambda: 0)

    assert in_child(asks_under_the_parents_number) == b"FilterMisuse"


def test_a_draw_that_waits_for_another_release_of_its_filter_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(misuse, "PATIENCE", 0.05)
    guard, said = guarded(), []

    def in_another_thread() -> None:
        with pytest.raises(FilterMisuse, match="must not wait for a release") as error:
            ask_again(guard)
        said.append(str(error.value))

    def draw() -> int:
        other = threading.Thread(target=in_another_thread)
        other.start()
        other.join()
        return 0

    ask_again(guard, draw)
    assert len(said) == guard.rounds == 1
    ask_again(guard)
    assert guard.rounds == 2
