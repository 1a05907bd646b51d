"""Two ways to compute a worst case, compared as whole plays: what the tests of `fast` share."""

from typing import Any

from filterproof.engine.by_position.graph import explore
from filterproof.engine.by_position.integers import PositionAnalysis
from filterproof.engine.by_round.verdicts import RoundAnalysis
from filterproof.exact import Epsilon
from filterproof.filter import Filter
from filterproof.game import Game
from filterproof.witness import WorstCase


def by_place(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    return PositionAnalysis(explore(rule, game), epsilon).worst_case()


def by_level(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    return RoundAnalysis(rule, game, epsilon).worst_case()


def played(worst: WorstCase) -> Any:
    """Return everything about a worst case, its turns written out as a tree."""
    return worst.pair, worst.value, worst.mass_x, worst.mass_x_prime, unrolled(worst)


def unrolled(worst: WorstCase) -> Any:
    """Return the play as nested tuples, every merged turn written out where it is reached.

    For small plays: comparing two of these walks every transcript.
    """
    event, tree = set(worst.event), None
    made: dict[int, Any] = {}
    for number in reversed(range(len(worst.turns))):
        turn = worst.turns[number]
        after = [
            (y, None if to is None else made[to], (number, y) in event)
            for y, to in turn.then.items()
        ]
        made[number] = (turn.node, turn.state, turn.request, turn.decision, tuple(after))
        tree = made[number]
    return tree
