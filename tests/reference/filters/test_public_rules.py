"""Specimens of rules that public programs have: what breaks them, and that one line mends them."""

from fractions import Fraction
from typing import Any

import pytest

from corpus.zoo.base import Specimen
from corpus.zoo.rules import MENDED
from filterproof.exact import Log
from filterproof.filters.additive import Additive
from filterproof.filters.advanced import BasicOrAdvanced, Rogers
from filterproof.filters.ledger_bugs import RelativeTolerance
from filterproof.filters.parameters import ParameterError
from filterproof.filters.rdp import RenyiMisconverted, RenyiTight
from filterproof.filters.registry import entry
from filterproof.game.law import Declared
from filterproof.palette import game, repeated, response
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.specimens import SPECIMENS

NAMES = (
    "rdp-wrong-conversion",
    "basic-or-advanced",
    "ledger-in-migration",
    "divided-by-ratio",
    "charged-afterwards",
    "equal-charges",
    "relative-tolerance",
)
CASES = [case for case in named_cases() if len(case.game.nodes) <= 12]


def worst(rule: Any, case: Case) -> Any:
    return worst_case(rule, case.game, case.epsilon).value


@pytest.mark.parametrize(("name", "mended"), [*zip(NAMES, MENDED, strict=True)], ids=NAMES)
def test_with_one_line_mended_it_keeps_its_promise_on_its_own_game_and_on_others(
    name: str, mended: Specimen
) -> None:
    own = SPECIMENS[name]()
    assert worst(entry(name).target(own.epsilon, own.delta, **own.parameters), own) > own.delta
    for case in (own, *CASES):
        twin = mended.target(case.epsilon, case.delta)
        assert worst(twin, case) <= case.delta


def test_the_wrong_conversion_admits_what_the_right_one_refuses_and_needs_a_whole_order() -> None:
    case = SPECIMENS["rdp-wrong-conversion"]()
    assert worst(RenyiTight(case.epsilon, case.delta, **case.parameters), case) == 0
    with pytest.raises(ParameterError, match="need a whole order; got 3/2"):
        RenyiMisconverted(case.epsilon, case.delta, order=Fraction(3, 2))


def test_each_theorem_alone_keeps_the_promise_that_the_two_together_break() -> None:
    case = SPECIMENS["basic-or-advanced"]()
    for alone in (Additive, Rogers):
        assert worst(alone(case.epsilon, case.delta), case) <= case.delta
    assert worst(BasicOrAdvanced(case.epsilon, case.delta), case) > case.delta


def test_a_budget_that_is_just_met_needs_no_tolerance_and_one_of_0_has_none() -> None:
    two = Log(Fraction(2))
    once = Case("once", game(repeated(response(Fraction(2, 3)), 1)), two, Fraction(0))
    assert RelativeTolerance(two, Fraction(0)).fits(Declared(Fraction(2), Fraction(0)))
    assert worst(RelativeTolerance(two, Fraction(0)), once) == 0
    nothing = RelativeTolerance(Fraction(0), Fraction(0))
    assert nothing.fits(Declared(Fraction(1), Fraction(0)))
    assert not nothing.fits(Declared(1 + Fraction(1, 10**30), Fraction(0)))


def test_the_tolerance_is_one_part_in_a_thousand_million_of_epsilon_too() -> None:
    rule = RelativeTolerance(Fraction(1), Fraction(0))
    e = Fraction(2718281828459045235360287471352662497757, 10**39)
    assert rule.fits(Declared(e * (1 + Fraction(9, 10**10)), Fraction(0)))
    assert not rule.fits(Declared(e * (1 + Fraction(11, 10**10)), Fraction(0)))
    assert not rule.fits(Declared(Fraction(1), Fraction(1, 10**30)))
