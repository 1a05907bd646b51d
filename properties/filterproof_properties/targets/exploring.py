"""A whole game, explored in the target's own process: all answers in the order of the walk.

The walk is that of the engine (`engine.by_position.graph`).  What it asks next depends on the
answers and on nothing else, so the audit walks through the same game with the list of answers, and
no question has to be sent with them.
"""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from filterproof.engine.by_position.graph import walk
from filterproof.filter import Decision, is_markov
from filterproof.game import Game, Step

MOST_STATES = 4096
"""A table names so many states at most, as one message can hold; what is beyond them is asked for
many questions at a time."""
MOST_SECONDS = 0.2
"""A table takes about so long at most: an audit whose time is up does not wait for long."""

Decide = Callable[[int, Step], Any]
"""The answer of a filter in a state that goes by a number."""
Noted = list[tuple[int, Step]]
"""Questions, each with the number of the state."""


class Enough(BaseException):
    """As many answers as a table may have, or as there was time for."""


class Noting:
    """A filter whose states are numbers; it notes what it was asked, and what the answers were."""

    def __init__(self, rule: Any, first: int, decide: Decide, found: list[Any]) -> None:
        self.first, self.answer, self.found = first, decide, found
        self.asked: Noted = []
        self.states = 0
        self.after: Iterator[int] = iter(())
        self.markov, self.until = is_markov(rule), monotonic() + MOST_SECONDS
        if hasattr(rule, "observe"):
            self.observe = self._observe

    def start(self) -> int:
        """Return the number of the first state."""
        return self.first

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        """Return the filter's answer, and note it."""
        if self.states >= MOST_STATES or monotonic() > self.until:
            raise Enough
        answer = self.answer(state, step)
        self.asked.append((state, step))
        self.found.append(answer)
        after = answer[2] if len(answer) > 2 else ()
        self.states, self.after = self.states + 1 + len(after), iter(after)
        return Decision(answer[0]), answer[1]

    def _observe(self, state: int, step: Step, output: str) -> int:
        return next(self.after)  # the walk goes through the outputs in their order


def explore(
    rule: Any, first: int, decide: Decide, game: Game, found: list[Any]
) -> tuple[Noted, bool]:
    """Walk through a game and add all answers; return what was asked, and whether that was all."""
    noting = Noting(rule, first, decide, found)
    try:
        walk(noting, game)
    except Enough:
        return noting.asked, False
    return noting.asked, True
