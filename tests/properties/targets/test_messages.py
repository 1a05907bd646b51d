"""What travels between an audit and a target arrives as it was sent."""

import json
from fractions import Fraction
from typing import Any

import pytest

from filterproof.engine.hidden import MergedStep
from filterproof.exact import Log
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.game.law import Declared
from filterproof_properties.games.named import named_cases
from filterproof_properties.targets import messages
from filterproof_properties.targets.messages import (
    Known,
    Needed,
    ToldGame,
    UnseenStep,
    budget_to_json,
    game_from_wire,
    game_to_wire,
    new_histories,
    possible,
    reference,
    settled,
    written,
)
from tests.properties.targets.wire import Lazy

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
        messages.ToldLaw([("y", "1", "1", "1")], ("0", "1"), (("0", "1"),))


def test_the_same_law_is_worked_out_once_and_mechanisms_are_told_apart() -> None:
    wire = game_to_wire(three(), declared=False)
    one, other = (game_from_wire(wire).menu["ask"] for _ in range(2))
    assert one.law is other.law
    assert one != other
    ends = [game_from_wire(wire).menu["other"] for _ in range(2)]
    assert len({*ends}) == 2
    assert "told" not in repr(one)
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


def test_a_question_arrives_with_all_that_a_filter_may_know() -> None:
    played = three()
    there, told = sent(played), 1
    known: Known = {(): 0}
    for number, step in enumerate(steps(played)):
        question = json.loads(json.dumps(reference(number, step, known)))
        there.learn(new_histories(known, told))
        told = len(known)
        found = there.step(question)
        assert question[0] == number
        assert (found.index, found.request, found.history) == (
            step.index,
            step.request,
            step.history,
        )
        assert dict(found.mass) == dict(step.mass)
        assert set(found.pairs) == set(step.pairs)
        assert found.mechanism.declared == step.mechanism.declared
    assert known == {(): 0, (("ask", "y"),): 1, (("ask", "z"),): 2}
    assert there.known == known


def test_the_opening_round_is_two_numbers() -> None:
    assert reference(7, opening(three()), {(): 0}) == (7, 0)


def test_a_history_that_was_sent_has_a_number_and_its_beginnings_get_theirs_first() -> None:
    known: Known = {(): 0}
    one, two, three_ = ("r", "1"), ("r", "2"), ("r", "3")
    assert messages._number((one, two, three_), known) == 3
    assert messages._number((one, two), known) == 2
    assert messages._number((one, three_), known) == 4
    assert new_histories(known, 1) == [
        [0, "r", "1"],
        [1, "r", "2"],
        [2, "r", "3"],
        [1, "r", "3"],
    ]
    assert new_histories(known, 4) == [[1, "r", "3"]]
    assert new_histories(known, 5) == []


def test_likelihoods_that_are_too_many_are_no_question() -> None:
    there = sent(three())
    with pytest.raises(ValueError, match="shorter"):
        there.step([0, 1, 2, "ask", ["1", "1"], 0])


def test_a_hidden_history_stays_hidden() -> None:
    played = three()
    step = opening(played).next("⊥", "ask")
    hidden = MergedStep(step.index, step.request, step.mass, played, step.menu)
    question = reference(0, hidden, {(): 0})
    assert question[-1] is None
    assert isinstance(sent(played).step(question), MergedStep)


def test_what_a_target_asks_itself_is_numbered_there() -> None:
    played = three()
    there = sent(played)
    first, second, _, after, _ = steps(there.game)
    assert there.refer(0, first) == (0, 0)
    assert there.refer(3, second)[-1] == 0
    assert there.refer(3, after)[-1] == 1
    assert there.histories == [(), (("ask", "y"),)] == [*there.known]


# --- steps of which not all was sent --------------------------------------------------------------


def test_which_databases_are_possible_goes_by_bits() -> None:
    played = three()
    _, second, _, after, other = steps(played)
    assert [possible(one) for one in (second, after, other)] == [0b111, 0b011, 0b111]
    question = reference(3, Lazy(after), {(): 0})
    assert question == (3, 2, after.menu.id, "again", 0b011, None)  # type: ignore[attr-defined]
    found = sent(played).step(question)
    assert isinstance(found, UnseenStep)
    assert set(found.pairs) == set(after.pairs) == {("a", "b"), ("b", "a"), ("b", "c")}
    assert (found.index, found.request) == (2, "again")


def test_whoever_reads_what_was_not_sent_is_remembered() -> None:
    _, second, *_ = steps(three())
    for name in ("mass", "history"):
        found: Any = sent(three()).step(reference(3, Lazy(second), {(): 0}))
        assert vars(found)["looked"] is False
        with pytest.raises(Needed):
            getattr(found, name)
        assert vars(found)["looked"] is True


def test_a_step_is_worked_out_if_it_is_not() -> None:
    _, second, *_ = steps(three())
    assert settled(second) is second
    assert settled(Lazy(second)) is second


# --- budgets and lines ----------------------------------------------------------------------------


def test_a_budget_comes_with_an_enclosure_of_64_bits() -> None:
    told = budget_to_json(Log(Fraction(3, 2)), Fraction(1, 10))
    assert told == {"epsilon": "log(3/2)", "exp_epsilon": ["3/2", "3/2"], "delta": "1/10"}
    low, high = map(Fraction, budget_to_json(Fraction(1), Fraction(0))["exp_epsilon"])
    assert 0 < high - low <= low / 2**60


def test_a_message_is_one_tight_line() -> None:
    assert written({"id": 1, "more": [1, 2]}) == b'{"id":1,"more":[1,2]}\n'


def test_an_answer_that_cannot_be_written_becomes_an_error_that_can() -> None:
    line = written({"id": 4, "state": object()})
    assert line.endswith(b"\n")
    told = json.loads(line)
    assert told["id"] == 4
    assert "its answer cannot be written: TypeError" in told["error"]
