"""Which positions of a new level have proportional likelihoods and an equal future.

Likelihoods are compared as exponent vectors, relative to the first database that is still
possible, so that a common factor does not matter.  Candidates are found by a hash that is linear
in the exponents; each candidate is then confirmed by its vector, so a collision of the hash costs
time and never a wrong merger.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from filterproof.engine.levels import Level, Levels
from filterproof.engine.tables import Hashes, Ints

SAME = ("node", "state", "support", "refused")


class Merger:
    """Merges the levels of one exploration; remembers hashes and vectors of those before."""

    def __init__(self, levels: Levels) -> None:
        self.levels, self.tables = levels, levels.tables
        databases, elements = len(self.tables.game.databases), len(self.tables.base)
        self.hashes: dict[int, Hashes] = {0: np.zeros((1, databases), np.uint64)}
        self.vectors: dict[int, Ints] = {0: np.zeros((1, databases, elements), np.int64)}
        drawn = np.random.default_rng(2024).integers(0, 2**63, databases + len(SAME))
        self.factors = drawn.astype(np.uint64) * np.uint64(2) + np.uint64(1)

    def merge(self, level: Level) -> tuple[Ints, Ints] | None:
        """Return the positions to keep and which of them each one becomes; None if all differ."""
        hashes: Hashes = released(level, self.hashes, self.tables.hashes)
        key = self.key(level, relative(level, hashes))
        _, first, becomes = np.unique(key, return_index=True, return_inverse=True)
        if len(first) == level.size:
            self.hashes[level.number] = hashes
            return None
        vectors = self.child_vectors(level)
        apart = relative(level, vectors)
        if not confirmed(level, apart, first[becomes]):
            first, becomes = by_vector(level, apart)
        keep, becomes = in_order(first, becomes)
        self.hashes[level.number], self.vectors[level.number] = hashes[keep], vectors[keep]
        return keep, becomes

    def key(self, level: Level, hashes: Hashes) -> Hashes:
        """Return one hash per position, of everything that must agree."""
        parts = [hashes, *(getattr(level, name)[:, None].astype(np.uint64) for name in SAME)]
        key: Hashes = (np.concatenate(parts, axis=1) * self.factors).sum(axis=1)
        return key

    def child_vectors(self, level: Level) -> Ints:
        """Return the exponent vectors of a new level, after those of all levels before."""
        for before in self.levels.all:
            if before.number not in self.vectors:
                found = released(before, self.vectors, self.tables.vectors)
                self.vectors[before.number] = found
        vectors: Ints = released(level, self.vectors, self.tables.vectors)
        return vectors


def released(level: Level, known: dict[int, Any], rows: Any) -> Any:
    """Return what a level's positions inherit: what their parents have plus their edge's row."""
    parts = [known[number][level.parent[there]] for number, there in origins(level)]
    found = parts[0] if len(parts) == 1 else np.concatenate(parts)
    moved = level.edge >= 0
    if moved.all():
        return found + rows[level.edge]
    found[moved] += rows[level.edge[moved]]
    return found


def origins(level: Level) -> Iterator[tuple[int, slice]]:
    """Yield the levels from which a new level's positions come, with their stretch of positions."""
    starts = [0, *(np.flatnonzero(np.diff(level.origin)) + 1), level.size]
    for start, stop in pairwise(starts):
        yield int(level.origin[start]), slice(start, stop)


def relative(level: Level, rows: Any) -> Any:
    """Return rows [position, database, ...] relative to the first database still possible."""
    found = np.zeros_like(rows)
    for support in np.unique(level.support):
        there = np.flatnonzero(level.support == support)
        possible = [x for x in range(rows.shape[1]) if int(support) >> x & 1]
        first = rows[there][:, possible[:1]]
        there_and_possible = np.ix_(there, np.array(possible))
        found[there_and_possible] = rows[there_and_possible] - first
    return found


def confirmed(level: Level, apart: Ints, keeper: Ints) -> bool:
    """Return whether every position really agrees with its keeper."""
    agree = all(bool((getattr(level, name) == getattr(level, name)[keeper]).all()) for name in SAME)
    return agree and bool((apart == apart[keeper]).all())


def by_vector(level: Level, apart: Ints) -> tuple[Ints, Ints]:
    """Return first positions and who becomes which, by comparing everything in full."""
    columns = [getattr(level, name)[:, None] for name in SAME]
    rows = np.concatenate([*columns, apart.reshape(level.size, -1)], axis=1)
    _, first, becomes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, becomes.ravel()


def in_order(first: Ints, becomes: Ints) -> tuple[Ints, Ints]:
    """Renumber the keepers in the order of their positions."""
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[becomes]
