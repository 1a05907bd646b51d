"""Every question of every play is asked once, up to a bound; two filters are walked together."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.targets.walk import (
    EARLIER,
    LATER,
    MOST_QUESTIONS,
    differences,
    questions,
    runs,
)

CONTINUE, HALT, LAST, REFUSE = (
    Decision.CONTINUE,
    Decision.HALT,
    Decision.LAST,
    Decision.REFUSE,
)
TWO = game({"a": response(Fraction(2, 3)), "b": erasure(Fraction(1, 10))})
FOUR = game(repeated(response(Fraction(2, 3)), 4))


class Says:
    """Says this in this round, or to this request; all else is run.  Its state is what it said."""

    def __init__(self, **said: Decision) -> None:
        self.said = said

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        default = self.said.get(step.request, CONTINUE)
        decision = self.said.get(f"round{step.index}", default)
        return decision, (*state, decision)


class Sees(Says):
    """Also sees what comes out."""

    def observe(self, state: Any, step: Step, output: str) -> Any:
        return (*state, output)


def asked(rule: Any, of: Any = TWO, **most: float) -> list[tuple[int, str, Any, Any, Decision]]:
    return [
        (one.step.index, one.step.request, one.state, one.refused, one.decision)
        for one in questions(rule, of, **most)
    ]


def test_every_request_is_asked_for() -> None:
    start = (0, "⊥", (), (), CONTINUE)
    later = [(1, r, (CONTINUE,), (), CONTINUE) for r in "ab"]
    assert asked(Says()) == [start, *later]


def test_after_a_refusal_the_others_of_the_menu_are_asked_for() -> None:
    _, *rest = asked(Says(a=REFUSE))
    assert rest == [
        (1, "a", (CONTINUE,), (), REFUSE),
        (1, "b", (CONTINUE,), (), CONTINUE),
        (1, "b", (CONTINUE, REFUSE), ("a",), CONTINUE),
    ]


@pytest.mark.parametrize("end", [HALT, LAST])
def test_after_the_end_nothing_is_asked_for(end: Decision) -> None:
    assert len(asked(Says(round1=end), FOUR)) == 2
    assert len(asked(Says(round2=end), FOUR)) == 2 + 2


def test_what_comes_out_is_seen() -> None:
    states = [state for index, _, state, _, _ in asked(Sees(), FOUR) if index == 2]
    assert states == [(CONTINUE, "⊥", CONTINUE, "0"), (CONTINUE, "⊥", CONTINUE, "1")]


@pytest.mark.parametrize("most", [0, 1, 3, 16])
def test_no_more_is_asked_than_the_bound_says(most: int) -> None:
    assert len(asked(Says(), FOUR, most=most)) == most
    assert MOST_QUESTIONS > 16 == len(asked(Says(), FOUR))


def test_what_runs_is_run() -> None:
    assert [one for one in Decision if runs(one)] == [LAST, CONTINUE]


# --- two filters ----------------------------------------------------------------------------------


def differing(one: Any, other: Any, of: Any = FOUR) -> list[tuple[str, int, str, str]]:
    found = differences((one, other), of)
    return sorted({(it.direction, it.step.index, it.old, it.new) for it in found})


def test_where_just_one_runs_they_differ() -> None:
    assert differing(Says(), Says()) == []
    assert differing(Says(round2=HALT), Says()) == [(LATER, 2, "halt", "continue")]
    assert differing(Says(), Says(round2=HALT)) == [(EARLIER, 2, "continue", "halt")]
    assert differing(Says(round1=LAST), Says()) == [(LATER, 2, "ended", "continue")]
    assert differing(Says(), Says(round1=LAST)) == [(EARLIER, 2, "continue", "ended")]


def test_a_difference_stands_at_the_end_of_every_play_that_leads_to_it() -> None:
    found = [*differences((Says(), Says(round3=HALT)), FOUR)]
    assert {one.step.history for one in found} == {
        (("ask", y), ("ask", y_)) for y in "01" for y_ in "01"
    }


def test_two_that_end_together_do_not_differ() -> None:
    for one in (HALT, REFUSE):
        for other in (HALT, REFUSE):
            assert differing(Says(round2=one), Says(round2=other)) == []
    assert differing(Says(round2=LAST), Says(round2=LAST)) == []


def test_each_goes_on_with_its_own_state() -> None:
    class Remembers(Sees):
        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            said = HALT if state.count("1") > 1 else CONTINUE
            return said, (*state, self.said.get("own", LAST))

    found = [*differences((Remembers(own=HALT), Remembers(own=LAST)), FOUR)]
    assert found == []
    shown = {one.step.history for one in differences((Remembers(), Says()), FOUR)}
    assert shown
    assert all([y for _, y in history].count("1") == 2 for history in shown)


def test_each_starts_where_it_says() -> None:
    class Starts(Says):
        def start(self) -> Any:
            return tuple(self.said)

        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            return (CONTINUE if state == tuple(self.said) else HALT), state

    assert differing(Starts(a=HALT), Starts(b=HALT), TWO) == []


def test_one_that_refuses_is_asked_for_the_rest_of_the_menu_beside_one_that_halted() -> None:
    refuses, halts = Says(a=REFUSE), Says(round1=HALT)
    found = [*differences((refuses, halts), TWO)]
    assert {(it.direction, it.step.request, it.new) for it in found} == {
        (EARLIER, "b", "halt"),
        (EARLIER, "b", "ended"),
    }
    back = [*differences((halts, refuses), TWO)]
    assert {(it.direction, it.step.request, it.old) for it in back} == {
        (LATER, "b", "halt"),
        (LATER, "b", "ended"),
    }


def test_what_both_have_refused_is_not_asked_for_again() -> None:
    class Counts(Says):
        asked = 0

        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            self.asked += 1
            assert len(state) <= 3
            return super().decide(state, step)

    one, other = Counts(a=REFUSE, b=REFUSE), Counts(a=REFUSE, b=REFUSE)
    assert [*differences((one, other), TWO)] == []
    assert one.asked == other.asked == 1 + 2 + 2
