"""The account at its edges: full books, pairs that are ruled out, losses without bound, quotes."""

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from filterproof.filter import Decision
from filterproof.game import opening as opening_of
from filterproof.palette import game, response
from filterproof.runtime import (
    AddedNoise,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    FilterMisuse,
    Gaussian,
    Geometric,
    Laplace,
    MechanismError,
    StoreError,
    Table,
    randomised_response,
)
from filterproof.runtime import domain as domains
from filterproof.runtime.account import (
    Account,
    charge,
    charge_round,
    columns,
    floor_left,
    left,
    new_account,
    on_floor,
    settle_output,
    worst,
)
from filterproof.runtime.added_noise import QUICK
from filterproof.runtime.audited import RuntimeCompensator
from filterproof.runtime.budget import Budget
from filterproof.runtime.domain import DomainError
from filterproof.runtime.per_pair import PairByPair, interval, upper_double
from filterproof.runtime.plan import plan, quote, weaker
from filterproof.runtime.state import decode_state, encode_state

F = Fraction
ONE_BIT = Domain.record([0, 1])
RESPONSE = randomised_response(F(3, 5), [0, 1])
LEAK = Table(
    {
        "0": {0: F(1, 10), 1: F(0)},
        "1": {0: F(0), 1: F(1, 10)},
        "?": {0: F(9, 10), 1: F(9, 10)},
    }
)
BUDGET = Budget.of(1, F(1, 8))
NO_FLOOR = Budget.of(F(1, 10), F(1, 2), 0)


def account(**entries: Any) -> Account:
    """An account whose columns are given, the others as they are before the first round."""
    columns: Any = {name: np.array(one) for name, one in entries.items()}
    return replace(new_account(ONE_BIT, BUDGET), **columns)


# --- the books ------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["squares", "renyi"])
def test_a_book_has_room_until_it_is_full_and_one_of_two_is_enough(book: str) -> None:
    other = "renyi" if book == "squares" else "squares"
    allowed = getattr(BUDGET, book)
    full = [allowed, np.nextafter(allowed, inf)]
    assert on_floor(account(**{book: full, other: [inf, inf]}), BUDGET).tolist() == [True, False]
    assert on_floor(account(**{book: full}), BUDGET).tolist() == [True, True]


def test_without_room_for_the_slack_there_is_no_floor() -> None:
    full = [BUDGET.slack, np.nextafter(BUDGET.slack, inf)]
    assert on_floor(account(slack=full), BUDGET).tolist() == [True, False]


def test_what_is_left_of_the_floor_is_what_the_worst_live_pair_has_in_its_better_book() -> None:
    half, most = BUDGET.squares / 2, BUDGET.squares * 3 / 4
    used = account(squares=[half, most], renyi=[inf, inf])
    assert floor_left(used, BUDGET) == 1 / 4
    assert floor_left(replace(used, live=np.array([1.0, 0.0])), BUDGET) == 1 / 2
    better = account(squares=[most, most], renyi=[BUDGET.renyi / 2] * 2)
    assert floor_left(better, BUDGET) == 1 / 2
    gone = account(squares=[inf, 0.0], renyi=[inf, 0.0])
    assert floor_left(gone, BUDGET) == 0
    assert floor_left(replace(gone, live=np.zeros(2)), BUDGET) == 1


def test_a_budget_whose_books_hold_nothing_has_no_floor_left() -> None:
    for nothing in (0.0, -inf):
        none = replace(BUDGET, squares=nothing, renyi=nothing)
        assert floor_left(account(), none) == 0


# --- paying ---------------------------------------------------------------------------------------


def test_pairs_whose_loss_has_no_bound_are_charged_no_more() -> None:
    before = account(spent=[0.25, 0.25], low=[inf, 0.0], high=[inf, 0.0])
    paid = charge_round(before, PairByPair(RESPONSE, ONE_BIT), NO_FLOOR)
    assert paid.spent[0] == 0.25 < paid.spent[1]
    assert paid.low.tolist() == [inf, -inf]
    assert paid.high.tolist() == [inf, inf]


def test_pairs_that_are_ruled_out_are_not_looked_at() -> None:
    domain = Domain.of([0, 1, 2], [(0, 1)])
    law = {y: {x: F(int(x == y)) for x in (0, 1, 2)} for y in (0, 1, 2)}
    sure = PairByPair(Table(law), domain)
    before = new_account(domain, BUDGET)
    after = settle_output(before, before, sure, 0)
    assert dict(zip(domain.pairs, after.live.tolist(), strict=True)) == {(0, 1): 1.0, (1, 0): 0.0}
    assert dict(zip(domain.pairs, after.low.tolist(), strict=True))[0, 1] == inf
    none = settle_output(before, before, sure, 2)
    assert none.live.tolist() == [0.0, 0.0]
    assert worst(replace(none, spent=np.array([0.5, 0.5]))) == 0
    mine = np.where(after.live > 0, 0.25, 0.5)
    assert worst(replace(after, spent=mine)) == 0.25


def test_a_charge_at_epsilon_is_the_same_from_both_sides() -> None:
    at = np.array([0, 1])
    ends = (1.0, 1.0)
    request = columns(AddedNoise(Laplace(2)), ONE_BIT)
    most = request.profile(at, np.zeros(2), np.zeros(2, dtype=bool)).tolist()
    for low, high in ((1.0, 1.0), (0.5, 1.0), (0.5, 1.5), (-inf, inf)):
        known = account(low=[low] * 2, high=[high] * 2)
        assert charge(known, at, request.profile, ends).tolist() == most
    above = charge(account(low=[1.0] * 2, high=[1.5] * 2), at, request.profile, ends)
    assert above.tolist() == [np.nextafter(one, 1) for one in most]


def test_an_epsilon_between_two_doubles_is_taken_from_the_dearer_end() -> None:
    at, ends = np.array([0, 1]), (1.0, 1.5)
    request = columns(AddedNoise(Laplace(F(1, 2))), ONE_BIT)

    def charge_at(loss: float) -> Any:
        return charge(account(low=[loss] * 2, high=[loss] * 2), at, request.profile, ends)

    def profile(epsilon: float) -> Any:
        return request.profile(at, np.full(2, epsilon), np.zeros(2, dtype=bool))

    assert np.array_equal(charge_at(0.5), profile(0.5))
    assert np.array_equal(charge_at(1.2), profile(0.0))
    assert (profile(0.5) * 0.6 < charge_at(2.0)).all(), "e^(-1/2) times as much"
    assert (charge_at(2.0) < profile(0.5) * 0.61).all()


def test_what_costs_just_what_is_left_is_allowed() -> None:
    half = randomised_response(F(3, 4), [0, 1])
    guard = CompensatorFilter(0, F(1, 2), domain=ONE_BIT, share=0)
    assert guard.ask(half)[:4] == (0.0, 0.5, 0.5, True)
    play = game(response(F(3, 4)))
    rule = RuntimeCompensator(F(0), F(1, 2), share=F(0))
    step = opening_of(play)
    _, state = rule.decide(rule.start(), step)
    state = rule.observe(state, step, "⊥")
    assert rule.decide(state, step.next("⊥", "ask"))[0] is Decision.CONTINUE
    assert repr(guard) == (
        "CompensatorFilter(epsilon=0, delta=0.5, rounds=0, floor_left=0.00, left=0.5)"
    )


def test_what_is_left_is_never_below_nothing() -> None:
    assert left(BUDGET, 0.0) == BUDGET.rest
    assert BUDGET.rest / 2 > left(BUDGET, BUDGET.rest / 2) > 0
    assert left(BUDGET, 1.0) == 0


def test_accounts_are_equal_if_their_columns_are() -> None:
    assert account() == account()
    assert hash(account()) == hash(account())
    assert account() != account(spent=[0.0, 1.0])
    assert account() != "an account"


# --- quotes and plans -----------------------------------------------------------------------------


def test_a_quote_is_about_the_dearest_pair_that_is_live() -> None:
    before = account(spent=[0.01, 0.05], live=[1.0, 0.0])
    paid = replace(before, spent=np.array([0.03, 0.06]))
    found = quote(before, paid, BUDGET)
    assert (found.spent, found.asked) == (0.01, 0.03 - 0.01)
    assert found.allowed
    both = quote(replace(before, live=np.ones(2)), replace(paid, live=np.ones(2)), BUDGET)
    assert (both.spent, both.asked) == (0.05, 0.06 - 0.05)
    small = account(spent=[0.0, 0.0], live=[0.0, 1.0])
    assert quote(small, replace(small, spent=np.array([2.0, 0.5])), BUDGET).asked == 0.5


def test_where_no_pair_is_live_anything_is_free() -> None:
    dead = account(spent=[0.5, 0.5], live=[0.0, 0.0])
    found = quote(dead, dead, BUDGET)
    assert (found.asked, found.allowed, found.floor) == (0.0, True, 1.0)


def test_a_plan_costs_live_pairs_what_they_would_be_charged() -> None:
    request = PairByPair(RESPONSE, ONE_BIT)
    found = plan(account(), [request], NO_FLOOR)
    (asked,) = request.profile(np.array([0]), np.array([0.1]), np.array([False]))
    assert found.worst == found.expected == asked
    dead = plan(account(live=[0.0, 0.0]), [request], NO_FLOOR)
    assert (dead.worst, dead.expected, dead.fits) == (0.0, 0.0, True)
    lost = plan(account(low=[inf, inf], high=[inf, inf]), [request], NO_FLOOR)
    assert (lost.worst, lost.expected) == (0.0, 0.0)


def test_of_mechanisms_without_a_mu_all_may_be_charged() -> None:
    class Own:
        def profile(self, *args: Any) -> float:
            return 0.25

    own: Any = Own()
    found = plan(account(), [PairByPair(own, ONE_BIT)], NO_FLOOR)
    assert (found.worst, found.expected) == (0.25, 0.25)


def test_a_weaker_request_is_the_smallest_factor_that_fits_and_is_on_offer() -> None:
    class Weakens:
        def weaker(self, times: int) -> Any:
            if times > 20:
                raise MechanismError("too wide")
            return times

    least: dict[int, Any] = {2: 2, 5: 5, 6: 6, 16: 16, 17: None, 21: None}
    found = {n: weaker(Weakens(), lambda times, n=n: times >= n) for n in least}  # type: ignore[misc]
    assert found == least
    assert weaker(object(), lambda one: True) is None


# --- columns --------------------------------------------------------------------------------------


def test_pairs_with_the_same_answer_cost_nothing() -> None:
    domain = Domain.counts(3)
    at = np.arange(len(domain.pairs))
    for noise in (Gaussian(2), Laplace(2), Geometric(F(1, 2)), DiscreteGaussian(4)):
        mechanism = AddedNoise(noise, lambda x: x // 2)
        quick, slow = mechanism.columns(domain), PairByPair(mechanism, domain)
        assert quick is not None
        epsilon, backward = np.zeros(len(at)), np.zeros(len(at), dtype=bool)
        found = quick.profile(at, epsilon, backward)
        assert np.array_equal(found, slow.profile(at, epsilon, backward))
        same = np.array([x // 2 == x_ // 2 for x, x_ in domain.pairs])  # type: ignore[operator]
        assert (found[same] == 0).all()
        assert (found[~same] > 0).all()


def test_only_whole_answers_of_a_usual_size_go_the_quick_way() -> None:
    noise = DiscreteGaussian(4)

    def goes(*answers: Any) -> bool:
        domain = Domain.record(range(len(answers)))
        return AddedNoise(noise, lambda x: answers[x]).columns(domain) is not None

    assert goes(0, 1)
    assert goes(-QUICK, QUICK)
    assert not any((goes(0, QUICK + 1), goes(-QUICK - 1, 0), goes(0, F(1)), goes(False, 1)))
    assert not any((goes(0, 1.0), goes(F(1), F(2))))


@pytest.mark.parametrize(
    "output", [0, QUICK, -QUICK, QUICK + 1, -QUICK - 1, 2**70 + 1, -(2**70), F(1, 2), F(1, 3)]
)
def test_losses_on_the_quick_way_enclose_the_exact_ones(output: Any) -> None:
    domain = Domain.of([-QUICK, 0, QUICK], [(-QUICK, 0), (0, QUICK)])
    noise = Gaussian(3)
    quick = AddedNoise(noise).columns(domain)
    assert quick is not None
    low, high, possible = quick.loss(output)
    assert possible.all()
    for i, (x, x_) in enumerate(domain.pairs):
        truth = noise.steps(x, x_, output) * noise.unit
        assert F(low[i]) <= truth <= F(high[i])
        assert high[i] - low[i] <= abs(low[i]) * 1e-15


def test_losses_of_ones_own_are_taken_as_they_are() -> None:
    class Own:
        def loss(self, x: Any, x_: Any, output: Any) -> Any:
            return (-1.0, 2.0) if x else None

    own: Any = Own()
    low, high, possible = PairByPair(own, ONE_BIT).loss("y")
    place = ONE_BIT.pairs.index((1, 0))
    assert (low[place], high[place], bool(possible[place])) == (-1.0, 2.0, True)
    assert (low[1 - place], high[1 - place], bool(possible[1 - place])) == (0.0, 0.0, False)


def test_numbers_from_outside_are_rounded_outwards() -> None:
    low, high = interval((F(1, 3), F(2, 3)))
    assert F(low) < F(1, 3)
    assert F(high) > F(2, 3)
    assert upper_double(F(1, 3), "a cost") > F(1, 3)
    assert interval((-inf, inf)) == (-inf, inf)
    with pytest.raises(MechanismError, match="low <= high"):
        interval((1, 0))


def test_a_mechanism_of_ones_own_is_called_by_its_name() -> None:
    class Odd(Geometric):
        pass

    class Strange:
        pass

    guard = CompensatorFilter(1, F(1, 4), domain=ONE_BIT)
    strange: Any = Strange()
    with pytest.raises(FilterMisuse, match=r"^Strange is a mechanism of your own"):
        guard.ask(strange)
    with pytest.raises(FilterMisuse, match=r"^Odd is a mechanism of your own"):
        guard.ask(AddedNoise(Odd(1)))
    with pytest.raises(FilterMisuse, match="no sampler delivers Laplace noise"):
        guard.ask(AddedNoise(Laplace(1)))


def test_a_domain_has_so_many_pairs_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "MAX_PAIRS", 4)
    assert len(Domain.counts(2).pairs) == 4
    with pytest.raises(DomainError, match="need at most 4 ordered pairs; got 6"):
        Domain.counts(3)


# --- the account as text --------------------------------------------------------------------------

OWNER = {"epsilon": "1"}


def test_an_account_is_read_as_it_was_written() -> None:
    written = encode_state(OWNER, 3, account(spent=[0.25, 0.5]), ONE_BIT, BUDGET)
    assert decode_state(written, OWNER, ONE_BIT, BUDGET) == (3, account(spent=[0.25, 0.5]))


@pytest.mark.parametrize("rounds", ['"3"', "3.0", "true", "-1", "null"])
def test_rounds_are_a_number_of_rounds(rounds: str) -> None:
    written = encode_state(OWNER, 3, account(), ONE_BIT, BUDGET)
    with pytest.raises(StoreError, match="damaged"):
        decode_state(written.replace('"rounds": 3', f'"rounds": {rounds}'), OWNER, ONE_BIT, BUDGET)
    assert (
        decode_state(written.replace('"rounds": 3', '"rounds": 0'), OWNER, ONE_BIT, BUDGET)[0] == 0
    )


def test_columns_have_an_entry_for_every_pair_and_nothing_but_numbers() -> None:
    with pytest.raises(StoreError, match="do not fit the domain"):
        decode_state(
            encode_state(OWNER, 3, account(), ONE_BIT, BUDGET), OWNER, Domain.counts(2), BUDGET
        )
    with pytest.raises(StoreError, match="a number that is none"):
        decode_state(
            encode_state(OWNER, 3, account(low=[0.0, np.nan]), ONE_BIT, BUDGET),
            OWNER,
            ONE_BIT,
            BUDGET,
        )
    written = encode_state(OWNER, 3, account(), ONE_BIT, BUDGET)
    with pytest.raises(StoreError, match="the state is damaged"):
        decode_state(written.replace('"live": "', '"live": "!'), OWNER, ONE_BIT, BUDGET)
    with pytest.raises(StoreError, match="belongs to another filter"):
        decode_state(
            encode_state(OWNER, 3, account(), ONE_BIT, BUDGET), {"epsilon": "2"}, ONE_BIT, BUDGET
        )
