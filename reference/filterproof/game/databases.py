"""The databases of a game and which of them are neighbours, checked at the door."""

from collections.abc import Iterable
from functools import lru_cache

from filterproof.game.law import Database, LawError, Pair, name


class GameError(LawError):
    """A tree of mechanisms that is no game."""


def checked_databases(databases: Iterable[Database]) -> tuple[Database, ...]:
    """Return the databases of a game: two or more, with different names."""
    found = tuple(name(x, "database") for x in databases)
    if len(set(found)) != len(found) or len(found) < 2:
        raise GameError(f"need two or more different databases; got {found}")
    return found


@lru_cache(maxsize=64)
def checked_pairs(neighbours: tuple[Pair, ...], databases: tuple[str, ...]) -> tuple[Pair, ...]:
    """Return all ordered pairs of the symmetric closure, in the order of the databases."""
    related: set[Pair] = set()
    for x, x_ in neighbours:
        if x == x_:
            raise GameError(f"a database is not its own neighbour; got ({x!r}, {x_!r})")
        if unknown := {x, x_} - set(databases):
            raise GameError(f"unknown database {sorted(unknown)} among the neighbours")
        related |= {(x, x_), (x_, x)}
    if not related:
        raise GameError("need at least one pair of neighbours")
    return tuple((x, x_) for x in databases for x_ in databases if (x, x_) in related)
