"""The compensators: the identity behind them, and where each lets the left-over budget go."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.adversary import Position, first_position, pair_hockey_stick, send
from filterproof.exact import Epsilon, ExactError, ExpLinear, Log
from filterproof.filter import Decision, Filter, parameter_sets
from filterproof.filters.bounds import round_down
from filterproof.filters.compensator import Capped, Compensator, Recycling, level, room
from filterproof.filters.registry import REGISTRY, Entry
from filterproof.filters.run_all import RunAll
from filterproof.game import OPENING, Game, Request, Step, opening
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, one_sided, repeated, response, reveal
from filterproof.privacy import charge
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures, wasted_branch
from filterproof_properties.strategies import cases

F = Fraction
KINDS = (Compensator, Recycling, Capped)
FORWARD = ("0", "1")
quick = settings(max_examples=80, deadline=None, derandomize=True)


# --- the identity ------------------------------------------------------------------------------


def collected(rule: Filter[Any], one: Game, pair: Pair, epsilon: Epsilon, *, all_of: bool) -> Any:
    """The most that an adversary can collect in charges, or in gross growth if not `all_of`."""

    nothing = ExpLinear(0, 0, epsilon)

    def rest(there: Position) -> Any:
        requests = there.requests() if there.mass[pair[0]] else []
        return max((sent(there, request) for request in requests), default=nothing)

    def sent(there: Position, request: Request) -> Any:
        decision, after = send(rule, there, request)
        here, step = nothing, there.step.next(there.output, request)
        if decision in (Decision.CONTINUE, Decision.LAST):
            mass = step.mass if all_of else dict.fromkeys(step.mass, F(1))
            here = charge(step.mechanism.law, pair, mass, epsilon) * there.mass[pair[0]]
        if decision is Decision.LAST:
            return here
        return here + sum((rest(one) for one in after.values()), start=nothing)

    first = first_position(rule, one)
    return rest(first) if first else nothing


@quick
@given(st.sampled_from(REGISTRY), cases(max_rounds=3, max_requests=2), st.integers(0, 5))
def test_for_every_filter_h_is_the_largest_expected_sum_of_charges(
    one: Entry, case: Case, pick: int
) -> None:
    offered = parameter_sets(one.target, case.epsilon, case.delta, case.game.depth)
    rule = one.target(case.epsilon, case.delta, **offered[pick % len(offered)])
    for pair in case.game.pairs:
        sums = collected(rule, case.game, pair, case.epsilon, all_of=True)
        assert sums == pair_hockey_stick(rule, case.game, pair, case.epsilon)


def test_charges_at_the_full_budget_do_not_add_up_to_h() -> None:
    one, epsilon = game(repeated(response(F(2, 3)), 2)), Log(F(2))
    assert collected(RunAll(), one, FORWARD, epsilon, all_of=False) == 0
    assert pair_hockey_stick(RunAll(), one, FORWARD, epsilon) > 0


# --- where the left-over budget goes -----------------------------------------------------------


@quick
@given(st.sampled_from(KINDS), cases(max_rounds=2, max_requests=1))
def test_charge_and_expected_budget_after_a_round_never_exceed_the_budget_before_it(
    kind: type[Compensator], case: Case
) -> None:
    rule = kind(case.epsilon, case.delta)
    first = opening(case.game)
    state = rule.observe(rule.decide(rule.start(), first)[1], first, OPENING)
    for request in case.game.menu:
        step = first.next(OPENING, request)
        decision, after = rule.decide(state, step)
        if decision is Decision.HALT:
            continue
        for i, pair in enumerate(case.game.pairs):
            law, x = step.mechanism.law, pair[0]
            left = [(rule.observe(after, step, y)[i], law[y][x]) for y in law]
            spent = charge(law, pair, step.mass, case.epsilon)
            kept = sum((b * p for b, p in left if b is not None), start=spent * 0)
            assert spent + kept <= case.delta
            if kind is Capped:
                assert spent + kept == case.delta


def test_handing_everything_to_the_outputs_that_can_still_lose_is_too_much() -> None:
    """A filter that recycles twice: it divides by P_x(x′ possible) and caps nothing."""

    class Generous(Recycling):
        def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
            return super().share(rest, step, pair) * 2

    case = erasures(F(1, 20), 3, F(1, 10))
    assert worst_case(Generous(case.epsilon, case.delta), case.game, case.epsilon).value > F(1, 10)


def test_the_wasted_branch_is_run_by_recycling_and_capped_only_and_attains_delta() -> None:
    case = wasted_branch()
    values = [
        worst_case(kind(case.epsilon, case.delta), case.game, case.epsilon).value for kind in KINDS
    ]
    assert values == [F(1, 20), F(1, 10), F(1, 10)]


@quick
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), min_size=1, max_size=5),
    st.integers(0, 12),
)
def test_the_level_fills_exactly_what_is_left(rooms: list[tuple[int, int]], twelfths: int) -> None:
    total = sum(weight for _, weight in rooms)
    caps = [(ExpLinear(F(r, 12), 0, F(1)), F(weight, total)) for r, weight in rooms]
    space = sum((cap * weight for cap, weight in caps), start=ExpLinear(0, 0, F(1)))
    rest = space * F(twelfths, 12)
    found = level(rest, caps)
    filled = sum((min(found, cap) * w for cap, w in caps), start=ExpLinear(0, 0, F(1)))
    assert filled == rest


def test_what_can_still_be_lost_is_nothing_once_the_other_database_is_ruled_out() -> None:
    one = game(one_sided(F(1, 2)))
    step = opening(one).next(OPENING, "ask")
    assert room(step, FORWARD, "!", F(1)) == 0
    assert room(step, FORWARD, "?", F(1)) == 1


def test_pairs_that_became_impossible_leave_the_state() -> None:
    one = game(reveal())
    rule = Compensator(F(1), F(1))
    first = opening(one)
    state = rule.observe(rule.decide(rule.start(), first)[1], first, OPENING)
    step = first.next(OPENING, "ask")
    after = rule.decide(state, step)[1]
    assert [entry is None for entry in rule.observe(after, step, "0")] == [False, True]
    assert [entry is None for entry in rule.observe(after, step, "1")] == [True, False]


@pytest.mark.parametrize(("epsilon", "delta"), [(F(-1), F(0)), (F(1), F(2)), (F(1), F(-1, 9))])
def test_a_budget_that_is_no_budget_is_refused(epsilon: Epsilon, delta: Fraction) -> None:
    for kind in KINDS:
        with pytest.raises(ExactError, match="need"):
            kind(epsilon, delta)


def test_a_delta_that_is_a_float_is_refused() -> None:
    with pytest.raises(ExactError, match="int or a Fraction"):
        Compensator(F(1), 0.5)  # type: ignore[arg-type]


# --- bounds -------------------------------------------------------------------------------------


@quick
@given(st.fractions(0, 1, max_denominator=200), st.fractions(-1, 1, max_denominator=50))
def test_rounding_down_stays_within_one_grid_step(a: Fraction, b: Fraction) -> None:
    number = ExpLinear(a + 3, b, F(1))
    assert round_down(number) <= number < round_down(number) + F(1, 64)


def test_a_number_on_the_grid_is_not_moved() -> None:
    assert round_down(ExpLinear(F(5, 64), 0, Log(F(2)))) == F(5, 64)


def test_long_erasure_stays_below_delta_and_one_round_attains_it() -> None:
    """Six rounds of 1/60 each fit; a seventh would add up to 1 - (59/60)^7 > 1/10."""
    case = erasures(F(1, 60), 7, F(1, 10))
    plain, recycling, capped = (
        worst_case(kind(case.epsilon, case.delta), case.game, case.epsilon).value for kind in KINDS
    )
    assert plain == 1 - F(59, 60) ** 6
    assert recycling == capped == plain
    one = game(erasure(F(1, 10)))
    assert worst_case(Compensator(F(1), F(1, 10)), one, F(1)).value == F(1, 10)
