"""The strongest adversary against an odometer's promise: the numbers of `odometer`, sooner.

The positions are those of any filter (`graph`).  A place is worth the probability under x of its
histories where their loss exceeds what is reported in its state; merged histories have one state
and one loss, so they agree on that.
"""

from dataclasses import replace
from typing import Any

from filterproof.engine.by_position.graph import Graph, Place, explore
from filterproof.engine.by_position.integers import (
    NOTHING,
    Payoff,
    Value,
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
    known = reports(rule, (place.state for place in places(graph)))
    payoff = above_report(known)
    worst = worst_of([evaluate(graph, pair, None, payoff) for pair in game.pairs])
    found = write_down(graph, worst, payoff, lambda place: known[place.state])
    return replace(found, value=ExpLinear(found.mass_x, 0, epsilon))


def places(graph: Graph) -> list[Place]:
    """Return every place: where the adversary is to move, and where the transcript has ended."""
    ends = [there for place in graph.order for b in place.branches for _, _, there in b.after]
    return [*graph.order, *ends]


def above_report(known: dict[Any, Reported]) -> Payoff:
    """Return the payoff of a place where the loss exceeds the report: its masses, else nothing."""

    def payoff(place: Place, x: int, x_: int) -> Value:
        w, w_, report = place.mass[x], place.mass[x_], known[place.state]
        if isinstance(report, float) or sign_of(w, -w_, report) <= 0:
            return NOTHING
        return w, -w_, 1

    return payoff
