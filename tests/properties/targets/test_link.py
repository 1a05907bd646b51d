"""The line to a target, with a child whose every word and every wait is scripted."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from filterproof.filter import ProtocolError
from filterproof_properties.processes.child import ENDING, Child, ChildFailed, Limits, NoAnswer
from filterproof_properties.targets import link as linking
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp
from filterproof_properties.targets.link import (
    GRACE,
    MAX_ANSWER,
    MOST_SIGNS,
    STARTING,
    Direct,
    Line,
    Raised,
    checked,
    reported,
    what,
)
from filterproof_properties.targets.server import Server

ASK = {"call": "ask", "twice": True, "questions": [[5, 1, 0], [5, 2, 0], [5, 3, 1]]}


class Scripted:
    """A child that says these messages in turn, and notes how long it was waited for."""

    def __init__(self, *said: Any) -> None:
        self.said, self.alive = [*said], True
        self.waits: list[float] = []
        self.lengths: set[int] = set()
        self.sent = b""
        self.asked_how: list[float] = []

    def send(self, data: bytes, seconds: float) -> None:
        self.sent += data
        if not self.said:
            raise ChildFailed("it read nothing")

    def line(self, seconds: float, most: int) -> bytes:
        self.waits.append(seconds)
        self.lengths.add(most)
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, bytes) else json.dumps(said).encode()

    def how(self, seconds: float) -> str:
        self.asked_how.append(seconds)
        return "exit status 7"

    def noise(self) -> str:
        return "boom"

    def close(self) -> None:
        self.alive = False


def lined(*said: Any, name: str = "", timeout: float = 5.0) -> tuple[Line, Scripted]:
    child: Any = Scripted(*said)
    return Line(child, Limits(timeout=timeout), name), child


def sign(number: int, *some: Any) -> dict[str, Any]:
    return {"id": number, "some": [*some]}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Time that is set by hand."""

    def at(now: float) -> None:
        monkeypatch.setattr(linking, "monotonic", lambda: now)

    at(100.0)
    return at


# --- questions and answers ------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_questions_and_each_has_its_number() -> None:
    line, child = lined({"id": 1, "x": 1}, {"id": 2, "x": 2}, {"id": 3, "x": 3})
    assert [one["x"] for one in line.ask([{"call": "make"}, {"call": "make"}])] == [1, 2]
    assert line.ask([{"call": "hold"}])[0]["x"] == 3
    assert [json.loads(one)["id"] for one in child.sent.splitlines()] == [1, 2, 3]
    assert (line.owed, child.lengths) == ([], {MAX_ANSWER})


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
    assert (child.alive, [one["id"] for one in line.owed]) == (True, [1, 2])
    line.until = None
    assert line.ask([{"call": "hold"}]) == [{"id": 3}]
    assert line.owed == []


def test_another_number_ends_the_target() -> None:
    line, child = lined({"id": 2})
    with pytest.raises(Misbehaved, match="its answer has id 2, not 1"):
        line.ask([{"call": "hold"}])
    assert not child.alive


# --- how long it is waited for --------------------------------------------------------------------


@pytest.mark.usefixtures("clock")
def test_our_server_has_time_to_start_and_a_program_has_not() -> None:
    hello = {"call": "hello"}
    line, child = lined(sign(1), {"id": 1}, {"id": 2})
    line.ask([hello])
    line.ask([{"call": "make"}])
    assert child.waits == [5.0 + STARTING, 5.0, 5.0]
    line, child = lined({"id": 1}, name="prog")
    line.ask([hello])
    assert child.waits == [5.0]


@pytest.mark.usefixtures("clock")
def test_between_two_parts_of_an_answer_there_is_some_grace() -> None:
    line, child = lined(sign(1, "a"), sign(1), {"id": 1, "answers": ["b"]})
    assert line.ask([ASK]) == [{"id": 1, "answers": ["a", "b"]}]
    assert child.waits == [5.0, 5.0 + GRACE, 5.0 + GRACE]


@pytest.mark.usefixtures("clock")
def test_the_next_question_is_another_one_whose_parts_count_from_the_first() -> None:
    line, child = lined(sign(1, "a"), {"id": 1, "answers": []}, NoAnswer("late"))
    with pytest.raises(Misbehaved, match=r"^decide\(\) at round 1: it did not answer"):
        line.ask([ASK, ASK])
    assert child.waits == [5.0, 5.0 + GRACE, 5.0]


def test_the_time_for_questions_may_be_less_and_is_never_more(
    clock: Callable[[float], None],
) -> None:
    line, child = lined({"id": 1}, {"id": 2})
    line.until = 103.0
    line.ask([{"call": "make"}])
    line.until = 200.0
    line.ask([{"call": "make"}])
    assert child.waits == [3.0, 5.0]


def test_time_that_is_over_is_no_fault_of_the_target(clock: Callable[[float], None]) -> None:
    line, child = lined(NoAnswer("late"))
    line.until = 104.9
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}])
    assert child.alive


def test_time_that_runs_out_while_it_answers_is_waited_for_no_longer(
    clock: Callable[[float], None],
) -> None:
    line, child = lined(NoAnswer("late"))
    line.until = 101.0
    taken = child.send

    def slow(data: bytes, seconds: float) -> None:
        taken(data, seconds)
        clock(102.0)

    child.send = slow  # type: ignore[method-assign]
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}])
    assert child.waits == [0.0]


@pytest.mark.parametrize("until", [None, 105.0, 300.0])
def test_a_target_that_is_late_is_ended(
    until: float | None, clock: Callable[[float], None]
) -> None:
    line, child = lined(NoAnswer("late"))
    line.until = until
    with pytest.raises(Misbehaved, match="making the filter: it did not answer within 5 s"):
        line.ask([{"call": "make"}])
    assert not child.alive


def test_how_long_was_waited_before_counts(clock: Callable[[float], None]) -> None:
    line, child = lined(NoAnswer("late"), NoAnswer("late"), NoAnswer("late"))
    for until, now in ((102.0, 102.0), (104.0, 104.0)):
        line.until = until
        with pytest.raises(TimeIsUp):
            line.ask([ASK])
        clock(now)
    line.until = 109.0
    with pytest.raises(Misbehaved, match=r"decide\(\) at round 1: it did not answer within 5 s"):
        line.ask([ASK])
    assert (child.waits, child.alive) == ([2.0, 2.0, 1.0], False)


def test_an_answer_that_has_come_while_nobody_waited_is_not_late(
    clock: Callable[[float], None],
) -> None:
    line, child = lined(NoAnswer("late"), {"id": 1}, {"id": 2})
    line.until = 102.0
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}])
    clock(150.0)
    line.until = None
    assert line.ask([{"call": "hold"}]) == [{"id": 2}]
    assert child.waits == [2.0, 0.0, 5.0]


# --- when the time is up and an answer is due -----------------------------------------------------


def left(clock: Callable[[float], None], *said: Any) -> tuple[Line, Scripted]:
    """A line whose question somebody has waited for until two seconds ago."""
    line, child = lined(NoAnswer("late"), *said)
    line.until = 101.0
    with pytest.raises(TimeIsUp):
        line.ask([ASK])
    clock(103.0)
    return line, child


@pytest.mark.parametrize(
    ("said", "owed"),
    [({"id": 1, "answers": []}, 0), ({"id": 1, "error": "no idea"}, 0), (sign(1, "a"), 1)],
)
def test_any_sign_of_life_will_do(said: Any, owed: int, clock: Callable[[float], None]) -> None:
    line, child = left(clock, said)
    line.settle()
    assert (len(line.owed), line.until, child.alive) == (owed, 101.0, True)
    assert child.waits == [1.0, 2.0]


def test_a_target_without_a_sign_of_life_is_ended(clock: Callable[[float], None]) -> None:
    line, child = left(clock, NoAnswer("late"))
    with pytest.raises(Misbehaved, match=r"decide\(\) at round 1: it did not answer within 5 s"):
        line.settle()
    assert (line.until, child.alive) == (101.0, False)
    line.settle()
    assert len(child.waits) == 2


def test_nothing_is_waited_for_where_nothing_is_due() -> None:
    line, child = lined({"id": 1})
    line.settle()
    line.ask([{"call": "make"}])
    line.settle()
    assert len(child.waits) == 1
    Direct(Server(lambda: Child)).settle()


@pytest.mark.parametrize(("now", "over"), [(99.0, False), (100.0, False), (101.0, True)])
def test_nothing_is_asked_after_the_end(
    now: float, over: bool, clock: Callable[[float], None]
) -> None:
    line, _ = lined()
    checked(line)
    clock(now)
    line.until = 100.0
    if not over:
        checked(line)
        return
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}])


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
    assert type(reported({"error": "no idea", **more})) is kind


def test_an_error_that_is_no_text_is_grave() -> None:
    found = reported({"error": ["no", "idea"]})
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
    link = Direct(Server(lambda: Child))
    answers = link.ask([{"call": "hello"}, {"call": "hello"}])
    assert [one["id"] for one in answers] == [1, 2]
    link.until = 99.0
    with pytest.raises(TimeIsUp):
        link.ask([{"call": "hello"}])
