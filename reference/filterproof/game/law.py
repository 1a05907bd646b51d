"""The law of one mechanism on finite outputs, and its privacy profile at rational odds.

`law[y][x]` is P_x(y), a `Fraction`.  A privacy parameter ε_i is carried as *odds*, the rational
number e^ε_i, so that sums of ε_i are products of rationals and nothing is ever rounded.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cmp_to_key
from math import lcm
from types import MappingProxyType
from typing import NamedTuple

from filterproof.exact import ExactError, Log, rational

Output = str
Database = str
Pair = tuple[Database, Database]
Law = Mapping[Output, Mapping[Database, Fraction]]
Whole = tuple[int, tuple[tuple[int, ...], ...]]
"""A law in integers: a common denominator, and per output the numerators, one per database."""
Ratios = list[tuple[int, int]]
Numbers = dict[tuple[int, int], Fraction]
"""Probabilities by numerator and denominator, each one object."""


class LawError(ExactError):
    """A table of probabilities that is no mechanism."""


class Declared(NamedTuple):
    """A true statement about a mechanism: it is (log odds, delta)-DP."""

    odds: Fraction
    delta: Fraction

    @property
    def epsilon(self) -> Log:
        """The log of the odds; `float` makes a double of it.

        >>> Declared(Fraction(3, 2), Fraction(0)).epsilon
        Log(argument=Fraction(3, 2))
        """
        return Log(self.odds)


def checked_law(
    law: Mapping[Output, Mapping[Database, object]],
    databases: tuple[str, ...],
    numbers: Numbers | None = None,
) -> tuple[Law, Whole]:
    """Return a frozen copy of a law after checking every rule it must obey, and its integers.

    Where `numbers` are given, a probability that equals one of them is that one.
    """
    if not law:
        raise LawError("need at least one output; got an empty law")
    wanted = frozenset(databases)
    rows: dict[Output, Mapping[Database, Fraction]] = {}
    parts: list[Ratios] = []
    for y, row in law.items():
        rows[name(y, "output")], ratios = _checked_row(y, row, databases, wanted, numbers)
        parts.append(ratios)
    below, whole = _over_common(parts)
    for x, total in zip(databases, map(sum, zip(*whole, strict=True)), strict=True):
        if total != below:
            got = Fraction(total, below)
            raise LawError(f"P_{x} must sum to 1 over the outputs {[*rows]}; got {got}")
    return MappingProxyType(rows), (below, whole)


def _checked_row(
    y: Output,
    row: object,
    databases: tuple[str, ...],
    wanted: frozenset[str],
    numbers: Numbers | None,
) -> tuple[Mapping[Database, Fraction], Ratios]:
    if not isinstance(row, Mapping) or row.keys() != wanted:
        found = sorted(row) if isinstance(row, Mapping) else row
        raise LawError(f"output {y!r} needs one probability per database {databases}; got {found}")
    exact = {x: rational(row[x]) for x in databases}
    ratios = [p.as_integer_ratio() for p in exact.values()]
    above = [n for n, _ in ratios]
    if min(above) < 0:
        x, p = next((x, p) for x, p in exact.items() if p < 0)
        raise LawError(f"need P_{x}({y}) >= 0; got {p}")
    if not any(above):
        raise LawError(f"output {y!r} has probability 0 under every database: leave it out")
    if numbers is not None:
        exact = {x: numbers.setdefault(n, exact[x]) for x, n in zip(databases, ratios, strict=True)}
    return MappingProxyType(exact), ratios


def whole_law(law: Law, databases: Iterable[Database]) -> Whole:
    """Return a law as integers over its least common denominator, so equal laws are equal.

    >>> whole_law({"h": {"a": Fraction(1, 2), "b": Fraction(1, 3)}}, ["a", "b"])
    (6, ((3, 2),))
    """
    names = [*databases]
    return _over_common([[row[x].as_integer_ratio() for x in names] for row in law.values()])


def _over_common(parts: list[Ratios]) -> Whole:
    """Return rows of ratios as integers over their least common denominator, and that."""
    below = lcm(*[d for row in parts for _, d in row])
    return below, tuple([tuple([n * (below // d) for n, d in row]) for row in parts])


def name(value: object, what: str) -> str:
    """Return a non-empty string that can be printed, or say which kind of name is wrong."""
    if isinstance(value, str) and value and value.isprintable():
        return value
    raise LawError(f"a {what} must be a non-empty printable string; got {value!r:.200}")


def profile(law: Law, pair: Pair, odds: Fraction) -> Fraction:
    """Return δ(ε) at e^ε = odds: the sum over y of max(0, P_x(y) - odds·P_x′(y)).

    >>> rr = {"0": {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    ...       "1": {"a": Fraction(1, 4), "b": Fraction(3, 4)}}
    >>> profile(rr, ("a", "b"), Fraction(2))
    Fraction(1, 4)
    """
    x, x_ = pair
    return sum((max(Fraction(0), row[x] - odds * row[x_]) for row in law.values()), Fraction(0))


def odds_at(law: Law, pair: Pair, delta: Fraction) -> Fraction | None:
    """Return the smallest odds >= 1 whose profile is at most delta; None if no finite ones are.

    The profile is convex, decreasing and linear between the ratios P_x(y)/P_x′(y): walk the
    ratios downwards until it passes delta, then solve the linear piece.
    """
    below, rows = whole_law(law, pair)
    limit = Fraction(delta) * below
    scale = limit.denominator
    found = _odds([(p * scale, q * scale) for p, q in rows], limit.numerator)
    return None if found is None else Fraction(*found)


def _odds(rows: list[tuple[int, int]], delta: int) -> tuple[int, int] | None:
    """Return the odds of `odds_at` as a ratio; probabilities and delta are whole, on one scale."""
    above, above_ = sum([p for p, q in rows if not q]), 0  # mass of the outputs above the piece
    if above > delta:
        return None
    finite = sorted([row for row in rows if row[1]], key=cmp_to_key(_by_ratio), reverse=True)
    for p, q in finite:
        if above * q - p * above_ > delta * q or p <= q:
            break
        above, above_ = above + p, above_ + q
    least = above - delta
    return (least, above_) if least > above_ else (1, 1)


def _by_ratio(one: tuple[int, int], other: tuple[int, int]) -> int:
    return one[0] * other[1] - other[0] * one[1]


def tightest(law: Law, pairs: Iterable[Pair]) -> Declared:
    """Return the least delta that some finite odds attain, and the least such odds, over all pairs.

    >>> erasure = {"0": {"a": Fraction(1, 10), "b": Fraction(0)},
    ...            "1": {"a": Fraction(0), "b": Fraction(1, 10)},
    ...            "?": {"a": Fraction(9, 10), "b": Fraction(9, 10)}}
    >>> tightest(erasure, [("a", "b"), ("b", "a")])
    Declared(odds=Fraction(1, 1), delta=Fraction(1, 10))
    """
    names = {x: i for i, x in enumerate(next(iter(law.values())))}
    below, whole = whole_law(law, names)
    columns = [*zip(*whole, strict=True)]
    sides = [[*zip(columns[names[x]], columns[names[x_]], strict=True)] for x, x_ in pairs]
    delta = max([sum([p for p, q in rows if not q]) for rows in sides])
    odds = [found for rows in sides if (found := _odds(rows, delta)) is not None]
    return Declared(Fraction(*max(odds, key=cmp_to_key(_by_ratio))), Fraction(delta, below))


def check_declared(declared: Declared, law: Law, pairs: Iterable[Pair]) -> Declared:
    """Return the pair after checking that it is true of the law, for every ordered pair."""
    odds, delta = rational(declared[0]), rational(declared[1])
    if odds < 1 or not 0 <= delta <= 1:
        raise LawError(f"need odds >= 1 and 0 <= delta <= 1; declared {odds=!s}, {delta=!s}")
    for pair in pairs:
        if (true := profile(law, pair, odds)) > delta:
            raise LawError(
                f"declared delta {delta} at odds {odds} is false for {pair}: it is {true}"
            )
    return Declared(odds, delta)
