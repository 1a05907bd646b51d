from dataclasses import replace
from fractions import Fraction

from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.naive import Naive
from filterproof.game import Game, Mechanism
from filterproof.palette import erasure, game, repeated
from filterproof_properties.case import Case
from filterproof_properties.games import named
from filterproof_properties.games.disguises import CROWDS, baited, delayed
from filterproof_properties.search.results import StillBroken
from filterproof_properties.search.shrinking import measure, shrink

NAIVE = StillBroken(Naive)


def violates(case: Case) -> bool:
    rule = Naive(case.epsilon, case.delta)
    return worst_case(rule, case.game, case.epsilon).value > case.delta


def test_a_buried_violation_is_dug_out() -> None:
    twice = game(repeated(erasure(Fraction(1, 10)), 4))
    buried = CROWDS[0](baited(True)(delayed(3)(twice)))
    case = Case("buried", buried, Log(Fraction(2)), Fraction(1, 10))
    assert violates(case)
    small = shrink(case, NAIVE)
    assert violates(small)
    assert (small.game.depth, len(small.game.databases)) == (2, 2)
    assert max(len(menu) for menu in small.game.nodes) == 1
    assert max(len(m.law) for menu in small.game.nodes for m in menu.values()) <= 3


def test_the_published_rule_shrinks_to_three_symbols() -> None:
    small = shrink(named.guess(4), StillBroken(Algorithm1), budget_is_free=True)
    assert small.game.depth == 2
    assert max(len(m.law) for menu in small.game.nodes for m in menu.values()) == 3


def test_a_fixed_budget_is_left_alone() -> None:
    case = named.erasures(Fraction(1, 10), 3, epsilon=Fraction(7, 5))
    small = shrink(replace(case, parameters={}), NAIVE)
    assert (small.epsilon, small.delta) == (Fraction(7, 5), Fraction(1, 10))


def test_weights_become_simple() -> None:
    odd = erasure(Fraction(4999, 10001), {"?": {"go": erasure(Fraction(4998, 10001))}})
    case = Case("odd", game({"go": odd}), Fraction(1), Fraction(1, 2))
    small = shrink(case, NAIVE)
    values = [
        p
        for menu in small.game.nodes
        for m in menu.values()
        for row in m.law.values()
        for p in row.values()
    ]
    assert max(p.denominator for p in values) <= 4


def test_declared_pairs_that_do_not_matter_are_dropped() -> None:
    law = erasure(Fraction(1, 2)).law
    stated = Mechanism(law, {"?": {"go": Mechanism(law)}}, stated=(Fraction(3), Fraction(1, 2)))  # type: ignore[arg-type]
    case = Case(
        "stated", Game(("0", "1"), [("0", "1")], {"go": stated}), Fraction(1), Fraction(1, 2)
    )
    small = shrink(case, NAIVE)
    assert all(m.stated is None for menu in small.game.nodes for m in menu.values())


def test_every_step_is_smaller_and_judged() -> None:
    judged: list[Case] = []

    def judge(case: Case) -> Case | None:
        judged.append(case)
        return NAIVE(case)

    start = replace(named.erasures(Fraction(1, 10), 4), parameters={})
    small = shrink(start, judge)
    assert measure(small) < measure(start)
    assert any(case.game is small.game for case in judged)


def test_what_no_step_makes_smaller_stays() -> None:
    case = replace(named.erasures(Fraction(1, 10), 2), parameters={})
    small = shrink(case, NAIVE)
    assert shrink(small, NAIVE).game is small.game


def test_judging_is_bounded() -> None:
    calls = []

    def never(case: Case) -> Case | None:
        calls.append(case)
        return None

    shrink(named.twice_2(), never, most=7)
    assert len(calls) == 7
