"""What a compensator refuses cannot be run by a filter that runs more: shown on generated games."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.exact import ExactError, Log
from filterproof.filters.compensator import Capped, Compensator
from filterproof.filters.run_all import RunAll
from filterproof.game import Game
from filterproof.palette import erasure, game, one_sided, repeated, response
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.strategies import cases
from tests.papers.limits import NoHeadroom, Refusal, refusals, violating_game
from tests.plays import rounds_run

F = Fraction
FORWARD = ("0", "1")
quick = settings(max_examples=60, deadline=None, derandomize=True)


def watching(kind: type[Compensator], case: Case) -> Compensator:
    return kind(case.epsilon, case.delta, pair=case.game.pairs[0])


def assert_convicts(refusal: Refusal) -> None:
    """The spoiled game: the compensator runs all but the refused round; running that is not DP."""
    rule = refusal.rule
    spoil = violating_game(refusal)
    missed = rounds_run(RunAll(), spoil) - rounds_run(rule, spoil)
    assert missed == {(refusal.step.history, refusal.step.request)}
    assert worst_case(RunAll(), spoil, rule.epsilon).value > rule.delta


@quick
@given(cases(max_requests=2), st.sampled_from([Compensator, Capped]))
def test_running_a_refused_round_with_headroom_is_not_private(
    case: Case, kind: type[Compensator]
) -> None:
    for refusal in [*refusals(watching(kind, case), case.game)][:3]:
        if refusal.has_headroom():
            assert_convicts(refusal)


@quick
@given(cases(max_requests=2))
def test_the_capped_compensator_always_leaves_headroom(case: Case) -> None:
    assert all(one.has_headroom() for one in refusals(watching(Capped, case), case.game))


def test_both_kinds_of_refusal_are_met_and_convicted() -> None:
    one = game(repeated(response(F(3, 5)), 4))
    for epsilon in (F(1, 2), Log(F(2))):
        for kind in (Compensator, Capped):
            found = [*refusals(kind(epsilon, F(1, 10), pair=FORWARD), one)]
            assert found
            assert_convicts(found[0])


def stranded() -> Game:
    """erasure(1/4), then erasure(1/3), at δ = 1/2: the budget of a revealed x is stranded."""
    return game(erasure(F(1, 4), {"?": {"go": erasure(F(1, 3))}}))


def test_without_headroom_the_capped_compensator_runs_the_round_and_stays_private() -> None:
    epsilon, delta = F(1), F(1, 2)
    plain = Compensator(epsilon, delta, pair=FORWARD)
    (refusal,) = refusals(plain, stranded())
    assert not refusal.has_headroom()
    capped = Capped(epsilon, delta)
    assert (refusal.step.history, refusal.step.request) in rounds_run(capped, stranded())
    assert worst_case(capped, stranded(), epsilon).value == delta


def test_without_headroom_no_game_is_made_up() -> None:
    (refusal,) = refusals(Compensator(F(1), F(1, 2), pair=FORWARD), stranded())
    with pytest.raises(NoHeadroom, match="more budget than it can still lose"):
        violating_game(refusal)


@quick
@given(st.integers(2, 9), st.integers(2, 9), st.sampled_from([F(1), Log(F(3))]))
def test_a_budget_stranded_on_a_revealed_branch_is_recovered_by_the_capped_compensator(
    m: int, n: int, epsilon: Fraction
) -> None:
    """erasure(1/m), then erasure(1/n) at exactly δ = 1 - (1-1/m)(1-1/n): plain never fits."""
    one = game(erasure(F(1, m), {"?": {"go": erasure(F(1, n))}}))
    delta = 1 - (1 - F(1, m)) * (1 - F(1, n))
    (refusal,) = refusals(Compensator(epsilon, delta, pair=FORWARD), one)
    spot = (refusal.step.history, refusal.step.request)
    assert spot in rounds_run(Capped(epsilon, delta), one)
    assert worst_case(Capped(epsilon, delta), one, epsilon).value == delta


def test_a_compensator_that_watches_one_pair_promises_nothing_about_the_other() -> None:
    leak = game(one_sided(F(1, 2)))
    rule = Compensator(F(1), F(0), pair=("1", "0"))
    assert worst_case(rule, leak, F(1)).value == F(1, 2)


def test_refusals_are_asked_of_one_pair_only() -> None:
    with pytest.raises(ExactError, match="watches one ordered pair"):
        next(refusals(Compensator(F(1), F(0)), stranded()))
