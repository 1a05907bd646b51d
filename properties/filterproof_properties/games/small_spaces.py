"""Every game of a stated small size, up to symmetry: what survives this is proved for the size.

A `Bound` fixes two databases, how many rounds, outputs and requests there may be, and the only
values that a probability may take.  Games that differ in the names of outputs or requests, or by
exchanging the databases, are played once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any

from filterproof.game import Game, Mechanism

RowPair = tuple[Fraction, Fraction]
Node = tuple[Any, ...]
"""A menu as a sorted tuple of rounds; a round is a sorted tuple of (row, menu after it)."""


@dataclass(frozen=True)
class Bound:
    """The size of a space of games; `requests` bounds every menu but the first, which has one."""

    rounds: int
    outputs: int
    requests: int
    values: tuple[Fraction, ...]

    def __str__(self) -> str:
        values = ", ".join(map(str, self.values))
        return (
            f"2 databases, at most {self.rounds} rounds, {self.outputs} outputs a round, "
            f"{self.requests} later requests a round, probabilities in {{{values}}}"
        )


def bounds_at(delta: Fraction) -> tuple[Bound, ...]:
    """Return the spaces that are searched in full at this δ: few requests, or few values."""
    half = Fraction(1, 2)
    simple = (Fraction(0), half, Fraction(1))
    around = tuple(sorted({*simple, delta, 1 - delta}))
    return Bound(2, 2, 2, simple), Bound(2, 2, 1, around)


def laws(bound: Bound) -> list[tuple[RowPair, ...]]:
    """Return every law with these values, as sorted rows without impossible outputs.

    >>> len(laws(Bound(1, 2, 1, (Fraction(0), Fraction(1, 2), Fraction(1)))))
    5
    """
    choices = product(bound.values, repeat=bound.outputs)
    columns = [column for column in choices if sum(column) == 1]
    found = {
        tuple(sorted(row for row in zip(one, other, strict=True) if any(row)))
        for one in columns
        for other in columns
    }
    return sorted(found)


def rounds_of(bound: Bound, menus: list[Node]) -> Iterator[Node]:
    """Yield every round: a law, and after each output one of the menus."""
    for law in laws(bound):
        seen = set()
        for after in product(menus, repeat=len(law)):
            one = tuple(sorted(zip(law, after, strict=True)))
            if one not in seen:
                seen.add(one)
                yield one


def spaces(bound: Bound) -> Iterator[Node]:
    """Yield every first round of the space, one of each pair that exchanges the databases."""
    menus: list[Node] = [()]
    for _ in range(bound.rounds - 1):
        single = sorted(rounds_of(bound, menus))
        menus = [()]
        for count in range(1, bound.requests + 1):
            menus += combinations(single, count)
    for one in rounds_of(bound, menus):
        if one <= exchange(one):
            yield one


def exchange(one: Node) -> Node:
    """Return the round with the two databases exchanged."""
    return tuple(sorted((row[::-1], tuple(sorted(map(exchange, menu)))) for row, menu in one))


def mechanism_of(one: Node) -> Mechanism:
    """Return the round as a mechanism; outputs and requests are numbered."""
    law = {str(i): {"0": row[0], "1": row[1]} for i, (row, _) in enumerate(one)}
    after = {
        str(i): {str(r): mechanism_of(ahead) for r, ahead in enumerate(menu)}
        for i, (_, menu) in enumerate(one)
    }
    return Mechanism(law, after)


@lru_cache(maxsize=4)
def every_first_round(bound: Bound) -> tuple[Node, ...]:
    """Return every first round of the space; it is played part by part."""
    return tuple(spaces(bound))


def games_within(bound: Bound, part: int = 0, parts: int = 1) -> Iterator[Game]:
    """Yield the games of the space, or every `parts`-th one of them.

    >>> sum(1 for _ in games_within(Bound(1, 2, 1, (Fraction(0), Fraction(1, 2), Fraction(1)))))
    4
    """
    for one in islice(every_first_round(bound), part, None, parts):
        yield Game(("0", "1"), [("0", "1")], {"0": mechanism_of(one)})
