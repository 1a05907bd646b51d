"""What is asked of a target elsewhere, and what of its answers is believed."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import opening
from filterproof.palette import erasure, game
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.games.families import families_at
from filterproof_properties.targets.guard import Misbehaved, Question, TimeIsUp
from filterproof_properties.targets.link import Raised
from filterproof_properties.targets.prober import Follow, Largest, PlayState
from filterproof_properties.targets.probing import SLOW
from filterproof_properties.targets.remote import RemoteFilter
from tests.properties.targets.wire import (
    FIRST,
    TWO,
    Answering,
    Message,
    answers,
    filtered,
    watched,
)

MENU: int = FIRST.menu.id  # type: ignore[attr-defined]


def many(count: int) -> list[Question]:
    return [(state, FIRST) for state in range(count)]


# --- asking ---------------------------------------------------------------------------------------


def test_many_questions_are_asked_at_once_and_answered_in_their_order() -> None:
    rule, link = filtered(ask=answers(["continue", 5], ["halt", 9], ["last", 6]))
    found = rule.ask(many(3), again=False)
    assert found == [(Decision.CONTINUE, 5), (Decision.HALT, 9), (Decision.LAST, 6)]
    assert rule.target.highest == 9
    (message,) = link.calls("ask")
    assert (message["filter"], message["twice"]) == (1, False)
    assert [one[0] for one in message["questions"]] == [0, 1, 2]
    assert {one[1:] for one in message["questions"]} == {(1, 0, MENU, "ask", ("1", "1"), ())}
    assert [one["game"] for one in message["games"]] == [0]


def test_a_game_that_was_sent_is_not_sent_again() -> None:
    rule, link = filtered(ask=answers(["continue", 5]))
    for _ in range(2):
        rule.ask(many(1), again=False)
    assert link.calls("ask")[1].keys() == {"call", "filter", "questions", "twice"}


def test_the_same_questions_are_answered_twice_where_that_is_asked_for() -> None:
    rule, link = filtered(ask=answers(["continue", 5], ["halt", 9]))
    assert rule.ask(many(2), again=True) == [(Decision.CONTINUE, 5), (Decision.HALT, 9)]
    (message,) = link.calls("ask")
    assert (message["twice"], len(message["questions"])) == (True, 2)


def test_another_answer_of_the_copy_is_found_out() -> None:
    rule, _ = filtered(ask={"answers": [["continue", 5], ["halt", 5]]})
    with pytest.raises(Misbehaved, match="round 1 answered continue, and halt"):
        rule.ask(many(1), again=True)


def test_answers_that_are_not_given_twice_are_found_out() -> None:
    rule, _ = filtered(ask={"answers": [["continue", 5]]})
    with pytest.raises(Misbehaved, match="need 2 answers"):
        rule.ask(many(1), again=True)


@pytest.mark.parametrize("why", [TimeIsUp(), Raised("no")])
def test_what_did_not_go_out_in_time_is_sent_the_next_time(why: BaseException) -> None:
    late = iter([True, False])

    def ask(question: Message) -> Message:
        if next(late):
            raise why
        return {"answers": [["halt", 0]]}

    rule, link = filtered(ask=ask)
    with pytest.raises(type(why)):
        rule.ask(many(1), again=False)
    assert rule.ask(many(1), again=False) == [(Decision.HALT, 0)]
    _, second = link.calls("ask")
    assert second["forget"] == [0]
    assert [one["game"] for one in second["games"]] == [1] == [second["questions"][0][2]]


@pytest.mark.parametrize("raw", [None, "no", [], [["halt", 0]] * 3, {"0": 1, "1": 2}])
def test_as_many_answers_as_questions_are_needed(raw: Any) -> None:
    rule, _ = filtered(ask={"answers": raw})
    with pytest.raises(Misbehaved, match="need 2 answers; got"):
        rule.ask(many(2), again=False)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("halt", "an answer is"),
        ({"0": "halt", "1": 0}, "an answer is"),
        (["halt"], "an answer is"),
        (["halt", 0, [], True, 0], "an answer is"),
        (["halt", -1], "a state goes by a number"),
        (["maybe", 0], "a decision is one of"),
        ([["halt"], 0], "a decision is one of"),
        ([None, 0], "a decision is one of"),
        (["continue", 0, 5], "need a state after each output; got 5"),
        (["continue", 0, ["x"]], "a state goes by a number"),
    ],
)
def test_what_is_no_answer_is_not_believed(raw: Any, why: str) -> None:
    rule, _ = filtered(ask=answers(raw))
    with pytest.raises(Misbehaved, match=why):
        rule.ask(many(1), again=False)


def test_questions_may_be_about_several_games() -> None:
    other = opening(game(erasure(Fraction(1, 3)))).next("⊥", "ask")
    rule, link = filtered(ask=answers(*[["halt", 0]] * 4))
    steps = [FIRST, FIRST, other, FIRST]
    rule.ask([(i, step) for i, step in enumerate(steps)], again=False)
    (message,) = link.calls("ask")
    assert [one[:3] for one in message["questions"]] == [(0, 1, 0), (1, 1, 0), (2, 1, 1), (3, 1, 0)]
    assert [one["game"] for one in message["games"]] == [0, 1]


# --- steps that are watched -----------------------------------------------------------------------


@pytest.mark.parametrize(("said", "looked"), [(True, True), (False, False), ("no", True)])
def test_whether_a_watched_step_was_read_comes_with_the_answer(said: Any, looked: bool) -> None:
    rule, link = filtered(ask=answers(["halt", 0, None, said]))
    step = watched(FIRST)
    assert rule.ask([(0, step)], again=False) == [(Decision.HALT, 0)]
    assert step.looked is looked
    (message,) = link.calls("ask")
    assert [one[5:] for one in message["questions"]] == [(("1", "1"), (), True)]


def test_what_does_not_say_whether_it_read_a_watched_step_has_read_it() -> None:
    rule, _ = filtered(ask=answers(["halt", 0]))
    step = watched(FIRST)
    rule.ask([(0, step)], again=False)
    assert step.looked


# --- whole games ----------------------------------------------------------------------------------


def exploring(*raw: Any, **more: Any) -> tuple[RemoteFilter, Answering]:
    def explore(question: Message) -> Message:
        given = [*raw, *(raw[::-1] if question["twice"] else ())]
        return {"answers": given, "asked": len(raw), "whole": True, **more}

    return filtered(explore=explore)


@pytest.mark.parametrize("again", [True, False])
def test_a_game_is_asked_about_in_one_message(again: bool) -> None:
    rule, link = exploring(["continue", 1], ["halt", 2, [3, 4]])
    table = rule.explore(TWO, again=again)
    assert table.answers == [(Decision.CONTINUE, 1, None), (Decision.HALT, 2, (3, 4))]
    assert table.whole
    (message,) = link.calls("explore")
    assert (message["game"], message["twice"], len(message["games"])) == (0, again, 1)


@pytest.mark.parametrize("count", [None, "2", -1, True, 3])
def test_a_table_says_how_many_questions_it_answers(count: Any) -> None:
    rule, _ = exploring(["continue", 1], ["halt", 2], asked=count)
    with pytest.raises(Misbehaved, match="need"):
        rule.explore(TWO, again=False)


def test_another_answer_in_the_second_table_is_found_out() -> None:
    given = [["continue", 1], ["halt", 2], ["last", 2], ["continue", 1]]
    rule, _ = exploring(answers=given, asked=2)
    with pytest.raises(Misbehaved, match="answered halt, and last"):
        rule.explore(TWO, again=True)


# --- inquiries ------------------------------------------------------------------------------------

THERE = PlayState(1, 5, FIRST.mass, ())
FAMILY = families_at(Fraction(1), Fraction(1, 10))[0]
LARGEST = Largest(THERE, (FAMILY,), 2)
FOLLOW = Follow(THERE, ((TWO, "ask", "0"),) * 3, (TWO, "ask"), each=True)


def test_inquiries_are_sent_with_their_position_and_their_families() -> None:
    rule, link = filtered(probe={"answers": [{FAMILY.name: "3/2"}, 2]})
    assert rule.inquire(PLAIN, [LARGEST, FOLLOW], again=True) == [{FAMILY.name: Fraction(3, 2)}, 2]
    (message,) = link.calls("probe")
    largest, follow = message["inquiries"]
    assert (message["twice"], message["context"]["name"]) == (True, "plain")
    assert largest["position"] == follow["position"] == [5, 1, ("1", "1"), ()]
    assert (largest["bits"], [one["name"] for one in largest["families"]]) == (2, [FAMILY.name])
    assert (follow["rounds"], follow["probe"]) == ([[0, "ask", "0", 3]], [0, "ask"])


@pytest.mark.parametrize(
    ("asked", "raw"),
    [
        (LARGEST, None),
        (LARGEST, [FAMILY.name]),
        (LARGEST, {"another": "1"}),
        (LARGEST, {FAMILY.name: 1}),
        (LARGEST, {FAMILY.name: "0"}),
        (LARGEST, {FAMILY.name: "-1"}),
        (LARGEST, {FAMILY.name: str(2**60)}),
        (LARGEST, {FAMILY.name: "many"}),
        (FOLLOW, 0),
        (FOLLOW, 4),
        (FOLLOW, True),
        (FOLLOW, "2"),
    ],
)
def test_what_no_inquiry_can_find_is_not_believed(asked: Any, raw: Any) -> None:
    rule, _ = filtered(probe={"answers": [raw]})
    with pytest.raises(Misbehaved, match=r"need a|a strength is"):
        rule.inquire(PLAIN, [asked], again=False)


@pytest.mark.parametrize(("why", "times"), [("it raised", 2), (SLOW, 1)])
def test_a_slow_filter_is_asked_for_no_further_inquiries(why: str, times: int) -> None:
    rule, link = filtered(probe={"unable": why})
    for _ in range(2):
        assert rule.inquire(PLAIN, [LARGEST], again=False) is None
    assert len(link.calls("probe")) == times


# --- observing ------------------------------------------------------------------------------------


def test_the_states_after_each_output_come_with_the_decision() -> None:
    rule, link = filtered(ask=answers(["continue", 5, [6, 7]]))
    rule.ask([(3, FIRST)], again=False)
    assert [rule.observe(5, FIRST, y) for y in FIRST.mechanism.law] == [6, 7]
    assert not link.calls("observe")


def test_a_state_that_did_not_come_is_asked_for() -> None:
    rule, link = filtered(ask=answers(["continue", 5, [6]]), observe={"state": 8})
    rule.ask([(0, FIRST)], again=False)
    assert rule.observe(5, FIRST, "0") == 8
    assert rule.observe(9, FIRST, "0") == 8
    first, second = link.calls("observe")
    assert (first["output"], first["question"][2]) == ("0", 0)
    assert (first["question"][0], second["question"][0]) == (5, 9)


@pytest.mark.parametrize("looked", [True, False])
def test_a_watched_step_is_read_where_what_it_led_to_was_found_by_reading(looked: bool) -> None:
    rule, link = filtered(ask=answers(["continue", 5, [6, 7], looked]))
    rule.ask([(0, watched(FIRST))], again=False)
    step = watched(FIRST)
    assert rule.observe(5, step, "1") == 7
    assert step.looked is looked
    assert not link.calls("observe")
