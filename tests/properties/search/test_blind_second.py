"""Every wrong filter of the second blind set breaks on its witness; no sound one is seen to."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from corpus.blind.second import SOUND, WRONG
from corpus.blind.second.base import Witness, over
from filterproof import Game, Log, Mechanism, worst_case
from filterproof.exact import Epsilon
from filterproof.fast import transcripts
from filterproof.palette import game, response

F = Fraction
BUDGETS: tuple[tuple[Epsilon, Fraction], ...] = (
    (F(1), F(1, 100)),
    (Log(F(2)), F(1, 10)),
    (Log(F(3)), F(0)),
    (F(1, 2), F(1, 4)),
)


def drawn(random: Random, databases: tuple[str, ...], depth: int) -> Mechanism:
    """Return a mechanism of two or three outputs with a menu of one or two requests after each."""
    columns = []
    size = random.choice((2, 2, 3))
    for _ in databases:
        parts = [random.choice((0, 1, 1, 5, 20, 100)) for _ in range(size - 1)]
        parts.append(random.choice((5, 100, 400)))
        columns.append([F(part, sum(parts)) for part in parts])
    rows = {str(y): row for y, row in enumerate(zip(*columns, strict=True)) if any(row)}
    menus = {y: menu(random, databases, depth - 1) for y in rows} if depth > 1 else {}
    return over(databases, rows, menus)


def menu(random: Random, databases: tuple[str, ...], depth: int) -> dict[str, Mechanism]:
    return {r: drawn(random, databases, depth) for r in "ab"[: random.choice((1, 2))]}


def plays(seed: int, number: int) -> Iterator[Witness]:
    """Yield games drawn at random on two or three databases, with a budget each."""
    random = Random(seed)
    for i in range(number):
        databases = ("0", "1", "2")[: 2 + i % 2]
        neighbours = [("0", "1"), ("1", "2")][: 1 + i % 2]
        first = menu(random, databases, random.choice((1, 2, 3)))
        yield Witness(Game(databases, neighbours, first), *BUDGETS[i % len(BUDGETS)])


def test_there_are_enough_filters_of_both_kinds() -> None:
    assert len(WRONG) >= 44
    assert len(SOUND) >= 16
    assert not WRONG.keys() & SOUND.keys()


@pytest.mark.parametrize("name", WRONG)
def test_the_witness_breaks_the_wrong_filter(name: str) -> None:
    one = WRONG[name]
    found = one.witness
    rule = one.target(found.epsilon, found.delta)
    assert worst_case(rule, found.game, found.epsilon).value > found.delta


@pytest.mark.parametrize("name", SOUND)
def test_the_sound_filter_keeps_its_promise(name: str) -> None:
    small = [one.witness for one in WRONG.values() if transcripts(one.witness.game) <= 100]
    for play in [*small, *plays(seed=1, number=12)]:
        rule = SOUND[name].target(play.epsilon, play.delta)
        assert worst_case(rule, play.game, play.epsilon).value <= play.delta


@pytest.mark.parametrize("name", SOUND)
def test_the_sound_filter_answers_a_cheap_question(name: str) -> None:
    rule = SOUND[name].target(F(1), F(1, 10))
    assert worst_case(rule, game(response(F(21, 41))), F(0)).value == F(1, 41)
