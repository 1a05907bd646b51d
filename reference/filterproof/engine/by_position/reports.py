"""The strongest adversary against an odometer's promise: the numbers of `odometer`, sooner.

The positions are those of any filter (`graph`).  A place is worth the probability under x of its
histories where their loss exceeds what is reported in its state; merged histories have one state
and one loss, so they agree on that.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from filterproof.engine.by_position.graph import Graph, explore
from filterproof.engine.by_position.integers import (
    Wins,
    evaluate,
    sign_of,
    worst_of,
    write_down,
)
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Filter
from filterproof.game import Game
from filterproof.odometer import Reported, reports
from filterproof.witness import WorstCase


def worst_report(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(L_t > ε_t for some t) over pairs and adversaries."""
    graph = explore(rule, game)
    known = reports(rule, states(graph))
    wins = above_report(known)
    worst = worst_of([evaluate(graph, pair, None, wins) for pair in game.pairs])
    found = write_down(graph, worst, wins, known.__getitem__)
    return replace(found, value=ExpLinear(found.mass_x, 0, epsilon))


def states(graph: Graph) -> Iterator[Hashable]:
    """Yield the state of every place and of every transcript that has ended."""
    for place in graph.order:
        yield place.state
        for branch in place.branches:
            yield from branch.states


def above_report(known: Mapping[Hashable, Reported]) -> Wins:
    """Return what tells whether the loss exceeds the report in a state."""

    def wins(state: Hashable, w: int, w_: int) -> bool:
        report = known[state]
        return not isinstance(report, float) and sign_of(w, -w_, report) > 0

    return Wins(wins)
