"""Every witness from the sixth set on breaks its filter; sound ones hold on drawn games."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from corpus.blind import ninth, seventh, sixth
from corpus.blind.base import Sound, Witness, Wrong
from corpus.blind.checks import holds, runs_first, stops
from filterproof.exact import Epsilon, Log
from filterproof.fast import transcripts, worst_case
from filterproof.game import Game, Mechanism

F = Fraction
BUDGETS: tuple[tuple[Epsilon, Fraction], ...] = (
    (Log(F(2)), F(1, 10)),
    (Log(F(4)), F(1, 5)),
    (F(1), F(1, 20)),
    (F(1, 2), F(1, 4)),
    (Log(F(3)), F(0)),
)
WRONG: dict[str, Wrong] = {**sixth.WRONG, **seventh.WRONG, **ninth.WRONG}
SOUND: dict[str, Sound] = {**sixth.SOUND, **seventh.SOUND, **ninth.SOUND}
SMALL = 30
"""Transcripts of a witness's game that every sound filter plays, too."""


@cache
def witness_game(name: str) -> Game:
    return WRONG[name].witness.game()


def drawn(random: Random, names: str, depth: int) -> Mechanism:
    """Return a mechanism of two or three outputs with a menu of one or two requests after each."""
    size, columns = random.choice((2, 2, 3)), []
    for _ in names:
        parts = [random.choice((0, 1, 2, 5, 20)) for _ in range(size - 1)]
        parts.append(random.choice((5, 20, 100)))
        columns.append([F(part, sum(parts)) for part in parts])
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    law = {str(y): row for y, row in enumerate(rows) if any(row.values())}
    menus = {y: menu(random, names, depth - 1) for y in law} if depth > 1 else {}
    return Mechanism(law, menus)


def menu(random: Random, names: str, depth: int) -> dict[str, Mechanism]:
    return {r: drawn(random, names, depth) for r in "ab"[: random.choice((1, 2))]}


def plays(number: int) -> Iterator[tuple[Witness, Game]]:
    """Yield games drawn at random on two or three databases, with a budget each."""
    random = Random(6)
    for i in range(number):
        names = "012"[: 2 + (i % 4 == 0)]
        first = menu(random, names, random.choice((1, 2, 2, 3)))
        made = Game(names, [*pairwise(names)], first)
        yield (
            Witness(*BUDGETS[i % len(BUDGETS)], partial(Game, names, [*pairwise(names)], first)),
            made,
        )


@cache
def small_plays() -> list[tuple[Witness, Game]]:
    seen = [(one.witness, witness_game(name)) for name, one in WRONG.items()]
    return [one for one in seen if transcripts(one[1]) <= SMALL] + [*plays(100)]


@pytest.mark.parametrize("name", WRONG)
def test_the_witness_breaks_the_filter(name: str) -> None:
    seen = WRONG[name].witness
    rule = WRONG[name].target(seen.epsilon, seen.delta)
    assert worst_case(rule, witness_game(name), seen.epsilon).value > seen.delta
    assert stops(rule)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_filter_holds_and_runs_something_that_tells(name: str) -> None:
    assert all(holds(SOUND[name], *one) for one in small_plays())
    assert any(runs_first(SOUND[name], *one) for one in small_plays())


def test_the_set_is_large() -> None:
    assert len(sixth.WRONG) >= 60
    assert len(sixth.SOUND) >= 20
    assert len({*WRONG, *SOUND}) == sum(map(len, (*sets(sixth), *sets(seventh), *sets(ninth))))


def sets(which: Any) -> tuple[Any, Any]:
    return which.WRONG, which.SOUND
