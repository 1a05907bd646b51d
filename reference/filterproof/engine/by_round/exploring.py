"""Explore a game level by level, merging proportional histories of a `markov` filter.

The children of all groups of a round are collected as pieces; when the round is complete they
become the next level.  Merging compares exponent vectors over a `coprime_base`: a
64-bit linear hash finds candidates, the vectors themselves confirm them.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from filterproof.engine.by_position.graph import check_size
from filterproof.engine.by_round.arrays import Block, Level, Levels, Rows, split_exponents
from filterproof.engine.by_round.asking import Asker, Group
from filterproof.engine.by_round.floats import Signs, first_tilt
from filterproof.engine.by_round.merging import Merger
from filterproof.engine.by_round.tables import Floats, Ints, Table, Tables
from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ask, is_markov, observe, start
from filterproof.game import OPENING, Game, Request, opening
from filterproof.witness import is_idle

MOST_GROUPS = 64
"""A level with more groups than this, and few positions in each, is better explored singly."""


class Scattered(Exception):
    """So many different states that working level by level does not pay."""


@dataclass(frozen=True)
class Piece:
    """The children of one block, as arrays [output, row] laid out flat."""

    level: Level
    block: Block
    node: Ints
    state: Ints
    support: Ints
    refused: Ints
    tilt: Floats
    power: Ints | None
    parent: Ints
    edge: Ints


def explore(rule: Filter[Any], game: Game, epsilon: Epsilon) -> tuple[Levels, Signs]:
    """Return every level that an adversary can reach; none if the opening is not passed."""
    explorer = _Explorer(rule, game, epsilon)
    explorer.run()
    return explorer.levels, explorer.signs


class _Explorer:
    def __init__(self, rule: Filter[Any], game: Game, epsilon: Epsilon) -> None:
        if len(game.databases) > 62:
            raise Scattered("supports of more than 62 databases do not fit an integer")
        self.rule, self.game, self.epsilon = rule, game, epsilon
        self.levels = Levels(Tables(game))
        self.signs = Signs(self.levels, epsilon)
        self.merger = Merger(self.levels) if is_markov(rule) else None
        self.asker = Asker(rule, self.levels, self.signs, self.merger is not None)
        self.state_ids: dict[Hashable, int] = {}
        self.refusal_ids: dict[frozenset[Request], int] = {frozenset(): 0}
        self.later: list[Piece] = []
        self.refusing: list[Piece] = []
        self.coming = 0  # positions of the next round so far, not yet merged

    def run(self) -> None:
        step = opening(self.game)
        decision, state = ask(self.rule, start(self.rule), step)
        if decision is not Decision.CONTINUE:
            return
        level: Level | None = self.first(observe(self.rule, state, step, OPENING))
        while level is not None:
            self.levels.all.append(level)
            for group in self.groups(level):
                self.expand(group)
            level = self.next_level(level)

    def first(self, state: Hashable) -> Level:
        mantissa, power = first_tilt(self.epsilon)
        pairs = len(self.game.pairs)
        zero = np.zeros(1, np.int64)
        node, everyone = zero + self.game.menu.id, zero + (1 << len(self.game.databases)) - 1
        tilt = np.full((pairs, 1), mantissa)
        powers = np.full((pairs, 1), power, np.int64) if power else None
        known = zero + self.state_id(state)
        return Level(0, 1, node, known, everyone, zero, tilt, powers, zero, zero, zero - 1)

    def state_id(self, state: Hashable) -> int:
        found = self.state_ids.setdefault(state, len(self.state_ids))
        if found == len(self.levels.states):
            self.levels.states.append(state)
        return found

    # --- groups and what they are answered ---------------------------------------------------

    def groups(self, level: Level) -> Iterator[Group]:
        everyone = slice(None)
        keys = (level.node, level.state, level.support, level.refused)
        if all(key.min() == key.max() for key in keys):
            yield self.group(level, everyone, np.arange(level.size))
            return
        code = codes(keys)
        order = np.argsort(code, kind="stable")
        starts = np.flatnonzero(np.diff(code[order], prepend=-1))
        if len(starts) > max(MOST_GROUPS, level.size // 8):
            raise Scattered(f"{len(starts)} groups among {level.size} positions")
        for rows in np.split(order, starts[1:]):
            yield self.group(level, rows, rows)

    def group(self, level: Level, rows: Rows, places: Ints) -> Group:
        first = places[0]
        node = self.game.nodes[level.node[first]]
        number = int(level.state[first])
        state = self.levels.states[number]
        return Group(level, rows, places, node, state, number, int(level.support[first]))

    def expand(self, group: Group) -> None:
        refused = self.levels.refusals[group.level.refused[group.places[0]]]
        for request in group.node:
            if request in refused:
                continue
            for decision, state, rows in self.asker.decide(group, request):
                if decision is not Decision.HALT and not is_idle(decision, group.state, state):
                    places = np.arange(group.level.size)[rows] if isinstance(rows, slice) else rows
                    part = replace(group, rows=rows, places=places)
                    self.add(part, request, decision, state, refused)

    def add(
        self,
        group: Group,
        request: Request,
        decision: Decision,
        state: Hashable,
        refused: frozenset[Request],
    ) -> None:
        """Add the block of one answer, and the piece of its children."""
        level = group.level
        table = self.levels.tables.of(group.node, request)
        known = None if decision is Decision.REFUSE else table
        goes = self.goes(table, decision, group.support)
        ends = [y for y in range(len(table.outputs)) if known and y not in goes]
        size = len(group.places)
        block = Block(request, decision, known, group.support, group.rows, size, ends, goes)
        level.blocks.append(block)
        if decision is Decision.REFUSE:
            self.refusing.append(self.refused_piece(group, block, state, refused | {request}))
        elif goes:
            self.coming += size * len(goes)
            check_size(self.coming, level.index + 1)
            self.later.append(self.released_piece(group, block, table, state))

    def goes(self, table: Table, decision: Decision, support: int) -> list[int]:
        if decision is Decision.REFUSE:
            return [0]
        if decision is Decision.LAST:
            return []
        live = [support & row & self.levels.tables.starts for row in table.supports]
        return [y for y, node in enumerate(table.nodes) if node and live[y]]

    def refused_piece(
        self, group: Group, block: Block, state: Hashable, refused: frozenset[Request]
    ) -> Piece:
        level, places = group.level, group.places
        number = self.refusal_ids.setdefault(refused, len(self.refusal_ids))
        if number == len(self.levels.refusals):
            self.levels.refusals.append(refused)
        same = np.zeros(len(places), np.int64)
        return Piece(
            level,
            block,
            level.node[places],
            same + self.state_id(state),
            level.support[places],
            same + number,
            level.tilt[:, places],
            None if level.power is None else level.power[:, places],
            places,
            same - 1,
        )

    def released_piece(self, group: Group, block: Block, table: Table, state: Hashable) -> Piece:
        level, places, goes = group.level, group.places, block.goes
        ids = [self.asker.states_after(group, block.request, state, table.outputs[y]) for y in goes]
        ones = np.ones(block.size, np.int64)
        states = [
            np.array([self.state_id(s) for s in one])
            if type(one) is list
            else ones * self.state_id(one)  # type: ignore[arg-type]
            for one in ids
        ]
        tilt, power = self.released_tilt(level, block.rows, table, goes)
        return Piece(
            level,
            block,
            np.outer([table.nodes[y].id for y in goes], ones).ravel(),
            np.concatenate(states),
            np.outer([group.support & table.supports[y] for y in goes], ones).ravel(),
            np.zeros(block.size * len(goes), np.int64),
            tilt,
            power,
            np.tile(places, len(goes)),
            np.outer([table.offset + y for y in goes], ones).ravel(),
        )

    def released_tilt(
        self, level: Level, rows: Rows, table: Table, goes: list[int]
    ) -> tuple[Floats, Ints | None]:
        pairs = range(len(self.game.pairs))
        tilt = np.stack(
            [np.multiply.outer(table.ratio[k][goes], level.tilt[k][rows]).ravel() for k in pairs]
        )
        if level.power is None and not table.power.any():
            return tilt, None
        old = np.zeros(level.tilt.shape, np.int64) if level.power is None else level.power
        power = [np.add.outer(table.power[k][goes], old[k][rows]).ravel() for k in pairs]
        return tilt, np.stack(power)

    # --- the next level ----------------------------------------------------------------------

    def next_level(self, level: Level) -> Level | None:
        pieces, self.refusing = self.refusing, []
        index = level.index
        if not pieces:
            pieces, self.later, self.coming = self.later, [], 0
            index += 1
        return self.join(index, pieces) if pieces else None

    def join(self, index: int, pieces: list[Piece]) -> Level:
        def whole(name: str) -> Any:
            parts = [getattr(piece, name) for piece in pieces]
            return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)

        number = len(self.levels.all)
        origin = np.concatenate([np.full(len(p.node), p.level.number) for p in pieces])
        power = None
        if any(piece.power is not None for piece in pieces):
            power = np.concatenate([powers(piece) for piece in pieces], axis=-1)
        level = Level(
            number=number,
            index=index,
            node=whole("node"),
            state=whole("state"),
            support=whole("support"),
            refused=whole("refused"),
            tilt=whole("tilt"),
            power=power,
            origin=origin,
            parent=whole("parent"),
            edge=whole("edge"),
        )
        merged = None if self.merger is None else self.merger.merge(level)
        self.link(number, pieces, None if merged is None else merged[1])
        if merged is not None:
            level = take(level, merged[0])
        level.tilt, level.power = split_exponents(level.tilt, level.power)
        return level

    def link(self, number: int, pieces: list[Piece], number_of: Ints | None) -> None:
        """Tell every block where its children are in the new level."""
        at = 0
        for piece in pieces:
            block, count = piece.block, len(piece.node)
            block.to, block.child = number, slice(at, at + count)
            if number_of is not None:
                block.child = number_of[at : at + count].reshape(len(block.goes), block.size)
            at += count


def powers(piece: Piece) -> Ints:
    """Return the binary exponents of a piece, zero if it has none of its own."""
    return np.zeros(piece.tilt.shape, np.int64) if piece.power is None else piece.power


def codes(keys: tuple[Ints, ...]) -> Ints:
    """Return one number per position that tells apart different combinations of the keys."""
    code = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        if key.min() != key.max():
            code = np.unique(code * (int(key.max()) + 1) + key, return_inverse=True)[1]
    return code


def take(level: Level, keep: Ints) -> Level:
    """Return the level with only these positions."""
    names = ("node", "state", "support", "refused", "origin", "parent", "edge")
    kept = {name: getattr(level, name)[keep] for name in names}
    power = None if level.power is None else level.power[:, keep]
    return replace(level, tilt=level.tilt[:, keep], power=power, **kept)
