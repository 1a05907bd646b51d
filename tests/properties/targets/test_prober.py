"""Mechanism families filled side by side: the answers of one at a time, in far fewer messages."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filter import Decision, Filter, ask
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Compensator
from filterproof.game import Step
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.games.families import (
    ALL,
    LOUD,
    MechanismFamily,
    families_at,
    response_rows,
)
from filterproof_properties.targets.prober import Prober

EPSILON, DELTA = Log(Fraction(2)), Fraction(1, 10)
SHAPES = list(families_at(EPSILON, DELTA))


class Counted:
    """A filter that takes many questions at once, and counts how often it is asked."""

    def __init__(self, rule: Filter[Any]) -> None:
        self.rule, self.times, self.questions = rule, 0, 0

    def start(self) -> Any:
        return self.rule.start()

    def decide(self, state: Hashable, step: Step) -> Any:
        return self.decide_many([(state, step)])[0]

    def decide_many(self, questions: Sequence[tuple[Any, Step]]) -> list[Any]:
        self.times, self.questions = self.times + 1, self.questions + len(questions)
        return [ask(self.rule, *one) for one in questions]


class Patchy(Additive):
    """Runs what it should not, here and there: how far a family goes depends on the guess."""

    def decide(self, state: Any, step: Step) -> Any:
        answer = super().decide(state, step)
        odd = step.index and step.mechanism.declared.odds.numerator % 3 == 0
        return (Decision.CONTINUE, answer[1]) if odd else answer


class RaisesOnErasures(Additive):
    def decide(self, state: Any, step: Step) -> Any:
        if len(step.mechanism.law) == 3:
            raise ZeroDivisionError("three")
        return super().decide(state, step)


def one_by_one(rule: Filter[Any], bits: int) -> dict[str, Fraction]:
    prober = Prober(rule, PLAIN)
    there = prober.first_state()
    assert there is not None
    found: dict[str, Fraction] = {}
    for family in SHAPES:
        found |= prober.largest_admitted(there, [family], bits)
    return found


@pytest.mark.parametrize("kind", [Additive, Compensator, Patchy])
def test_shapes_side_by_side_are_filled_as_one_after_the_other(kind: Any) -> None:
    rule = Counted(kind(EPSILON, DELTA))
    prober = Prober(rule, PLAIN)
    there = prober.first_state()
    assert there is not None
    found = prober.largest_admitted(there, SHAPES, 3)
    assert found == one_by_one(kind(EPSILON, DELTA), 3)
    assert [*found] == [family.name for family in SHAPES if family.name in found]
    assert rule.questions > 8 * rule.times


def test_a_filter_that_raises_on_one_shape_is_still_asked_about_the_others() -> None:
    prober = Prober(Counted(RaisesOnErasures(EPSILON, DELTA)), PLAIN)
    there = prober.first_state()
    assert there is not None
    found = prober.largest_admitted(there, SHAPES)
    whole = one_by_one(Additive(EPSILON, DELTA), 0)
    assert found.items() < whole.items()
    assert "erasure" in whole.keys() - found.keys()
    assert "three" in str(prober.fault)
    assert "on the law" in str(prober.fault)


def test_what_was_asked_at_a_position_is_not_asked_there_again() -> None:
    counted = Counted(Additive(EPSILON, DELTA))
    prober = Prober(counted, PLAIN)
    there, other = prober.first_state(), prober.first_state()
    assert there is not None
    assert other is not None
    found, asked = prober.largest_admitted(there, SHAPES), counted.questions
    prober.found.clear()
    prober.topped.clear()
    assert prober.largest_admitted(there, SHAPES) == found
    assert counted.questions == asked
    prober.largest_admitted(other, SHAPES)
    assert counted.questions > asked


class OnceLucky(Additive):
    """Runs a second round only after the output "0"."""

    markov = False

    def decide(self, state: Any, step: Step) -> Any:
        if step.history and step.history[-1][1] != "0":
            return Decision.HALT, state
        return Decision.CONTINUE, state


def test_shapes_of_one_name_that_go_on_after_other_outputs_are_two_questions() -> None:
    prober = Prober(OnceLucky(EPSILON, DELTA), PLAIN)
    there = prober.first_state()
    assert there is not None
    both = [MechanismFamily("2 x response", response_rows, 2, onward) for onward in (ALL, LOUD)]
    assert [bool(prober.largest_admitted(there, [one])) for one in both] == [False, True]
