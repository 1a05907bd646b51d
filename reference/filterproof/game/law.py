"""The law of one mechanism on finite outputs, and its privacy profile at rational odds.

`law[y][x]` is P_x(y), a `Fraction`.  A privacy parameter ε_i is carried as *odds*, the rational
number e^ε_i, so that sums of ε_i are products of rationals and nothing is ever rounded.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from filterproof.exact import ExactError, rational

Output = str
Database = str
Pair = tuple[Database, Database]
Law = Mapping[Output, Mapping[Database, Fraction]]


class LawError(ExactError):
    """A table of probabilities that is no mechanism."""


class Declared(NamedTuple):
    """A true statement about a mechanism: it is (log odds, delta)-DP."""

    odds: Fraction
    delta: Fraction


def checked_law(law: Mapping[Output, Mapping[Database, object]], databases: tuple[str, ...]) -> Law:
    """Return a frozen copy of a law after checking every rule it must obey."""
    if not law:
        raise LawError("need at least one output; got an empty law")
    rows = {name(y, "output"): _checked_row(y, row, databases) for y, row in law.items()}
    for x in databases:
        if (total := sum(row[x] for row in rows.values())) != 1:
            raise LawError(f"P_{x} must sum to 1 over the outputs {[*rows]}; got {total}")
    return MappingProxyType(rows)


def _checked_row(y: Output, row: object, databases: tuple[str, ...]) -> Mapping[Database, Fraction]:
    if not isinstance(row, Mapping) or set(row) != set(databases):
        found = sorted(row) if isinstance(row, Mapping) else row
        raise LawError(f"output {y!r} needs one probability per database {databases}; got {found}")
    exact = {x: rational(row[x]) for x in databases}
    for x, p in exact.items():
        if p < 0:
            raise LawError(f"need P_{x}({y}) >= 0; got {p}")
    if not any(exact.values()):
        raise LawError(f"output {y!r} has probability 0 under every database: leave it out")
    return MappingProxyType(exact)


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
    x, x_ = pair
    impossible = sum((row[x] for row in law.values() if row[x_] == 0), Fraction(0))
    if impossible > delta:
        return None
    ratios = sorted((row[x] / row[x_], row[x], row[x_]) for row in law.values() if row[x_])
    above_x, above_x_ = impossible, Fraction(0)  # mass of the outputs above the current piece
    for ratio, p, q in reversed(ratios):
        if above_x - ratio * above_x_ > delta or ratio <= 1:
            break
        above_x, above_x_ = above_x + p, above_x_ + q
    if above_x_ == 0:
        return Fraction(1)
    return max(Fraction(1), (above_x - delta) / above_x_)


def tightest(law: Law, pairs: Iterable[Pair]) -> Declared:
    """Return the least delta that some finite odds attain, and the least such odds, over all pairs.

    >>> erasure = {"0": {"a": Fraction(1, 10), "b": Fraction(0)},
    ...            "1": {"a": Fraction(0), "b": Fraction(1, 10)},
    ...            "?": {"a": Fraction(9, 10), "b": Fraction(9, 10)}}
    >>> tightest(erasure, [("a", "b"), ("b", "a")])
    Declared(odds=Fraction(1, 1), delta=Fraction(1, 10))
    """
    pairs = list(pairs)
    delta = max(
        sum((row[x] for row in law.values() if row[x_] == 0), Fraction(0)) for x, x_ in pairs
    )
    odds = (odds_at(law, pair, delta) for pair in pairs)
    return Declared(max(o for o in odds if o is not None), delta)


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
