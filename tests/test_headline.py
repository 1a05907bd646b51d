"""The headline property: adaptive trees, exact transcripts, every event, every adversary.

Hypothesis draws an adaptive mechanism tree, a budget and parameters.  The full transcript
distribution under every database is enumerated exactly, for every deterministic adversary, and
the (eps, delta)-DP inequality is checked for every event.  It holds for the repaired rule and
fails for the published one.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, find, given, settings

from filterproof.adversary import worst_case
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof_properties.named import Case
from filterproof_properties.strategies import cases
from tests.brute import brute_force

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
run = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=SLOW)


def trees(target: Any) -> Any:
    return cases(max_rounds=2, max_databases=3, parameters=target.parameters)


def private_for_every_event_and_adversary(target: Any, case: Case) -> bool:
    """The definition of an (eps, delta)-DP filter, taken literally."""
    rule = target(case.epsilon, case.delta, **case.parameters)
    worst = brute_force(rule, case.game, case.epsilon, limit=400)
    assume(worst is not None)
    assert worst is not None
    return worst <= case.delta


@given(trees(Repaired))
@run
def test_headline_the_repaired_rule_is_private(case: Case) -> None:
    assert private_for_every_event_and_adversary(Repaired, case)


@given(trees(RepairedSharp))
@run
def test_headline_the_repaired_rule_is_private_under_the_sharp_constraint(case: Case) -> None:
    assert private_for_every_event_and_adversary(RepairedSharp, case)


def test_headline_the_published_rule_is_not_private() -> None:
    """Theorem 1 fails, and the failure shrinks to a game of two rounds and three outputs."""

    def broken(case: Case) -> bool:
        rule = Algorithm1(case.epsilon, case.delta, **case.parameters)
        return worst_case(rule, case.game, case.epsilon).value > case.delta

    search = settings(
        max_examples=20_000, deadline=None, derandomize=True, suppress_health_check=SLOW
    )
    case = find(trees(Algorithm1), broken, settings=search)
    assert not private_for_every_event_and_adversary(Algorithm1, case)
    assert private_for_every_event_and_adversary(Repaired, case)
    assert case.game.depth == 2


@pytest.mark.parametrize("rule", [Repaired, RepairedSharp])
def test_the_property_can_fail_for_a_repaired_rule_that_forgets_theta(rule: Any) -> None:
    class Forgetful(rule):  # type: ignore[misc]
        def check_parameters(self) -> None:
            """Accept anything: theta is no longer paid for."""

    def broken(case: Case) -> bool:
        chosen = {**case.parameters, "theta": 1 - case.delta / 2}
        return not private_for_every_event_and_adversary(
            lambda epsilon, delta, **_: Forgetful(epsilon, delta, **chosen), case
        )

    assert broken(find(trees(rule), broken, settings=run))
