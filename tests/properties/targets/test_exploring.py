"""A whole game explored in the target's process: which answers come, and how they are believed."""

from typing import Any

import pytest

from filterproof.engine.by_position.graph import explore
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof_properties.targets import exploring, server
from filterproof_properties.targets.guard import Guarded, GuardedObserver, Misbehaved, Table
from tests.properties.targets.served import TWO, Asked, Counts, Sees

# --- the table ------------------------------------------------------------------------------------


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (server, exploring):
        monkeypatch.setattr(module, "monotonic", lambda: 0.0)


@pytest.mark.usefixtures("unhurried")
def test_all_answers_of_a_game_come_in_the_order_of_the_walk() -> None:
    told = {"answers": [["continue", n] for n in (1, 2, 3, 3)], "asked": 4, "whole": True}
    assert Asked(Counts).explore() == told


@pytest.mark.usefixtures("unhurried")
def test_the_second_time_a_copy_answers_from_the_end() -> None:
    found = Asked(Sees).explore(twice=True)["answers"]
    assert found[:4] == found[4:][::-1]


@pytest.mark.usefixtures("unhurried")
def test_a_filter_that_observes_is_told_what_comes_out() -> None:
    ask = Asked(Sees)
    after = [answer[2] for answer in ask.explore()["answers"]]
    assert [[ask.server.states[one] for one in some] for some in after] == [
        ["⊥"],
        *[["0", "1"]] * 3,
    ]


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_a_table_has_an_end(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "MOST_STATES", most)
    found = Asked(Counts).explore()
    assert (len(found["answers"]), found["whole"]) == (min(most, 4), most >= 4)


def test_a_slow_filter_gives_a_part_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    class Slow(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            now[0] += exploring.MOST_SECONDS if step.index else 0.0
            return super().decide(state, step)

    for module in (server, exploring):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    found = Asked(Slow).explore()
    assert (found["asked"], found["whole"]) == (3, False)


def test_a_filter_that_raises_is_an_error() -> None:
    class Raises(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            if step.index == 2:
                raise ZeroDivisionError("no")
            return super().decide(state, step)

    assert "ZeroDivisionError" in Asked(Raises).explore()["error"]


# --- the audit walks with it ----------------------------------------------------------------------


class Elsewhere:
    """Answers by a table, and to single questions with `halt`."""

    def __init__(self, *answers: Any, whole: bool = True) -> None:
        self.table = Table(answers, whole)
        self.asked: list[int] = []

    def explore(self, game: Any, *, again: bool) -> Table:
        return self.table

    def inquire(self, context: Any, inquiries: Any, *, again: bool) -> None:
        return None

    def ask(self, questions: Any, *, again: bool) -> Any:
        self.asked += [step.index for _, step in questions]
        return [(Decision.HALT, 0)] * len(questions)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        return 8

    def hold(self) -> bool:
        return False


GO, HALT = (Decision.CONTINUE, 1, None), (Decision.HALT, 1, None)


def walked(*answers: Any, whole: bool = True, observes: bool = False) -> Any:
    kind = GuardedObserver if observes else Guarded
    return explore(kind(Elsewhere(*answers, whole=whole), 0, markov=True), TWO)


def test_a_whole_table_is_walked_through() -> None:
    graph = walked(GO, GO, HALT, HALT)
    assert [place.index for place in graph.order] == [1, 2, 2]


@pytest.mark.parametrize("answers", [[], [GO], [GO, GO, HALT]])
def test_a_table_that_is_short_is_not_whole(answers: list[Any]) -> None:
    with pytest.raises(Misbehaved, match="is not whole"):
        walked(*answers)


@pytest.mark.parametrize("answers", [[HALT, HALT], [GO, HALT, GO], [GO, GO, HALT, HALT, HALT]])
def test_a_table_with_more_answers_than_questions_is_not_believed(answers: list[Any]) -> None:
    with pytest.raises(Misbehaved, match="answers for"):
        walked(*answers)


def test_what_is_beyond_a_table_is_asked_for() -> None:
    asked = Elsewhere(GO, GO, whole=False)
    graph = explore(Guarded(asked, 0, markov=True), TWO)
    assert asked.asked == [2, 2]
    assert [place.index for place in graph.order] == [1, 2, 2]


def test_the_states_after_outputs_are_taken_in_their_order() -> None:
    first, second = (Decision.CONTINUE, 1, [2]), (Decision.CONTINUE, 1, [3, 4])
    graph = walked(first, second, HALT, HALT, observes=True)
    assert [place.state for place in graph.order] == [2, 3, 4]
    with pytest.raises(Misbehaved, match="lacks the state"):
        walked(first, (Decision.CONTINUE, 1, [3]), HALT, HALT, observes=True)


def test_beyond_a_table_it_is_asked_what_is_observed() -> None:
    graph = walked((Decision.CONTINUE, 1, None), GO, whole=False, observes=True)
    assert [place.state for place in graph.order] == [8, 8, 8]
