"""Answers that nobody has asked for yet: the questions of a whole game, as an engine will put them.

Each answer spares a message later.  A filter that raises here raises again when it is asked.
"""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from filterproof.engine.by_position.graph import explore
from filterproof.filter import Decision, is_markov
from filterproof.game import Game, Step

AHEAD = 0.005
"""So many seconds are spent on answers that nobody has asked for yet."""

Decided = Callable[[int, Step], Any]
"""The answer of a filter in a state that goes by a number."""
Volunteered = list[tuple[int, Step, Any]]
"""Questions, each with its answer."""


class Enough(BaseException):
    """As many answers as were wanted, or as there was time for."""


class Volunteer:
    """Goes through a game as an engine will, and notes what the filter answers on the way."""

    def __init__(self, rule: Any, decided: Decided, first: list[Any], most: int) -> None:
        self.decided, self.first, self.most = decided, first, most
        self.markov, self.until = is_markov(rule), monotonic() + AHEAD
        self.found: Volunteered = []
        self.seen: dict[tuple[int, int], list[int]] = {}
        if hasattr(rule, "observe"):
            self.observe = self._observe

    def start(self) -> int:
        """Return any number: what comes of the opening round is known."""
        return int(self.first[1])

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        """Return the filter's answer, noted unless it is that of the opening round."""
        if not step.index:
            return Decision(self.first[0]), self.first[1]
        if len(self.found) >= self.most or monotonic() > self.until:
            raise Enough
        answer = self.decided(state, step)
        self.found.append((state, step, answer))
        if len(answer) == 3:
            self.seen[answer[1], id(step)] = answer[2]
        return Decision(answer[0]), answer[1]

    def _observe(self, state: int, step: Step, output: str) -> int:
        if not step.index:
            return int(self.first[2][0])
        outputs = [*step.mechanism.law]
        return self.seen[state, id(step)][outputs.index(output)]


def ahead(rule: Any, decided: Decided, game: Game, first: list[Any], most: int) -> Volunteered:
    """Return the answers to the questions of a whole game, the first ones if there are many."""
    volunteer = Volunteer(rule, decided, first, most)
    with suppress(Enough):
        explore(volunteer, game)
    return volunteer.found
