"""The server of answers, asked as a function: what it says, notices, remembers and volunteers."""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.game import Step, opening
from filterproof.palette import game, repeated, response
from filterproof_properties.targets import reporting, server
from filterproof_properties.targets.messages import Known, game_to_wire, reference
from filterproof_properties.targets.server import Made, Server, name_of
from tests.properties.targets.wire import Lazy, Message

TWO = game(repeated(response(Fraction(2, 3)), 2))
OPENING = opening(TWO)
FIRST = OPENING.next("⊥", "ask")
BUDGET = {"epsilon": "1", "delta": "1/10", "parameters": {}}


class Counts:
    """Runs everything; its state is how many rounds it was asked about."""

    markov = True

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.held = [0]

    def start(self) -> Any:
        return 0

    def decide(self, state: Any, step: Step) -> Any:
        return "continue", state + 1


class Sees(Counts):
    """Also notes the last output."""

    def decide(self, state: Any, step: Step) -> Any:
        return "continue", (len(str(state)), step.index)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        return output


class Asked:
    """Asks a server about one filter of a target, and one game."""

    def __init__(self, target: Any, printed: Callable[[], int] = lambda: 0) -> None:
        self.server = Server(lambda: target, printed)
        self.signs: list[Message] = []
        assert self("hello")["version"] == 2
        self.made = self("make", **BUDGET)

    def __call__(self, call: str, **question: Any) -> Message:
        given = {"id": 7, "call": call, "filter": 1, **question}
        found = self.server.answer(given, self.signs.append)
        assert found.pop("id") == 7
        return found

    def put(self, *steps: tuple[int, Step], ahead: int = 0) -> Message:
        """Ask about steps of the game."""
        wire = {**game_to_wire(TWO, declared=False), "game": 0}
        known: Known = {(): 0}
        questions = [reference(state, step, known) for state, step in steps]
        return self("ask", again=False, ahead=ahead, games=[wire], parts=[[0, [], questions]])

    def sent(self) -> list[Any]:
        """Return what came with the signs of life."""
        return [one for sign in self.signs for one in sign["some"]]


# --- hello, parameters and filters ----------------------------------------------------------------


def test_it_says_what_it_offers_and_that_games_need_not_be_spelled_out() -> None:
    found = Asked(Additive)("hello")
    assert found["declared"] is False
    assert (found["claims"], found["parameters"]) == (["dp"], False)
    assert found["name"] == "filterproof.filters.additive:Additive"


def test_names_are_shortened() -> None:
    class Long:
        pass

    Long.__qualname__, Long.__module__ = "n" * 300, "m" * 300
    assert name_of(Long) == f"{'m' * 197}...:{'n' * 197}..."


def test_a_sign_of_life_comes_before_the_target_is_loaded() -> None:
    signs: list[Message] = []

    def loading() -> Any:
        assert signs == [{"id": 3, "some": []}]
        return Counts

    assert "error" not in Server(loading).answer({"id": 3, "call": "hello"}, signs.append)


def test_a_filter_says_what_it_is_like_and_starts_at_a_number() -> None:
    made = {"state": 0, "markov": True, "observe": False, "remaining": False, "reported": False}
    assert Asked(Counts).made == made
    assert Asked(Sees).made == {**made, "observe": True}


def test_what_json_cannot_hold_stays_here_and_goes_by_a_number() -> None:
    served = Server(lambda: Counts)
    one, other = object(), object()
    shown = [served.value(value) for value in (one, other, 3)]
    assert [shown[0]["object"], shown[1]["object"], shown[2]] == [0, 1, 3]
    assert [served.meant(value) for value in shown] == [one, other, 3]
    with pytest.raises(Exception, match="unknown parameter"):
        served.meant({"subject": 1})
    assert served.value(type("Long", (), {"__repr__": lambda self: "x" * 99})())["shown"] == (
        "x" * 77 + "..."
    )


# --- answers --------------------------------------------------------------------------------------


def test_states_go_by_numbers_and_equal_ones_by_the_same() -> None:
    ask = Asked(Counts)
    assert ask.put((0, OPENING), (0, FIRST)) == {"answers": [["continue", 1], ["continue", 1]]}
    assert ask.put((1, FIRST)) == {"answers": [["continue", 2]]}
    assert ask.server.states == [0, 1, 2]
    assert ask("forget") == {}
    assert ask.server.states == ask.server.latest == []


def test_equal_states_of_another_type_or_another_budget_are_others() -> None:
    served = Server(lambda: Counts)
    one, other = Made(None, "one"), Made(None, "other")
    numbers = [served.number(made, 1, "") for made in (one, other, one)]
    assert numbers == [0, 1, 0]
    assert served.number(one, True, "") == 2
    assert served.number(one, 1.0, "") == 3


def test_the_latest_of_equal_states_is_kept_for_the_second_time() -> None:
    served, made = Server(lambda: Counts), Made(None, "")
    first, second = "".join(["a", "b"]), "".join(["a", "b"])
    served.number(made, first, "")
    served.number(made, second, "")
    assert served.states[0] is first
    assert served.latest[0] is second


def test_the_last_questions_are_answered_again_from_the_end() -> None:
    ask = Asked(Counts)
    ask.put((0, OPENING), (1, FIRST))
    assert ask("ask", again=True) == {"answers": [["continue", 2], ["continue", 1]]}


def test_a_filter_that_observes_says_the_states_after_each_output() -> None:
    ask = Asked(Sees)
    ((_, _, after),) = ask.put((0, FIRST))["answers"]
    assert [ask.server.states[one] for one in after] == ["0", "1"]
    menu: Any = FIRST.menu
    question = [0, 1, menu.id, "ask", ["1", "1"], None]
    told = ask("observe", game=0, histories=[], question=question, output="1")
    assert told == {"state": after[1]}


def test_a_filter_observes_from_the_state_that_is_asked_about() -> None:
    class Keeps(Sees):
        def observe(self, state: Any, step: Step, output: str) -> Any:
            return (state, output)

    ask = Asked(Keeps)
    ((_, after, _),) = ask.put((0, FIRST))["answers"]
    menu: Any = FIRST.menu
    for state in (0, after):
        question = [state, 1, menu.id, "ask", ["1", "1"], None]
        told = ask("observe", game=0, histories=[], question=question, output="1")
        states = ask.server.states
        assert states[told["state"]] == (states[state], "1")


@pytest.mark.parametrize("decision", [*Decision])
def test_states_after_outputs_are_said_iff_something_comes_out(decision: Decision) -> None:
    class Says(Sees):
        def decide(self, state: Any, step: Step) -> Any:
            return decision, 0

    (found,) = Asked(Says).put((0, FIRST))["answers"]
    assert len(found) == (3 if decision in (Decision.CONTINUE, Decision.LAST) else 2)
    (found,) = Asked(Counts).put((0, FIRST))["answers"]
    assert len(found) == 2


def test_a_step_that_was_not_worked_out_is_answered_unless_it_is_looked_at() -> None:
    class Looks(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            return "halt" if sum(step.mass.values()) else "continue", 0

    class LooksAway(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            with suppress(BaseException):
                sum(step.mass.values())
            return "continue", 0

    assert Asked(Counts).put((0, Lazy(FIRST))) == {"answers": [["continue", 1]]}
    assert Asked(Looks).put((0, Lazy(FIRST))) == {"answers": [None]}
    assert Asked(LooksAway).put((0, Lazy(FIRST))) == {"answers": [None]}
    assert Asked(Looks).put((0, FIRST)) == {"answers": [["halt", 0]]}


# --- what is noticed ------------------------------------------------------------------------------


def test_a_changed_step_is_noticed_and_grave() -> None:
    class Forces(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            object.__setattr__(step, "request", "other")
            return "halt", state

    found = Asked(Forces).put((0, FIRST))
    assert (found["grave"], "changed the step" in found["error"]) == (True, True)


def test_what_is_printed_is_noticed_once() -> None:
    printed = [0]

    class Prints(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            printed[0] += 4 if not step.index else 0
            return "halt", state

    ask = Asked(Prints, lambda: printed[0])
    assert "decide() at round 0 wrote to standard output" in ask.put((0, OPENING))["error"]
    assert ask.put((0, FIRST)) == {"answers": [["halt", 0]]}


def test_an_interrupt_is_grave_and_an_exception_is_not() -> None:
    class Raises(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            raise KeyboardInterrupt if step.index else ZeroDivisionError("no")

    ask = Asked(Raises)
    assert ask.put((0, FIRST))["grave"] is True
    assert "grave" not in ask.put((0, OPENING))


def test_whether_a_filter_has_changed_itself_is_told_the_second_time() -> None:
    ask = Asked(Counts)
    rule = ask.server.filters[1].rule
    assert [ask("hold"), ask("hold")] == [{"changed": False}] * 2
    ask("hold")
    rule.held.append(1)
    assert ask("hold") == {"changed": True}


# --- signs of life --------------------------------------------------------------------------------


@pytest.mark.parametrize(("took", "signs"), [(0.125, 0), (0.25, 0), (0.5, 2)])
def test_a_slow_filter_sends_what_it_has(
    took: float, signs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [50.0]

    class Slow(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            now[0] += took if signs or not step.index else 0.0
            return super().decide(state, step)

        def reported(self, state: Any) -> Any:
            now[0] += took / 2 if signs or not state else 0.0  # put twice
            return Fraction(state)

    for module in (server, reporting):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(server, "SIGN", 0.25)
    monkeypatch.setattr(reporting, "SIGN", 0.25)
    ask = Asked(Slow)
    ask.signs.clear()
    found = ask.put((0, OPENING), (1, FIRST))
    assert len(ask.signs) == signs
    assert ask.sent() + found["answers"] == [["continue", 1], ["continue", 2]]
    ask.signs.clear()
    reports = ask("reported", states=[0, 1])
    assert len(ask.signs) == signs
    assert ask.sent() + reports["answers"] == ["0", "1"]


# --- answers that nobody has asked for yet --------------------------------------------------------


def volunteered(target: Any, most: int = 64) -> list[Any]:
    ask = Asked(target)
    found = ask.put((0, OPENING), ahead=most)
    again = ask("ask", again=True)["answers"]
    assert again[::-1] == found["answers"] + [raw for _, raw in found["more"]]
    return [(one[0], one[1], raw) for one, raw in found["more"]]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "monotonic", lambda: 0.0)


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
            now[0] += server.AHEAD if step.index else 0.0
            return super().decide(state, step)

    monkeypatch.setattr(server, "monotonic", lambda: now[0])
    assert len(volunteered(Slow)) == 2


def test_nothing_is_volunteered_that_nobody_wants() -> None:
    assert Asked(Counts).put((0, OPENING), ahead=0).keys() == {"answers"}


def test_a_slow_opening_round_is_not_gone_on_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SIGN", -1.0)
    ask = Asked(Counts)
    assert ask.put((0, OPENING), ahead=64) == {"answers": []}
    assert ask.signs[-1]["some"] == [["continue", 1]]
