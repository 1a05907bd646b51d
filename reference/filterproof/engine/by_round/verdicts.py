"""What the level-by-level engine found: an enclosure of H, the exact H, and the play."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np

from filterproof.engine.by_round.arrays import Block, Level, Levels
from filterproof.engine.by_round.events import ExactPass
from filterproof.engine.by_round.exploring import explore
from filterproof.engine.by_round.floats import Flags, margin
from filterproof.engine.by_round.values import ValuePass
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Filter
from filterproof.game import Game
from filterproof.game.law import Output
from filterproof.witness import Turn, WorstCase


class RoundAnalysis:
    """One filter on one game, explored and valued level by level for every ordered pair."""

    def __init__(self, rule: Filter[Any], game: Game, epsilon: Epsilon) -> None:
        self.game, self.epsilon = game, epsilon
        self.levels, self.signs = explore(rule, game, epsilon)
        self.levels.set_denominators()
        pairs = range(len(game.pairs)) if self.levels.all else ()
        self.passes = [ValuePass(self.levels, self.signs, k) for k in pairs]
        self.exact: dict[int, tuple[Fraction, Fraction]] = {}

    def enclosure(self) -> tuple[Fraction, Fraction]:
        """Return rationals with  lo <= H <= hi, from floats and their proved bound."""
        if not self.passes:
            return Fraction(0), Fraction(0)
        ends = [self.ends(k) for k in range(len(self.passes))]
        return max(lo for lo, _ in ends), max(hi for _, hi in ends)

    def ends(self, k: int) -> tuple[Fraction, Fraction]:
        """Return an enclosure of H for pair k."""
        first = self.passes[k].levels[0]
        value, off = Fraction(float(first.value[0])), Fraction(margin(first.error))
        return max(value - off, Fraction(0)), value + off

    def masses(self, k: int) -> tuple[Fraction, Fraction]:
        """Return P_x(S) and P_x′(S) for pair k under best play, exactly."""
        if k not in self.exact:
            done = ExactPass(self.passes[k], self.reachable(k))
            a, b = done.level(0)
            below = self.levels.all[0].below
            self.exact[k] = Fraction(int(a[0]), below), Fraction(int(b[0]), below)
        return self.exact[k]

    def reachable(self, k: int) -> dict[int, Flags]:
        """Return which positions of each level the chosen adversary can reach."""
        marks = {level.number: np.zeros(level.size, np.bool_) for level in self.levels.all}
        marks[0][:] = True
        for level in self.levels.all:
            choice = self.passes[k].levels[level.number].choice
            for number, block in enumerate(level.blocks):
                rows = ((choice == number) & marks[level.number])[block.rows]
                if block.goes and rows.any():
                    marks[block.to][block.children()[:, rows].ravel()] = True
        return marks

    def worst_pair(self) -> int:
        """Return the number of the worst pair, the first one among equals."""
        floor = self.enclosure()[0]
        rivals = [k for k in range(len(self.passes)) if self.ends(k)[1] >= floor]
        worst = rivals[0]
        for k in rivals[1:]:
            (a, b), (a_, b_) = self.masses(k), self.masses(worst)
            if ExpLinear(a - a_, b_ - b, self.epsilon).sign() > 0:
                worst = k
        return worst

    def worst_case(self) -> WorstCase:
        """Return the worst pair, its exact value, and the play that attains it."""
        if not self.passes:
            nothing = ExpLinear(0, 0, self.epsilon)
            return WorstCase(self.game.pairs[0], nothing, Fraction(0), Fraction(0), (), ())
        k = self.worst_pair()
        a, b = self.masses(k)
        turns, event = Writer(self.levels, self.passes[k], self.reachable(k)).write()
        value = ExpLinear(a, -b, self.epsilon)
        return WorstCase(self.game.pairs[k], value, a, b, tuple(turns), tuple(event))


class Writer:
    """Writes the chosen play down, one turn per position reached."""

    def __init__(self, levels: Levels, values: ValuePass, reached: dict[int, Flags]) -> None:
        self.levels, self.values, self.reached = levels, values, reached
        self.turns: list[Turn] = []
        self.event: list[tuple[int, Output]] = []
        self.numbers = {n: np.full(len(marks), -1) for n, marks in reached.items()}

    def write(self) -> tuple[list[Turn], list[tuple[int, Output]]]:
        """Return the turns in the order of play, and the winning (turn, output) pairs."""
        at = 0
        for number, marks in self.reached.items():
            here = np.flatnonzero(marks & (self.values.levels[number].choice >= 0))
            self.numbers[number][here] = np.arange(at, at + len(here))
            at += len(here)
        for level in self.levels.all:
            self.level(level)
        return self.turns, self.event

    def level(self, level: Level) -> None:
        """Write the turns of one level."""
        choice = self.values.levels[level.number].choice
        ready: dict[int, tuple[Turn, list[Output]]] = {}
        for number, block in enumerate(level.blocks):
            marks = (choice == number) & self.reached[level.number]
            rows = np.flatnonzero(marks[block.rows])
            if len(rows):
                ready.update(self.block(level, block, rows))
        for _, (turn, won) in sorted(ready.items()):
            self.event += [(len(self.turns), y) for y in won]
            self.turns.append(turn)

    def block(self, level: Level, block: Block, rows: Any) -> dict[int, tuple[Turn, list[Output]]]:
        """Return the turns from some rows of a block, by position, each with what wins at once."""
        outputs = [""] if block.table is None else list(block.table.outputs)
        then, won = self.nexts(level, block, rows, outputs)
        found = {}
        for j, place in enumerate(block.places()[rows]):
            after = {
                y: (int(n) if n >= 0 else None) for y, n in zip(outputs, then[:, j], strict=True)
            }
            state: Hashable = self.levels.states[level.state[place]]
            turn = Turn(int(level.node[place]), state, block.request, block.decision, after)
            found[int(place)] = turn, [y for y, w in zip(outputs, won[:, j], strict=True) if w]
        return found

    def nexts(self, level: Level, block: Block, rows: Any, outputs: list[Output]) -> Any:
        """Return per output and row the next turn (or -1), and whether the play wins there."""
        then = np.full((len(outputs), len(rows)), -1)
        won = np.zeros((len(outputs), len(rows)), np.bool_)
        if block.goes:
            children = block.children()[:, rows]
            then[block.goes] = self.numbers[block.to][children]
            won[block.goes] = (then[block.goes] < 0) & self.values.levels[block.to].wins[children]
        if block.table is not None and block.ends:
            ends = [y for y in block.ends if block.table.whole[y][self.values.x]]
            won[ends] = self.values.gaps(level, block, ends, rows) > 0
        return then, won
