"""Value every position for one ordered pair, last level first, in floats with a proved bound.

The adversary's choice at each position is exact all the same:

* *Stop or go on?*  Sending a request never loses: the sum of max(0, g) over its transcripts is at
  least max(0, sum of g), and it is more iff some g > 0 and some g < 0 (g = w_x - e^ε·w_x′).  So a
  request beats stopping iff transcripts of both signs follow under best play: a matter of exact
  signs, which `floats` decides.  Ties stop.
* *Which request?*  By the floats if they differ by more than their bound, else by exact integers.
"""

from dataclasses import dataclass

import numpy as np

from filterproof.engine.by_round.arrays import Block, Level, Levels
from filterproof.engine.by_round.events import ExactPass
from filterproof.engine.by_round.floats import Flags, Signs, end_error, margin, possible, sum_error
from filterproof.engine.by_round.tables import Floats, Ints

STOP = -1
CHUNK = 1 << 14
"""How many rows are worked on at a time, so that they stay in the cache."""


@dataclass
class Valued:
    """One level for one pair: `choice` is the number of the block chosen, or STOP.

    `wins` and `loses` tell whether transcripts with g > 0 and with g < 0 follow under best play.
    """

    value: Floats
    wins: Flags
    loses: Flags
    choice: Ints
    error: int


@dataclass(frozen=True)
class Branch:
    """What sending one request from the rows of a block is worth."""

    value: Floats
    wins: Flags
    loses: Flags
    error: int


class ValuePass:
    """The value of a game for pair k; `levels[n]` holds the values of level n."""

    def __init__(self, levels: Levels, signs: Signs, k: int) -> None:
        self.all, self.signs, self.k = levels, signs, k
        self.x, self.x_ = levels.tables.pairs[k]
        self.levels: dict[int, Valued] = {}
        self.exact = ExactPass(self)
        for level in reversed(levels.all):
            self.levels[level.number] = self.level(level)

    def level(self, level: Level) -> Valued:
        """Value the positions of one level, given all later ones."""
        here = self.stop_everywhere(level)
        for number, block in enumerate(level.blocks):
            if block.support >> self.x & 1:
                self.offer(level, here, number, self.branch(level, block))
        return here

    def stop_everywhere(self, level: Level) -> Valued:
        """Return the level as if the adversary stopped everywhere."""
        possible = (level.support >> self.x & 1).astype(np.bool_)
        other = (level.support >> self.x_ & 1).astype(np.bool_)
        gap = np.where(possible, 1.0 - level.tilts(self.k), np.where(other, -1.0, 1.0))
        unit = (1,) * len(self.all.tables.game.databases)
        self.signs.settle(level, self.k, slice(0, level.size), gap[None, :], [unit])
        wins = (gap > 0) & possible
        value = np.where(wins, gap, 0.0)
        return Valued(value, wins, gap < 0, np.full(level.size, STOP), end_error(level.index))

    def branch(self, level: Level, block: Block) -> Branch:
        """Return what the request of a block is worth to its rows."""
        found = self.share_of_ends(level, block)
        if not block.goes:
            return found
        after = self.levels[block.to]
        chance = np.ones(1) if block.table is None else block.table.chance[self.x][block.goes]
        outputs = len(block.ends) + len(block.goes)
        return Branch(
            found.value + chance @ block.after(after.value),
            found.wins | block.after(after.wins).any(axis=0),
            found.loses | block.after(after.loses).any(axis=0),
            sum_error(max(found.error, after.error), outputs),
        )

    def share_of_ends(self, level: Level, block: Block) -> Branch:
        """Return the share of the outputs after which the transcript is over."""
        value = np.zeros(block.size)
        wins, loses = np.zeros((2, block.size), np.bool_)
        table = block.table
        if table is None or not block.ends:
            return Branch(value, wins, loses, 0)
        outputs = possible(table, block.ends, self.x)
        impossible = set(block.ends) - set(outputs)
        if block.support >> self.x_ & 1 and possible(table, sorted(impossible), self.x_):
            loses[:] = True
        chance = table.chance[self.x][outputs]
        for start in range(0, block.size, CHUNK):
            part = slice(start, start + CHUNK)
            gap = self.gaps(level, block, outputs, part)
            wins[part] = (gap > 0).any(axis=0)
            loses[part] |= (gap < 0).any(axis=0)
            value[part] = chance @ np.maximum(gap, 0.0, out=gap)
        error = sum_error(end_error(level.index), len(table.outputs))
        return Branch(value, wins, loses, error)

    def gaps(self, level: Level, block: Block, outputs: list[int], part: slice | Ints) -> Floats:
        """Return 1 - q after each of these outputs for some rows of a block, signs exact."""
        assert block.table is not None
        places = part if isinstance(block.rows, slice) else block.rows[part]
        return self.signs.gaps(level, self.k, places, block.table, outputs)

    def offer(self, level: Level, here: Valued, number: int, branch: Branch) -> None:
        """Take this request where it beats stopping and every earlier request."""
        block = level.blocks[number]
        mixed = branch.wins & branch.loses
        chosen = here.choice[block.rows]
        better = mixed & (chosen == STOP)
        if (rivals := mixed & ~better).any():
            gap = branch.value - here.value[block.rows]
            limit = 3 * margin(max(branch.error, here.error))
            better |= rivals & (gap > limit)
            self.settle(level, number, chosen, rivals & (np.abs(gap) <= limit), better)
        places = np.flatnonzero(better)
        if not isinstance(block.rows, slice):
            places = block.rows[places]
        here.value[places] = branch.value[better]
        here.wins[places] = here.loses[places] = True
        here.choice[places] = number
        here.error = max(here.error, branch.error)

    def settle(self, level: Level, number: int, chosen: Ints, open_: Flags, better: Flags) -> None:
        """Decide in exact integers between this request and the one chosen so far."""
        places = level.blocks[number].places()
        for rival in np.unique(chosen[open_]):
            rows = np.flatnonzero(open_ & (chosen == rival))
            better[rows] = self.exact.better(level, number, int(rival), places[rows])
