"""Ledgers with a mistake on public record: what breaks them, and that one line mends them."""

from fractions import Fraction
from math import inf
from typing import Any

import pytest

from corpus.zoo.base import Specimen
from corpus.zoo.ledgers import MENDED
from filterproof.filters.additive import Additive
from filterproof.filters.ledger_bugs import FAILS, PerAnalyst
from filterproof.filters.registry import entry
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.games.transforms import rename_all
from filterproof_properties.targets.walk import questions

NAMES = (
    "budget-per-analyst",
    "refund-on-failure",
    "missing-key",
    "clamped-charge",
    "stale-remaining",
    "two-ledgers",
)
CASES = [case for case in named_cases() if len(case.game.nodes) <= 12]


def ran(rule: Any, case: Case) -> set[Any]:
    """Return every partial transcript at which the filter runs what is asked for."""
    asked = questions(rule, case.game, inf)
    return {(one.step.history, one.step.request) for one in asked if one.decision == "continue"}


@pytest.mark.parametrize(("name", "mended"), [*zip(NAMES, MENDED, strict=True)], ids=NAMES)
def test_with_one_line_mended_it_runs_what_the_additive_filter_runs(
    name: str, mended: Specimen
) -> None:
    for case in (SPECIMENS[name](), *CASES):
        twin, additive = (make(case.epsilon, case.delta) for make in (mended.target, Additive))
        assert ran(twin, case) == ran(additive, case)
        assert worst_case(twin, case.game, case.epsilon).value <= case.delta


@pytest.mark.parametrize("name", NAMES)
def test_as_it_stands_it_runs_more_on_its_own_game(name: str) -> None:
    case = SPECIMENS[name]()
    broken, additive = (f(case.epsilon, case.delta) for f in (entry(name).target, Additive))
    assert ran(broken, case) > ran(additive, case)


def test_a_budget_per_analyst_is_sound_for_one_of_them() -> None:
    for case in CASES:
        alone = rename_all(case.game)  # every request begins with the same words and a colon
        rule = PerAnalyst(case.epsilon, case.delta)
        assert worst_case(rule, alone, case.epsilon).value <= case.delta
    together = SPECIMENS["budget-per-analyst"]()
    rule = PerAnalyst(together.epsilon, together.delta)
    assert worst_case(rule, together.game, together.epsilon).value > together.delta
    alone = rename_all(together.game)
    assert worst_case(rule, alone, together.epsilon).value == 0


def test_only_a_failure_is_refunded() -> None:
    case = SPECIMENS["refund-on-failure"]()
    assert FAILS in case.game.menu["ask"].law
    rule = entry("refund-on-failure").target(case.epsilon, Fraction(0))
    answering = SPECIMENS["stale-remaining"]()  # the same laws, and no output is a failure
    assert worst_case(rule, answering.game, answering.epsilon).value == 0
