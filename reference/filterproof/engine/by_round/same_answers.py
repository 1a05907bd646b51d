"""Positions at which a compensator is bound to give the same answer, found without asking it.

A compensator's answer depends on its state and on the charges of the round, one per ordered
pair.  A charge is zero iff the outputs of the round all lie on one side of ε, and then nothing is
spent; most positions of a long play are like that.  Charges rounded up to a grid are whole
numbers of units.  Both are decided for a whole group in floats with their bound, and exactly
where the bound does not decide.  The answer itself is always the filter's own, asked once per
state and label.

Labels belong to exact types: a subclass that changes a rule is asked for its own answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from filterproof.engine.by_round.arrays import Level
from filterproof.engine.by_round.floats import UNIT, Charged, Signs, margin
from filterproof.engine.by_round.tables import WIDE, Ints, Table
from filterproof.filters.compensator import Compensator
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.game import Step

ALONE = -1
"""The number of a position that shares its answer with no other."""

MOST_UNITS = 2**40

Label = tuple[int, ...]


@dataclass(frozen=True)
class Labelled:
    """A label per place, as a number into `labels`, or ALONE."""

    labels: list[Label]
    numbers: Ints


def number_columns(rows: Ints) -> Labelled:
    """Number the columns: equal ones alike, and those in which something is ALONE not at all.

    >>> found = number_columns(np.array([[0, 3, 0, ALONE], [1, 1, 1, 1]]))
    >>> found.labels, found.numbers.tolist()
    ([(0, 1), (3, 1)], [0, 1, 0, -1])
    """
    shared = (rows != ALONE).all(axis=0)
    some = rows[:, shared]
    numbers = np.full(rows.shape[1], ALONE)
    if (some == some[:, :1]).all():  # as in most groups, and to sort takes long
        numbers[shared] = 0
        return Labelled([tuple(kind) for kind in some[:, :1].T.tolist()], numbers)
    kinds, places = np.unique(some, axis=1, return_inverse=True)
    numbers[shared] = places.ravel()
    return Labelled([tuple(kind) for kind in kinds.T.tolist()], numbers)


class Labels:
    """Labels positions for one filter; equal state and label mean an equal answer."""

    def __init__(self, rule: Any, signs: Signs) -> None:
        self.rule, self.signs = rule, signs
        self.make = _LABELS.get(type(rule))

    def of(
        self,
        level: Level,
        table: Table,
        places: Ints,
        support: int,
        step: Callable[[int], Step],
    ) -> Labelled | None:
        """Return the labels of some places of one support; None for a filter without any."""
        if self.make is None:
            return None
        found = [
            self.make(self, self.signs.charges(level, k, places, table, support), k, step)
            for k, (x, _) in enumerate(self.signs.levels.tables.pairs)
            if support >> x & 1
        ]
        return number_columns(np.stack(found))

    def quiet(self, charged: Charged, k: int, step: Callable[[int], Step]) -> Ints:
        """Return 0 where this pair is charged nothing, else ALONE."""
        return np.where(charged.mixed, ALONE, 0)

    def units(self, charged: Charged, k: int, step: Callable[[int], Step]) -> Ints:
        """Return how many units of the grid this pair is charged; all above the budget are one."""
        grid, most = self.rule.grid, floor(self.rule.delta / self.rule.grid) + 1
        if most > MOST_UNITS or not 2**-WIDE < grid < 2**WIDE:
            return self.quiet(charged, k, step)
        units = charged.charge / float(grid)
        off = margin(charged.error) / float(grid) + 4 * UNIT * units
        low, high = (np.clip(np.ceil(end), 1, most) for end in (units - off, units + off))
        found = np.where(charged.mixed, low, 0).astype(np.int64)
        pair = self.signs.levels.tables.game.pairs[k]
        for j in np.flatnonzero(charged.mixed & (low != high)):
            found[j] = min(self.rule.units(step(int(charged.places[j])), pair), most)
        return found


_LABELS: dict[type, Callable[[Labels, Charged, int, Callable[[int], Step]], Ints]] = {
    Compensator: Labels.quiet,
    CompensatorGrid: Labels.units,
}
