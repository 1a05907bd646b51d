"""Exact probabilities of the winning event, in integers, for a strategy already chosen.

For each position and one ordered pair: P_x(S) and P_x′(S), given that the position is reached,
times the common denominator of its level.  They are 64-bit integers as long as that denominator
allows, and integers of any length above (gmpy2's, if it is installed: the same numbers, sooner).
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from filterproof.engine.by_position.integers import sign_of
from filterproof.engine.by_round.arrays import Block, Level, Levels
from filterproof.engine.by_round.floats import Flags, Signs
from filterproof.engine.by_round.tables import Floats, Ints

try:
    from gmpy2 import mpz as whole
except ImportError:
    whole = int

Wholes = tuple[Any, Any]  # two arrays of integers
SHORT = 1 << 62


class Strategy(Protocol):
    """What is known of a pair (x, x′) when its events are weighed: who wins, who chose what."""

    all: Levels
    signs: Signs
    x: int
    x_: int

    @property
    def levels(self) -> Mapping[int, Any]:
        """The valued positions of each level: which win, and which request was chosen."""
        ...

    def gaps(self, level: Level, block: Block, outputs: list[int], part: slice | Ints) -> Floats:
        """Return w_x - e^ε·w_x′ after each output, with its sign decided."""
        ...


class ExactPass:
    """Exact event probabilities for one pair, a level at a time and only where asked for.

    With `reached`, only positions marked there are worked out; the others are left at zero.
    """

    def __init__(self, values: Strategy, reached: dict[int, Flags] | None = None) -> None:
        self.values, self.reached = values, reached
        self.known: dict[int, Wholes] = {}

    def level(self, number: int) -> Wholes:
        """Return the probabilities for all positions of a level, all later levels first."""
        for later in reversed(self.values.all.all[number:]):
            if later.number not in self.known:
                self.known[later.number] = self._level(later)
        return self.known[number]

    def _level(self, level: Level) -> Wholes:
        valued = self.values.levels[level.number]
        found = zeros(level.size, level.below), zeros(level.size, level.below)
        needed = (
            np.ones(level.size, np.bool_) if self.reached is None else self.reached[level.number]
        )
        stopped = needed & valued.wins & (valued.choice < 0)
        for array in found:
            array[stopped] = as_array(level.below, array)
        for number, block in enumerate(level.blocks):
            rows = np.flatnonzero((valued.choice == number)[block.rows] & needed[block.rows])
            if len(rows):
                places = block.places()[rows]
                found[0][places], found[1][places] = self.branch(level, block, rows)
        return found

    def branch(self, level: Level, block: Block, rows: Ints) -> Wholes:
        """Return the probabilities if the request of this block is sent from some of its rows."""
        found = zeros(len(rows), level.below), zeros(len(rows), level.below)
        if block.goes:
            after, scale = self.level(block.to), level.below // self.values.all.all[block.to].below
            children = block.children()[:, rows]
            for side, x in enumerate((self.values.x, self.values.x_)):
                for y, child in zip(block.goes, children, strict=True):
                    weight = share(block, y, x, scale)
                    if weight:
                        add(found[side], after[side][child], weight)
        if block.table is not None and block.ends:
            self.add_ends(level, block, rows, found)
        return found

    def add_ends(self, level: Level, block: Block, rows: Ints, found: Wholes) -> None:
        """Add the outputs that end the transcript on the winning side."""
        table = block.table
        assert table is not None
        outputs = [y for y in block.ends if table.whole[y][self.values.x]]
        won = self.values.gaps(level, block, outputs, rows) > 0
        scale = level.below // table.below
        for y, wins in zip(outputs, won, strict=True):
            for side, x in enumerate((self.values.x, self.values.x_)):
                found[side][wins] += as_array(table.whole[y][x] * scale, found[side])

    def better(self, level: Level, number: int, rival: int, places: Ints) -> list[bool]:
        """Return where the request of one block is worth strictly more than that of another."""
        one, other = (self.at(level, level.blocks[n], places) for n in (number, rival))
        return [
            self._exceeds(level, int(place), int(a - a_), int(b - b_))
            for place, a, b, a_, b_ in zip(places, *one, *other, strict=True)
        ]

    def at(self, level: Level, block: Block, places: Ints) -> Wholes:
        """Return the branch's probabilities at places given by their numbers in the level."""
        rows = places if isinstance(block.rows, slice) else np.searchsorted(block.rows, places)
        return self.branch(level, block, rows)

    def _exceeds(self, level: Level, place: int, a: int, b: int) -> bool:
        if not a and not b:
            return False
        mass = self.values.all.mass(level, place)
        a, b = a * mass[self.values.x], b * mass[self.values.x_]
        return sign_of(a, -b, self.values.signs.epsilon) > 0


def zeros(size: int, below: int) -> Any:
    """Return an array of zeros that can hold probabilities times `below`."""
    if below < SHORT:
        return np.zeros(size, np.int64)
    return as_array(0, np.empty(0, object)).repeat(size)


def as_array(number: int, array: Any) -> Any:
    """Return a number as an array of one, of the kind that the given array holds.

    Left to itself numpy turns a gmpy2 integer into one of Python's.
    """
    box = np.empty(1, array.dtype)
    box[0] = whole(number) if array.dtype == object else number
    return box


def share(block: Block, y: int, x: int, scale: int) -> int:
    """Return the weight of the child after output y in its parent's probability."""
    return scale if block.table is None else block.table.whole[y][x] * (scale // block.table.below)


def add(found: Any, after: Any, weight: int) -> None:
    """Add weight times later probabilities, in the integers that `found` holds."""
    if found.dtype == object and after.dtype != object:
        longer = np.empty(len(after), object)
        longer[:] = [whole(int(n)) for n in after]
        after = longer
    found += after * as_array(weight, found)
