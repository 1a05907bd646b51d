"""Positions level by level, as arrays: the graph of `graph`, for games with very many positions.

A *level* is one round and one number of requests refused in it.  Per ordered pair (x, x′) a
position carries one float, the tilt  e^ε·w_x′/w_x; exact likelihoods are not stored but multiplied
up along the path where they are needed (`Levels.mass`).
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import Any

import numpy as np

from filterproof.engine.by_position.graph import Mass
from filterproof.engine.by_round.tables import WIDE, Floats, Ints, Table, Tables
from filterproof.filter import Decision
from filterproof.game import History, Request

Rows = Ints | slice


@dataclass(eq=False)
class Block:
    """Positions with the same menu, state and support that get the same answer to one request.

    `ends` are the outputs after which the transcript is over, `goes` the others.  The position
    after output goes[c] from the j-th of `rows` has number child[c, j] in level `to`.
    """

    request: Request
    decision: Decision
    table: Table | None  # None after REFUSE
    support: int
    rows: Rows
    size: int
    ends: list[int]
    goes: list[int]
    to: int = -1
    child: Rows = field(default_factory=lambda: slice(0, 0))

    def after(self, values: Any) -> Any:
        """Return values of level `to` as an array [output, row]."""
        if isinstance(self.child, slice):
            return values[self.child].reshape(len(self.goes), self.size)
        return values[self.child]

    def children(self) -> Ints:
        """Return the numbers in level `to` as an array [output, row]."""
        if isinstance(self.child, slice):
            numbers = np.arange(self.child.start, self.child.stop)
            return numbers.reshape(len(self.goes), self.size)
        return self.child

    def places(self) -> Ints:
        """Return the numbers of the rows."""
        return np.arange(self.size) if isinstance(self.rows, slice) else self.rows


@dataclass(eq=False)
class Level:
    """All positions of one round with one number of refused requests.

    `tilt[k] · 2^power[k]` is the rounded tilt for the k-th ordered pair.  Position j came by row
    `edge[j]` of the tables from position `parent[j]` of level `origin[j]`; after REFUSE edge is -1.
    """

    number: int
    index: int
    node: Ints
    state: Ints
    support: Ints
    refused: Ints
    tilt: Floats
    power: Ints | None
    origin: Ints
    parent: Ints
    edge: Ints
    blocks: list[Block] = field(default_factory=list)
    masses: dict[int, Mass] = field(default_factory=dict)
    below: int = 1  # a common denominator of all probabilities from here on

    @property
    def size(self) -> int:
        """The number of positions."""
        return len(self.node)

    def tilts(self, k: int) -> Floats:
        """Return the tilts for pair k; one beyond the range of floats is 0 or infinite."""
        mantissa: Floats = self.tilt[k]
        if self.power is None:
            return mantissa
        return join_parts(mantissa, self.power[k])

    def products(self, k: int, rows: Rows, table: Table, outputs: list[int]) -> Floats:
        """Return the tilt after each of these outputs, as an array [output, row]."""
        product: Floats = np.multiply.outer(table.ratio[k][outputs], self.tilt[k][rows])
        if self.power is None and not table.power[k].any():
            return product
        power = np.zeros(self.size, np.int64) if self.power is None else self.power[k]
        return join_parts(product, np.add.outer(table.power[k][outputs], power[rows]))


@dataclass(eq=False)
class Levels:
    """Every level in the order of play, and what their numbers stand for."""

    tables: Tables
    all: list[Level] = field(default_factory=list)
    states: list[Hashable] = field(default_factory=list)
    refusals: list[frozenset[Request]] = field(default_factory=lambda: [frozenset()])

    def set_denominators(self) -> None:
        """Give every level a common denominator of all conditional probabilities from there on."""
        for level in reversed(self.all):
            level.below = lcm(*(self._denominator(block) for block in level.blocks))

    def _denominator(self, block: Block) -> int:
        after = self.all[block.to].below if block.goes else 1
        return after if block.table is None else after * block.table.below

    def mass(self, level: Level, position: int) -> Mass:
        """Return the exact likelihoods at a position, as coprime integers."""
        path = []
        while position not in level.masses and level.number:
            path.append((level, position))
            level, position = self.all[level.origin[position]], int(level.parent[position])
        mass = level.masses.get(position, (1,) * len(self.tables.game.databases))
        for level, position in reversed(path):
            mass = self._after(mass, int(level.edge[position]))
            level.masses[position] = mass
        return mass

    def _after(self, mass: Mass, edge: int) -> Mass:
        if edge < 0:
            return mass
        table, y = self.tables.rows[edge]
        product = [m * p for m, p in zip(mass, table.whole[y], strict=True)]
        common = gcd(*product) or 1
        return tuple(m // common for m in product)

    def history(self, level: Level, position: int) -> History:
        """Return the released (request, output) pairs on the way to a position."""
        found = []
        while level.number:
            if (edge := int(level.edge[position])) >= 0:
                table, y = self.tables.rows[edge]
                found.append((table.request, table.outputs[y]))
            level, position = self.all[level.origin[position]], int(level.parent[position])
        return tuple(reversed(found))


def split_exponents(tilt: Floats, power: Ints | None) -> tuple[Floats, Ints | None]:
    """Return the same tilts, with binary exponents split off once any of them runs away."""
    if power is None:
        low, high = 2.0**-WIDE, 2.0**WIDE
        if not ((tilt > high) | ((tilt < low) & (tilt > 0))).any():
            return tilt, None
        power = np.zeros(tilt.shape, np.int64)
    mantissa, exponent = np.frexp(tilt)
    return mantissa, power + exponent


def join_parts(mantissa: Floats, power: Ints) -> Floats:
    """Return mantissa·2^power; what leaves the range of doubles becomes 0 or infinite."""
    with np.errstate(over="ignore"):
        found: Floats = np.ldexp(mantissa, power)
    return found
