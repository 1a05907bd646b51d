"""Random trees that share nothing: both engines and the choice between them give H exactly."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from benchmarks.games import unshared
from filterproof import fast, witness
from filterproof.engine.by_position import integers
from filterproof.engine.by_round import exploring
from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Step
from tests.unrolled import by_level, by_place, played

SHAPES = [(3, 2, 3), (2, 3, 3), (4, 1, 4), (2, 1, 9)]
TENTH = Fraction(1, 10)


class Grudging:
    """Refuses and remembers now and then, as its seed says; looks at the history."""

    def __init__(self, markov: bool) -> None:
        self.markov = markov

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        random = Random(f"{state} {step.index} {step.request} {[*step.mass.values()]}")
        kinds = [Decision.REFUSE, Decision.LAST, *[Decision.CONTINUE] * 4]
        return random.choice(kinds) if step.index else Decision.CONTINUE, random.randrange(2)


def rules(epsilon: Epsilon) -> list[Any]:
    summed = [Additive(epsilon, TENTH), Naive(epsilon, TENTH), Compensator(epsilon, TENTH)]
    return [RunAll(), Grudging(markov=True), Grudging(markov=False), *summed]


def differs(play: Game, rule: Any, epsilon: Epsilon) -> list[str]:
    """Return the names of the engines that do not give the specification's answer."""
    expected = played(witness.worst_case(rule, play, epsilon))
    engines = (by_place, by_level, fast.worst_case)
    return [e.__name__ for e in engines if played(e(rule, play, epsilon)) != expected]


@pytest.fixture(autouse=True)
def every_level_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never hand a game over to the other engine."""
    monkeypatch.setattr(exploring, "MOST_GROUPS", 10**9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Log(Fraction(2)), Fraction(0)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("zeros", [False, True])
def test_every_engine_agrees(shape: tuple[int, int, int], zeros: bool, epsilon: Epsilon) -> None:
    play = unshared(*shape, seed=sum(shape), zeros=zeros)
    for rule in rules(epsilon):
        assert not differs(play, rule, epsilon), rule


def test_a_planted_wrong_choice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integers, "compare", lambda one, other, sign: one[0] > other[0])
    play = unshared(3, 2, 3, seed=8)
    assert differs(play, RunAll(), Fraction(1, 2)) == ["by_place", "worst_case"]


def test_a_tree_that_shares_nothing_is_not_taken_for_one_that_does() -> None:
    play = unshared(4, 3, 3, seed=1)
    assert fast.transcripts(play) == 9**4 > fast.SMALL
    assert len(play.nodes) == 1 + 1 + 9 + 81 + 729  # the end is one menu
    assert not fast.is_shared(play)
