"""The longest-running filter of a known game, against brute force and against every filter."""

from fractions import Fraction
from itertools import chain as joined
from itertools import combinations

import pytest
from hypothesis import given, settings

from filterproof.exact import Epsilon, Log
from filterproof.filters.compensator import Capped, Compensator, Recycling
from filterproof.filters.naive import NaiveOverN
from filterproof.filters.run_all import RunAll
from filterproof.game import Game
from filterproof.palette import erasure, game, one_sided, repeated, response
from filterproof.utility import optimum as policy
from filterproof.utility.optimum import (
    Policy,
    TooLarge,
    Unsolved,
    deterministic_optimum,
    randomised_optimum,
    unfold,
)
from filterproof.utility.rounds import expected_rounds
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases, switch
from filterproof_properties.strategies import cases

F = Fraction
CASES = [case for case in named_cases() if case.name != "guess(20)"]
quick = settings(max_examples=25, deadline=None, derandomize=True)


def best_by_force(one: Game, epsilon: Epsilon, delta: Fraction) -> Fraction:
    """Try every set of partial transcripts: exact, and exponential."""
    spots = [(c.step.history, c.step.request) for c in unfold(one, epsilon).choices]
    subsets = joined.from_iterable(combinations(spots, n) for n in range(len(spots) + 1))
    rules = (Policy(frozenset(subset)) for subset in subsets)
    kept = (rule for rule in rules if worst_case(rule, one, epsilon).value <= delta)
    return max(expected_rounds(rule, one) for rule in kept)


LITTLE = [
    (game(repeated(response(F(2, 3)), 2)), Log(F(2)), F(1, 6)),
    (
        game(response(F(3, 5), {"0": {"a": response(F(2, 3)), "b": erasure(F(1, 5))}})),
        F(1),
        F(1, 20),
    ),
    (
        game(one_sided(F(1, 5), {"?": {"a": erasure(F(1, 4)), "b": response(F(4, 5))}})),
        F(1),
        F(1, 4),
    ),
    (switch().game, switch().epsilon, switch().delta),
]


@pytest.mark.parametrize(("one", "epsilon", "delta"), LITTLE)
def test_the_integer_program_finds_what_trying_everything_finds(
    one: Game, epsilon: Epsilon, delta: Fraction
) -> None:
    assert deterministic_optimum(one, epsilon, delta).rounds == best_by_force(one, epsilon, delta)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_optima_keep_the_promise_and_run_at_least_as_long_as_every_halting_filter(
    case: Case,
) -> None:
    fixed = deterministic_optimum(case.game, case.epsilon, case.delta)
    tossed = randomised_optimum(case.game, case.epsilon, case.delta)
    assert worst_case(fixed.rule(), case.game, case.epsilon).value <= case.delta
    assert worst_case(RunAll(), tossed.game(), case.epsilon).value <= case.delta
    assert fixed.rounds == expected_rounds(fixed.rule(), case.game)
    for kind in (Compensator, Recycling, Capped):
        assert expected_rounds(kind(case.epsilon, case.delta), case.game) <= fixed.rounds
    union_bound = NaiveOverN(case.epsilon, case.delta, N=case.game.depth)
    assert expected_rounds(union_bound, case.game) <= fixed.rounds


def test_a_coin_runs_longer_than_any_deterministic_filter_somewhere() -> None:
    case = switch()
    fixed = deterministic_optimum(case.game, case.epsilon, case.delta)
    tossed = randomised_optimum(case.game, case.epsilon, case.delta)
    assert fixed.rounds == F(3, 2)
    assert F(181, 100) < tossed.rounds < F(182, 100)
    assert set(tossed.plan) - {F(0), F(1)}


def test_a_plan_for_twice_the_delta_breaks_the_promise() -> None:
    case = switch()
    tossed = randomised_optimum(case.game, case.epsilon, 2 * case.delta)
    assert worst_case(RunAll(), tossed.game(), case.epsilon).value > case.delta


def test_the_coin_is_blind_to_the_database() -> None:
    case = switch()
    coins = randomised_optimum(case.game, case.epsilon, case.delta).game()
    flips = [m for menu in coins.nodes for m in menu.values() if set(m.law) <= {"go", "stop"}]
    assert flips
    assert all(len(set(row.values())) == 1 for flip in flips for row in flip.law.values())


@quick
@given(cases(max_rounds=2, max_requests=2))
def test_the_optimum_of_a_generated_game_is_private_and_not_shorter_than_the_compensators(
    case: Case,
) -> None:
    fixed = deterministic_optimum(case.game, case.epsilon, case.delta)
    assert worst_case(fixed.rule(), case.game, case.epsilon).value <= case.delta
    assert expected_rounds(Capped(case.epsilon, case.delta), case.game) <= fixed.rounds


def test_a_game_with_too_many_partial_transcripts_is_refused() -> None:
    with pytest.raises(TooLarge, match="at most 5000 partial transcripts"):
        deterministic_optimum(game(repeated(erasure(F(1, 10)), 16)), F(1), F(1, 10))


def test_a_solver_that_gives_up_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class GaveUp:
        x = None
        message = "time limit"

    monkeypatch.setattr(policy, "milp", lambda *args, **kwargs: GaveUp())
    with pytest.raises(Unsolved, match="time limit"):
        deterministic_optimum(game(erasure(F(1, 10))), F(1), F(1, 10))
