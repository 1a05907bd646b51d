from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from filterproof.exact import Epsilon, ExactError, Log
from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Compensator
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Step
from filterproof.palette import erasure, game, one_sided
from filterproof_properties.games.contexts import CONTEXTS, PLAIN, TRANSPLANTS
from filterproof_properties.games.over_budget import COARSE, FINE, at_once, in_slices, small
from filterproof_properties.search.plan import BUDGETS, SearchTask
from filterproof_properties.search.sources import SOURCES
from filterproof_properties.search.workers import run_task

DELTA = Fraction(1, 10)
TWO = Log(Fraction(2))


def probes(epsilon: Epsilon, delta: Fraction) -> Iterator[tuple[str, Game]]:
    yield from at_once(epsilon, delta, (*COARSE, *FINE))
    yield from in_slices(epsilon, delta, (*COARSE, *FINE))
    yield from small(epsilon, delta)


@pytest.mark.parametrize("budget", BUDGETS[::3], ids=str)
def test_a_probe_is_over_the_budget_and_no_sound_filter_runs_it(
    budget: tuple[Epsilon, Fraction],
) -> None:
    epsilon, delta = budget
    for number, (name, probe) in enumerate(probes(epsilon, delta)):
        assert worst_case(RunAll(), probe, epsilon).value > delta, name
        if number % 8 == 0:
            assert worst_case(Compensator(epsilon, delta), probe, epsilon).value <= delta, name


def test_a_budget_is_needed_that_a_law_can_be_built_from() -> None:
    with pytest.raises(ExactError, match="need epsilon <= 700"):
        list(at_once(Fraction(1000), DELTA, COARSE))


ONCE = game(one_sided(DELTA, {"?": {"ask": erasure(DELTA)}}))
PADDED = Fraction(63, 64) ** 2
"""In two rounds of padded outputs, so much is left of what the plain ones tell."""


def test_no_lift_makes_a_game_less_dangerous() -> None:
    before = worst_case(RunAll(), ONCE, TWO).value
    for context in (*TRANSPLANTS, *(one for one in CONTEXTS if one.has_the_pair)):
        after = worst_case(RunAll(), context.transplant(ONCE), TWO).value
        assert after >= before * PADDED, context.name


def test_telling_outputs_stand_where_they_are_said_to_stand() -> None:
    for place, word in ((0, "first"), (14, "last"), (7, "middle")):
        context = next(one for one in TRANSPLANTS if one.name == f"padded by 14 at {place}")
        (one,) = context.transplant(game(erasure(DELTA))).menu.values()
        outputs = sorted(one.law)
        telling = [number for number, y in enumerate(outputs) if "~" in y]
        assert telling == [place, place + 1, place + 2], word


class LikesALetter(Compensator):
    """Asks nothing of a request with a certain letter in its name."""

    letter: ClassVar[str]

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        if self.letter in step.request:
            return Decision.CONTINUE, state
        return super().decide(state, step)


@pytest.mark.parametrize(("letter", "found"), [("b", True), ("z", True), ("\N{SNOWMAN}", False)])
def test_a_filter_that_likes_a_letter_is_found(letter: str, found: bool) -> None:
    target = type("Likes", (LikesALetter,), {"letter": letter})
    tally = run_task(SearchTask(0, "over budget", (Fraction(1), DELTA), 400), target)
    assert (tally.violation is not None) is found


class Forgets(Additive):
    """Starts anew in one round."""

    when: ClassVar[int]

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        return super().decide(self.start() if step.index == self.when else state, step)


@pytest.mark.parametrize(("when", "found"), [(2, True), (70, True), (1000, False)])
def test_what_is_forgotten_after_quiet_rounds_is_found(when: int, found: bool) -> None:
    target = type("Forgets", (Forgets,), {"when": when})
    tally = run_task(SearchTask(0, "repeated spends", (Fraction(1), DELTA), 400), target)
    assert (tally.violation is not None) is found


class OnlyTwo(Additive):
    """Asks nothing where there are more than two databases."""

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        if len(step.game.databases) > 2:
            return Decision.CONTINUE, state
        return super().decide(state, step)


def test_what_comes_near_delta_is_transplanted() -> None:
    task = SearchTask(0, "two rounds", (Fraction(1), DELTA), 400)
    tally = run_task(task, OnlyTwo)
    assert tally.violation is not None
    assert len(tally.violation.game.databases) > 2
    assert run_task(task, Additive).violation is None


def test_every_source_has_a_name() -> None:
    assert {"over budget", "repeated spends", "two rounds"} < set(SOURCES)
    assert PLAIN.transplant(ONCE).depth == ONCE.depth
