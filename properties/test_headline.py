"""The headline property: adaptive trees, exact transcripts, every event, every adversary.

Hypothesis draws an adaptive mechanism tree, a budget and parameters.  The full transcript
distribution under every database is enumerated exactly, for every deterministic adversary, and
the (eps, delta)-DP inequality is checked for every event.  It holds for the repaired rule and
fails for the published one.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, Log
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.palette import game, lottery, response, reveal, silent
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.strategies import cases
from filterproof_properties.transcripts import brute_force

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
BUDGETS: list[tuple[Epsilon, Fraction]] = [
    (Fraction(1), Fraction(2, 3)),
    (Log(Fraction(2)), Fraction(1, 2)),
]
run = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=SLOW)


PALETTE = (silent(), reveal(), response(Fraction(3, 4)))


@st.composite
def quiet_openings(draw: st.DrawFn, target: Any) -> Case:
    """A first round that says nothing about x; then, per output and request, any of a palette."""
    m = draw(st.integers(1, 3))
    names = [str(y) for y in range(1, m + 1)]
    after = {y: {r: draw(st.sampled_from(PALETTE)) for r in names} for y in names}
    tree = game(lottery([Fraction(1, m)] * m, after))
    epsilon, delta = draw(st.sampled_from(BUDGETS))
    parameters = draw(st.sampled_from([*target.parameters(epsilon, delta, 2)]))
    return Case("drawn", tree, epsilon, delta, parameters)


def trees(target: Any) -> st.SearchStrategy[Case]:
    drawn = cases(max_rounds=2, max_databases=3, parameters=target.parameters)
    return st.one_of(quiet_openings(target), drawn)


def private_for_every_event_and_adversary(target: Any, case: Case) -> bool | None:
    """The definition of an (eps, delta)-DP filter, literally; None if the tree is too large."""
    rule = target(case.epsilon, case.delta, **case.parameters)
    worst = brute_force(rule, case.game, case.epsilon, limit=400)
    return None if worst is None else worst <= case.delta


@given(trees(Repaired))
@run
def test_headline_the_repaired_rule_is_private(case: Case) -> None:
    private = private_for_every_event_and_adversary(Repaired, case)
    assume(private is not None)
    assert private


@given(trees(RepairedSharp))
@run
def test_headline_the_repaired_rule_is_private_under_the_sharp_constraint(case: Case) -> None:
    private = private_for_every_event_and_adversary(RepairedSharp, case)
    assume(private is not None)
    assert private


def test_headline_the_published_rule_is_not_private() -> None:
    """Theorem 1 fails, and the failure shrinks to a game of two rounds and three outputs."""

    def broken(case: Case) -> bool:
        rule = Algorithm1(case.epsilon, case.delta, **case.parameters)
        return worst_case(rule, case.game, case.epsilon).value > case.delta

    search = settings(
        max_examples=20_000, deadline=None, derandomize=True, suppress_health_check=SLOW
    )
    case = find(quiet_openings(Algorithm1), broken, settings=search)
    assert private_for_every_event_and_adversary(Algorithm1, case) is False
    assert private_for_every_event_and_adversary(Repaired, case) is True
    assert case.game.depth == 2
    assert len(case.game.menu["ask"].law) == 3


@pytest.mark.parametrize("rule", [Repaired, RepairedSharp])
def test_the_property_can_fail_for_a_repaired_rule_that_forgets_theta(rule: Any) -> None:
    class Forgetful(rule):  # type: ignore[misc]
        def check_parameters(self) -> None:
            """Accept anything: theta is no longer paid for."""

    def broken(case: Case) -> bool:
        chosen = {**case.parameters, "theta": 1 - case.delta / 2}
        forgetful = replace(case, parameters=chosen)
        return private_for_every_event_and_adversary(Forgetful, forgetful) is False

    assert broken(find(trees(rule), broken, settings=run))
