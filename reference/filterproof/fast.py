"""The strongest adversary again: the answers of `adversary`, much faster.

The specification walks the tree once per ordered pair and once per history.  Here the filter is
asked once per position, equal positions of a `markov` filter are merged, and all arithmetic is
in integers over common denominators.
"""

from collections.abc import Hashable
from fractions import Fraction

from filterproof.adversary import WorstCase
from filterproof.engine.graph import explore
from filterproof.engine.integers import evaluate, gain, tail, worst_of, write_down
from filterproof.exact import Epsilon
from filterproof.filter import Filter
from filterproof.game import Game


def worst_case(rule: Filter[Hashable], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(S) - e^ε·P_x′(S) over pairs, adaptive adversaries and events."""
    graph, payoff = explore(rule, game), gain(epsilon)
    worst = worst_of([evaluate(graph, pair, epsilon, payoff) for pair in game.pairs])
    return write_down(graph, worst, payoff)


def worst_tail(
    rule: Filter[Hashable], game: Game, epsilon: Epsilon, *, may_stop: bool = True
) -> Fraction:
    """Return the largest P_x(L^(T) > ε) over pairs and adversaries."""
    graph, payoff = explore(rule, game), tail(epsilon)
    found = [evaluate(graph, pair, epsilon, payoff, may_stop) for pair in game.pairs]
    return worst_of(found).number().a
