"""The line to a target: questions go out in order, answers come back checked, all in time.

Whatever a target's process writes is read as one JSON object per line and nothing else: wrong
numbers, wrong shapes, silence, too much text and the end of the process are errors that name what
was asked.  Nothing that comes from there is executed, unpickled, or printed as it is.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol

from filterproof.filter import ProtocolError
from filterproof.game.json import BadJson, load_json
from filterproof_properties.processes.child import ENDING, Child, ChildFailed, Limits, NoAnswer
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.coverage.marks import REACHED, from_digits
from filterproof_properties.targets.exploring import MOST_STATES
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp
from filterproof_properties.targets.messages import tight
from filterproof_properties.targets.server import Server

MAX_ANSWER = 2**20
"""The longest line that a target may answer with, in bytes."""
STARTING = 60.0
"""Seconds that our own server may take to be up, before the target's time begins."""
GRACE = 0.5
"""Seconds by which a sign of life may be late: more than the server waits between two."""
MOST_SIGNS = 64
"""So many signs of life without an answer are believed."""

Message = dict[str, Any]


class Link(Protocol):
    """Asks a target; after `until` (None: never) it raises `TimeIsUp` instead."""

    until: float | None
    reached: int

    def ask(self, questions: list[Message]) -> list[Message]:
        """Return the answers to some questions, in their order."""
        ...

    def drain(self) -> None:
        """If an answer is due, wait for a sign of life, however late it is; raise if none comes."""
        ...

    def close(self) -> None:
        """End the target, if it is a process."""
        ...


def check_time(link: Link) -> None:
    """Raise if the time for questions is over."""
    if link.until is not None and monotonic() > link.until:
        raise TimeIsUp


class InProcess:
    """A target in this very process, for those who choose so: nothing is timed or limited."""

    def __init__(self, server: Server) -> None:
        self.server, self.asked = server, 0
        self.until: float | None = None
        self.reached = 0
        self.some: list[Any] = []

    def ask(self, questions: list[Message]) -> list[Message]:
        """Return the server's answers, called as a function."""
        found = []
        for question in questions:
            check_time(self)
            self.asked += 1
            self.some = []
            answer = self.server.answer({"id": self.asked, **question}, self._sign)
            if "error" in answer:
                raise error_of(answer)
            found.append(_join_answers(answer, self.some))
        return found

    def _sign(self, sign: Message) -> None:
        check_time(self)
        self.some += sign["some"]

    def drain(self) -> None:
        """There is nothing to wait for: an answer has come, or will not."""

    def close(self) -> None:
        """There is nothing to end."""


class Connection:
    """A target in a process of its own."""

    def __init__(self, child: Child, limits: Limits, name: str) -> None:
        self.child, self.limits, self.name = child, limits, name
        self.until: float | None = None
        self.asked = 0
        self.reached = 0  # which marks in the target's code were set, a bit for each
        self.pending: list[Message] = []  # questions without an answer, waited for or not
        self.greeted = False  # whether anything has come yet
        self.done = 0  # how many parts of its answer the first of them has got
        self.since = 0.0  # when it was sent, or gave the last sign of life

    def close(self) -> None:
        """End the process and everything that it started."""
        self.child.close()

    def ask(self, questions: list[Message]) -> list[Message]:
        """Return the answers; anything else ends the process and raises."""
        check_time(self)
        if not self.child.alive:
            raise Misbehaved(f"{self.name} has already been ended")
        while self.pending:
            with suppress(Raised):
                self._answer()
        numbered = []
        for question in questions:
            self.asked += 1
            numbered.append({"id": self.asked, **question})
        self.pending, self.done, self.since = [*numbered], 0, monotonic()
        written = json.dumps if self.name else tight  # programs may read the text by its spaces
        data = b"".join(written(one).encode() + b"\n" for one in numbered)
        try:
            self.child.send(data, self.limits.timeout)
        except ChildFailed as error:
            raise self._explain(str(error)) from None
        return [self._answer() for _ in numbered]

    def drain(self) -> None:
        """Wait for the next message of an answer that is due; what it says is of no use now."""
        until, self.until = self.until, None
        try:
            if self.pending and self.child.alive and "some" not in self._message():
                self._next_question()
        except Raised:
            return
        finally:
            self.until = until

    def _answer(self) -> Message:
        """Return one whole answer, whose parts may come one by one."""
        some: list[Any] = []
        signs = 0
        while "some" in (answer := self._message()):
            part = answer["some"]
            signs = 0 if part else signs + 1
            if not isinstance(part, list) or signs > MOST_SIGNS:
                raise self._explain("it only pretends to be alive")
            some += part
            self.done += len(part)
            if len(some) > most_parts(self.pending[0]):
                raise self._explain("it answers without end")
        self._next_question()
        return _join_answers(answer, some)

    def _next_question(self) -> None:
        """Go on to the next question."""
        del self.pending[0]
        self.done = 0

    def _message(self) -> Message:
        """Return the next message about the first question without an answer."""
        number = self.pending[0]["id"]
        line = self._line()
        try:
            answer = load_json(line.decode())
        except (BadJson, ValueError, RecursionError) as error:
            said = f"its answer is no JSON object ({quoted(error, 120)}): {line[:120]!r}"
            raise self._explain(said) from None
        if answer.get("id") != number:
            said = f"its answer has id {answer.get('id')!r:.40}, not {number}"
            raise self._explain(said)
        if REACHED in answer and not self.name:
            self._mark(answer.pop(REACHED))
        if "error" in answer and self.name:
            said = f"it reports an error: {quoted(answer['error'], 200)!r}"
            raise self._explain(said)
        if "error" in answer:
            self._next_question()
            raise error_of(answer)
        return answer

    def _mark(self, told: Any) -> None:
        """Add the marks in the target's code that were set."""
        try:
            self.reached |= from_digits(told)
        except ValueError:
            raise self._explain(f"its marks cannot be read: {quoted(told, 80)}") from None

    def _line(self) -> bytes:
        """Return the next line; how long it has been waited for already counts."""
        now = monotonic()
        patience = max(0.0, self.since + self._patience() - now)
        left = patience if self.until is None else max(0.0, self.until - now)
        try:
            line = self.child.line(min(left, patience), MAX_ANSWER)
        except NoAnswer:
            if left < patience:
                raise TimeIsUp from None
            late = f"it did not answer within {self.limits.timeout:g} s"
            loading = self.pending[0]["call"] == "hello"
            raise self._explain(late + " (--timeout S waits longer)" * loading) from None
        except ChildFailed as error:
            raise self._explain(str(error)) from None
        self.since, self.greeted = monotonic(), True
        return line

    def _patience(self) -> float:
        """Return the seconds between two signs of life; our own server takes some to start."""
        starting = self.pending[0]["call"] == "hello" and not (self.greeted or self.name)
        later = self.done or self.pending[0]["call"] in ("explore", "probe")
        more = STARTING if starting else GRACE if later else 0.0
        return self.limits.timeout + more

    def _explain(self, why: str) -> Misbehaved:
        """End the process; say what it was asked, how it ended and what it wrote to stderr."""
        how = self.child.how(ENDING if "ended" in why else 0.0)
        noise = self.child.noise()
        ended = f"; {how}" if how else ""
        said = f"; its standard error ends with: {noise}" if noise else ""
        self.close()
        question = self.pending[0]
        own = f"{self.name}, asked to {question['call']!r}"
        return Misbehaved(f"{own if self.name else what(question, self.done)}: {why}{ended}{said}")


class Raised(ProtocolError):
    """A target that raised; it may be asked about something else."""


def error_of(answer: Message) -> ProtocolError:
    """Return the error that a target reports of itself."""
    if not isinstance(answer["error"], str):
        return Misbehaved(f"an error is a text; got {quoted(answer['error'], 80)}")
    kind = Misbehaved if answer.get("grave") is True else Raised
    return kind(quoted(answer["error"]))


def _join_answers(answer: Message, some: list[Any]) -> Message:
    if "answers" in answer and some and isinstance(answer["answers"], list):
        return {**answer, "answers": some + answer["answers"]}
    return answer


def most_parts(question: Mapping[str, Any]) -> int:
    """Return how many answers a question has at most: each twice."""
    if question["call"] == "explore":
        return 2 * MOST_STATES
    return 2 * (len(question.get("questions", ())) + len(question.get("states", ())))


def what(question: Mapping[str, Any], done: int) -> str:
    """Say what a target was asked, of a batch the first question that it has not answered."""
    call = question["call"]
    if call == "ask" and done < len(question["questions"]):
        return f"decide() at round {question['questions'][done][1]}"
    named = {
        "ask": "decide()",
        "explore": "decide()",
        "probe": "decide()",
        "hello": "loading the target",
        "make": "making the filter",
        "parameters": "parameters()",
        "observe": "observe()",
        "reported": "reported()",
    }
    return named.get(call, repr(call))
