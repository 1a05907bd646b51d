"""Renaming, splitting, merging, noise, quiet rounds, a larger delta: privacy survives them all."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from filterproof.exact import Epsilon, ExpLinear, Log
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive, NaiveOverN
from filterproof.filters.repaired import Repaired
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Step
from filterproof.palette import game, response, reveal
from filterproof.witness import worst_case
from filterproof_properties.plugin.properties import PROPERTIES, run
from filterproof_properties.relations import LESS, SAME, merge_outputs, rename_outputs
from filterproof_properties.strategies import games

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)
EPSILONS: tuple[Epsilon, ...] = (Fraction(0), Log(Fraction(2)), Fraction(1))


def everything(tree: Game, epsilon: Epsilon) -> ExpLinear:
    """The exact H of running all of a game."""
    return worst_case(RunAll(), tree, epsilon).value


# --- of games -------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", SAME)
def test_a_change_that_tells_the_same_leaves_h_as_it_is(change: Callable[[Game], Game]) -> None:
    @QUICK
    @given(games(max_requests=2), st.sampled_from(EPSILONS))
    def holds(tree: Game, epsilon: Epsilon) -> None:
        assert everything(change(tree), epsilon) == everything(tree, epsilon)

    holds()


@pytest.mark.parametrize("change", LESS)
def test_a_change_that_tells_less_gives_no_larger_h(change: Callable[[Game], Game]) -> None:
    @QUICK
    @given(games(max_requests=2), st.sampled_from(EPSILONS))
    def holds(tree: Game, epsilon: Epsilon) -> None:
        assert everything(change(tree), epsilon) <= everything(tree, epsilon)

    holds()


@pytest.mark.parametrize("change", LESS)
def test_a_change_that_tells_less_is_told_from_one_that_tells_the_same(
    change: Callable[[Game], Game],
) -> None:
    def smaller(tree: Game) -> bool:
        return everything(change(tree), Fraction(0)) < everything(tree, Fraction(0))

    tree = find(games(), smaller, settings=QUICK)
    assert tree.depth == 1
    assert len(tree.databases) == 2


def test_outputs_that_different_menus_follow_are_not_merged() -> None:
    """What is open after one output would be open after the other: the adversary would gain."""
    hidden = game(response(Fraction(2, 3), {"0": {"go": reveal()}}))
    assert [*merge_outputs(hidden).menu["ask"].law] == ["0", "1"]
    alike = game(response(Fraction(2, 3)))
    assert [*merge_outputs(alike).menu["ask"].law] == ["0"]


# --- of filters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [Additive, Compensator, NaiveOverN, Repaired])
@pytest.mark.parametrize("name", PROPERTIES)
def test_a_private_filter_stays_private(name: str, target: Any) -> None:
    found = run(PROPERTIES[name], target, examples=40)
    assert found.broken is None
    assert found.tried >= 15


class Trapdoor(Additive):
    """An additive filter that runs everything where a name is one that only a change gives."""

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, after = super().decide(state, step)
        return (Decision.CONTINUE if self.opens(step) else decision), after

    def opens(self, step: Step) -> bool:
        raise NotImplementedError


class ByOutput(Trapdoor):
    def opens(self, step: Step) -> bool:
        return any(y.startswith("<") for y in step.mechanism.law)


class ByRequest(Trapdoor):
    def opens(self, step: Step) -> bool:
        return step.request.startswith("<")


class BySplit(Trapdoor):
    def opens(self, step: Step) -> bool:
        return "more" in step.mechanism.law


class ByWaiting(Trapdoor):
    markov = False  # it reads the history

    def opens(self, step: Step) -> bool:
        return any(request == "wait" for request, _ in step.history)


class ByDelta(Trapdoor):
    def opens(self, step: Step) -> bool:
        return self.delta > Fraction(1, 2)


class OneSided(Naive):
    """Looks at what the first database may lose, and at no other."""

    def fits(self, step: Step) -> bool:
        return all(row["1"] for row in step.mechanism.law.values())


TWINS: list[tuple[str, Any, bool]] = [
    ("transcripts", Naive, False),
    ("rename-outputs", ByOutput, True),
    ("rename-requests", ByRequest, True),
    ("permute-databases", OneSided, False),
    ("split-outputs", BySplit, True),
    ("merge-outputs", Naive, False),
    ("post-process", Naive, False),
    ("quiet-rounds", ByWaiting, True),
    ("larger-delta", ByDelta, False),
]
"""For each property a filter that breaks it, and whether no unchanged game shows that."""


@pytest.mark.parametrize(("name", "target", "hidden"), TWINS)
def test_a_filter_that_breaks_a_property_is_found(name: str, target: Any, hidden: bool) -> None:
    found = run(PROPERTIES[name], target)
    assert found.broken is not None
    case = found.broken.case
    rule = target(case.epsilon, case.delta, **case.parameters)
    assert worst_case(rule, case.game, case.epsilon).value > case.delta
    assert len(case.game.nodes) <= 6
    if hidden:  # it is the change that shows it
        assert run(PROPERTIES["transcripts"], target, examples=40).broken is None


def test_every_property_has_a_filter_that_breaks_it() -> None:
    assert [name for name, *_ in TWINS] == [*PROPERTIES]


class Superstitious:
    """A filter that does not run what follows an output called "0"."""

    markov = False

    def start(self) -> None:
        """Return nothing."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        unlucky = any(y == "0" for _, y in step.history)
        return (Decision.HALT if unlucky else Decision.CONTINUE), None


def test_a_filter_that_reads_names_is_told_apart_by_other_names() -> None:
    one = game(response(Fraction(2, 3), {"0": {"go": reveal()}}))
    here, there = (
        worst_case(Superstitious(), tree, Fraction(1)).value for tree in (one, rename_outputs(one))
    )
    assert here < there
