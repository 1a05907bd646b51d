"""Games that a builder makes: does a filter forget, and does it watch all pairs all the time?"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.compensator import Compensator
from filterproof.game import Step
from filterproof.game.law import Pair
from filterproof.privacy import charge
from filterproof_properties.games.contexts import CONTEXTS, PLAIN
from filterproof_properties.search.menus import builders
from filterproof_properties.search.plan import SearchTask
from filterproof_properties.search.spending import spend_then_idle
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
    (builder,) = builders(SearchTask(0, "repeated spends", BUDGET, 100), target)
    return [
        worst(builder.rule, c.game, c.epsilon).value > c.delta for c in spend_then_idle(builder)
    ]


@pytest.mark.parametrize(("target", "forgets"), [(ForgetsWhenItRefuses, True), (OneKind, False)])
def test_a_filter_that_forgets_when_it_refuses_another_kind_is_found(
    target: Any, forgets: bool
) -> None:
    assert any(reached(target)) == forgets


@dataclass(frozen=True)
class FirstPairCharged(Compensator):
    """Watches the two databases that were told apart first, and nobody else from then on."""

    def decide(self, state: Any, step: Step) -> Any:
        watched, left = state or (frozenset(), ())
        charged = [pair for pair in step.pairs if self.costs(pair, step)]
        watched = watched or frozenset(charged[0] if charged else ())
        seen = [pair for pair in charged if frozenset(pair) == watched]
        decision, after = super().decide(left, step) if seen or not step.index else (None, left)
        return decision or Decision.CONTINUE, (watched, after)

    def costs(self, pair: Pair, step: Step) -> bool:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon).sign() > 0

    def observe(self, state: Any, step: Step, output: str) -> Any:
        return state


TURNING = [number for number, context in enumerate((PLAIN, *CONTEXTS)) if context.turns]


@pytest.mark.parametrize("context", TURNING)
@pytest.mark.parametrize(("target", "breaks"), [(FirstPairCharged, True), (Compensator, False)])
def test_a_filter_that_watches_one_pair_is_found_where_sides_turn(
    target: Any, breaks: bool, context: int
) -> None:
    (builder,) = builders(SearchTask(0, "one round", BUDGET, 100, part=context), target)
    plays = [worst(builder.rule, c.game, c.epsilon).value > c.delta for c in builder.turn_sides()]
    assert len(plays) > 10
    assert any(plays) == breaks
