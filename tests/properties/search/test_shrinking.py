from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from filterproof.certificate import canonical
from filterproof.exact import ExpLinear, Log
from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.naive import Naive
from filterproof.game import Game, Mechanism, Step
from filterproof.game.json import game_to_json
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.case import Case, Scored
from filterproof_properties.games import named
from filterproof_properties.games.contexts import Context
from filterproof_properties.games.transforms import add_decoy
from filterproof_properties.search.ranking import hairline, measure, oddness
from filterproof_properties.search.results import ViolationCheck
from filterproof_properties.search.shrinking import STRUCTURE, Still, shrink

NAIVE = ViolationCheck(Naive)


def small(case: Case, still: Still = NAIVE, **options: Any) -> Case:
    found = still(case)
    assert found is not None
    return shrink(found, still, **options).found.case


def violates(case: Case) -> bool:
    rule = Naive(case.epsilon, case.delta)
    return worst_case(rule, case.game, case.epsilon).value > case.delta


def test_a_buried_violation_is_dug_out() -> None:
    twice = game(repeated(erasure(Fraction(1, 10)), 4))
    crowd = Context(
        "crowd", (0, 0, 1), (("0", "1"), ("1", "2")), quiet=3, transform=add_decoy(True)
    )
    buried = crowd.transplant(twice)
    case = Case("buried", buried, Log(Fraction(2)), Fraction(1, 10))
    assert violates(case)
    smaller = small(case)
    assert violates(smaller)
    assert (smaller.game.depth, len(smaller.game.databases)) == (2, 2)
    assert max(len(menu) for menu in smaller.game.nodes) == 1
    assert max(len(m.law) for menu in smaller.game.nodes for m in menu.values()) <= 3


def test_the_published_rule_shrinks_to_four_symbols_at_a_budget_that_people_set() -> None:
    smaller = small(named.guess(4), ViolationCheck(Algorithm1), budget_is_free=True)
    assert oddness(smaller.epsilon, smaller.delta) == 0
    assert smaller.game.depth == 2
    assert max(len(m.law) for menu in smaller.game.nodes for m in menu.values()) <= 4


def test_a_fixed_budget_is_left_alone() -> None:
    case = named.erasures(Fraction(1, 10), 3, epsilon=Fraction(7, 5))
    smaller = small(replace(case, parameters={}))
    assert (smaller.epsilon, smaller.delta) == (Fraction(7, 5), Fraction(1, 10))


def test_weights_become_simple() -> None:
    odd = erasure(Fraction(4999, 10001), {"?": {"go": erasure(Fraction(4998, 10001))}})
    case = Case("odd", game({"go": odd}), Fraction(1), Fraction(1, 2))
    smaller = small(case)
    values = [
        p
        for menu in smaller.game.nodes
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
    smaller = small(case)
    assert all(m.stated is None for menu in smaller.game.nodes for m in menu.values())


def test_every_step_is_smaller_and_judged() -> None:
    judged: list[Case] = []

    def judge(case: Case) -> Scored | None:
        judged.append(case)
        return NAIVE(case)

    start = replace(named.erasures(Fraction(1, 10), 4), parameters={})
    smaller = small(start, judge)
    assert measure(smaller) < measure(start)
    assert any(case.game is smaller.game for case in judged)


def test_what_no_step_makes_smaller_stays() -> None:
    case = replace(named.erasures(Fraction(1, 10), 2), parameters={})
    smaller = small(case)
    assert small(smaller).game is smaller.game


def test_judging_is_bounded() -> None:
    calls = []

    def never(case: Case) -> Scored | None:
        calls.append(case)
        return None

    shrink(Scored(named.twice_2(), ExpLinear(1, 0, Fraction(1))), never, most=7, bounded=False)
    assert len(calls) == 7


def test_a_violation_moves_to_a_budget_that_people_set() -> None:
    case = Case("large", game(repeated(erasure(Fraction(4, 5)), 2)), Fraction(60), Fraction(4, 5))
    smaller = small(case, budget_is_free=True)
    assert (oddness(case.epsilon, case.delta), oddness(smaller.epsilon, smaller.delta)) == (3, 0)


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


class EighthIsFree:
    """Adds up what is declared, and lets every eighth round that costs something through."""

    def __init__(self, epsilon: Fraction, delta: Fraction) -> None:
        self.inner = Additive(epsilon, delta)

    def start(self) -> Any:
        return 0, self.inner.start()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        asked, spent = state
        asked += step.mechanism.declared != NOTHING
        if step.mechanism.declared != NOTHING and asked % 8 == 0:
            return Decision.CONTINUE, (asked, spent)
        decision, spent = self.inner.decide(spent, step)
        return decision, (asked, spent)


def test_one_round_tells_all_and_those_before_it_hardly_anything() -> None:
    odd = (response(Fraction(p, 34)) for p in (18, 19, 18, 18, 18, 18, 18))
    last = {"ask": response(Fraction(10, 17))}
    for law in odd:
        last = {"ask": Mechanism(law.law, dict.fromkeys(law.law, last))}
    case = Case("messy", game(last), Fraction(1), Fraction(1, 1000))
    still = ViolationCheck(EighthIsFree)
    found = still(case)
    assert found is not None
    shrunk = shrink(found, still)
    smaller = shrunk.found.case
    laws = [sorted(m.law.values(), key=repr) for menu in smaller.game.nodes for m in menu.values()]
    telling = [law for law in laws if {p for row in law for p in row.values()} == {0, 1}]
    assert (len(laws), len(telling)) == (8, 1)
    assert shrunk.tried < 50  # 84 where no step does this at once
    assert all(law == laws[-1] for law in laws if law not in telling)


def test_a_hairline_excess_is_widened_where_the_filter_can_be_broken_by_more() -> None:
    first = Fraction(1, 80)
    second = (Fraction(1, 10) + Fraction(1, 2**45) - first) / (1 - first)
    again = erasure(first, {"?": {"go": erasure(second)}})
    case = Case("hair", game({"go": again}), Fraction(1), Fraction(1, 10))
    judge = ViolationCheck(Hair)  # type: ignore[arg-type]
    found = judge(case)
    assert found is not None
    wide = shrink(found, judge)
    assert (hairline(found), hairline(wide.found)) == (3, 0)


# --- how much is asked ----------------------------------------------------------------------------


class Asked:
    """The judge of `Naive`, with what it was asked about, as a certificate writes it."""

    def __init__(self) -> None:
        self.forms: list[tuple[Any, ...]] = []

    def __call__(self, case: Case) -> Scored | None:
        self.forms.append((canonical(game_to_json(case.game)), case.epsilon, case.delta))
        return NAIVE(case)


def shrink_asking(**options: Any) -> tuple[Asked, int]:
    asked, case = Asked(), replace(named.erasures(Fraction(1, 10), 4), parameters={})
    found = NAIVE(case)
    assert found is not None
    return asked, shrink(found, asked, budget_is_free=True, **options).tried


@pytest.mark.parametrize("bounded", [True, False])
def test_no_candidate_is_judged_twice_and_all_are_counted(bounded: bool) -> None:
    asked, tried = shrink_asking(bounded=bounded)
    assert tried == len(asked.forms) == len(set(asked.forms)) > 2


def test_steps_do_offer_the_same_candidate_twice() -> None:
    case = replace(named.erasures(Fraction(1, 10), 4), parameters={})
    offered = [canonical(game_to_json(one.game)) for step in STRUCTURE for one in step(case)]
    assert len(set(offered)) < len(offered), "or nothing was to be remembered"


def test_what_cannot_be_better_is_not_asked_about() -> None:
    few, many = (shrink_asking(bounded=bounded)[1] for bounded in (True, False))
    assert 2 * few < many


def test_so_many_candidates_are_looked_at_and_no_more() -> None:
    assert shrink_asking(bounded=False, most=3)[1] == 3
    assert shrink_asking(bounded=False, until=-1.0)[1] == 0


def test_each_parameter_set_is_tried_once() -> None:
    case = replace(named.guess(4), parameters={})
    assert ViolationCheck(Naive).parameters(case) == [{}]
    sets = ViolationCheck(Algorithm1).parameters(named.guess(4))
    assert sets[0] == named.guess(4).parameters
    assert len(sets) > 1
    assert all(one not in sets[:i] for i, one in enumerate(sets))
