"""What laws and declared pairs of the games are made from, besides `filterproof.game.rows`."""

from collections.abc import Sequence
from fractions import Fraction

from filterproof.game.law import Database, Declared, Law, Pair
from filterproof.game.rows import NONE, Rows, response
from filterproof.privacy import tight_delta, tight_odds


def mixture(d: Fraction, p: Fraction) -> Rows:
    """The database openly with probability d, else randomised response."""
    hidden = {f"{y}~": tuple(v * (1 - d) for v in row) for y, row in response(p).items()}
    return {"0": (d, NONE), "1": (NONE, d), **hidden}


def mirror(rows: Rows) -> Rows:
    """The same mechanism with the two databases exchanged."""
    return {y: row[::-1] for y, row in rows.items()}


def spread(rows: Rows, databases: Sequence[Database], sides: Sequence[int]) -> Law:
    """Return the law in which database i behaves like column sides[i] of the rows."""
    law = {y: {x: row[s] for x, s in zip(databases, sides, strict=True)} for y, row in rows.items()}
    return {y: row for y, row in law.items() if any(row.values())}


def declared_at_odds(law: Law, pairs: Sequence[Pair], odds: Fraction) -> Declared:
    """Return the statement with these odds and the smallest delta that is true for them."""
    return Declared(odds, tight_delta(law, pairs, odds))


def declared_at_delta(law: Law, pairs: Sequence[Pair], delta: Fraction) -> Declared | None:
    """Return the statement with this delta and the smallest odds, if finite ones exist."""
    odds = tight_odds(law, pairs, delta)
    return None if odds is None else Declared(odds, delta)
