"""Every claim that a filter may make of itself: a filter that keeps it, and one that breaks it."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.pan import Bayesian
from filterproof.filters.repaired import Repaired
from filterproof.game import Step
from filterproof.palette import erasure, game, repeated, response, silent
from filterproof_properties.case import Case
from filterproof_properties.claims import CLAIMS, UnknownClaim, claims_of
from filterproof_properties.games import named
from filterproof_properties.strategies import cases

TWICE = named.erasures(Fraction(1, 10), 2)
DEEP = named.erasures(Fraction(1, 100), 3, Fraction(1, 10))
GUESS = named.guess(4)


class Moody:
    """Continues until it has been asked four times, and halts afterwards."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.asked = 0

    def start(self) -> Hashable:
        return None

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        self.asked += 1
        return (Decision.HALT if self.asked > 4 else Decision.CONTINUE), None


class Vandal(Compensator):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        object.__setattr__(step, "request", "vandalised")
        return super().decide(state, step)


class Contrary(Naive):
    """Halts where delta is large."""

    def fits(self, step: Step) -> bool:
        return self.delta < Fraction(1, 2) and super().fits(step)


class Hashed:
    """Answers by the hash of a string, which another process salts differently."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.epsilon, self.delta = epsilon, delta

    def start(self) -> Hashable:
        return None

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        odd = step.index and hash(step.request) % 2
        return (Decision.HALT if odd else Decision.CONTINUE), None


@dataclass(frozen=True)
class Reads(Naive):
    """Looks at the history although it says that it does not."""

    markov: ClassVar[bool] = True
    luck: str = field(default="?")

    def fits(self, step: Step) -> bool:
        return all(y == self.luck for _, y in step.history)


class Endless(Repaired):
    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return Decision.CONTINUE, None


MANY = Case("many requests", game({f"r{i}": silent() for i in range(40)}), Fraction(1), Fraction(0))


def small(case: Case, **changed: Any) -> Case:
    return replace(case, parameters=changed)


BROKEN = [
    ("dp", Naive, small(TWICE)),
    ("tail", Naive, small(TWICE)),
    ("tail-abort", Naive, small(TWICE)),
    ("determinism", Moody, small(DEEP)),
    ("reproducible", Hashed, MANY),
    ("purity", Moody, small(DEEP)),
    ("purity", Vandal, small(DEEP)),
    ("monotone", Contrary, small(TWICE)),
    ("horizon", Endless, replace(DEEP, parameters={**DEEP.parameters, "N": 2})),
    ("horizon", Naive, small(DEEP)),
    ("liveness", Repaired, replace(DEEP, parameters={**DEEP.parameters, "N": 1})),
    ("markov", Reads, small(DEEP)),
]
KEPT = [
    ("dp", Compensator, small(TWICE)),
    ("tail", Repaired, TWICE),
    ("tail-abort", Repaired, TWICE),
    ("determinism", Compensator, small(DEEP)),
    ("reproducible", Compensator, MANY),
    ("purity", Compensator, small(DEEP)),
    ("monotone", Compensator, small(TWICE)),
    ("horizon", Repaired, DEEP),
    ("liveness", Compensator, small(DEEP)),
    ("markov", Compensator, small(DEEP)),
]


BY_NATURE = set(CLAIMS) - {"reproducible", "liveness"}
"""Claims that their keepers keep on every case; two are about other processes and single games."""


@pytest.mark.parametrize(("claim", "target", "case"), BROKEN)
def test_a_claim_fails_for_a_filter_that_breaks_it(claim: str, target: Any, case: Case) -> None:
    assert CLAIMS[claim].breach(target, case)
    assert not CLAIMS[claim].holds(target, case)


@pytest.mark.parametrize(("claim", "target", "case"), KEPT)
def test_a_claim_holds_for_a_filter_that_keeps_it(claim: str, target: Any, case: Case) -> None:
    assert CLAIMS[claim].breach(target, case) is None


DRAWN = settings(derandomize=True, deadline=None, max_examples=40, database=None)
OFFERED = (Repaired, Endless)
"""Filters that are given parameters."""


def on_drawn_cases(target: Any) -> st.SearchStrategy[Case]:
    offer = target.parameters if target in OFFERED else None
    return cases(parameters=offer, max_requests=2)


@pytest.mark.parametrize(
    ("claim", "target"), [(claim, target) for claim, target, _ in KEPT if claim in BY_NATURE]
)
def test_a_claim_holds_on_every_drawn_case(claim: str, target: Any) -> None:
    @DRAWN
    @given(on_drawn_cases(target))
    def holds(case: Case) -> None:
        assert CLAIMS[claim].breach(target, case) is None

    holds()


@pytest.mark.parametrize(
    ("claim", "target"),
    [(claim, target) for claim, target, _ in BROKEN if claim in BY_NATURE],
)
def test_hypothesis_finds_a_case_that_breaks_a_claim(claim: str, target: Any) -> None:
    def broken(case: Case) -> bool:
        return CLAIMS[claim].breach(target, case) is not None

    case = find(on_drawn_cases(target), broken, settings=settings(DRAWN, max_examples=2000))
    assert case.game.depth <= 2
    assert len(case.game.nodes) <= 5


def test_every_claim_has_a_keeper_and_a_breaker() -> None:
    assert {claim for claim, *_ in BROKEN} == {claim for claim, *_ in KEPT} == set(CLAIMS)


def test_a_breach_says_both_numbers() -> None:
    assert CLAIMS["dp"].breach(Algorithm1, GUESS) == "H = 1 exceeds delta = 1/2"


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_k_slices_of_the_budget_are_live_for_an_exact_filter(k: int) -> None:
    odds = Fraction(11, 10)
    slices = game(repeated(response(odds / (1 + odds)), k))
    case = Case("slices", slices, Log(odds**k), Fraction(0))
    assert CLAIMS["liveness"].holds(Compensator, case)
    assert CLAIMS["liveness"].holds(Bayesian, case)


def test_early_abort_is_a_claim_of_its_own() -> None:
    """The loss may be above ε on the way and come back: only an adversary that stops keeps it."""
    up = Fraction(3, 4)
    back = response(1 - up)
    first = response(up, {"0": {"go": back}, "1": {"go": back}})
    case = Case("there and back", game(first), Log(Fraction(2)), Fraction(1, 4))
    everything = CLAIMS["tail-abort"].breach(_Everything, case)
    assert everything == "P(L > eps) = 3/4 exceeds delta = 1/4"


class _Everything(Naive):
    def fits(self, step: Step) -> bool:
        return True


def test_a_target_names_its_claims_and_dp_is_always_checked() -> None:
    class Bold(Compensator):
        claims = ("liveness", "markov")

    assert [claim.name for claim in claims_of(Bold)] == ["dp", "liveness", "markov"]
    assert [claim.name for claim in claims_of(Compensator)] == ["dp"]


def test_an_unknown_claim_is_an_error_that_lists_the_known_ones() -> None:
    class Typo(Compensator):
        claims = ("livenes",)

    with pytest.raises(UnknownClaim, match="unknown claim 'livenes'; known: dp, tail"):
        claims_of(Typo)


def test_a_silent_tree_costs_nothing_and_must_run() -> None:
    case = Case("erasure", game(erasure(Fraction(1, 10))), Fraction(1), Fraction(1, 10))
    assert CLAIMS["liveness"].holds(Compensator, case)
