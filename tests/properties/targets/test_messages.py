"""What travels between an audit and a target arrives as it was sent."""

import json
from fractions import Fraction
from typing import Any

import pytest

from filterproof.engine.hidden import HistoryHidden, MergedStep, WatchedStep
from filterproof.exact import Log
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.game.law import Declared
from filterproof_properties.games.named import named_cases
from filterproof_properties.targets import messages
from filterproof_properties.targets.messages import (
    ToldGame,
    as_line,
    budget_to_json,
    game_from_wire,
    game_to_wire,
    question_to_wire,
)
from tests.properties.targets.wire import watched

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def three() -> Game:
    """Databases in a row; the first output rules the last one of them out."""
    law = {
        "y": {"a": HALF, "b": THIRD, "c": Fraction(0)},
        "z": {"a": HALF, "b": 1 - THIRD, "c": Fraction(1)},
    }
    stated = Mechanism(law, {}, Declared(Fraction(3), HALF))
    then = {"again": Mechanism(law), "stated": stated}
    first = Mechanism(law, {"y": then, "z": then})
    return Game("abc", [("a", "b"), ("b", "c")], {"ask": first, "other": Mechanism(law)})


def sent(played: Game) -> ToldGame:
    """The game as it arrives, by way of JSON."""
    return ToldGame(json.loads(json.dumps(game_to_wire(played, declared=False))))


# --- games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("played", [three(), *(case.game for case in named_cases())])
def test_a_game_arrives_as_it_was_sent(played: Game) -> None:
    there = sent(played).game
    assert (there.databases, there.depth) == (played.databases, played.depth)
    assert set(there.pairs) == set(played.pairs)
    assert there.menu is there.nodes[-1]
    assert len(there.nodes) == len(played.nodes)
    for here, other in zip(played.nodes, there.nodes, strict=True):
        assert other.id == here.id
        assert [*other] == [*here]
        for one, told in zip(here.values(), other.values(), strict=True):
            assert {y: dict(row) for y, row in told.law.items()} == {
                y: dict(row) for y, row in one.law.items()
            }
            assert (told.stated, told.declared) == (one.stated, one.declared)
            assert [m.id for m in told.after.values()] == [m.id for m in one.after.values()]  # type: ignore[attr-defined]


def test_a_law_with_a_number_too_many_is_no_law() -> None:
    with pytest.raises(ValueError, match="longer"):
        messages.law_from_wire((("y", "1", "1", "1"),), ("0", "1"))


def test_the_same_law_is_worked_out_once_and_mechanisms_are_told_apart() -> None:
    wire = game_to_wire(three(), declared=False)
    one, other = (game_from_wire(wire).menu["ask"] for _ in range(2))
    assert one.law is other.law
    assert one != other
    ends = [game_from_wire(wire).menu["other"] for _ in range(2)]
    assert len({*ends}) == 2
    with pytest.raises(AttributeError):
        one.law = other.law  # type: ignore[misc]


def test_declared_pairs_are_spelled_out_for_those_who_cannot_work_them_out() -> None:
    wire = game_to_wire(three(), declared=True)
    assert all(one["declared"] for node in wire["nodes"] for one in node.values())


# --- questions ------------------------------------------------------------------------------------


def steps(played: Game) -> list[Step]:
    first = opening(played)
    second = first.next("⊥", "ask")
    return [first, second, second.instead("other"), *(second.next(y, "again") for y in "yz")]


def arrived(played: Game, question: Any) -> Step:
    """The step of a question as it arrives, by way of JSON."""
    return sent(played).step(json.loads(json.dumps(question)))


def test_a_question_arrives_with_all_that_a_filter_may_know() -> None:
    played = three()
    for number, step in enumerate(steps(played)):
        question = question_to_wire(number, step, 5)
        found = arrived(played, question)
        assert (question[0], question[2]) == (number, 5)
        assert (found.index, found.request, found.history) == (
            step.index,
            step.request,
            step.history,
        )
        assert dict(found.mass) == dict(step.mass)
        assert set(found.pairs) == set(step.pairs)
        assert found.mechanism.declared == step.mechanism.declared


def test_the_opening_round_is_three_numbers() -> None:
    assert question_to_wire(7, opening(three()), 5) == (7, 0, 5)


def test_small_games_are_not_opened_before_that_is_asked_for() -> None:
    told = sent(three())
    assert "opening" not in vars(told)
    assert told.step([0, 0, 5]) is told.opening


def test_a_hidden_history_stays_hidden() -> None:
    played = three()
    step = opening(played).next("⊥", "ask")
    hidden = MergedStep(**{name: one for name, one in vars(step).items() if name != "history"})
    question = question_to_wire(0, hidden, 5)
    assert question[-1] is None
    assert isinstance(arrived(played, question), MergedStep)


# --- steps that are watched -----------------------------------------------------------------------


def test_a_watched_step_is_watched_there_and_not_read_here() -> None:
    _, _, _, after, _ = steps(three())
    step = watched(after)
    question = question_to_wire(3, step, 5)
    menu: Any = after.menu
    assert question == (3, 2, 5, menu.id, "again", ("3", "2", "0"), (("ask", "y"),), True)
    found = arrived(three(), question)
    assert isinstance(found, WatchedStep)
    assert set(found.pairs) == set(after.pairs) == {("a", "b"), ("b", "a"), ("b", "c")}
    assert not step.looked
    assert not found.looked
    assert dict(found.mass) == dict(after.mass)
    assert found.looked


def test_reading_the_history_or_going_on_is_reading_too() -> None:
    _, second, *_ = steps(three())
    for read in ("history", "next", "instead"):
        found: Any = arrived(three(), question_to_wire(3, watched(second), 5))
        assert not found.looked
        given = {"next": ("y", "again"), "instead": ("other",)}.get(read)
        assert getattr(found, read) == () if given is None else getattr(found, read)(*given)
        assert found.looked


def test_a_hidden_history_of_a_watched_step_stays_hidden() -> None:
    _, second, *_ = steps(three())
    own = second.index, second.request, second.game, second.menu, second.pairs
    hidden = WatchedStep(*own, lambda: second.mass, None)
    with pytest.raises(HistoryHidden):
        arrived(three(), question_to_wire(3, hidden, 5)).history  # noqa: B018


# --- budgets and lines ----------------------------------------------------------------------------


def test_a_budget_comes_with_an_enclosure_of_64_bits() -> None:
    told = budget_to_json(Log(Fraction(3, 2)), Fraction(1, 10))
    assert told == {"epsilon": "log(3/2)", "exp_epsilon": ["3/2", "3/2"], "delta": "1/10"}
    low, high = map(Fraction, budget_to_json(Fraction(1), Fraction(0))["exp_epsilon"])
    assert 0 < high - low <= low / 2**60


def test_a_message_is_one_tight_line() -> None:
    assert as_line({"id": 1, "more": [1, 2]}) == b'{"id":1,"more":[1,2]}\n'


def test_an_answer_that_cannot_be_written_becomes_an_error_that_can() -> None:
    line = as_line({"id": 4, "state": object()})
    assert line.endswith(b"\n")
    told = json.loads(line)
    assert told["id"] == 4
    assert "its answer cannot be written: TypeError" in told["error"]
