"""Hypothesis strategies for mechanisms, games, budgets and cases.

They are the generators of `generate` with Hypothesis as the source of choices, and thresholds
drawn from the values that the game realises, so that ties are hit on purpose.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import strategies as st

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism
from filterproof_properties.case import Case
from filterproof_properties.games import drawn as generate
from filterproof_properties.games.drawn import Choose, pick
from filterproof_properties.games.thresholds import ONE, realised_epsilons, realised_risks

Parameters = Callable[[Epsilon, Fraction, int], Sequence[Mapping[str, Any]]]

EPSILONS: tuple[Epsilon, ...] = (
    Log(Fraction(2)),
    ONE,
    Log(Fraction(3, 2)),
    Log(Fraction(4)),
    Fraction(0),
    Fraction(1, 10),
    Fraction(3),
    Log(Fraction(100)),
)
DELTAS = tuple(map(Fraction, ("1/10", "0", "1/2", "1/4", "1/100", "1/1000000", "9/10")))


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


def chooser(draw: st.DrawFn) -> Choose:
    """Return a source of choices that Hypothesis records, mutates and shrinks."""
    return lambda n: draw(_below(n)) if n > 1 else 0


@st.composite
def mechanisms(draw: st.DrawFn, pool: Sequence[Fraction] = ()) -> Mechanism:
    """Draw one round on the databases "0" and "1"."""
    return generate.mechanism(chooser(draw), pool=pool)


@st.composite
def games(draw: st.DrawFn, /, **sizes: Any) -> Game:
    """Draw a game; the sizes are those of `generate.game`."""
    return generate.game(chooser(draw), **sizes)


def draw_epsilon(choose: Choose, game: Game) -> Epsilon:
    """Draw ε: a usual one, or one at which some transcript's loss ties with it."""
    if choose(2):
        return pick(choose, realised_epsilons(game)[:12] or EPSILONS)
    return pick(choose, EPSILONS)


def draw_delta(choose: Choose, game: Game, epsilon: Epsilon) -> Fraction:
    """Draw δ: a usual one, or one at which some risk of this game ties with it."""
    if choose(2):
        return pick(choose, realised_risks(game, epsilon)[:20] or DELTAS)
    return pick(choose, DELTAS)


@st.composite
def budgets(draw: st.DrawFn, game: Game) -> tuple[Epsilon, Fraction]:
    """Draw (ε, δ), half of the time from values at which this game ties with a threshold."""
    epsilon = draw_epsilon(chooser(draw), game)
    return epsilon, draw_delta(chooser(draw), game, epsilon)


def draw_case(
    choose: Choose,
    *,
    epsilon: Epsilon | None = None,
    delta: Fraction | None = None,
    parameters: Parameters | None = None,
    max_rounds: int = 3,
    **sizes: Any,
) -> Case:
    """Draw a game with a budget (each part may be fixed) and one of its parameter sets.

    Where the budget comes first, the game is made from its thresholds and from those of the
    parameters; else the budget is made from the values that the game realises.
    """
    fixed = epsilon is not None and delta is not None
    if not fixed and choose(2):
        return _game_first(choose, epsilon, delta, parameters, max_rounds=max_rounds, **sizes)
    epsilon = pick(choose, EPSILONS) if epsilon is None else epsilon
    delta = pick(choose, DELTAS) if delta is None else delta
    rounds = pick(choose, generate.round_counts(max_rounds))
    chosen = _parameters(choose, parameters, epsilon, delta, rounds)
    thresholds = [v for v in (delta, *chosen.values()) if isinstance(v, Fraction) and 0 < v < 1]
    game = generate.game(choose, exact_rounds=rounds, pool=thresholds, **sizes)
    return Case("drawn", game, epsilon, delta, chosen)


def _game_first(
    choose: Choose,
    epsilon: Epsilon | None,
    delta: Fraction | None,
    parameters: Parameters | None,
    **sizes: Any,
) -> Case:
    game = generate.game(choose, **sizes)
    epsilon = draw_epsilon(choose, game) if epsilon is None else epsilon
    delta = draw_delta(choose, game, epsilon) if delta is None else delta
    chosen = _parameters(choose, parameters, epsilon, delta, game.depth)
    return Case("drawn", game, epsilon, delta, chosen)


def _parameters(
    choose: Choose, parameters: Parameters | None, epsilon: Epsilon, delta: Fraction, rounds: int
) -> Mapping[str, Any]:
    if parameters is None:
        return {}
    horizon = pick(choose, (rounds, rounds, max(1, rounds - 1), 1))
    return pick(choose, list(parameters(epsilon, delta, horizon)) or [{}])


@st.composite
def cases(draw: st.DrawFn, /, **wanted: Any) -> Case:
    """Draw a case; the options are those of `draw_case`."""
    return draw_case(chooser(draw), **wanted)
