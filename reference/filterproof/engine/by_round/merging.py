"""Which positions of a new level have proportional likelihoods and an equal future.

Likelihoods are compared as exponent vectors, relative to the first database that is still
possible, so that a common factor does not matter.  Candidates are found by a hash that is linear
in the exponents; each candidate is then confirmed by its vector, so a collision of the hash costs
time and never a wrong merger.
"""

from typing import Any

import numpy as np

from filterproof.engine.by_round.arrays import Level, Levels
from filterproof.engine.by_round.tables import Hashes, Ints

MANY, MOST_KEPT = 1 << 12, 0.7
"""A last round of many positions is left unmerged if more than this share stayed before it."""

SAME = ("node", "state", "support", "refused")


class Merger:
    """Merges the levels of one exploration; remembers hashes and vectors of those before."""

    def __init__(self, levels: Levels) -> None:
        self.levels, self.tables = levels, levels.tables
        databases, elements = len(self.tables.game.databases), len(self.tables.base)
        self.hashes: dict[int, Hashes] = {0: np.zeros((1, databases), np.uint64)}
        self.vectors: dict[int, Ints] = {0: np.zeros((1, databases, elements), np.int64)}
        self.kept = 0.0
        drawn = np.random.default_rng(2024).integers(0, 2**63, databases + len(SAME))
        self.factors = drawn.astype(np.uint64) * np.uint64(2) + np.uint64(1)

    def merge(self, level: Level) -> tuple[Ints, Ints] | None:
        """Return the positions to keep and which of them each one becomes; None if all differ."""
        if not self.pays(level):
            return None
        everyone = np.arange(level.size)
        hashes: Hashes = release_masses(level, everyone, self.hashes, self.tables.hashes)
        key = self.key(level, relative(level.support, hashes))
        _, first, becomes = np.unique(key, return_index=True, return_inverse=True)
        self.kept = len(first) / level.size
        if len(first) == level.size:
            self.hashes[level.number] = hashes
            return None
        if not self.all_agree(level, first[becomes]):
            first, becomes = self.by_vector(level)
        keep, becomes = in_order(first, becomes)
        self.hashes[level.number] = hashes[keep]
        return keep, becomes

    def key(self, level: Level, hashes: Hashes) -> Hashes:
        """Return one hash per position, of everything that must agree."""
        key = np.zeros(level.size, np.uint64)
        columns = [*hashes.T, *(getattr(level, name).astype(np.uint64) for name in SAME)]
        for column, factor in zip(columns, self.factors, strict=True):
            if column[0] or column.any():
                key += column * factor
        return key

    def pays(self, level: Level) -> bool:
        """Return whether merging is worth its time: not in a last round, if few merged before."""
        if level.size < MANY or self.kept < MOST_KEPT:
            return True
        nodes = self.tables.game.nodes
        return any(nodes[number].depth > 1 for number in np.unique(level.node))

    def apart(self, level: Level, at: Ints) -> Ints:
        """Return the relative exponent vectors of some positions of a new level."""
        for before in self.levels.all:
            if before.number not in self.vectors:
                everyone = np.arange(before.size)
                rows = release_masses(before, everyone, self.vectors, self.tables.vectors)
                self.vectors[before.number] = rows
        found = release_masses(level, at, self.vectors, self.tables.vectors)
        return np.asarray(relative(level.support[at], found))

    def all_agree(self, level: Level, supervisor: Ints) -> bool:
        """Return whether every position really agrees with its supervisor."""
        merged = np.flatnonzero(supervisor != np.arange(level.size))
        supervisor = supervisor[merged]
        agree = (getattr(level, name)[merged] == getattr(level, name)[supervisor] for name in SAME)
        if not all(bool(same.all()) for same in agree):
            return False
        return bool((self.apart(level, merged) == self.apart(level, supervisor)).all())

    def by_vector(self, level: Level) -> tuple[Ints, Ints]:
        """Return first positions and who becomes which, by comparing everything in full."""
        columns = [getattr(level, name)[:, None] for name in SAME]
        vectors = self.apart(level, np.arange(level.size)).reshape(level.size, -1)
        rows = np.concatenate([*columns, vectors], axis=1)
        _, first, becomes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, becomes.ravel()


def release_masses(level: Level, at: Ints, known: dict[int, Any], rows: Any) -> Any:
    """Return what positions inherit: what their parents have plus their edge's row."""
    origin, parent, edge = level.origin[at], level.parent[at], level.edge[at]
    if origin.min() == origin.max() and edge.min() >= 0:
        return known[int(origin[0])][parent] + rows[edge]
    found = np.empty((len(at), *rows.shape[1:]), rows.dtype)
    for number in np.unique(origin):
        there = origin == number
        found[there] = known[int(number)][parent[there]]
    moved = edge >= 0
    found[moved] += rows[edge[moved]]
    return found


def relative(support: Ints, rows: Any) -> Any:
    """Return rows [position, database, ...] relative to the first database still possible."""
    if support.min() == support.max():
        return _relative(int(support[0]), rows)
    found = np.empty_like(rows)
    for one in np.unique(support):
        there = support == one
        found[there] = _relative(int(one), rows[there])
    return found


def _relative(support: int, rows: Any) -> Any:
    databases = range(rows.shape[1])
    possible = [x for x in databases if support >> x & 1]
    found = rows - rows[:, possible[0] : possible[0] + 1]
    for x in databases:
        if x not in possible:
            found[:, x] = 0
    return found


def in_order(first: Ints, becomes: Ints) -> tuple[Ints, Ints]:
    """Renumber the keepers in the order of their positions."""
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[becomes]
