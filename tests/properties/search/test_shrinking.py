from dataclasses import replace
from fractions import Fraction
from typing import Any

from filterproof.exact import ExpLinear, Log
from filterproof.fast import worst_case
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.naive import Naive
from filterproof.game import Game, Mechanism, Step
from filterproof.palette import erasure, game, repeated
from filterproof_properties.case import Case, Scored
from filterproof_properties.games import named
from filterproof_properties.games.disguises import baited
from filterproof_properties.games.scenes import Scene
from filterproof_properties.search.readable import hairline, measure, oddness
from filterproof_properties.search.results import StillBroken
from filterproof_properties.search.shrinking import Still, shrink

NAIVE = StillBroken(Naive)


def small(case: Case, still: Still = NAIVE, **options: Any) -> Case:
    found = still(case)
    assert found is not None
    return shrink(found, still, **options).case


def violates(case: Case) -> bool:
    rule = Naive(case.epsilon, case.delta)
    return worst_case(rule, case.game, case.epsilon).value > case.delta


def test_a_buried_violation_is_dug_out() -> None:
    twice = game(repeated(erasure(Fraction(1, 10)), 4))
    crowd = Scene("crowd", (0, 0, 1), (("0", "1"), ("1", "2")), quiet=3, disguise=baited(True))
    buried = crowd.lifted(twice)
    case = Case("buried", buried, Log(Fraction(2)), Fraction(1, 10))
    assert violates(case)
    shrunk = small(case)
    assert violates(shrunk)
    assert (shrunk.game.depth, len(shrunk.game.databases)) == (2, 2)
    assert max(len(menu) for menu in shrunk.game.nodes) == 1
    assert max(len(m.law) for menu in shrunk.game.nodes for m in menu.values()) <= 3


def test_the_published_rule_shrinks_to_four_symbols_at_a_budget_that_people_set() -> None:
    shrunk = small(named.guess(4), StillBroken(Algorithm1), budget_is_free=True)
    assert oddness(shrunk.epsilon, shrunk.delta) == 0
    assert shrunk.game.depth == 2
    assert max(len(m.law) for menu in shrunk.game.nodes for m in menu.values()) <= 4


def test_a_fixed_budget_is_left_alone() -> None:
    case = named.erasures(Fraction(1, 10), 3, epsilon=Fraction(7, 5))
    shrunk = small(replace(case, parameters={}))
    assert (shrunk.epsilon, shrunk.delta) == (Fraction(7, 5), Fraction(1, 10))


def test_weights_become_simple() -> None:
    odd = erasure(Fraction(4999, 10001), {"?": {"go": erasure(Fraction(4998, 10001))}})
    case = Case("odd", game({"go": odd}), Fraction(1), Fraction(1, 2))
    shrunk = small(case)
    values = [
        p
        for menu in shrunk.game.nodes
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
    shrunk = small(case)
    assert all(m.stated is None for menu in shrunk.game.nodes for m in menu.values())


def test_every_step_is_smaller_and_judged() -> None:
    judged: list[Case] = []

    def judge(case: Case) -> Scored | None:
        judged.append(case)
        return NAIVE(case)

    start = replace(named.erasures(Fraction(1, 10), 4), parameters={})
    shrunk = small(start, judge)
    assert measure(shrunk) < measure(start)
    assert any(case.game is shrunk.game for case in judged)


def test_what_no_step_makes_smaller_stays() -> None:
    case = replace(named.erasures(Fraction(1, 10), 2), parameters={})
    shrunk = small(case)
    assert small(shrunk).game is shrunk.game


def test_judging_is_bounded() -> None:
    calls = []

    def never(case: Case) -> Scored | None:
        calls.append(case)
        return None

    shrink(Scored(named.twice_2(), ExpLinear(1, 0, Fraction(1))), never, most=7)
    assert len(calls) == 7


def test_a_violation_moves_to_a_budget_that_people_set() -> None:
    case = Case("large", game(repeated(erasure(Fraction(4, 5)), 2)), Fraction(60), Fraction(4, 5))
    shrunk = small(case, budget_is_free=True)
    assert (oddness(case.epsilon, case.delta), oddness(shrunk.epsilon, shrunk.delta)) == (3, 0)


def test_an_odd_budget_stays_where_nothing_else_breaks() -> None:
    def only_there(case: Case) -> Scored | None:
        return NAIVE(case) if case.epsilon == 60 else None

    case = Case("large", game(repeated(erasure(Fraction(1, 10)), 2)), Fraction(60), Fraction(1, 10))
    assert small(case, only_there, budget_is_free=True).epsilon == 60


class Hair:
    """Runs one round whose delta is at most δ and a little more: broken by a hair, or in two."""

    def __init__(self, epsilon: Fraction, delta: Fraction) -> None:
        self.most = delta * (1 + Fraction(1, 2**40))

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[str, int]:
        return ("continue" if step.mechanism.declared.delta <= self.most else "halt"), 0


def test_a_hairline_excess_is_widened_where_the_filter_can_be_broken_by_more() -> None:
    first = Fraction(1, 80)
    second = (Fraction(1, 10) + Fraction(1, 2**45) - first) / (1 - first)
    again = erasure(first, {"?": {"go": erasure(second)}})
    case = Case("hair", game({"go": again}), Fraction(1), Fraction(1, 10))
    judge = StillBroken(Hair)  # type: ignore[arg-type]
    found = judge(case)
    assert found is not None
    wide = shrink(found, judge)
    assert (hairline(found), hairline(wide)) == (3, 0)
