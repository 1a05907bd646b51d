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
from filterproof_properties.targets.lexicon import Lexicon
from filterproof_properties.targets.messages import (
    Needed,
    ToldGame,
    UnseenStep,
    budget_to_json,
    game_from_wire,
    game_to_wire,
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
    here, there, told = Lexicon(), Lexicon(), sent(played)
    for number, step in enumerate(steps(played)):
        question = json.loads(json.dumps(reference(number, step, 5, here)))
        news = json.loads(json.dumps(here.news()))
        there.learn(news.get("masses", []), news.get("histories", []))
        found = told.step(question, there)
        assert (question[0], question[2]) == (number, 5)
        assert (found.index, found.request, found.history) == (
            step.index,
            step.request,
            step.history,
        )
        assert dict(found.mass) == dict(step.mass)
        assert set(found.pairs) == set(step.pairs)
        assert found.mechanism.declared == step.mechanism.declared
    assert there.histories == here.histories == [(), (("ask", "y"),), (("ask", "z"),)]
    assert [dict(one) for one in there.masses] == [dict(one) for one in here.masses]


def test_the_opening_round_is_three_numbers() -> None:
    assert reference(7, opening(three()), 5, Lexicon()) == (7, 0, 5)


def test_small_games_are_not_opened_before_that_is_asked_for() -> None:
    told = sent(three())
    assert "opening" not in vars(told)
    assert told.step([0, 0, 5], Lexicon()) is told.opening


def test_a_hidden_history_stays_hidden() -> None:
    played, lexicon = three(), Lexicon()
    step = opening(played).next("⊥", "ask")
    hidden = MergedStep(step.index, step.request, step.mass, played, step.menu)
    question = reference(0, hidden, 5, lexicon)
    assert question[-1] is None
    assert isinstance(sent(played).step(question, lexicon), MergedStep)


# --- steps of which not all was sent --------------------------------------------------------------


def test_which_databases_are_possible_goes_by_their_names() -> None:
    played = three()
    _, second, _, after, other = steps(played)
    found = [possible(one) for one in (second, after, other)]
    assert found == [("a", "b", "c"), ("a", "b"), ("a", "b", "c")]
    question = reference(3, Lazy(after), 5, Lexicon())
    menu: Any = after.menu
    assert question == (3, 2, 5, menu.id, "again", ("a", "b"), None)
    unseen = sent(played).step(question, Lexicon())
    assert isinstance(unseen, UnseenStep)
    assert set(unseen.pairs) == set(after.pairs) == {("a", "b"), ("b", "a"), ("b", "c")}
    assert (unseen.index, unseen.request) == (2, "again")


def test_whoever_reads_what_was_not_sent_is_remembered() -> None:
    _, second, *_ = steps(three())
    for name in ("mass", "history"):
        question = reference(3, Lazy(second), 5, Lexicon())
        found: Any = sent(three()).step(question, Lexicon())
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
