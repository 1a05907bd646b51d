"""The counted comparisons are the ones that really happen."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof import privacy
from filterproof.filters.compensator import Compensator
from filterproof.filters.repaired import Repaired
from filterproof.game import OPENING, Game, Step, opening
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.games.named import guess
from tests.papers.operations import operations

F = Fraction


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls = [0]
    real: Any = vars(privacy)["exceeds"]

    def exceeds(*args: Any) -> bool:
        calls[0] += 1
        return bool(real(*args))

    monkeypatch.setattr(privacy, "exceeds", exceeds)
    return calls


def first_round(one: Game) -> Step:
    (request,) = one.menu
    return opening(one).next(OPENING, request)


def test_the_compensator_makes_exactly_the_counted_comparisons(counted: list[int]) -> None:
    step = first_round(game(repeated(erasure(F(1, 10)), 2)))
    rule = Compensator(F(1), F(1, 10))
    state = rule.decide(rule.start(), opening(step.game))[1]
    counted[0] = 0
    rule.decide(rule.observe(state, opening(step.game), OPENING), step)
    assert counted[0] == operations(step).compensator == 8


def test_the_look_ahead_makes_exactly_the_counted_comparisons(counted: list[int]) -> None:
    step = first_round(game(repeated(response(F(3, 5)), 2)))
    Repaired(F(3), F(1, 10), N=2, theta=F(0), delta_tilde=F(1, 10)).holds(step, F(1, 10))
    assert counted[0] == operations(step).look_ahead == 2 * 2 * 2


def test_the_look_ahead_grows_with_the_requests_and_the_compensator_does_not() -> None:
    few, many = (operations(first_round(guess(m).game)) for m in (2, 8))
    assert (few.triples, many.triples) == (2 * 2, 2 * 8)
    assert few.look_ahead < many.look_ahead
    assert (few.compensator, many.compensator) == (2 * 3, 2 * 9)


def test_two_databases_and_one_request_give_the_papers_count_of_two() -> None:
    assert operations(first_round(game(repeated(response(F(3, 5)), 2)))).triples == 2
