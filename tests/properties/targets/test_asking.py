"""What is asked of a target elsewhere, and what of its answers is believed."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import Step, opening
from filterproof.palette import erasure, game
from filterproof_properties.targets import remote
from filterproof_properties.targets.guard import Misbehaved, Question, TimeIsUp
from filterproof_properties.targets.link import Raised
from filterproof_properties.targets.messages import settled
from filterproof_properties.targets.remote import RemoteFilter
from tests.properties.targets.wire import (
    FIRST,
    OPENING,
    Answering,
    Lazy,
    Message,
    answers,
    filtered,
)

MASS = {"0": "1", "1": "1"}
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
    assert (message["filter"], message["twice"], message["ahead"]) == (1, False, 0)
    assert [one[0] for one in message["questions"]] == [0, 1, 2]
    assert {one[1:] for one in message["questions"]} == {(1, 0, MENU, "ask", 0, 0)}
    assert message["masses"] == [{"0": "1", "1": "1"}]
    assert [one["game"] for one in message["games"]] == [0]


def test_what_was_sent_is_not_sent_again() -> None:
    rule, link = filtered(ask=answers(["continue", 5]))
    for _ in range(2):
        rule.ask(many(1), again=False)
    assert link.calls("ask")[1].keys() == {"call", "filter", "questions", "ahead", "twice"}


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


# --- what both sides have by numbers --------------------------------------------------------------


def test_a_lexicon_that_is_too_long_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "TERMS", 4)
    other = FIRST.next("1", "ask")
    rule, link = filtered(ask=answers(["continue", 5]))
    for step in (FIRST, FIRST, other, other, FIRST):
        rule.ask([(0, step)], again=False)
    assert [one.get("anew", False) for one in link.calls("ask")] == [False] * 3 + [True] * 2
    assert [bool(one.get("masses")) for one in link.calls("ask")] == [True, False, True, True, True]


def test_what_was_volunteered_is_forgotten_with_the_numbers_that_it_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule, link = volunteering([[question(1, FIRST), ["halt", 3]]], [MASS])
    rule.ask([(0, OPENING)], again=False)
    monkeypatch.setattr(remote, "TERMS", 0)
    assert rule.ask([(1, FIRST)], again=False) == [(Decision.CONTINUE, 1)]
    assert [one.get("anew", False) for one in link.calls("ask")] == [False, True]


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
    first, second = link.calls("ask")
    assert (second["anew"], second["forget"]) == (True, [0])
    assert second["masses"] == first["masses"]
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
        (["halt", 0, [], 0], "an answer is"),
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


# --- what cannot be answered unseen ---------------------------------------------------------------


def test_a_step_is_shown_in_full_if_the_filter_wants_to_see_more() -> None:
    shown: list[Any] = []

    def ask(question: Message) -> Message:
        (one,) = question["questions"]
        shown.append(one[5])
        return {"answers": [["halt", 0] if isinstance(one[5], int) else None]}

    rule, _ = filtered(ask=ask)
    assert rule.ask([(0, Lazy(FIRST))], again=False) == [(Decision.HALT, 0)]
    assert shown == [("0", "1"), 0]


def test_of_many_questions_each_is_asked_in_full_at_once() -> None:
    rule, link = filtered(ask=answers(["halt", 0], ["halt", 0]))
    rule.ask([(0, Lazy(FIRST)), (1, Lazy(FIRST))], again=False)
    (message,) = link.calls("ask")
    assert [one[5] for one in message["questions"]] == [0] * 2


def test_a_filter_that_wants_to_see_more_than_there_is_is_turned_down() -> None:
    rule, _ = filtered(ask=answers(None))
    with pytest.raises(Misbehaved, match="more of a step than there is"):
        rule.ask([(0, FIRST)], again=False)


# --- answers ahead of time ------------------------------------------------------------------------


def question(state: int, step: Step, history: int | None = None) -> list[Any]:
    """A question of the only game, about the first likelihoods that the target has told of."""
    menu: Any = step.menu
    return [state, step.index, 0, menu.id, step.request, 0, history]


def volunteering(
    more: Any, masses: Any = (), histories: Any = (), markov: bool = True
) -> tuple[RemoteFilter, Answering]:
    told_ = {"more": more, "masses": [*masses], "histories": [*histories]}
    said = answers(["continue", 1])

    def ask(question: Message) -> Message:
        return {**said(question), **(told_ if question["ahead"] else {})}

    return filtered({"markov": markov}, ask=ask)


def test_answers_are_volunteered_with_the_opening_round_only() -> None:
    rule, link = volunteering([])
    rule.ask([(0, OPENING)], again=False)
    rule.ask([(0, FIRST)], again=False)
    assert [one["ahead"] for one in link.calls("ask")] == [remote.AHEAD, 0]


def test_what_was_volunteered_is_used_once_and_then_asked_for() -> None:
    rule, link = volunteering([[question(1, FIRST), ["halt", 3]]], [MASS])
    assert rule.ask([(0, OPENING)], again=False) == [(Decision.CONTINUE, 1)]
    assert rule.ask([(1, FIRST)], again=False) == [(Decision.HALT, 3)]
    assert len(link.calls("ask")) == 1
    assert rule.ask([(1, FIRST)], again=False) == [(Decision.CONTINUE, 1)]
    assert len(link.calls("ask")) == 2


@pytest.mark.parametrize("markov", [True, False])
def test_only_of_a_filter_without_a_memory_for_histories_one_answer_is_for_all(
    markov: bool,
) -> None:
    rule, link = volunteering([[question(1, FIRST), ["halt", 3]]], [MASS], markov=markov)
    rule.ask([(0, OPENING)], again=False)
    found = rule.ask([(1, FIRST)], again=False)
    assert found == [(Decision.HALT, 3)] if markov else [(Decision.CONTINUE, 1)]
    assert len(link.calls("ask")) == (1 if markov else 2)


def test_an_answer_for_just_this_history_is_taken() -> None:
    rule, _ = volunteering([[question(1, FIRST, 0), ["halt", 3]]], [MASS], markov=False)
    rule.ask([(0, OPENING)], again=False)
    assert rule.ask([(1, FIRST)], again=False) == [(Decision.HALT, 3)]


def test_some_of_many_are_known_and_the_others_are_asked_for() -> None:
    more = {"more": [[question(2, FIRST), ["halt", 3]]], "masses": [MASS]}
    said = iter([{"answers": [["continue", 1]], **more}, {"answers": [["last", 7]]}])
    rule, link = filtered(ask=lambda question: next(said))
    rule.ask([(0, OPENING)], again=False)
    found = rule.ask([(1, FIRST), (2, FIRST)], again=False)
    assert found == [(Decision.LAST, 7), (Decision.HALT, 3)]
    assert [one[0] for one in link.calls("ask")[1]["questions"]] == [1]


def test_what_was_volunteered_for_one_game_is_forgotten_with_it() -> None:
    rule, link = volunteering([[question(1, FIRST), ["halt", 3]]], [MASS])
    rule.ask([(0, OPENING)], again=False)
    other = opening(game(erasure(Fraction(1, 3)))).next("⊥", "ask")
    rule.ask([(1, other)], again=False)
    rule.ask([(1, FIRST)], again=False)
    assert len(link.calls("ask")) == 3


@pytest.mark.parametrize(
    ("more", "masses", "histories"),
    [
        ("halt", [], []),
        ([["halt"]], [], []),
        ([[[1, [1]], ["halt", 3]]], [], []),
        ([[5, ["halt", 3]]], [], []),
        (7, [], []),
        ([], [], [[0, "r"]]),
        ([], [], [[7, "r", "y"]]),
        ([], [], [[0, "r", "y"], [0, "r", "y"]]),
        ([], [["0", "1"]], []),
        ([], [{"0": "many"}], []),
        ([], [{"0": 1}], []),
        ([], [MASS, MASS], []),
    ],
)
def test_what_is_no_answer_ahead_of_time_is_not_believed(
    more: Any, masses: Any, histories: Any
) -> None:
    rule, _ = volunteering(more, masses, histories)
    with pytest.raises(Misbehaved, match="answers ahead of time are no answers"):
        rule.ask([(0, OPENING)], again=False)


def test_what_was_volunteered_is_compared_too() -> None:
    def volunteers(again: list[Any]) -> Message:
        more = {"more": [[question(1, FIRST), ["halt", 3]]], "masses": [MASS]}
        return {"answers": [["continue", 1], *again], **more}

    rule, _ = filtered(ask=volunteers([["halt", 3], ["continue", 1]]))
    assert rule.ask([(0, OPENING)], again=True) == [(Decision.CONTINUE, 1)]
    rule, _ = filtered(ask=volunteers([["last", 3], ["continue", 1]]))
    with pytest.raises(Misbehaved, match="answered halt, and last"):
        rule.ask([(0, OPENING)], again=True)


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
    assert (first["output"], first["question"][2], "masses" in first) == ("0", 0, False)
    assert (first["question"][0], second["question"][0]) == (5, 9)


def test_a_step_that_was_not_worked_out_is_known_by_what_it_is_then() -> None:
    rule, link = filtered(ask=answers(["continue", 5, [6, 7]], ["continue", 5, [6, 7]]))
    rule.ask([(0, FIRST), (1, FIRST)], again=False)
    assert settled(Lazy(FIRST)) is FIRST
    assert rule.observe(5, Lazy(FIRST), "1") == 7
    assert not link.calls("observe")
