"""How many rounds each sound filter runs on a given game, exactly.

The database is drawn evenly, and so is every request among those on offer: an analyst without a
plan.  A refused request is followed by another of the same menu until none is left.
"""

from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, format_rational
from filterproof.filter import Decision, Filter, ask, observe, parameter_sets, start
from filterproof.filters.registry import REGISTRY
from filterproof.game import Game, Request, Step, opening
from filterproof_properties.choose.filters import Row

MAX_STEPS = 200_000
"""How many partial transcripts are visited per filter before the game counts as too large."""


class GameTooLarge(ValueError):
    """A game with too many transcripts to average over."""


def game_rows(game: Game, epsilon: Epsilon, delta: Fraction) -> Iterator[Row]:
    """Yield every built-in filter that keeps its promise, with its best parameters."""
    for entry in REGISTRY:
        if entry.sound:
            offers = parameter_sets(entry.target, epsilon, delta, game.depth)
            rated = [
                (mean_rounds(entry.target(epsilon, delta, **one), game), _said(one))
                for one in offers
            ]
            expected, parameters = max(rated, key=lambda one: one[0])
            yield Row(entry.name, parameters or "nothing to choose", float(expected))


def _said(parameters: dict[str, Any]) -> str:
    shown = (
        f"{name} = {format_rational(value) if isinstance(value, Fraction) else value}"
        for name, value in parameters.items()
    )
    return ", ".join(shown)


def mean_rounds(rule: Filter[Any], game: Game) -> Fraction:
    """Return the expected number of rounds that run, averaged over the databases."""
    step, left = opening(game), [MAX_STEPS]
    decision, state = ask(rule, start(rule), step)
    if decision is not Decision.CONTINUE:
        return Fraction(0)
    (y,) = step.mechanism.law
    return _after(rule, observe(rule, state, step, y), step, y, left)


def _after(rule: Filter[Any], state: Hashable, step: Step, y: str, left: list[int]) -> Fraction:
    """Return the mean rounds to come after y, over an even choice of requests."""
    menu = [*step.mechanism.after[y]]
    if not menu:
        return Fraction(0)
    asked = (_asked(rule, state, step.next(y, r), [q for q in menu if q != r], left) for r in menu)
    return sum(asked, Fraction(0)) / len(menu)


def _asked(
    rule: Filter[Any], state: Hashable, step: Step, others: list[Request], left: list[int]
) -> Fraction:
    """Return the mean rounds from this request on: it counts one if it runs."""
    left[0] -= 1
    if left[0] < 0:
        raise GameTooLarge(f"the game has more than {MAX_STEPS} partial transcripts")
    decision, after = ask(rule, state, step)
    if decision is Decision.HALT or (decision is Decision.REFUSE and not others):
        return Fraction(0)
    if decision is Decision.REFUSE:
        tries = (
            _asked(rule, after, step.instead(r), [q for q in others if q != r], left)
            for r in others
        )
        return sum(tries, Fraction(0)) / len(others)
    if decision is Decision.LAST:
        return Fraction(1)
    law = step.mechanism.law
    return 1 + sum(
        (
            _chance(step, y) * _after(rule, observe(rule, after, step, y), step, y, left)
            for y in law
            if _chance(step, y)
        ),
        Fraction(0),
    )


def _chance(step: Step, y: str) -> Fraction:
    """Return P(y | history) with the database drawn evenly at the start."""
    return sum(step.released(y).values(), Fraction(0)) / sum(step.mass.values(), Fraction(0))
