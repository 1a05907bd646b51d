"""What "no violation found" rests on: the envelope, and the nearest sound filter."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import Log
from filterproof.filter import ProtocolError
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Capped
from filterproof.filters.naive import Naive
from filterproof.game import Step
from filterproof.palette import erasure, game, repeated
from filterproof_properties.audit.closest_sound import (
    SIFTED,
    SOUND,
    ClosestSound,
    _never_stricter,
    _tightest_first,
    closest_sound,
    split_sample,
)
from filterproof_properties.audit.engine import audit_one
from filterproof_properties.case import Case, Envelope
from filterproof_properties.games.named import named_cases, switch, wasted_branch
from filterproof_properties.options.settings import Settings
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.loading import load

TENTH = Fraction(1, 10)
HOUR = 3600.0


class Copy(Additive):
    """The same rule, and another class."""


def test_a_copy_of_a_filter_is_nearest_to_it_and_a_filter_is_not_held_against_itself() -> None:
    small = (case for case in named_cases() if len(case.game.nodes) < 8)
    sample = [replace(case, parameters={}) for case in small]
    assert closest_sound(Copy, sample, None) == ClosestSound("additive", len(sample))
    found = closest_sound(Additive, sample, None)
    assert found is None or found.name != "additive"


def test_one_play_tells_the_compensators_apart() -> None:
    found = closest_sound(Capped, [wasted_branch()], None)
    assert found is not None
    assert found.name != "compensator", "the plain one refuses the second erasure"


def test_a_play_that_did_not_sift_tells_them_apart_too() -> None:
    once = Case("once", game(erasure(TENTH)), Fraction(1), TENTH)
    alike = closest_sound(Capped, [once] * 60, HOUR)
    assert alike == ClosestSound("additive", 60), "the first of those that run the same"
    found = closest_sound(Capped, [once, wasted_branch(), *[once] * 58], HOUR)
    assert split_sample([once, wasted_branch(), *[once] * 58])[0] == [once] * 30
    assert found is not None
    assert (found.name == "additive", found.plays) == (False, 60)


def test_without_a_time_limit_so_many_plays_are_compared() -> None:
    once = Case("once", game(erasure(TENTH)), Fraction(1), TENTH)
    found = closest_sound(Capped, [once] * 100, None)
    assert found is not None
    assert found.plays == len(split_sample([once] * 100)[0]) + SIFTED < 100


@pytest.mark.parametrize("name", ["additive", "bayesian", "compensator"])
def test_the_first_is_the_one_that_runs_least_of_all_that_are_compared_on_everything(
    name: str,
) -> None:
    target = load(name).target
    small = (case for case in named_cases() if len(case.game.nodes) < 12)
    cases = [replace(case, parameters={}) for case in small]
    others = (other for other, one in SOUND.items() if one is not target)
    more, plays = _never_stricter(target, cases, dict.fromkeys(others, 0), None)
    wanted = [(one, plays) for one in sorted(more, key=lambda one: more[one])]
    assert [*_tightest_first(target, cases, None)] == wanted
    assert plays > 1
    assert len(set(more.values())) > 1, "they cannot be told apart"


def test_a_filter_that_runs_more_than_every_sound_one_is_near_none() -> None:
    thrice = game(repeated(erasure(TENTH), 3))
    assert closest_sound(Naive, [Case("thrice", thrice, Fraction(1), TENTH)], None) is None


def test_without_time_nothing_is_compared() -> None:
    assert closest_sound(Additive, named_cases(), -1.0) is None


def test_a_fault_is_a_fault_here_too_and_a_filter_that_raises_is_passed_over() -> None:
    def broken(error: ProtocolError) -> Any:
        class Broken(Additive):
            def decide(self, state: Any, step: Step) -> Any:
                raise error

        return Broken

    assert closest_sound(broken(ProtocolError("no")), named_cases(), None) is None
    with pytest.raises(Misbehaved, match="gone"):
        closest_sound(broken(Misbehaved("gone")), named_cases(), None)


def test_envelopes_add_up() -> None:
    one = Envelope.of(switch())
    other = Envelope.of(wasted_branch())
    both = one | other
    assert (one.plays, both.plays, both.rounds) == (1, 2, 2)
    assert both.outputs == 3
    assert both.budgets == {(Log(Fraction(2)), TENTH), (Fraction(1), TENTH)}


def test_an_audit_says_what_it_tried_and_what_is_nearest() -> None:
    found = audit_one(load("additive"), Settings(examples=40), lambda event: None)
    assert found.envelope.plays == found.tried
    assert len(found.envelope.budgets) > 3
    assert found.closest_sound is not None
    assert found.closest_sound.name != "additive", "that is itself"
