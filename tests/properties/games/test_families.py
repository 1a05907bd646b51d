from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar

import pytest

from filterproof.exact import Epsilon, Log
from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Step
from filterproof.game.rows import erasure, one_sided
from filterproof_properties.games import disguises
from filterproof_properties.games import families as attacks
from filterproof_properties.games.families import BUDGETS, FAMILIES, attack_cases, line, quiet

DELTA = Fraction(1, 10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("budget", BUDGETS[:4])
def test_every_family_yields_cases_at_the_budget_that_the_compensator_survives(
    family: str, budget: tuple[Epsilon, Fraction]
) -> None:
    epsilon, delta = budget
    found = list(islice(FAMILIES[family](epsilon, delta, ()), 6))
    assert found
    for case in found:
        assert (case.epsilon, case.delta) == budget
        assert worst_case(Compensator(*budget), case.game, epsilon).value <= delta


def test_the_naive_filter_falls_to_repeated_spends() -> None:
    epsilon = Log(Fraction(2))
    rule = Naive(epsilon, DELTA)
    cases = FAMILIES["repeated"](epsilon, DELTA, ())
    assert any(worst_case(rule, case.game, epsilon).value > DELTA for case in islice(cases, 60))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_works_at_every_default_budget(family: str) -> None:
    for epsilon, delta in BUDGETS:
        assert next(iter(FAMILIES[family](epsilon, delta, ()))).delta == delta


def test_thresholds_of_the_filter_enter_the_games() -> None:
    theta = Fraction(3, 37)
    cases = FAMILIES["guessing"](Fraction(1), DELTA, (DELTA, theta))
    assert any(f"of {theta}" in case.name for case in cases)


def test_attack_cases_are_repeatable_and_the_seed_changes_their_order() -> None:
    def names(seed: int) -> list[str]:
        return [case.name for case in islice(attack_cases(seed, BUDGETS[:2]), 30)]

    assert names(1) == names(1)
    assert names(1) != names(2)


def test_there_are_games_of_ten_rounds_and_more() -> None:
    assert any(case.game.depth >= 10 for case in FAMILIES["late"](Fraction(1), DELTA, ()))


def test_whichever_symbol_falls_can_be_named() -> None:
    sure = Game(attacks.BOTH, [attacks.BOTH], attacks.guess_menu(Fraction(1, 4), 4, 1))
    assert worst_case(RunAll(), sure, Fraction(1)).value == 1
    most = Game(attacks.BOTH, [attacks.BOTH], attacks.guess_menu(Fraction(1, 4), 3, 1))
    assert worst_case(RunAll(), most, Fraction(1)).value == Fraction(3, 4)


PLAIN = Game(("0", "1"), [("0", "1")], line([erasure(DELTA), one_sided(DELTA)], quiet))
DISGUISES = dict(disguises.plain_disguises()) | {"stating": disguises.stating(Fraction(2))}


@pytest.mark.parametrize("name", DISGUISES)
def test_no_disguise_makes_a_game_less_dangerous(name: str) -> None:
    dressed = DISGUISES[name](PLAIN)
    epsilon = Log(Fraction(2))
    before = worst_case(RunAll(), PLAIN, epsilon).value
    after = worst_case(RunAll(), dressed, epsilon).value
    assert after >= before


class LikesALetter(Compensator):
    """Asks nothing of a request with a certain letter in its name."""

    letter: ClassVar[str]

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        if self.letter in step.request:
            return Decision.CONTINUE, state
        return super().decide(state, step)


@pytest.mark.parametrize(("letter", "found"), [("b", True), ("z", True), ("\N{SNOWMAN}", False)])
def test_a_filter_that_likes_a_letter_is_found(letter: str, found: bool) -> None:
    target = type("Likes", (LikesALetter,), {"letter": letter})
    rule = target(Fraction(1), DELTA)
    cases = FAMILIES["disguised"](Fraction(1), DELTA, ())
    assert any(worst_case(rule, one.game, one.epsilon).value > DELTA for one in cases) is found


def test_a_budget_is_needed_that_a_law_can_be_built_from() -> None:
    with pytest.raises(ValueError, match="need epsilon <= 700"):
        list(attacks.FAMILIES["overshoot"](Fraction(1000), DELTA, ()))
