"""A game's mechanisms as arrays: what the level-by-level engine multiplies with.

All that depends on a mechanism and not on the history is worked out once, exactly, and only then
rounded: each float here is a correctly rounded rational.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import frexp, gcd

import numpy as np
import numpy.typing as npt

from filterproof.engine.ratios import coprime_base, exponents
from filterproof.game import Game, Mechanism, Menu, Request, node_after
from filterproof.game.law import Output

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

WIDE = 200
"""Ratios outside 2^-WIDE .. 2^WIDE are carried with a separate binary exponent."""


@dataclass(frozen=True)
class Table:
    """One mechanism: rows are its outputs in order.

    `ratio[k] · 2^power[k]` is P_x′(y)/P_x(y) for the k-th ordered pair (x, x′); it is 1 where x
    rules y out, and then it is never used.
    """

    number: int
    offset: int  # how many rows the tables before this one have
    request: Request
    kind: int  # equal for equal laws
    outputs: tuple[Output, ...]
    nodes: tuple[Menu, ...]
    below: int
    whole: tuple[tuple[int, ...], ...]
    supports: tuple[int, ...]
    chance: Floats  # chance[x, y], rounded
    ratio: Floats
    power: Ints


class Tables:
    """The tables of one game, made when they are first needed."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.pairs = [tuple(game.databases.index(x) for x in pair) for pair in game.pairs]
        self.starts = sum(1 << x for x in {x for x, _ in self.pairs})
        self.by_request: dict[tuple[int, Request], Table] = {}
        self.all: list[Table] = []
        self.rows: list[tuple[Table, int]] = []
        self.kinds: dict[tuple[tuple[int, ...], ...], int] = {}

    def of(self, node: Menu, request: Request) -> Table:
        """Return the table of one request of a menu of this game."""
        found = self.by_request.get((node.id, request))
        if found is None:
            found = self._make(request, node[request])
            self.by_request[node.id, request] = found
            self.all.append(found)
            self.rows += [(found, y) for y in range(len(found.outputs))]
        return found

    def every(self) -> list[Table]:
        """Return all tables of the game, made if they were not."""
        for node in self.game.nodes:
            for request in node:
                self.of(node, request)
        return self.all

    def _make(self, request: Request, mechanism: Mechanism) -> Table:
        below, whole = mechanism.whole
        ratios = [[_ratio_as_double(row, pair) for row in whole] for pair in self.pairs]
        columns = [[row[x] / below for row in whole] for x in range(len(self.game.databases))]
        return Table(
            len(self.all),
            len(self.rows),
            request,
            self.kinds.setdefault(tuple(whole), len(self.kinds)),
            tuple(mechanism.law),
            tuple(node_after(mechanism, y) for y in mechanism.law),
            below,
            tuple(whole),
            tuple(sum(1 << x for x, n in enumerate(row) if n) for row in whole),
            np.array(columns),
            np.array([[mantissa for mantissa, _ in row] for row in ratios]),
            np.array([[exponent for _, exponent in row] for row in ratios], dtype=np.int64),
        )

    @cached_property
    def base(self) -> list[int]:
        """A coprime base of every likelihood ratio in the game."""
        return coprime_base({n for row in self._reduced_rows() for n in row})

    @cached_property
    def vectors(self) -> Ints:
        """Per row of the tables and per database, the exponents of P_x(y) up to a factor."""
        rows = [_in_lowest_terms(row) for table in self.every() for row in table.whole]
        known = {n: exponents(n, self.base) for row in rows for n in row if n}
        known[0] = [0] * len(self.base)
        found = np.array([[known[n] for n in row] for row in rows], dtype=np.int64)
        return found.reshape(len(rows), len(self.game.databases), len(self.base))

    @cached_property
    def hashes(self) -> Hashes:
        """Per row and database, a linear hash of the exponents, wrapping at 2^64.

        A collision is noticed and resolved when positions are merged, so it decides nothing.
        """
        drawn = np.random.default_rng(2025).integers(0, 2**63, len(self.base))
        odd = drawn.astype(np.uint64) * np.uint64(2) + np.uint64(1)
        found: Hashes = (self.vectors.astype(np.uint64) * odd).sum(axis=2)
        return found

    def _reduced_rows(self) -> Iterator[tuple[int, ...]]:
        return (_in_lowest_terms(row) for table in self.every() for row in table.whole)


def _in_lowest_terms(row: tuple[int, ...]) -> tuple[int, ...]:
    common = gcd(*row)
    return tuple(n // common for n in row)


def _ratio_as_double(row: tuple[int, ...], pair: tuple[int, ...]) -> tuple[float, int]:
    x, x_ = pair
    if not row[x]:
        return 1.0, 0
    return mantissa_exponent(Fraction(row[x_], row[x]))


def mantissa_exponent(value: Fraction) -> tuple[float, int]:
    """Return a correctly rounded (m, e) with m·2^e near the value; e is 0 unless it is needed.

    >>> mantissa_exponent(Fraction(3, 4)), mantissa_exponent(Fraction(3, 2**500))
    ((0.75, 0), (0.75, -498))
    """
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value == 0 or abs(exponent) < WIDE - 1:
        return float(value), 0
    mantissa, rest = frexp(value / Fraction(2) ** exponent)
    return mantissa, exponent + rest
