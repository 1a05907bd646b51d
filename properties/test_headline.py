"""The headline property: adaptive trees, exact transcripts, every event, every adversary.

Hypothesis draws an adaptive mechanism tree, a budget and parameters.  The full transcript
distribution under every database is enumerated exactly, for every deterministic adversary, and
the (eps, delta)-DP inequality is checked for every event.  It holds for every sound filter, and
fails for the published rule.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, Log
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.registry import REGISTRY, Entry, entry
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.palette import game, lottery, response, reveal, silent
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.plugin.properties import PROPERTIES, by_enumeration, run
from filterproof_properties.strategies import cases
from filterproof_properties.targets.target import Declined

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
BUDGETS: list[tuple[Epsilon, Fraction]] = [
    (Fraction(1), Fraction(2, 3)),
    (Log(Fraction(2)), Fraction(1, 2)),
]
PALETTE = (silent(), reveal(), response(Fraction(3, 4)))
HEADLINE = PROPERTIES["transcripts"]
quick = settings(deadline=None, derandomize=True, max_examples=120, suppress_health_check=SLOW)


# --- every sound filter ---------------------------------------------------------------------------


@pytest.mark.parametrize("one", [one for one in REGISTRY if one.sound], ids=lambda one: one.name)
def test_a_sound_filter_is_private_for_every_event_and_adversary(one: Entry) -> None:
    found = run(HEADLINE, one.target, examples=30)
    assert found.broken is None
    assert found.tried >= 12


@pytest.mark.parametrize("name", ["naive", "per-round-delta"])
def test_a_wrong_filter_is_found_by_the_same_property_in_a_small_game(name: str) -> None:
    found = run(HEADLINE, entry(name).target)
    assert found.broken is not None
    case = found.broken.case
    assert by_enumeration(entry(name).target, case) > case.delta
    assert case.game.depth <= 2
    assert len(case.game.databases) == 2


# --- the published rule ---------------------------------------------------------------------------


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


def private(target: Any, case: Case) -> bool | None:
    """The definition of an (eps, delta)-DP filter, literally; None if the tree is too large."""
    try:
        return bool(by_enumeration(target, case) <= case.delta)
    except Declined:
        return None


@pytest.mark.parametrize("rule", [Repaired, RepairedSharp])
def test_headline_the_repaired_rule_is_private(rule: Any) -> None:
    @given(trees(rule))
    @quick
    def holds(case: Case) -> None:
        found = private(rule, case)
        assume(found is not None)
        assert found

    holds()


def test_headline_the_published_rule_is_not_private() -> None:
    """Theorem 1 fails, and the failure shrinks to a game of two rounds and three outputs."""

    def broken(case: Case) -> bool:
        rule = Algorithm1(case.epsilon, case.delta, **case.parameters)
        return worst_case(rule, case.game, case.epsilon).value > case.delta

    search = settings(
        max_examples=20_000, deadline=None, derandomize=True, suppress_health_check=SLOW
    )
    case = find(quiet_openings(Algorithm1), broken, settings=search)
    assert private(Algorithm1, case) is False
    assert private(Repaired, case) is True
    assert case.game.depth == 2
    assert len(case.game.menu["ask"].law) == 3


@pytest.mark.parametrize("rule", [Repaired, RepairedSharp])
def test_the_property_can_fail_for_a_repaired_rule_that_forgets_theta(rule: Any) -> None:
    class Forgetful(rule):  # type: ignore[misc]
        def check_parameters(self) -> None:
            """Accept anything: theta is no longer paid for."""

    def broken(case: Case) -> bool:
        chosen = {**case.parameters, "theta": 1 - case.delta / 2}
        return private(Forgetful, replace(case, parameters=chosen)) is False

    found = settings(quick, phases=[Phase.generate])  # any failure will do, however large
    assert broken(find(trees(rule), broken, settings=found))
