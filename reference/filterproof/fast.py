"""The strongest adversary again: the answers of `adversary`, much faster.

The specification walks the whole tree once per ordered pair, one history at a time.  Here the
filter is asked once for all pairs, and proportional histories of a `markov` filter are merged.
Two engines share the work, and both are exact:

* `engine.by_position` explores position by position in integers over common denominators; best
  for games of up to some thousand transcripts, and for filters whose states are all different;
* `engine.by_round` explores round by round in arrays, with floats whose error bound is proved and
  exact integers where the bound does not decide.

>>> from filterproof.filters.naive import Naive
>>> from filterproof.palette import erasure, game, repeated
>>> tenth = Fraction(1, 10)
>>> thrice = game(repeated(erasure(tenth), 3))
>>> str(worst_case(Naive(Fraction(1), tenth), thrice, Fraction(1)).value)
'271/1000'
"""

from fractions import Fraction
from typing import Any

from filterproof.collection_pause import full_collection_paused
from filterproof.engine.by_position import graph, integers
from filterproof.exact import Epsilon
from filterproof.filter import Filter
from filterproof.game import Game
from filterproof.witness import WorstCase

SMALL = 6000
"""Games with at most so many transcripts are explored position by position; from there on it pays
to work out what all their laws have in common."""


SHARED = 64
"""From so many transcripts a menu on, many histories share their menus: then arrays pay.  On a tree
that shares nothing every position is a group of its own, and what its laws have in common is
never used."""


@full_collection_paused()
def worst_case(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(S) - e^ε·P_x′(S) over pairs, adaptive adversaries and events.

    Where pairs have promises of their own, that of a pair whose promise is broken, if any is.
    """
    one_budget = is_shared(game) and not game.promises  # arrays are valued at one ε
    large = by_round(rule, game, epsilon) if one_budget else None
    return large or integers.PositionAnalysis(graph.explore(rule, game), epsilon).worst_case()


def by_round(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase | None:
    """Value a large game round by round; None for a game that only the other engine takes.

    That engine computes with numpy, which takes longer to load than most games do to explore.
    """
    from filterproof.engine.by_round.exploring import Scattered
    from filterproof.engine.by_round.floats import TooLong
    from filterproof.engine.by_round.verdicts import RoundAnalysis

    try:
        return RoundAnalysis(rule, game, epsilon).worst_case()
    except (Scattered, TooLong):
        return None


def worst_tail(
    rule: Filter[Any], game: Game, epsilon: Epsilon, *, may_stop: bool = True
) -> Fraction:
    """Return the largest P_x(L^(T) > ε) over pairs and adversaries."""
    explored, wins = graph.explore(rule, game), integers.Exceeding(epsilon)
    found = [integers.evaluate(explored, p, None, wins, may_stop) for p in game.pairs]
    return integers.worst_of(found).number().a


def transcripts(game: Game) -> int:
    """Return how many transcripts a game has if no filter stops it.

    >>> from filterproof.palette import game, repeated, response
    >>> transcripts(game(repeated(response(Fraction(2, 3)), 10)))
    1024
    """
    return game.menu.transcripts


def is_shared(game: Game) -> bool:
    """Return whether a game is large and most of its transcripts pass through the same menus.

    >>> from filterproof.palette import game, repeated, response
    >>> is_shared(game(repeated(response(Fraction(2, 3)), 20)))
    True
    """
    return transcripts(game) > max(SMALL, SHARED * len(game.nodes))
