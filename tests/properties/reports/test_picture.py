"""Rounds that repeat are folded in a picture, and nothing of the winning set is lost on the way."""

from dataclasses import replace
from fractions import Fraction

import pytest

from filterproof.filters.naive import Naive
from filterproof.filters.run_all import RunAll
from filterproof.game import Mechanism
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures
from filterproof_properties.reports.picture import Picture, count_turns, picture
from filterproof_properties.reports.plain import counterexample
from filterproof_properties.targets.evaluate import certify_violation

P = Fraction(1, 100)


def drawn(case: Case) -> Picture:
    return picture(certify_violation("all", lambda epsilon, delta: RunAll(), case).certificate)


def won(shown: Picture) -> Fraction:
    """The likelihood under x of all that is marked as in S."""
    todo, mass = [shown.first], Fraction(0)
    for turn in todo:
        mass += sum((one.p for one in turn.branches if one.in_event), Fraction(0))
        todo += [one.turn for one in turn.branches if one.turn]
    return mass


def test_fourteen_rounds_that_are_alike_are_one_turn() -> None:
    case = replace(erasures(P, 14), parameters={})
    shown = drawn(case)
    assert (shown.first.times, shown.turns, won(shown)) == (14, 1, shown.mass_x)
    assert "asks 'ask' x 14" in counterexample(certify_violation("n", Naive, case).certificate)


def test_three_rounds_are_drawn_as_they_are() -> None:
    shown = drawn(replace(erasures(P, 3), parameters={}))
    assert (shown.first.times, count_turns(shown.first)) == (1, 3)


def test_a_row_ends_where_the_rounds_differ() -> None:
    menu = {"ask": erasure(P * 2)}
    for _ in range(5):
        menu = {"ask": erasure(P, {"?": menu})}
    shown = drawn(Case("row", game(menu), Fraction(1), P))
    assert (shown.first.times, shown.turns, won(shown)) == (5, 2, shown.mass_x)


@pytest.mark.parametrize("rounds", [9, 14])
def test_equal_rounds_that_branch_are_one_turn_with_their_endings_counted(rounds: int) -> None:
    shown = drawn(Case("rr", game(repeated(response(Fraction(3, 5)), rounds)), Fraction(1), P))
    assert (shown.first.times, shown.turns, won(shown)) == (rounds, 1, shown.mass_x)
    assert "endings" in shown.first.branches[0].output


def test_rounds_that_branch_and_differ_are_not_folded() -> None:
    inner = repeated(response(Fraction(3, 5)), 3)
    law = response(Fraction(2, 3)).law
    mixed = Mechanism(law, {"0": {"ask": inner}, "1": {"ask": repeated(erasure(P), 3)}})
    shown = drawn(Case("mixed", game(mixed), Fraction(1), P))
    assert shown.turns > 1
    assert won(shown) == shown.mass_x
