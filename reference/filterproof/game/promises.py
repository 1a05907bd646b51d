"""What is promised to each ordered pair of databases, where it is not the same for all.

A filter is opened at one budget (ε, δ), and that is what it promises every pair of neighbours.  A
game may say otherwise: with *promises* each ordered pair (x, x′) has an (ε_p, δ_p) of its own, as
where people have personal budgets.  Then every pair of neighbours has one, and further pairs may:
those of databases that differ in several people, say (`group_promises`).  A pair's promise is kept
iff H of that pair at ε_p is at most δ_p, for every adversary.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from filterproof.exact import Epsilon, ExpLinear, Log, budget, exp_enclosure, rational
from filterproof.game.law import Database, LawError, Pair


class Promise(NamedTuple):
    """The pair (ε_p, δ_p) that one ordered pair of databases is promised."""

    epsilon: Epsilon
    delta: Fraction


Promises = Mapping[Pair, Promise]
NO_PROMISES: Promises = MappingProxyType({})


class PromiseError(LawError):
    """Promises that do not fit their game."""


def checked_promises(
    promises: Mapping[Pair, tuple[Epsilon, Fraction]],
    databases: tuple[Database, ...],
    neighbours: Iterable[Pair],
) -> Promises:
    """Return the promises in the order of the databases, each of them a budget."""
    if not promises:
        return NO_PROMISES
    for x, x_ in promises:
        if x == x_ or not {x, x_} <= {*databases}:
            raise PromiseError(f"a promise needs two different databases; got ({x!r}, {x_!r})")
    if missing := [pair for pair in neighbours if pair not in promises]:
        raise PromiseError(f"where pairs have promises, all neighbours need one: {missing[0]}")
    ordered = ((x, x_) for x in databases for x_ in databases if (x, x_) in promises)
    return MappingProxyType({pair: checked_promise(*promises[pair]) for pair in ordered})


def checked_promise(epsilon: Epsilon, delta: Fraction) -> Promise:
    """Return a promise whose ε and δ are in range."""
    if not 0 <= (exact := rational(delta)) <= 1:
        raise PromiseError(f"need 0 <= delta <= 1; a pair is promised delta = {delta}")
    return Promise(budget(epsilon), exact)


def most_broken(values: Iterable[ExpLinear], promises: Iterable[Promise]) -> int:
    """Return which pair to show: one whose value exceeds its δ_p, if there is one.

    Whether it does is decided; among several the choice goes by a rational enclosure of the excess,
    because values at different ε have no common unit to be compared in.
    """
    excesses = [value - own.delta for value, own in zip(values, promises, strict=True)]
    ranks = [(excess > 0, excess.enclosure()[0]) for excess in excesses]
    return max(range(len(ranks)), key=ranks.__getitem__)


# --- groups ---------------------------------------------------------------------------------


def group_promises(
    databases: Iterable[Database], neighbours: Iterable[Pair], epsilon: Epsilon, delta: Fraction
) -> dict[Pair, Promise]:
    """Return what (ε, δ) for neighbours promises to all pairs that neighbours connect.

    At distance k that is (k·ε, δ·(1 + e^ε + ... + e^((k-1)ε))); δ is rounded up to a multiple of
    2^-64 where that is irrational, and a pair for which it exceeds 1 is promised nothing.

    >>> found = group_promises("abc", [("a", "b"), ("b", "c")], Log(Fraction(2)), Fraction(1, 10))
    >>> found["a", "c"]
    Promise(epsilon=Log(argument=Fraction(4, 1)), delta=Fraction(3, 10))
    """
    known = [*databases]
    steps = distances(known, neighbours)
    found = {pair: group_promise(k, epsilon, delta) for pair, k in steps.items()}
    return {pair: promise for pair, promise in found.items() if promise.delta <= 1}


def group_promise(distance: int, epsilon: Epsilon, delta: Fraction) -> Promise:
    """Return what (ε, δ) for neighbours promises at a distance."""
    total = sum(_odds_up(times(k, epsilon)) for k in range(distance)) * delta
    return Promise(times(distance, epsilon), total)


def times(k: int, epsilon: Epsilon) -> Epsilon:
    """Return k·ε."""
    return Log(epsilon.argument**k) if isinstance(epsilon, Log) else k * epsilon


def _odds_up(epsilon: Epsilon) -> Fraction:
    """Return e^ε, rounded up to a multiple of 2^-64 where it is irrational."""
    low, high = exp_enclosure(epsilon, 96)
    return high if low == high else Fraction(-(-high * 2**64 // 1), 2**64)


def distances(databases: Iterable[Database], neighbours: Iterable[Pair]) -> dict[Pair, int]:
    """Return how many steps from neighbour to neighbour lead from x to x′, for connected pairs.

    >>> distances("abc", [("a", "b"), ("b", "c")])["a", "c"]
    2
    """
    beside: dict[Database, set[Database]] = {x: set() for x in databases}
    for x, x_ in neighbours:
        beside[x].add(x_)
        beside[x_].add(x)
    found: dict[Pair, int] = {}
    for x in beside:
        reached, edge, step = {x}, {x}, 0
        while edge:
            step += 1
            edge = set().union(*(beside[z] for z in edge)) - reached
            reached |= edge
            found |= {(x, z): step for z in sorted(edge)}
    return found
