"""For tests of the server of answers: it is asked as a function, about two little filters."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from filterproof.game import Step, opening
from filterproof.palette import game, repeated, response
from filterproof_properties.targets.messages import game_to_wire, question_to_wire
from filterproof_properties.targets.server import Server
from tests.properties.targets.wire import Message

TWO = game(repeated(response(Fraction(2, 3)), 2))
OPENING = opening(TWO)
FIRST = OPENING.next("⊥", "ask")
WIRE = {**game_to_wire(TWO, declared=False), "game": 0}
BUDGET = {"epsilon": "1", "delta": "1/10", "parameters": {}}


class Counts:
    """Runs everything; its state is how many rounds it was asked about."""

    markov = True

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.held = [0]

    def start(self) -> Any:
        return 0

    def decide(self, state: Any, step: Step) -> Any:
        return "continue", state + 1


class Sees(Counts):
    """Also notes the last output."""

    def decide(self, state: Any, step: Step) -> Any:
        return "continue", (len(str(state)), step.index)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        return output


class Asked:
    """Asks a server about one filter of a target, and one game."""

    def __init__(self, target: Any, printed: Callable[[], int] = lambda: 0) -> None:
        self.server = Server(lambda: target, printed)
        self.signs: list[Message] = []
        assert self("hello")["version"] == 3
        self.made = self("make", **BUDGET)

    def __call__(self, call: str, **question: Any) -> Message:
        given = {"id": 7, "call": call, "filter": 1, **question}
        found = self.server.answer(given, self.signs.append)
        assert found.pop("id") == 7
        return found

    def put(self, *steps: tuple[int, Step], twice: bool = False) -> Message:
        """Ask about steps of the game."""
        questions = [question_to_wire(state, step, 0) for state, step in steps]
        return self("ask", games=[WIRE], questions=questions, twice=twice)

    def explore(self, twice: bool = False) -> Message:
        """Ask for all answers of the game."""
        return self("explore", games=[WIRE], game=0, twice=twice)

    def sent(self) -> list[Any]:
        """Return what came with the signs of life."""
        return [one for sign in self.signs for one in sign["some"]]
