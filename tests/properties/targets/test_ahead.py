"""Answers that nobody has asked for yet: which are volunteered, and that they cost nothing."""

from typing import Any

import pytest

from filterproof.game import Step
from filterproof_properties.targets import server, volunteering
from tests.properties.targets.served import OPENING, Asked, Counts, Sees


def volunteered(target: Any, most: int = 64) -> list[Any]:
    found = Asked(target).put((0, OPENING), ahead=most, twice=True)
    first, *again = found["answers"]
    assert again[::-1] == [first] + [raw for _, raw in found["more"]]
    return [(one[0], one[1], raw) for one, raw in found["more"]]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (server, volunteering):
        monkeypatch.setattr(module, "monotonic", lambda: 0.0)


@pytest.mark.usefixtures("unhurried")
def test_the_answers_of_a_whole_game_are_volunteered() -> None:
    assert volunteered(Counts) == [
        (1, 1, ["continue", 2]),
        (2, 2, ["continue", 3]),
        (2, 2, ["continue", 3]),
    ]


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_no_more_are_volunteered_than_are_wanted(most: int) -> None:
    assert len(volunteered(Counts, most)) == min(most, 3)


@pytest.mark.usefixtures("unhurried")
def test_a_filter_that_observes_is_told_what_comes_out() -> None:
    ask = Asked(Sees)
    found = ask.put((0, OPENING), ahead=64)
    states = ask.server.states
    assert [states[one[0]] for one, _ in found["more"]] == ["⊥", "0", "1"]


def test_what_takes_too_long_is_not_volunteered(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    class Slow(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            now[0] += volunteering.AHEAD if step.index else 0.0
            return super().decide(state, step)

    for module in (server, volunteering):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    assert len(volunteered(Slow)) == 2


def test_nothing_is_volunteered_that_nobody_wants() -> None:
    assert Asked(Counts).put((0, OPENING), ahead=0).keys() == {"answers"}


def test_a_slow_opening_round_is_not_gone_on_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SIGN", -1.0)
    ask = Asked(Counts)
    assert ask.put((0, OPENING), ahead=64) == {"answers": []}
    assert ask.signs[-1]["some"] == [["continue", 1]]


def test_a_filter_that_raises_ahead_of_time_leaves_the_numbers_as_they_were() -> None:
    class Raises(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            if step.index == 2:
                raise ZeroDivisionError("no")
            return super().decide(state, step)

    ask = Asked(Raises)
    assert "ZeroDivisionError" in ask.put((0, OPENING), ahead=64)["error"]
    lexicon = ask.server.filters[1].lexicon
    assert (lexicon.masses, lexicon.histories, lexicon.news()) == ([], [()], {})
