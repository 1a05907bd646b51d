"""The value of every place in exact integers, and the play that attains the best one.

A value is (a, b, below) and stands for  (a + b·e^ε)/below.  Sums are taken over common
denominators and nothing is reduced on the way, so the only long operations are products; a is
then the probability under x of the winning event, and -b that under x′, both times `below`.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

from filterproof.engine.by_position.graph import Branch, Graph, Mass, Place
from filterproof.exact import Epsilon, ExpLinear, integer_enclosure
from filterproof.filter import Decision
from filterproof.game.law import Output, Pair
from filterproof.game.promises import most_broken
from filterproof.witness import Turn, WorstCase

Value = tuple[int, int, int]
Part = tuple[int, int]
Sign = Callable[[int, int], int]
"""The sign of a + b·e^ε."""
NOTHING: Value = (0, 0, 1)


def sign_of(a: int, b: int, epsilon: Epsilon) -> int:
    """Return the sign of a + b·e^ε for integers: decided, as in `ExpLinear.sign`.

    >>> sign_of(3, -1, Fraction(1)), sign_of(2, -1, Fraction(1))
    (1, -1)
    """
    if (a >= 0 and b >= 0) or (a <= 0 and b <= 0):
        return ((a > 0) - (a < 0)) or ((b > 0) - (b < 0))
    bits = 64
    while True:
        lo, hi, scale = integer_enclosure(epsilon, bits)
        low, high = a * scale + b * lo, a * scale + b * hi
        if lo == hi or (low > 0 and high > 0) or (low < 0 and high < 0):
            return (low > 0) - (low < 0)
        bits *= 2


def signs(epsilon: Epsilon | None) -> Sign:
    """Return what `sign_of` is at one ε, its first enclosure at hand; without an ε that of a."""
    if epsilon is None:
        return lambda a, b: (a > 0) - (a < 0)
    lo, hi, scale = integer_enclosure(epsilon, 64)

    def sign(a: int, b: int) -> int:
        low, high = a * scale + b * lo, a * scale + b * hi
        if low > 0 < high:
            return 1
        return -1 if low < 0 > high else sign_of(a, b, epsilon)

    return sign


class Wins:
    """Whether a transcript wins: what the filter remembers, the likelihoods under x and x′."""

    def __init__(self, wins: Callable[[Hashable, int, int], bool]) -> None:
        self.wins = wins

    def collected(self, branch: Branch, place: Place, x: int, x_: int) -> Part:
        """Return what the transcripts that end with this branch are worth, times `below`."""
        m, m_ = place.mass[x], place.mass[x_]
        won = [
            row
            for row, state in zip(branch.ends, branch.states, strict=True)
            if row[x] and self.wins(state, m * row[x], m_ * row[x_])
        ]
        return m * sum([row[x] for row in won]), -m_ * sum([row[x_] for row in won])


class Exceeding(Wins):
    """Whether w > e^ε·w′, whatever the state; the first enclosure of e^ε at hand."""

    def __init__(self, epsilon: Epsilon) -> None:
        self.sign = signs(epsilon)
        self.lo, self.hi, self.scale = integer_enclosure(epsilon, 64)
        super().__init__(lambda state, w, w_: self.sign(w, -w_) > 0)

    def collected(self, branch: Branch, place: Place, x: int, x_: int) -> Part:
        """Return the same, the likelihoods of the place multiplied once."""
        m, m_ = place.mass[x], place.mass[x_]
        up, low, high = m * self.scale, m_ * self.lo, m_ * self.hi
        a = b = 0
        for row in branch.ends:
            p, q = row[x], row[x_]
            if (w := up * p) > low * q and (w > high * q or self.sign(m * p, -m_ * q) > 0):
                a, b = a + p, b + q
        return m * a, -m_ * b


@dataclass(frozen=True)
class Valuation:
    """The value of each place for one ordered pair, and the branch chosen there, if any.

    Without an ε only a counts: the probability under x, whatever x′ makes of the event.
    """

    pair: Pair
    epsilon: Epsilon | None
    values: dict[Place, Value]
    chosen: dict[Place, Branch]
    first: Value

    def number(self) -> ExpLinear:
        """Return the value of the game."""
        a, b, below = (int(part) for part in self.first)
        if self.epsilon is None:
            return ExpLinear(Fraction(a, below), 0, Fraction(0))
        return ExpLinear(Fraction(a, below), Fraction(b, below), self.epsilon)


def evaluate(
    graph: Graph, pair: Pair, epsilon: Epsilon | None, wins: Wins, may_stop: bool = True
) -> Valuation:
    """Value every place, children first; the adversary stops where nothing beats stopping."""
    x, x_ = (graph.game.databases.index(name) for name in pair)
    values: dict[Place, Value] = {}
    chosen: dict[Place, Branch] = {}
    sign = signs(epsilon)
    for place in reversed(graph.order):
        w, w_ = place.mass[x], place.mass[x_]
        if not w:
            continue
        best, stop = None, (w, -w_, 1) if wins.wins(place.state, w, w_) else NOTHING
        value = stop
        for branch in place.branches:
            halts = branch.decision is Decision.HALT
            worth = stop if halts else _worth(branch, place, values, wins, x, x_)
            if (best is None and not may_stop) or (worth[0] and compare(worth, value, sign) > 0):
                best, value = branch, worth
        values[place] = value
        if best is not None:
            chosen[place] = best
    first = values[graph.first] if graph.first else NOTHING
    return Valuation(pair, epsilon, values, chosen, first)


def _worth(
    branch: Branch, place: Place, values: dict[Place, Value], wins: Wins, x: int, x_: int
) -> Value:
    a, b = wins.collected(branch, place, x, x_) if branch.ends else (0, 0)
    if not branch.after:
        return a, b, branch.below
    parts = [(a, b, 1)] if a else []
    for _, weight, there in branch.after:
        a, b, below = values.get(there, NOTHING)
        if a:
            parts.append((a * weight, b * weight, below))
    return _total(parts, branch.below)


def _total(ends: list[Value], below: int) -> Value:
    if not ends:
        return NOTHING
    if len(ends) == 1:
        a, b, common = ends[0]
        return a, b, below * common
    common = lcm(*(end[2] for end in ends))
    a = sum(end[0] * (common // end[2]) for end in ends)
    b = sum(end[1] * (common // end[2]) for end in ends)
    return a, b, below * common


def compare(one: Value, other: Value, sign: Sign) -> int:
    """Return the sign of one - other."""
    a, b, below = one
    a_, b_, below_ = other
    if below == below_:
        return sign(a - a_, b - b_)
    return sign(a * below_ - a_ * below, b * below_ - b_ * below)


def worst_of(valuations: list[Valuation]) -> Valuation:
    """Return the valuation with the largest value, the first one among equals."""
    worst, sign = valuations[0], signs(valuations[0].epsilon)
    for other in valuations[1:]:
        if compare(other.first, worst.first, sign) > 0:
            worst = other
    return worst


@dataclass(frozen=True)
class PositionAnalysis:
    """One filter on one game, valued place by place for every ordered pair."""

    graph: Graph
    epsilon: Epsilon

    @cached_property
    def worst(self) -> Valuation:
        """The valuation for the worst pair."""
        game = self.graph.game
        if game.promises:
            return self.worst_promise()
        wins = Exceeding(self.epsilon)
        return worst_of([evaluate(self.graph, pair, self.epsilon, wins) for pair in game.pairs])

    def worst_promise(self) -> Valuation:
        """Return the valuation of a pair whose own promise is broken, if there is any."""
        promises = self.graph.game.promises
        found = [
            evaluate(self.graph, pair, own.epsilon, Exceeding(own.epsilon))
            for pair, own in promises.items()
        ]
        return found[most_broken([one.number() for one in found], promises.values())]

    def worst_case(self) -> WorstCase:
        """Return the worst pair, its value, and the play that attains it."""
        assert self.worst.epsilon is not None  # it was valued at one
        return write_down(self.graph, self.worst, Exceeding(self.worst.epsilon))


def write_down(
    graph: Graph,
    valuation: Valuation,
    wins: Wins,
    report: Callable[[Hashable], Any] | None = None,
) -> WorstCase:
    """Return the turns under the best adversary, each merged place once, and its event.

    `report` returns what an odometer reports in a state.
    """
    turns: list[Turn] = []
    event: list[tuple[int, Output]] = []
    x, x_ = (graph.game.databases.index(name) for name in valuation.pair)
    number = _numbers(graph, valuation.chosen)
    for place in number:
        branch = valuation.chosen[place]
        found = list(_outcomes(place, branch))
        then = {one.output: number.get(one.place) if one.place else None for one in found}
        reported = {one.output: report(one.state) for one in found} if report else {}
        what = place.node.id, place.state, branch.request, branch.decision
        turns.append(Turn(*what, then, reported))
        for y, _, state, mass in found:
            if then[y] is None and mass[x] and wins.wins(state, mass[x], mass[x_]):
                event.append((len(turns) - 1, y))
    a, b, below = (int(part) for part in valuation.first)
    masses = Fraction(a, below), Fraction(-b, below)
    return WorstCase(valuation.pair, valuation.number(), *masses, tuple(turns), tuple(event))


class _Outcome(NamedTuple):
    """What an output leads to: a place, unless the transcript ends; likelihoods up to a factor."""

    output: Output
    place: Place | None
    state: Hashable
    mass: Mass


def _outcomes(place: Place, branch: Branch) -> Iterator[_Outcome]:
    """Yield what every output of a branch leads to, in the order of the law; "" is a refusal."""
    places = {y: there for y, _, there in branch.after}
    ends = iter(zip(branch.ends, branch.states, strict=True))
    outputs = places if "" in places else place.node[branch.request].law
    for y in outputs if branch.decision is not Decision.HALT else ():
        if there := places.get(y):
            yield _Outcome(y, there, there.state, there.mass)
        else:
            row, state = next(ends)
            mass = tuple([m * p for m, p in zip(place.mass, row, strict=True)])
            yield _Outcome(y, None, state, mass)


def _numbers(graph: Graph, chosen: dict[Place, Branch]) -> dict[Place, int]:
    """Number the places that the chosen adversary reaches, in the order of play."""
    reached: set[Hashable] = {graph.first}
    number: dict[Place, int] = {}
    for place in graph.order:
        if place in reached and place in chosen:
            number[place] = len(number)
            reached.update(end for _, _, end in chosen[place].after)
    return number
