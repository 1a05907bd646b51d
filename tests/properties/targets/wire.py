"""For tests of what travels: a link that answers by a table, and a step not worked out yet."""

from typing import Any

from filterproof.game import Step

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


class Lazy(Step):
    """A step whose likelihoods nobody has worked out yet."""

    def __init__(self, step: Step) -> None:
        kept = {k: v for k, v in vars(step).items() if k not in ("mass", "history")}
        vars(self).update(kept, pairs=step.pairs, whole=step)

    def settled(self) -> Step:
        found: Step = vars(self)["whole"]
        return found
