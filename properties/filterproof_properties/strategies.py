"""Hypothesis strategies: laws, mechanisms, adaptive games, budgets and whole cases.

    from hypothesis import given
    from filterproof_properties.strategies import cases

    @given(cases())
    def test_my_filter(case): ...

They are the generators of `games.drawn` with Hypothesis as the source of choices, where 0 is the
simplest choice: an example shrinks to few rounds, few requests, usual numbers and a plain budget.
Half of the budgets tie with a value that the game realises, since ties are what filters get wrong.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Unpack

from hypothesis import strategies as st

from filterproof.exact import Epsilon
from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Law
from filterproof_properties.case import Case
from filterproof_properties.games import drawn
from filterproof_properties.games.drawn import Choose, Sizes

Offer = Callable[[Epsilon, Fraction, int], Iterable[Mapping[str, Any]]]
"""What a target offers as `parameters(epsilon, delta, depth)`."""


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


def chooser(draw: st.DrawFn) -> Choose:
    """Return a source of choices that Hypothesis records, mutates and shrinks."""
    return lambda n: draw(_below(n)) if n > 1 else 0


@st.composite
def laws(
    draw: st.DrawFn, databases: Sequence[Database] = ("0", "1"), pool: Sequence[Fraction] = ()
) -> Law:
    """Draw the law of one mechanism: for each output its probability under each database.

    Probabilities are small fractions; those of the `pool` (thresholds, say) are drawn often.
    """
    return drawn.law(chooser(draw), databases, pool)


@st.composite
def mechanisms(draw: st.DrawFn, pool: Sequence[Fraction] = ()) -> Mechanism:
    """Draw one round on the databases "0" and "1", at times with a declared pair that is loose."""
    return drawn.mechanism(chooser(draw), pool=pool)


@st.composite
def games(draw: st.DrawFn, /, **sizes: Unpack[Sizes]) -> Game:
    """Draw a game, an adaptive tree of mechanisms: the menu after an output may depend on it.

    Sizes: `max_rounds` (3), `max_requests` (3), `max_databases` (3), `exact_rounds`, and a `pool`
    of probabilities to draw from.
    """
    return drawn.game(chooser(draw), **sizes)


@st.composite
def budgets(draw: st.DrawFn, game: Game | None = None) -> tuple[Epsilon, Fraction]:
    """Draw (ε, δ): a usual one, or one at which this game ties with a threshold."""
    choose = chooser(draw)
    epsilon = drawn.draw_epsilon(choose, game)
    return epsilon, drawn.draw_delta(choose, game, epsilon)


@st.composite
def cases(
    draw: st.DrawFn,
    /,
    *,
    epsilon: Epsilon | None = None,
    delta: Fraction | None = None,
    parameters: Offer | None = None,
    **sizes: Unpack[Sizes],
) -> Case:
    """Draw a game with a budget (each part may be fixed) and one of a target's parameter sets.

    `parameters` is the target's own function of that name; the sizes are those of `games`.
    """
    return drawn.draw_case(
        chooser(draw), epsilon=epsilon, delta=delta, parameters=parameters, **sizes
    )
