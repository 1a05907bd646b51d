"""Every position that an adversary can reach against one filter, explored once for all pairs.

A `Place` is a position in which the adversary is to move.  Its likelihoods are kept up to a
common factor, as coprime integers, for every database at once, so one exploration serves all
ordered pairs and the filter is asked once per place and request.

Histories that arrive at the same menu in the same round with proportional likelihoods, the same
filter state and the same refused requests have the same future up to that factor, provided that
the filter does not read the history.  They become one place for a filter that declares `markov`
(see `hidden`); for any other filter nothing is merged.

Places are processed round by round and, within a round, by how many requests were refused; so
every place is complete before it is expanded, and `Graph.order` lists parents before children.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd
from types import MappingProxyType
from typing import Any

from filterproof.collection_pause import full_collection_paused
from filterproof.engine.hidden import LazyStep, MergedStep, lazy_step
from filterproof.filter import Decision, Filter, ask, ask_many, is_markov, observe, start
from filterproof.game import (
    OPENING,
    Game,
    GameError,
    History,
    Menu,
    Step,
    node_after,
    opening,
)
from filterproof.game.law import Database, Output

Mass = tuple[int, ...]  # one integer per database in the game's order, without a common factor

MOST_PLACES = 1 << 24
"""How many positions one round may have."""


class TooLarge(GameError):
    """A game with more positions in one round than can be held at once."""


def check_size(places: int, index: int) -> None:
    """Refuse a round with too many positions, before they are made."""
    if places > MOST_PLACES:
        raise TooLarge(
            f"round {index} has more than {MOST_PLACES} positions: fewer rounds are needed, or a "
            "filter that declares markov = True"
        )


@dataclass(eq=False, slots=True)
class Place:
    """A position: the adversary is to move."""

    node: Menu
    index: int
    mass: Mass
    state: Hashable
    refused: tuple[str, ...]
    history: History | None  # None where histories are merged
    branches: list["Branch"]


@dataclass(eq=False, slots=True)
class Branch:
    """One request: the answer, where the adversary moves again, and where the transcript ends.

    If the place has likelihoods m, those after an output in `after` are  weight/below  times the
    coprime integers of the place that it leads to.  All other outputs end the transcript, most of
    a game's; they have no place of their own: the likelihoods there are  row/below  times m.
    """

    request: str
    decision: Decision
    below: int
    after: Sequence[tuple[Output, int, Place]] = ()
    ends: tuple[Mass, ...] = ()  # the rows of the outputs that end it, in the order of the law
    states: tuple[Hashable, ...] = ()  # what the filter remembers there


@dataclass(frozen=True)
class Graph:
    """All places, parents before children; `first` is None if the opening is not passed."""

    game: Game
    first: Place | None
    order: list[Place]


def explore(rule: Filter[Any], game: Game) -> Graph:
    """Ask the filter everything that an adversary could ask it.

    A filter in another process may offer `explored`: it gets the game and the walk through it, and
    walks with a table of all answers.
    """
    explored = getattr(rule, "explored", None)
    found: Graph = walk(rule, game) if explored is None else explored(game, walk)
    return found


def walk(rule: Filter[Any], game: Game) -> Graph:
    """Ask the filter everything that an adversary could ask it, position by position."""
    explorer = _Explorer(rule, game)
    with full_collection_paused():
        first = explorer.open()
        return Graph(game, first, explorer.run(first) if first else [])


class _Explorer:
    def __init__(self, rule: Filter[Any], game: Game) -> None:
        self.rule, self.game, self.merging = rule, game, is_markov(rule)
        self.kind = MergedStep if self.merging else LazyStep
        self.observes = getattr(rule, "observe", None) is not None
        first = {x for x, _ in game.promises or game.pairs}
        self.starts = [i for i, x in enumerate(game.databases) if x in first]
        self.alone: dict[int, Place | None] = {}  # the first place at each node, if there is one
        self.merged: dict[Hashable, Place] = {}
        self.looked: Place | None = None
        self.seen: Mapping[Database, Fraction] = {}
        self.now: list[Place] = []  # the places of this round, by number of refusals
        self.refusing: list[Place] = []
        self.later: list[Place] = []

    def open(self) -> Place | None:
        step = opening(self.game)
        decision, state = ask(self.rule, start(self.rule), step)
        if decision is not Decision.CONTINUE:
            return None
        state = observe(self.rule, state, step, OPENING)
        certain = (1,) * len(self.game.databases)
        return Place(self.game.menu, 1, certain, state, (), None if self.merging else (), [])

    def run(self, first: Place) -> list[Place]:
        order: list[Place] = []
        self.now = [first]
        while self.now:
            self.expand(self.now)
            order += self.now
            if not self.refusing:
                self.merged, self.alone = {}, {}
            self.now, self.refusing = self.refusing, []
            if not self.now:
                self.now, self.later = self.later, []
        return order

    def expand(self, places: list[Place]) -> None:
        if getattr(self.rule, "decide_many", None) is None:
            for place in places:
                for step in self.steps(place):
                    self.answered(place, step, *ask(self.rule, place.state, step))
            return
        steps = ((place, step) for place in places for step in self.steps(place))
        asked = ask_many(self.rule, steps, lambda one: (one[0].state, one[1]))
        for (place, step), decision, state in asked:
            self.answered(place, step, decision, state)

    def steps(self, place: Place) -> list[Step]:
        known: dict[str, Any] = {
            "index": place.index,
            "game": self.game,
            "menu": place.node,
            "find_mass": partial(self.likelihoods, place),
        }
        if not self.merging:
            known["history"] = place.history
        return [
            lazy_step(self.kind, known, r, m)
            for r, m in place.node.items()
            if r not in place.refused
        ]

    def likelihoods(self, place: Place) -> Mapping[Database, Fraction]:
        """Return the likelihoods at a place, the same object for all requests in turn."""
        if self.looked is not place:
            self.looked, self.seen = place, mass_mapping(self.game.databases, place.mass)
        return self.seen

    def answered(self, place: Place, step: Step, decision: Decision, state: Hashable) -> None:
        """Add the branch of an answer, and what follows."""
        request, depth = step.request, place.node.depth
        if decision is Decision.LAST or (decision is Decision.CONTINUE and depth == 1):
            below, rows = step.mechanism.whole
            branch = Branch(request, decision, below, (), rows, self.states(step, state))
        elif decision is Decision.CONTINUE:
            branch = self.released(place, step, self.states(step, state))
        elif decision is Decision.HALT:
            branch = Branch(request, decision, 1)
        elif place.state == state:  # idle: whatever can be sent after it can be sent at once
            return
        else:
            branch = Branch(request, decision, 1, [("", 1, self.refuse(place, step, state))])
        place.branches.append(branch)

    def states(self, step: Step, state: Hashable) -> tuple[Hashable, ...]:
        """Return what the filter remembers after each output."""
        after = step.mechanism.after
        if not self.observes:
            return (state,) * len(after)
        return tuple([observe(self.rule, state, step, y) for y in after])

    def released(self, place: Place, step: Step, states: tuple[Hashable, ...]) -> Branch:
        """Return the branch of a mechanism that runs, with a place wherever the play goes on."""
        below, rows = step.mechanism.whole
        after: list[tuple[Output, int, Place]] = []
        ends: list[tuple[Mass, Hashable]] = []
        for y, row, state in zip(step.mechanism.after, rows, states, strict=True):
            node = node_after(step.mechanism, y)
            mass = [m * p for m, p in zip(place.mass, row, strict=True)]
            if node.depth and (all(mass) or any(mass[i] for i in self.starts)):
                weight = gcd(*mass)
                then = tuple([m // weight for m in mass]) if weight > 1 else tuple(mass)
                history = None if place.history is None else (*place.history, (step.request, y))
                there = Place(node, place.index + 1, then, state, (), history, [])
                after.append((y, weight, self.meet(node, there)))
            else:
                ends.append((row, state))
        return Branch(step.request, Decision.CONTINUE, below, after, *_columns(ends))

    def refuse(self, place: Place, step: Step, state: Hashable) -> Place:
        refused = (*place.refused, step.request)
        there = Place(place.node, place.index, place.mass, state, refused, place.history, [])
        key = (place.node.id, place.mass, state, frozenset(refused))
        return self.merge(key, there, self.refusing)

    def meet(self, node: Menu, place: Place) -> Place:
        """Return the place of this round that a further one at its node equals, or itself.

        To hash likelihoods and states takes long, so the first place at a node waits for a second.
        """
        if self.merging and node.id not in self.alone:
            self.alone[node.id] = place
            return self.add(place, self.later)
        if self.merging and (first := self.alone[node.id]) is not None:
            self.merged[node.id, first.mass, first.state] = first
            self.alone[node.id] = None
        return self.merge((node.id, place.mass, place.state), place, self.later)

    def merge(self, key: Hashable, place: Place, queue: list[Place]) -> Place:
        if self.merging:
            if (known := self.merged.get(key)) is not None:
                return known
            self.merged[key] = place
        return self.add(place, queue)

    def add(self, place: Place, queue: list[Place]) -> Place:
        queue.append(place)
        if len(queue) > MOST_PLACES:
            check_size(len(queue), place.index)
        return place


def _columns(ends: list[tuple[Mass, Hashable]]) -> tuple[tuple[Mass, ...], tuple[Hashable, ...]]:
    return tuple([row for row, _ in ends]), tuple([state for _, state in ends])


def mass_mapping(databases: tuple[Database, ...], mass: Mass) -> Mapping[Database, Fraction]:
    """Return likelihoods the way a step carries them."""
    return MappingProxyType({x: Fraction(m) for x, m in zip(databases, mass, strict=True)})
