"""Moves at a table that are made to see whether a filter forgets."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.game import Step
from filterproof_properties.search.menus import tables
from filterproof_properties.search.plan import Stint
from filterproof_properties.targets.evaluate import worst

BUDGET = Log(Fraction(2)), Fraction(1, 10)


@dataclass(frozen=True)
class OneKind(Additive):
    """Counts equal rounds, and refuses a round of another kind, as Opacus' accountant does."""

    def start(self) -> Any:
        return NOTHING, None

    def decide(self, state: Any, step: Step) -> Any:
        spent, kind = state
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        if kind not in (None, asked):
            return Decision.REFUSE, self.after_refusal(state)
        decision, after = super().decide(spent, step)
        return decision, (after, asked)

    def after_refusal(self, state: Any) -> Any:
        return state


class ForgetsWhenItRefuses(OneKind):
    def after_refusal(self, state: Any) -> Any:
        return self.start()


def reached(target: Any) -> list[bool]:
    """Return for every game of waiting whether it breaks the budget."""
    (table,) = tables(Stint(0, "marches", 0, BUDGET, 100), target)
    return [worst(table.rule, c.game, c.epsilon).value > c.delta for c in table.waits()]


@pytest.mark.parametrize(("target", "forgets"), [(ForgetsWhenItRefuses, True), (OneKind, False)])
def test_a_filter_that_forgets_when_it_refuses_another_kind_is_found(
    target: Any, forgets: bool
) -> None:
    assert any(reached(target)) == forgets
