"""How many rounds each sound filter runs on a given game, exactly.

The database is drawn evenly, and so is every request among those on offer: an analyst without a
plan.  A refused request is followed by another of the same menu until none is left.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, format_rational
from filterproof.filter import parameter_sets
from filterproof.filters.registry import REGISTRY
from filterproof.game import Game
from filterproof.utility.rounds import expected_rounds
from filterproof_properties.choose.filters import Row


def game_rows(game: Game, epsilon: Epsilon, delta: Fraction) -> Iterator[Row]:
    """Yield every built-in filter that keeps its promise, with its best parameters."""
    for entry in REGISTRY:
        if entry.sound:
            offers = parameter_sets(entry.target, epsilon, delta, game.depth)
            rated = [
                (expected_rounds(entry.target(epsilon, delta, **one), game), _parameter_words(one))
                for one in offers
            ]
            expected, parameters = max(rated, key=lambda one: one[0])
            yield Row(entry.name, parameters or "nothing to choose", float(expected))


def _parameter_words(parameters: dict[str, Any]) -> str:
    shown = (
        f"{name} = {format_rational(value) if isinstance(value, Fraction) else value}"
        for name, value in parameters.items()
    )
    return ", ".join(shown)
