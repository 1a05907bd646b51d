"""The line to a target, with a child whose every word is scripted."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from filterproof.filter import ProtocolError
from filterproof_properties.processes.child import ENDING, Child, ChildFailed, NoAnswer
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp
from filterproof_properties.targets.link import (
    MAX_ANSWER,
    MOST_SIGNS,
    InProcess,
    Raised,
    error_of,
    most_parts,
    what,
)
from filterproof_properties.targets.server import Server
from tests.properties.targets.scripted import ASK, Scripted, lined, sign

# --- questions and answers ------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_questions_and_each_has_its_number() -> None:
    line, child = lined({"id": 1, "x": 1}, {"id": 2, "x": 2}, {"id": 3, "x": 3})
    assert [one["x"] for one in line.ask([{"call": "make"}, {"call": "make"}])] == [1, 2]
    assert line.ask([{"call": "hold"}])[0]["x"] == 3
    assert [json.loads(one)["id"] for one in child.sent.splitlines()] == [1, 2, 3]
    assert (line.pending, child.lengths) == ([], {MAX_ANSWER})


def test_the_longest_answer_is_a_mebibyte() -> None:
    assert MAX_ANSWER == 1_048_576


def test_our_own_server_is_written_to_tightly_and_a_program_with_spaces() -> None:
    ours, child = lined({"id": 1})
    ours.ask([{"call": "hold"}])
    assert child.sent == b'{"id":1,"call":"hold"}\n'
    program, child = lined({"id": 1}, name="prog")
    program.ask([{"call": "hold"}])
    assert child.sent == b'{"id": 1, "call": "hold"}\n'


def test_a_target_that_takes_no_questions_is_ended_and_the_first_question_named() -> None:
    line, child = lined()
    with pytest.raises(Misbehaved, match=r"^decide\(\) at round 1: it read nothing; exit status 7"):
        line.ask([ASK, {"call": "make"}])
    assert not child.alive
    with pytest.raises(Misbehaved, match="has already been ended"):
        line.ask([{"call": "hold"}])


def test_an_answer_that_nobody_waited_for_is_taken_first(clock: Callable[[float], None]) -> None:
    line, child = lined(NoAnswer("late"), {"id": 1}, {"id": 2, "error": "no idea"}, {"id": 3})
    line.until = 101.0
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}, {"call": "make"}])
    assert (child.alive, [one["id"] for one in line.pending]) == (True, [1, 2])
    line.until = None
    assert line.ask([{"call": "hold"}]) == [{"id": 3}]
    assert line.pending == []


def test_another_number_ends_the_target() -> None:
    line, child = lined({"id": 2})
    with pytest.raises(Misbehaved, match="its answer has id 2, not 1"):
        line.ask([{"call": "hold"}])
    assert not child.alive


# --- signs of life --------------------------------------------------------------------------------


def test_so_many_signs_of_life_are_believed_and_not_one_more() -> None:
    line, child = lined(*[sign(1)] * MOST_SIGNS, {"id": 1})
    assert line.ask([ASK]) == [{"id": 1}]
    line, child = lined(*[sign(1)] * (MOST_SIGNS + 1), {"id": 1})
    with pytest.raises(Misbehaved, match="at round 1: it only pretends to be alive"):
        line.ask([ASK])
    assert not child.alive


def test_a_part_of_an_answer_makes_up_for_the_signs_before_it() -> None:
    many = [sign(1)] * MOST_SIGNS
    line, _ = lined(*many, sign(1, "a"), *many, {"id": 1, "answers": []})
    assert line.ask([ASK]) == [{"id": 1, "answers": ["a"]}]


def test_an_answer_has_an_end() -> None:
    most = [sign(1, "a")] * most_parts(ASK)
    line, _ = lined(*most, {"id": 1, "answers": []})
    assert line.ask([ASK]) == [{"id": 1, "answers": ["a"] * most_parts(ASK)}]
    line, child = lined(*most, sign(1, "a"), {"id": 1, "answers": []})
    with pytest.raises(Misbehaved, match="it answers without end"):
        line.ask([ASK])
    assert not child.alive


@pytest.mark.parametrize("part", ["a", 1, {"a": 1}])
def test_a_sign_of_life_that_is_no_list_is_none(part: Any) -> None:
    line, _ = lined({"id": 1, "some": part}, {"id": 1})
    with pytest.raises(Misbehaved, match="it only pretends to be alive"):
        line.ask([ASK])


def test_answers_that_are_no_list_are_handed_on_as_they_are() -> None:
    line, _ = lined(sign(1, "a"), {"id": 1, "answers": 3})
    assert line.ask([ASK]) == [{"id": 1, "answers": 3}]


# --- errors ---------------------------------------------------------------------------------------


def test_an_error_of_our_server_is_raised_and_the_next_question_may_be_put() -> None:
    line, child = lined({"id": 1, "error": "no idea"}, {"id": 2})
    with pytest.raises(Raised, match=r"^no idea$"):
        line.ask([{"call": "make"}])
    assert line.ask([{"call": "hold"}]) == [{"id": 2}]
    assert child.alive


def test_an_error_of_a_program_ends_it() -> None:
    line, child = lined({"id": 1, "error": "no paper"}, name="prog")
    with pytest.raises(Misbehaved, match="prog, asked to 'start': it reports an error: 'no paper'"):
        line.ask([{"call": "start"}])
    assert not child.alive


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, Raised),
        ({"grave": True}, Misbehaved),
        ({"grave": False}, Raised),
        ({"grave": 1}, Raised),
    ],
)
def test_what_is_grave_is_no_answer_of_a_filter(more: Any, kind: type[ProtocolError]) -> None:
    assert type(error_of({"error": "no idea", **more})) is kind


def test_an_error_that_is_no_text_is_grave() -> None:
    found = error_of({"error": ["no", "idea"]})
    assert isinstance(found, Misbehaved)
    assert "an error is a text; got ['no', 'idea']" in str(found)


def test_how_it_ended_and_what_it_wrote_last_is_told() -> None:
    line, child = lined(ChildFailed("it ended without an answer"))
    with pytest.raises(
        Misbehaved, match=r"without an answer; exit status 7; its standard error ends with: boom$"
    ):
        line.ask([{"call": "hold"}])
    assert child.asked_how == [ENDING]
    line, child = lined(b"no JSON")
    with pytest.raises(Misbehaved, match=r"^'hold': its answer is no JSON object"):
        line.ask([{"call": "hold"}])
    assert child.asked_how == [0.0]


def test_of_a_quiet_child_that_runs_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("how", "noise"):
        monkeypatch.setattr(Scripted, name, lambda *given: "")
    line, _ = lined({"id": 2})
    with pytest.raises(Misbehaved, match=r"its answer has id 2, not 1$"):
        line.ask([{"call": "hold"}])


@pytest.mark.parametrize(("done", "at"), [(0, 1), (1, 2), (2, 3)])
def test_of_a_batch_the_first_question_without_an_answer_is_named(done: int, at: int) -> None:
    assert what(ASK, done) == f"decide() at round {at}"


def test_other_questions_are_named_by_what_they_are_about() -> None:
    assert what(ASK, 3) == "decide()"  # the second time
    assert what({"call": "make"}, 0) == "making the filter"
    assert what({"call": "hold"}, 0) == "'hold'"


# --- in this process ------------------------------------------------------------------------------


def test_a_target_in_this_process_is_asked_with_numbers_too_until_the_time_is_up(
    clock: Callable[[float], None],
) -> None:
    link = InProcess(Server(lambda: Child))
    answers = link.ask([{"call": "hello"}, {"call": "hello"}])
    assert [one["id"] for one in answers] == [1, 2]
    link.until = 99.0
    with pytest.raises(TimeIsUp):
        link.ask([{"call": "hello"}])
