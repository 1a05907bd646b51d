"""The law of one mechanism on finite outputs, and its privacy profile at rational odds.

`law[y][x]` is P_x(y), a `Fraction`.  A privacy parameter ε_i is carried as *odds*, the rational
number e^ε_i, so that sums of ε_i are products of rationals and nothing is ever rounded.
"""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from fractions import Fraction
from functools import cmp_to_key
from math import lcm
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from filterproof.exact import ExactError, Log, rational

Output = str
Database = str
Pair = tuple[Database, Database]
Law = Mapping[Output, Mapping[Database, Fraction]]
Whole = tuple[int, tuple[tuple[int, ...], ...]]
"""A law in integers: a common denominator, and per output the numerators, one per database."""
Ratios = list[tuple[int, int]]
Number = TypeVar("Number", int, Fraction)
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


class CheckedLaw(Mapping[Output, Mapping[Database, Fraction]]):
    """A law that obeys every rule, frozen, with its integers.

    Its rows are made when somebody looks at them.  A game takes it as it is.
    """

    __slots__ = ("_declared", "_exact", "_rows", "databases", "outputs", "whole")

    def __init__(
        self,
        outputs: tuple[Output, ...],
        databases: tuple[Database, ...],
        exact: list[Fraction],
        whole: Whole,
    ) -> None:
        self.outputs, self.databases, self.whole = outputs, databases, whole
        self._exact = tuple(exact)  # all rows in one
        self._rows: Law | None = None
        self._declared: tuple[tuple[Pair, ...], Declared] | None = None

    @property
    def rows(self) -> Law:
        """The same as a mapping of Python's own."""
        if self._rows is None:
            rows = [
                MappingProxyType(dict(zip(self.databases, row, strict=True)))
                for row in _in_rows(self._exact, len(self.databases))
            ]
            self._rows = MappingProxyType(dict(zip(self.outputs, rows, strict=True)))
        return self._rows

    def in_order(self) -> tuple[tuple[Output, ...], Whole]:
        """Return outputs in sorted order, and their integers: equal for equal laws."""
        order = sorted(self.outputs)
        if order == [*self.outputs]:
            return self.outputs, self.whole
        rows = dict(zip(self.outputs, self.whole[1], strict=True))
        return tuple(order), (self.whole[0], tuple([rows[y] for y in order]))

    def declared(self, pairs: tuple[Pair, ...]) -> Declared:
        """Return the tightest statement that holds for all the pairs, worked out once."""
        if self._declared is None or self._declared[0] != pairs:
            self._declared = pairs, tightest(self, pairs)
        return self._declared[1]

    def __getitem__(self, y: Output) -> Mapping[Database, Fraction]:
        return self.rows[y]

    def __iter__(self) -> Iterator[Output]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def keys(self) -> KeysView[Output]:
        """Return the outputs."""
        return self.rows.keys()

    def values(self) -> ValuesView[Mapping[Database, Fraction]]:
        """Return the rows."""
        return self.rows.values()

    def items(self) -> ItemsView[Output, Mapping[Database, Fraction]]:
        """Return the outputs with their rows."""
        return self.rows.items()

    def __repr__(self) -> str:
        return repr(self.rows)


def checked_law(
    law: Mapping[Output, Any],
    databases: tuple[Database, ...],
    numbers: Numbers | None = None,
) -> CheckedLaw:
    """Return a frozen copy of a law after checking every rule it must obey.

    Where `numbers` are given, a probability that equals one of them is that one.
    """
    if type(law) is CheckedLaw and law.databases == databases:
        return law
    if not law:
        raise LawError("need at least one output; got an empty law")
    exact = _probabilities(law, databases)
    ratios = [p.as_integer_ratio() for p in exact]
    whole = _over_common(ratios, len(databases))
    if numbers is not None:
        exact = [numbers.setdefault(n, p) for n, p in zip(ratios, exact, strict=True)]
    found = CheckedLaw(tuple(law), databases, exact, whole)
    _check_sizes(found)
    return found


def _probabilities(law: Mapping[Output, Any], databases: tuple[Database, ...]) -> list[Fraction]:
    """Return all rows in one, after checking that each has these databases."""
    wanted = frozenset(databases)
    for y, row in law.items():
        name(y, "output")
        if not (type(row) is dict or isinstance(row, Mapping)) or row.keys() != wanted:
            found = sorted(row) if isinstance(row, Mapping) else row
            need = f"needs one probability per database {databases}"
            raise LawError(f"output {y!r} {need}; got {found}")
    exact = [row[x] for row in law.values() for x in databases]
    return exact if {*map(type, exact)} == {Fraction} else [*map(rational, exact)]


def _check_sizes(law: CheckedLaw) -> None:
    """Refuse what is negative, never happens, or does not sum to 1."""
    below, rows = law.whole
    for y, row in zip(law.outputs, rows, strict=True):
        if (least := min(row)) < 0:
            x = law.databases[row.index(least)]
            raise LawError(f"need P_{x}({y}) >= 0; got {Fraction(least, below)}")
        if not any(row):
            raise LawError(f"output {y!r} has probability 0 under every database: leave it out")
    totals = [*map(sum, zip(*rows, strict=True))]
    if totals != [below] * len(totals):
        x, total = next(one for one in zip(law.databases, totals, strict=True) if one[1] != below)
        got = Fraction(total, below)
        raise LawError(f"P_{x} must sum to 1 over the outputs {[*law.outputs]}; got {got}")


def whole_law(law: Law, databases: Iterable[Database]) -> Whole:
    """Return a law as integers over its least common denominator, so equal laws are equal.

    >>> whole_law({"h": {"a": Fraction(1, 2), "b": Fraction(1, 3)}}, ["a", "b"])
    (6, ((3, 2),))
    """
    names = tuple(databases)
    if type(law) is CheckedLaw and law.databases == names:
        return law.whole
    ratios = [row[x].as_integer_ratio() for row in law.values() for x in names]
    return _over_common(ratios, len(names))


def _over_common(ratios: Ratios, columns: int) -> Whole:
    """Return ratios as integers over their least common denominator, in rows, and that."""
    below = lcm(*[d for _, d in ratios])
    return below, tuple(_in_rows([n * (below // d) for n, d in ratios], columns))


def _in_rows(flat: Iterable[Number], columns: int) -> Iterator[tuple[Number, ...]]:
    return zip(*[iter(flat)] * columns, strict=True)


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
    databases = law.databases if type(law) is CheckedLaw else next(iter(law.values()))
    names = {x: i for i, x in enumerate(databases)}
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
