"""For tests of what travels: a link that answers by a table, and a step that is watched."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from filterproof.engine.hidden import WatchedStep
from filterproof.game import Step, opening
from filterproof.palette import game, repeated, response
from filterproof_properties.targets.remote import RemoteFilter, RemoteTarget

BUDGET = Fraction(1), Fraction(1, 10)
MADE = {"state": 0, "markov": True}
TWO = game(repeated(response(Fraction(2, 3)), 2))
OPENING = opening(TWO)
FIRST = OPENING.next("⊥", "ask")
Message = dict[str, Any]


class Answering:
    """A link that answers each call by a message or a function, and keeps what it was asked."""

    until = None

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[Message] = []

    def ask(self, questions: list[Message]) -> list[Message]:
        self.asked += questions
        found = [self.answers[one["call"]] for one in questions]
        return [
            one(question) if callable(one) else one
            for one, question in zip(found, questions, strict=True)
        ]

    def close(self) -> None:
        pass

    def calls(self, name: str) -> list[Message]:
        return [one for one in self.asked if one["call"] == name]


def watched(step: Step) -> WatchedStep:
    """The same step, which notes whether its likelihoods or its history are read."""
    own = step.index, step.request, step.game, step.menu, step.pairs
    return WatchedStep(*own, lambda: step.mass, lambda: step.history)


def told(hello: Message | None = None, **answers: Any) -> tuple[RemoteTarget, Answering]:
    link: Any = Answering(**{"make": MADE, "forget": {}, **answers})
    return RemoteTarget(link, hello or {}), link


def answers(*raw: Any, **more: Any) -> Callable[[Message], Message]:
    """Give these answers, and again from the end where they are asked for twice."""
    return lambda question: {"answers": [*raw, *(raw[::-1] if question["twice"] else ())], **more}


def filtered(made: Message | None = None, **more: Any) -> tuple[RemoteFilter, Answering]:
    target, link = told(make={**MADE, **(made or {})}, **more)
    return RemoteFilter(target, {"parameters": {}}), link
