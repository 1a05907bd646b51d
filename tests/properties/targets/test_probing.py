"""Inquiries that the target's process holds find what they find here, and end where they cannot."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Capped
from filterproof.game import Step
from filterproof_properties.games.contexts import CONTEXTS, PLAIN, TRANSPLANTS, Context, context_at
from filterproof_properties.games.families import (
    UNSPENT,
    families_at,
    runs_at,
    statements_at,
    tilt,
)
from filterproof_properties.games.families_json import (
    context_from_json,
    context_to_json,
    family_from_json,
    family_to_json,
)
from filterproof_properties.targets import probing
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.prober import Prober
from filterproof_properties.targets.target import Loaded

BUDGET = Log(Fraction(2)), Fraction(1, 10)
FAMILIES = [
    *families_at(*BUDGET),
    *runs_at(*BUDGET, [5]),
    *statements_at(*BUDGET, [Fraction(3)]),
    UNSPENT,
    tilt(BUDGET[1]),
]


class Forgets(Additive):
    """Forgets what was spent after three quiet rounds."""

    def decide(self, state: Any, step: Step) -> Any:
        return super().decide(self.start() if step.index > 3 else state, step)


class RaisesLate(Additive):
    def decide(self, state: Any, step: Step) -> Any:
        if len(step.mechanism.law) == 3:
            raise ZeroDivisionError("three")
        return super().decide(state, step)


def prober(target: Any, context: Context = PLAIN) -> Prober:
    """The prober of a target that is asked by messages."""
    asked: Any = connect_here(Loaded("mine.py:F", target, ("dp",))).target
    return Prober(asked(*BUDGET), context, {})


# --- the same is found ----------------------------------------------------------------------------


@pytest.mark.parametrize("target", [Additive, Capped, Forgets, RaisesLate])
@pytest.mark.parametrize("context", [PLAIN, CONTEXTS[1], CONTEXTS[2], CONTEXTS[15]])
def test_families_are_turned_up_as_far_as_by_single_questions(
    target: Any, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "MOST_SECONDS", 600.0)  # however busy the machine is
    here, there = Prober(target(*BUDGET), context, {}), prober(target, context)
    first, second = here.first_state(), there.first_state()
    assert first is not None
    assert second is not None
    for bits in (0, 3):
        expected = here.largest_admitted(first, FAMILIES, bits)
        assert there.largest_admitted(second, FAMILIES, bits) == expected


@pytest.mark.parametrize("target", [Additive, Forgets])
def test_a_probe_runs_after_as_many_rounds(target: Any) -> None:
    found = []
    for one in (Prober(target(*BUDGET), PLAIN, {}), prober(target)):
        state = one.first_state()
        assert state is not None
        spend = PLAIN.build(FAMILIES[0], one.largest_admitted(state, FAMILIES[:1])["erasure"])
        full, quiet = one.game("full", spend), one.game("quiet", PLAIN.silent)
        idle = [(quiet, "quiet", "-")] * 5
        rounds = [(full, "full", [*spend.law][-1]), *idle]
        for each in (True, False):
            found.append(one.ask(one.follow(state, rounds, (full, "full"), each)))
    assert found[:2] == found[2:]
    assert found[0] == (3 if target is Forgets else None)


# --- where it cannot ------------------------------------------------------------------------------


def test_a_filter_that_raises_is_asked_question_by_question() -> None:
    one = prober(RaisesLate)
    state = one.first_state()
    assert state is not None
    one.largest_admitted(state, FAMILIES)
    assert one.elsewhere is None
    assert one.fault is not None


def test_a_slow_filter_is_asked_question_by_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "SIGN", -1.0)
    monkeypatch.setattr(probing, "MOST_SECONDS", -1.0)
    one = prober(Additive)
    state = one.first_state()
    assert state is not None
    assert one.largest_admitted(state, FAMILIES[:2]).keys() == {"erasure", "leak"}
    assert one.elsewhere is None


class Counts(Additive):
    """Runs everything now and then, whatever was asked."""

    def __init__(self, *budget: Any) -> None:
        super().__init__(*budget)
        self.times = 0

    def decide(self, state: Any, step: Step) -> Any:
        self.times += 1
        return ("continue", state) if self.times % 7 == 0 else super().decide(state, step)


class Forces(Additive):
    """Changes the step that it is shown."""

    def decide(self, state: Any, step: Step) -> Any:
        if step.index and len(step.mechanism.law) == 3:
            object.__setattr__(step, "request", "other")
        return super().decide(state, step)


@pytest.mark.parametrize(("target", "why"), [(Counts, "pure function"), (Forces, "read-only")])
def test_what_is_no_pure_function_is_found_out(target: Any, why: str) -> None:
    one = prober(target)
    state = one.first_state()
    assert state is not None
    with pytest.raises(Misbehaved, match=why):
        one.largest_admitted(state, FAMILIES)


# --- families on their way ------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
def test_a_family_arrives_as_it_was_sent(family: Any) -> None:
    other = family_from_json(family_to_json(family))
    for strength in (Fraction(1, 8), Fraction(3)):
        one, arrived = (PLAIN.build(some, strength) for some in (family, other))
        assert (one.law, one.stated) == (arrived.law, arrived.stated)
    assert (other.guess, other.warm_start) == (family.guess, family.warm_start)


@pytest.mark.parametrize(
    "context", [*map(context_at, range(0, 400, 7)), *TRANSPLANTS], ids=lambda one: one.name
)
def test_a_context_arrives_as_it_was_sent(context: Context) -> None:
    arrived = context_from_json(context_to_json(context))
    for family in FAMILIES[:3]:
        one, other = (where.build(family, Fraction(1, 8)) for where in (context, arrived))
        assert one.law == other.law
    assert (arrived.databases, arrived.pairs) == (context.databases, context.pairs)
