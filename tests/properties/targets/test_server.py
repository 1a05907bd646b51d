"""The server of answers, asked as a function: what it says, notices and remembers."""

from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.game import Step
from filterproof_properties.targets import reporting, server
from filterproof_properties.targets.server import Made, Server, name_of
from filterproof_properties.targets.target import Declined
from tests.properties.targets.served import FIRST, OPENING, Asked, Counts, Sees
from tests.properties.targets.wire import Message, watched

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
    one, other = (Made(None, key, list) for key in ("one", "other"))
    numbers = [served.number(made, 1, "") for made in (one, other, one)]
    assert numbers == [0, 1, 0]
    assert served.number(one, True, "") == 2
    assert served.number(one, 1.0, "") == 3


def test_the_latest_of_equal_states_is_kept_for_the_second_time() -> None:
    served, made = Server(lambda: Counts), Made(None, "", list)
    first, second = "".join(["a", "b"]), "".join(["a", "b"])
    served.number(made, first, "")
    served.number(made, second, "")
    assert served.states[0] is first
    assert served.latest[0] is second


def test_questions_are_answered_twice_the_second_time_from_the_end() -> None:
    found = Asked(Counts).put((0, OPENING), (1, FIRST), twice=True)["answers"]
    assert found == [["continue", 1], ["continue", 2], ["continue", 2], ["continue", 1]]


def test_the_second_time_a_fresh_copy_answers_that_was_started() -> None:
    class Remembers(Counts):
        def start(self) -> Any:
            self.held = [0]
            return 0

        def decide(self, state: Any, step: Step) -> Any:
            self.held.append(1)
            return "continue", len(self.held)

    ask = Asked(Remembers)
    first, second, again, once_more = ask.put((0, OPENING), (0, FIRST), twice=True)["answers"]
    assert (first, second) == (again, once_more) != (once_more, again)
    assert len(ask.server.filters) == 1


def test_a_copy_that_is_declined_is_grave() -> None:
    made: list[Any] = []

    def once(epsilon: Any, delta: Any) -> Any:
        if made:
            raise Declined("not again")
        made.append(1)
        return Counts(epsilon, delta)

    found = Asked(once).put((0, FIRST), twice=True)
    assert found["grave"] is True
    assert "making the filter again was declined" in found["error"]


def test_a_state_that_is_given_back_has_its_number_unless_it_may_have_changed() -> None:
    class Spends(dict[str, int]):
        def __hash__(self) -> int:  # type: ignore[override]
            return hash(tuple(self.items()))

    class Changes(Counts):
        def start(self) -> Any:
            return Spends(spent=0)

        def decide(self, state: Any, step: Step) -> Any:
            state["spent"] += 1
            return "continue", state

    class GivesBack(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            return "halt", state

    first, again = Asked(Changes).put((0, FIRST), twice=True)["answers"]
    assert first != again
    assert Asked(GivesBack).put((0, FIRST))["answers"] == [["halt", 0]]


def test_a_filter_that_observes_says_the_states_after_each_output() -> None:
    ask = Asked(Sees)
    ((_, _, after),) = ask.put((0, FIRST))["answers"]
    assert [ask.server.states[one] for one in after] == ["0", "1"]
    menu: Any = FIRST.menu
    told = ask("observe", question=[0, 1, 0, menu.id, "ask", ["1", "1"], None], output="1")
    assert told == {"state": after[1]}


def test_a_filter_observes_from_the_state_that_is_asked_about() -> None:
    class Keeps(Sees):
        def observe(self, state: Any, step: Step, output: str) -> Any:
            return (state, output)

    ask = Asked(Keeps)
    ((_, after, _),) = ask.put((0, FIRST))["answers"]
    menu: Any = FIRST.menu
    for state in (0, after):
        told = ask("observe", question=[state, 1, 0, menu.id, "ask", ["1", "1"], None], output="1")
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


def test_whether_a_watched_step_was_read_is_said() -> None:
    class Looks(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            return "halt" if sum(step.mass.values()) else "continue", 0

    class LooksAway(Counts):
        def decide(self, state: Any, step: Step) -> Any:
            with suppress(BaseException):
                sum(step.mass.values())
            return "continue", 0

    class ObservesMore(Sees):
        def observe(self, state: Any, step: Step, output: str) -> Any:
            return len(step.history)

    (counts,) = Asked(Counts).put((0, watched(FIRST)))["answers"]
    assert counts == ["continue", 1, None, False]
    (looks,) = Asked(Looks).put((0, watched(FIRST)))["answers"]
    assert looks == ["halt", 0, None, True]
    (away,) = Asked(LooksAway).put((0, watched(FIRST)))["answers"]
    assert away == ["continue", 0, None, True]
    (more,) = Asked(ObservesMore).put((0, watched(FIRST)))["answers"]
    assert more[3] is True
    assert len(more[2]) == len(FIRST.mechanism.law)
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
