"""Ask a filter once for a whole group of positions, where one answer holds for all of them.

A filter is a pure function of its state and of what it reads in the step.  The step that it is
shown here records whether the likelihoods or the history were read.  If neither was, the
answer does not depend on them and holds for every position of the group.  If they were, a
built-in filter is decided by its `cuts` or asked once per label (`alike`), provided that it weighs
losses against the same ε as the adversary; any other is asked position by position.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from filterproof.engine.by_position.graph import mass_mapping
from filterproof.engine.by_round.arrays import Level, Levels, Rows
from filterproof.engine.by_round.floats import Signs
from filterproof.engine.by_round.same_answers import ALONE, Label, Labels
from filterproof.engine.by_round.tables import Ints
from filterproof.engine.cuts import Answers, CutBook
from filterproof.engine.hidden import WatchedStep
from filterproof.filter import Decision, Filter, ask, ask_many, observe
from filterproof.game import Menu, Request
from filterproof.game.law import Output

Answer = tuple[Decision, Hashable]
Part = tuple[Decision, Hashable, Rows]


@dataclass(frozen=True)
class Group:
    """The rows of a level that share menu, filter state, support and refused requests."""

    level: Level
    rows: Rows
    places: Ints
    node: Menu
    state: Hashable
    number: int  # of the state
    support: int


class Asker:
    """Puts a filter's questions for whole groups, and parts the rows by its answers."""

    def __init__(self, rule: Filter[Any], levels: Levels, signs: Signs, merging: bool) -> None:
        self.rule, self.levels, self.signs, self.merging = rule, levels, signs, merging
        self.game = levels.tables.game
        self.observes = getattr(rule, "observe", None) is not None
        self.same_budget = getattr(rule, "epsilon", None) == signs.epsilon
        self.book, self.labels = CutBook(rule), Labels(rule, signs)
        self.known: dict[tuple[int, Label, int], Answer] = {}

    def step(self, group: Group, position: int, request: Request) -> WatchedStep:
        """Return what the filter is shown at one position."""
        level, levels = group.level, self.levels
        databases = self.game.databases
        pairs = tuple(p for p in self.game.pairs if group.support >> databases.index(p[0]) & 1)
        return WatchedStep(
            level.index,
            request,
            self.game,
            group.node,
            pairs,
            lambda: mass_mapping(databases, levels.mass(level, position)),
            None if self.merging else lambda: levels.history(level, position),
        )

    def decide(self, group: Group, request: Request) -> list[Part]:
        """Return the answers to one request, each with the rows that get it."""
        step = self.step(group, int(group.places[0]), request)
        if self.same_budget and (cuts := self.book.answers(step)) is not None:
            return self.cut(group, cuts)
        if self.same_budget and (labelled := self.ask_per_label(group, request)) is not None:
            return labelled
        decision, state = ask(self.rule, group.state, step)
        if not step.looked:
            return [(decision, state, group.rows)]
        rest = (self.step(group, int(j), request) for j in group.places[1:])
        others = ask_many(self.rule, rest, lambda other: (group.state, other))
        found = [(decision, state), *(answer[1:] for answer in others)]
        return [(*answer, rows) for answer, rows in split_by_answer(found, group.places).items()]

    def ask_per_label(self, group: Group, request: Request) -> list[Part] | None:
        """Ask once per label; None for a filter without labels.

        Where there is no label, equal laws and likelihoods make equal charges.
        """
        table = self.levels.tables.of(group.node, request)
        made = self.labels.of(
            group.level,
            table,
            group.places,
            group.support,
            lambda place: self.step(group, place, request),
        )
        if made is None:
            return None
        alone = group.places[made.numbers == ALONE].tolist()
        labels = [(ALONE, table.kind, *self.levels.mass(group.level, j)) for j in alone]
        asked = [
            self.answer(group, j, request, label) for j, label in zip(alone, labels, strict=True)
        ]
        parts: dict[Answer, list[Ints]] = {
            answer: [rows] for answer, rows in split_by_answer(asked, alone).items()
        }
        for number, label in enumerate(made.labels):
            rows = group.places[made.numbers == number]
            if len(rows):
                answer = self.answer(group, int(rows[0]), request, label)
                parts.setdefault(answer, []).append(rows)
        return [(*answer, np.sort(np.concatenate(rows))) for answer, rows in parts.items()]

    def answer(self, group: Group, place: int, request: Request, label: Label) -> Answer:
        """Return the answer at one place, known already if its label was met in this state."""
        key = (group.number, label, group.support)
        if key not in self.known:
            self.known[key] = ask(self.rule, group.state, self.step(group, place, request))
        return self.known[key]

    def states_after(
        self, group: Group, request: Request, state: Hashable, y: Output
    ) -> Hashable | list[Hashable]:
        """Return the state after y: one for all rows, or a list of one per row."""
        if not self.observes:
            return state
        step = self.step(group, int(group.places[0]), request)
        seen = observe(self.rule, state, step, y)
        if not step.looked:
            return seen
        rest = (self.step(group, int(j), request) for j in group.places[1:])
        return [seen, *(observe(self.rule, state, other, y) for other in rest)]

    def cut(self, group: Group, cuts: Answers) -> list[Part]:
        """Part the rows by whether every possible pair stays within its cut."""
        within = np.ones(len(group.places), dtype=np.bool_)
        for k, (pair, limit) in enumerate(cuts.cuts.items()):
            if limit is not None and group.support >> self.game.databases.index(pair[0]) & 1:
                within &= self.signs.within(group.level, k, group.places, limit)
        if within.all():
            return [(cuts.within, group.state, group.rows)]
        if not within.any():
            return [(cuts.beyond, group.state, group.rows)]
        places = group.places
        sides = ((cuts.within, within), (cuts.beyond, ~within))
        return [(decision, group.state, places[side]) for decision, side in sides]


def split_by_answer(found: list[Answer], places: Iterable[int]) -> dict[Answer, Ints]:
    """Return the places by answer, in the order in which the answers first occur."""
    rows: dict[Answer, list[int]] = {}
    for answer, place in zip(found, places, strict=True):
        rows.setdefault(answer, []).append(int(place))
    return {answer: np.array(places, dtype=np.int64) for answer, places in rows.items()}
