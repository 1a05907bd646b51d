"""The runtime filter decides exactly where numbers are exact: k slices of ε/k run, k + 1 do not."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from filterproof.exact import Epsilon, ExpLinear, Log
from filterproof.runtime import (
    AddedNoise,
    Bounded,
    BudgetExceeded,
    CompensatorFilter,
    DescribedMechanism,
    DiscreteGaussian,
    Domain,
    Geometric,
    Laplace,
    Pure,
    StoreError,
    Table,
    randomised_response,
)
from filterproof.runtime import exact_account as exact_numbers
from filterproof.runtime.account import (
    Account,
    charge_round,
    columns,
    new_account,
    settle_output,
    within_budget,
)
from filterproof.runtime.budget import Budget
from filterproof.runtime.exact_account import Loss
from filterproof.runtime.state import decode_state, encode_state

F = Fraction
TWO = Domain.record([0, 1])

Slice = Callable[[int], tuple[Epsilon, DescribedMechanism, Any]]
"""For k: the ε of k slices, one slice, and an output that is the worst for the pair (0, 1)."""

SLICES: dict[str, Slice] = {
    "pure": lambda k: (F(1), Pure(F(1, k)), None),
    "bounded": lambda k: (F(7, 3), Bounded(Laplace(F(3 * k, 7)), 1), 0),
    "geometric": lambda k: (F(1), AddedNoise(Geometric(F(1, k))), 0),
    "odds": lambda k: (Log(F(3, 2) ** k), randomised_response(F(3, 5), [0, 1]), 0),
}


def rounds_granted(budget: Budget, mechanism: DescribedMechanism, output: Any, most: int) -> int:
    """How many rounds run, up to `most`."""
    request, account = columns(mechanism, TWO), new_account(TWO, budget)
    for n in range(most):
        paid = charge_round(account, request, budget)
        if not within_budget(paid, budget):
            return n
        account = settle_output(account, paid, request, output)
    return most


@pytest.mark.parametrize("kind", SLICES)
@pytest.mark.parametrize("share", [F(0), F(1)])
def test_all_slices_are_granted_and_one_more_is_refused(kind: str, share: Fraction) -> None:
    for k in (*range(2, 101, 11), 200):
        epsilon, one, output = SLICES[kind](k)
        assert rounds_granted(Budget.of(epsilon, 0, share), one, output, k + 1) == k


def test_k_slices_fit_for_every_k_up_to_50_and_one_more_does_not() -> None:
    for k in (*range(2, 51), 200):
        budget = Budget.of(1, 0)
        request, account = columns(Pure(F(1, k)), TWO), new_account(TWO, budget)
        for _ in range(k):
            account = charge_round(account, request, budget)
        assert within_budget(account, budget)
        assert not within_budget(charge_round(account, request, budget), budget)


@pytest.mark.parametrize("kind", SLICES)
def test_slices_that_are_a_little_too_large_are_refused_the_last_time(kind: str) -> None:
    for k in (2, 3, 10, 200):
        epsilon, one, output = SLICES[kind](k)
        assert not isinstance(epsilon, Log) or epsilon.argument > 1
        less = Log(epsilon.argument - F(1, 10**30)) if isinstance(epsilon, Log) else epsilon
        less = less if isinstance(less, Log) else less - F(1, 10**30)
        assert rounds_granted(Budget.of(less, 0), one, output, k) == k - 1


@pytest.mark.parametrize("k", [2, 3, 7, 10, 49, 199])
def test_slices_of_delta_are_all_granted_and_one_more_is_refused(k: int) -> None:
    tell = F(1, 7 * k)
    names = {y: {x: tell if x == y else F(0) for x in (0, 1)} for y in (0, 1)}
    leak = Table(names | {"nothing": {0: 1 - tell, 1: 1 - tell}})
    assert rounds_granted(Budget.of(1, F(1, 7), 0), leak, "nothing", k + 1) == k


def test_the_floor_at_delta_grants_what_fits_without_delta_too() -> None:
    for k in (2, 3, 10, 20):
        budget = Budget.of(1, F(1, 10**6), 1)
        assert rounds_granted(budget, Pure(F(1, k)), None, k) == k
    assert rounds_granted(Budget.of(1, F(1, 10**6), 1), Pure(F(1, 2)), None, 3) == 2


def test_few_pairs_and_many_are_grouped_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(0)
    for most in (1, 3, 40):
        codes = np.array([rng.randrange(most) for _ in range(exact_numbers.FEW)])
        first, which = exact_numbers._groups(codes)
        assert first == sorted(first)
        assert (codes[first][which] == codes).all()
        assert len({*codes[first].tolist()}) == len(first)
        monkeypatch.setattr(exact_numbers, "FEW", 0)
        in_arrays = exact_numbers._groups(codes)
        assert (in_arrays[0], in_arrays[1].tolist()) == (first, which.tolist())
        monkeypatch.undo()


def test_realised_losses_are_exact_too() -> None:
    """After + - the loss is 0 again, and all of ε is there: three thirds more, and no fourth."""
    budget = Budget.of(1, 0)
    third = columns(AddedNoise(Geometric(F(1, 3))), TWO)
    account = new_account(TWO, budget)
    for output in (0, 1, 0, 1, 0, 0):
        paid = charge_round(account, third, budget)
        assert within_budget(paid, budget)
        account = settle_output(account, paid, third, output)
    assert account.exact is not None
    assert account.exact.state(TWO.pairs.index((0, 1))).loss == Loss(F(2, 3))
    account = settle_output(account, charge_round(account, third, budget), third, 0)
    assert not within_budget(charge_round(account, third, budget), budget)


def test_a_round_of_which_nothing_was_heard_counts_with_its_largest_loss() -> None:
    guard = CompensatorFilter(1, 0, domain=TWO)
    with pytest.raises(ZeroDivisionError):
        guard.release(Pure(F(1, 10)), lambda: 1 // 0)
    for _ in range(9):
        guard.release(Pure(F(1, 10)), lambda: 0)
    with pytest.raises(BudgetExceeded):
        guard.release(Pure(F(1, 10)), lambda: 0)


def test_a_plan_of_ten_tenths_fits_and_of_eleven_does_not() -> None:
    guard = CompensatorFilter(1, 0, domain=TWO)
    assert guard.would_fit([Pure(F(1, 10))] * 10).fits
    assert not guard.would_fit([Pure(F(1, 10))] * 11).fits


@pytest.mark.parametrize("scheme", ["{}", "sqlite:{}"])
def test_slices_are_counted_across_restarts(scheme: str, tmp_path: Path) -> None:
    store = scheme.format(tmp_path / "budget")
    for n in range(10):
        guard = CompensatorFilter(1, 0, domain=TWO, store=store, create=n == 0)
        guard.release(Pure(F(1, 10)), lambda: 0)
        guard.close()
    guard = CompensatorFilter(1, 0, domain=TWO, store=store)
    with pytest.raises(BudgetExceeded):
        guard.release(Pure(F(1, 10**6)), lambda: 0)
    guard.close()


def test_a_gaussian_round_ends_what_is_known_of_losses() -> None:
    budget = Budget.of(1, F(1, 100))
    request, account = columns(AddedNoise(DiscreteGaussian(100)), TWO), new_account(TWO, budget)
    paid = charge_round(account, request, budget)
    after = settle_output(account, paid, request, 0).exact
    assert after is not None
    assert [state.loss for state in after.states] == [None]
    tight = Budget.of(1, F(1, 2), 0)
    paid = charge_round(new_account(TWO, tight), request, tight)
    assert paid.exact is None


def test_a_mechanism_of_ones_own_is_believed_in_doubles_only() -> None:
    class Own(Pure):
        """Says of itself that it costs more than `Pure` does."""

        def profile(self, x: Any, x_: Any, epsilon: float) -> float:
            return 0.5

    budget = Budget.of(1, F(1, 4), 0)
    paid = charge_round(new_account(TWO, budget), columns(Own(F(1, 10)), TWO), budget)
    assert not within_budget(paid, budget)


# --- what a table costs ---------------------------------------------------------------------------


@pytest.mark.parametrize(("odds", "epsilon"), [(1, F(0)), (2, F(1)), (5, F(1)), (3, Log(F(3)))])
def test_the_exact_charge_of_a_table_is_below_the_one_in_doubles_and_next_to_it(
    odds: int, epsilon: Epsilon
) -> None:
    table = randomised_response(F(4, 5), [0, 1])
    found = table.exact_charge(0, 1, Loss(odds=F(odds)), epsilon)
    assert found is not None
    p, q = (F(4, 5), F(1, 5)), (F(1, 5), F(4, 5))

    def h(mass: Fraction, mass_: Fraction) -> ExpLinear:
        return max(ExpLinear(0, 0, epsilon), ExpLinear(mass, -mass_, epsilon))

    after = sum((h(a * odds, b) for a, b in zip(p, q, strict=True)), ExpLinear(0, 0, epsilon))
    assert found == (after - h(F(odds), F(1))) / odds


def test_what_is_only_a_bound_and_beyond_epsilon_is_not_charged_exactly() -> None:
    table = randomised_response(F(4, 5), [0, 1])
    assert table.exact_charge(0, 1, Loss(odds=F(5), sharp=False), F(1)) is None
    assert table.exact_charge(0, 1, Loss(odds=F(2), sharp=False), F(1)) is not None
    assert table.exact_charge(0, 1, Loss(F(1, 2)), F(1)) is None


# --- comparisons ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "epsilon", "within"),
    [
        (Loss(F(1)), F(1), True),
        (Loss(F(1) + F(1, 10**40)), F(1), False),
        (Loss(odds=F(3)), Log(F(3)), True),
        (Loss(odds=F(3)), Log(F(3) - F(1, 10**40)), False),
        (Loss(F(1, 2), F(2)), F(2), True),
        (Loss(F(3, 2), F(2)), F(2), False),
        (Loss(F(10**9)), F(1), False),
        (Loss(F(-(10**9)), F(10**9)), F(0), True),
    ],
)
def test_a_loss_is_held_against_epsilon_exactly(loss: Loss, epsilon: Epsilon, within: bool) -> None:
    assert loss.within(epsilon) is within


def test_numbers_that_grow_too_long_and_too_many_states_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget, domain = Budget.of(1, 0), Domain.counts(4)
    noise = columns(AddedNoise(Geometric(F(1, 10))), domain)

    def after(output: int) -> Account:
        first = new_account(domain, budget)
        return settle_output(first, charge_round(first, noise, budget), noise, output)

    assert after(2).exact is not None
    monkeypatch.setattr(exact_numbers, "MAX_STATES", 1)
    assert after(2).exact is None
    monkeypatch.undo()
    monkeypatch.setattr(exact_numbers, "MAX_BITS", 3)
    found = after(2).exact
    assert found is not None
    assert {state.loss for state in found.states} == {None}


# --- in a store -----------------------------------------------------------------------------------


def test_exact_numbers_are_read_as_they_were_written_and_damage_is_named() -> None:
    budget = Budget.of(F(1, 3), F(1, 8), 0)
    table = columns(randomised_response(F(4, 5), [0, 1]), TWO)
    before = new_account(TWO, budget)
    account = settle_output(before, charge_round(before, table, budget), table, 0)
    text = encode_state({}, 1, account, TWO, budget)
    assert decode_state(text, {}, TWO, budget) == (1, account)
    assert account.exact is not None
    assert account.exact.states[0].spent != 0
    body = json.loads(text)
    for name, bad in (("which", "AAAA"), ("states", [[None]]), ("states", []), ("states", 3)):
        damaged = json.dumps(body | {"exact": body["exact"] | {name: bad}})
        with pytest.raises(StoreError, match="damaged"):
            decode_state(damaged, {}, TWO, budget)
    negative = json.dumps(body | {"exact": body["exact"] | {"states": [[["0", "-1", True], None]]}})
    with pytest.raises(StoreError, match="no loss"):
        decode_state(negative, {}, TWO, budget)


def test_a_state_of_another_epsilon_that_rounds_alike_is_refused() -> None:
    one, other = Budget.of(F(1, 3), 0), Budget.of(F(1, 3) + F(1, 10**40), 0)
    assert one.named() == other.named()
    text = encode_state({}, 0, new_account(TWO, one), TWO, one)
    with pytest.raises(StoreError, match="another epsilon"):
        decode_state(text, {}, TWO, other)


def test_a_state_without_exact_numbers_is_read_and_doubles_decide() -> None:
    budget = Budget.of(1, 0)
    body = json.loads(encode_state({}, 0, new_account(TWO, budget), TWO, budget))
    del body["exact"]
    rounds, account = decode_state(json.dumps(body), {}, TWO, budget)
    assert (rounds, account.exact) == (0, None)


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e400,
    "",
    "1/0",
    "-3/2",
    "9" * 5000,
    "1e9999",
    [],
    {},
    [[]],
    "A" * 16,
)


def test_a_state_with_anything_in_the_place_of_anything_is_read_or_a_named_error() -> None:
    budget, rng = Budget.of(F(1, 3), F(1, 8), 0), Random(5)
    table = columns(randomised_response(F(4, 5), [0, 1]), TWO)
    text = encode_state({}, 1, charge_round(new_account(TWO, budget), table, budget), TWO, budget)
    refused = 0
    for _ in range(2000):
        body = json.loads(text)
        where, name = rng.choice([*places_in(body)])
        where[name] = rng.choice(JUNK)
        try:
            decode_state(json.dumps(body), {}, TWO, budget)
        except StoreError:
            refused += 1
    assert refused > 1000


def places_in(body: Any) -> Iterator[tuple[Any, Any]]:
    """Everything inside of lists and dictionaries, as the container and the place in it."""
    for name in body if isinstance(body, dict) else range(len(body)):
        yield body, name
        if isinstance(body[name], dict | list):
            yield from places_in(body[name])
