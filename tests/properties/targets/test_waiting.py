"""How long a target is waited for, and what becomes of answers that come too late."""

from collections.abc import Callable
from typing import Any

import pytest

from filterproof_properties.processes.child import Child, NoAnswer
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp
from filterproof_properties.targets.link import (
    GRACE,
    STARTING,
    Connection,
    InProcess,
    check_time,
)
from filterproof_properties.targets.server import Server
from tests.properties.targets.scripted import ASK, Scripted, lined, sign

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


def left(clock: Callable[[float], None], *said: Any) -> tuple[Connection, Scripted]:
    """A line whose question somebody has waited for until two seconds ago."""
    line, child = lined(NoAnswer("late"), *said)
    line.until = 101.0
    with pytest.raises(TimeIsUp):
        line.ask([ASK])
    clock(103.0)
    return line, child


@pytest.mark.parametrize(
    ("said", "pending"),
    [({"id": 1, "answers": []}, 0), ({"id": 1, "error": "no idea"}, 0), (sign(1, "a"), 1)],
)
def test_any_sign_of_life_will_do(said: Any, pending: int, clock: Callable[[float], None]) -> None:
    line, child = left(clock, said)
    line.drain()
    assert (len(line.pending), line.until, child.alive) == (pending, 101.0, True)
    assert child.waits == [1.0, 2.0]


def test_a_target_without_a_sign_of_life_is_ended(clock: Callable[[float], None]) -> None:
    line, child = left(clock, NoAnswer("late"))
    with pytest.raises(Misbehaved, match=r"decide\(\) at round 1: it did not answer within 5 s"):
        line.drain()
    assert (line.until, child.alive) == (101.0, False)
    line.drain()
    assert len(child.waits) == 2


def test_nothing_is_waited_for_where_nothing_is_due() -> None:
    line, child = lined({"id": 1})
    line.drain()
    line.ask([{"call": "make"}])
    line.drain()
    assert len(child.waits) == 1
    InProcess(Server(lambda: Child)).drain()


@pytest.mark.parametrize(("now", "over"), [(99.0, False), (100.0, False), (101.0, True)])
def test_nothing_is_asked_after_the_end(
    now: float, over: bool, clock: Callable[[float], None]
) -> None:
    line, _ = lined()
    check_time(line)
    clock(now)
    line.until = 100.0
    if not over:
        check_time(line)
        return
    with pytest.raises(TimeIsUp):
        line.ask([{"call": "make"}])
