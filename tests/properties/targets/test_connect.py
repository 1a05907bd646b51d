"""A target is found by its name and greeted; what it makes, declines and reports is read."""

import sys
import sysconfig
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.game import opening
from filterproof.palette import game, repeated, response
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.adapters.support.library import NOT_INSTALLED
from filterproof_properties.case import Case
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets import reporting
from filterproof_properties.targets.attribute import attribute
from filterproof_properties.targets.connect import (
    IN_PROCESS,
    _greeted,
    connect,
    connect_here,
    connect_made,
    disconnect,
    elsewhere,
    open_target,
)
from filterproof_properties.targets.evaluate import parameters_for
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp
from filterproof_properties.targets.loading import check_name, describe_target, is_trusted, load
from filterproof_properties.targets.other_process import answers_of_other_process
from filterproof_properties.targets.program import ProgramFilter, ProgramTarget
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.reporting import MANY, Reports
from filterproof_properties.targets.target import Declined, Loaded, TargetError
from tests.properties.targets.wire import Answering

TWO = game(repeated(response(Fraction(2, 3)), 2))
BUDGET = Fraction(1), Fraction(1, 10)
MINE = "from neighbour import F\n_hidden = 1\nnumber = 5\n"
NEIGHBOUR = "from filterproof.filters.additive import Additive as F\n"
ADDITIVE = "filterproof.filters.additive:Additive"


# --- by the name of its code ----------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path / "mine.py"


def test_a_files_neighbours_come_before_what_is_installed_and_behind_the_standard_library(
    mine: Path,
) -> None:
    assert attribute(f"{mine}:F") is Additive
    at = sys.path.index(str(mine.parent))
    assert sys.path.index(sysconfig.get_path("stdlib")) < at
    assert at < sys.path.index(sysconfig.get_path("purelib"))


def test_a_module_is_looked_for_in_the_folder_too_behind_the_standard_library(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    (mine.parent / "own_module.py").write_text(NEIGHBOUR)
    assert attribute("own_module:F") is Additive
    assert sys.path.index(sysconfig.get_path("stdlib")) < sys.path.index(str(mine.parent))


def test_what_is_missing_or_no_target_is_told(mine: Path) -> None:
    with pytest.raises(TargetError, match=r"has no attribute 'G'; it has \['F', 'number'\]"):
        attribute(f"{mine}:G")
    with pytest.raises(TargetError, match="must be callable"):
        attribute(f"{mine}:number")
    with pytest.raises(TargetError, match="no such file"):
        attribute(f"{mine.parent / 'other.py'}:F")
    with pytest.raises(TargetError, match="cannot import 'no_such_module'"):
        attribute("no_such_module:F")


# --- by a plain name ------------------------------------------------------------------------------


def test_what_is_ours_needs_no_sandbox_and_all_else_does() -> None:
    adapter = next(iter(ADAPTERS))
    assert is_trusted("additive")
    assert not any(map(is_trusted, [ADDITIVE, "mine.py:F", "command:cat", adapter]))
    assert describe_target(ADDITIVE).note == ""
    assert describe_target(adapter).note.startswith(ADAPTERS[adapter].library)


def test_the_filter_to_run_is_announced_as_sound() -> None:
    found = load("runtime")
    assert found.expected_sound is True
    assert found.target.__name__ == "RuntimeCompensator"
    assert load("additive").target is Additive


def test_an_adapter_without_its_library_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    name, info = next(iter(ADAPTERS.items()))
    for version, missing in (("1.0", False), (NOT_INSTALLED, True)):
        monkeypatch.setattr(type(info), "version", version)
        if not missing:
            check_name(name)
            continue
        with pytest.raises(TargetError, match="needs"):
            check_name(name)


def test_near_names_are_three_at_most() -> None:
    with pytest.raises(Exception, match=r"near: [^,]*, [^,]*, [^,]*$"):
        check_name("odometer-forgiven")


# --- greeting -------------------------------------------------------------------------------------


class Greeted(Answering):
    closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(
    "hello",
    [
        {"version": 1},
        {"protocol": "filterproof.command"},
        {"protocol": "filterproof.command", "version": 2},
        {"protocol": "filterproof.command", "version": True},
        {"protocol": "filterproof.command", "version": "1"},
        {"protocol": "another", "version": 2},
    ],
)
def test_another_protocol_is_turned_down_and_the_target_ended(hello: Any) -> None:
    link: Any = Greeted(hello=hello)
    with pytest.raises(Misbehaved, match=r"need protocol 'filterproof\.command' version 1 or 3"):
        _greeted(link)
    assert link.closed == 1


@pytest.mark.parametrize(("version", "kind"), [(1, ProgramTarget), (3, RemoteTarget)])
def test_each_version_is_spoken_as_it_is(version: int, kind: type) -> None:
    link: Any = Greeted(hello={"protocol": "filterproof.command", "version": version})
    assert type(_greeted(link)) is kind
    assert link.asked[0]["versions"] == [1, 3]
    assert link.closed == 0


def test_a_target_has_a_process_of_its_own_unless_that_is_chosen() -> None:
    with open_target(ADDITIVE, Limits()) as apart:
        target: Any = apart.target
        assert hasattr(target.link, "child")
        assert (apart.portable, apart.note) == (True, "")
        assert target(*BUDGET).start() == 0
    assert not target.link.child.alive
    with open_target(ADDITIVE, Limits(), in_process=True) as here:
        target = here.target
        assert not hasattr(target.link, "child")
        assert (here.portable, here.note) == (False, IN_PROCESS)
    for spec, apart_ in ((ADDITIVE, True), ("additive", False)):
        loaded = connect(spec, Limits())
        assert hasattr(getattr(loaded.target, "link", None), "child") == apart_
        disconnect(loaded)


def test_a_target_of_this_process_only_cannot_be_asked_in_another_one() -> None:
    here = connect_here(Loaded("mine.py:F", Additive, ("dp",)))
    assert not here.portable
    with pytest.raises(Declined, match="of this process only"), elsewhere(here.target, {}):
        pass
    made = connect_made(lambda: Additive, Limits())
    assert not made.portable
    assert made.limits == Limits()
    disconnect(made)


def test_a_target_with_a_name_is_asked_in_one_more_process() -> None:
    case = Case("two", TWO, *BUDGET)
    with open_target(ADDITIVE, Limits()) as apart:
        assert answers_of_other_process(apart.target, case) == answers_of_other_process(
            Additive, case
        )


def test_a_declined_budget_counts_once() -> None:
    assert (Declined("no").times, Declined("no", 4).times) == (1, 4)


# --- version 1 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["observe", "markov"])
def test_a_program_has_what_it_says_with_true_and_nothing_else(flag: str) -> None:
    for said in (True, False, 1, None):
        link: Any = Answering(start={"state": "s"})
        target = ProgramTarget(link, {flag: said})
        rule = target(*BUDGET)
        found = rule.markov if flag == "markov" else hasattr(rule, "observe")
        assert found == (said is True)


@pytest.mark.parametrize("markov", [True, False])
def test_a_program_is_shown_the_history_unless_it_needs_none(markov: bool) -> None:
    link: Any = Answering(start={"state": "s"}, decide={"decision": "halt", "state": "t"})
    rule = ProgramTarget(link, {"markov": markov})(*BUDGET)
    assert rule.decide("s", opening(TWO)) == (Decision.HALT, "t")
    shown = link.calls("decide")[0]["step"]
    assert ("history" in shown) == (not markov)


def test_a_program_is_asked_again_from_the_end() -> None:
    first = opening(TWO).next("⊥", "ask")
    steps = [first, first.next("0", "ask"), first.next("1", "ask")]
    link: Any = Answering(decide=lambda asked: {"decision": "halt", "state": asked["state"] + "!"})
    rule = ProgramFilter(ProgramTarget(link, {}), {})
    questions = [(name, step) for name, step in zip("abc", steps, strict=True)]
    found = rule.ask(questions, again=True)
    assert found == [(Decision.HALT, f"{name}!") for name in "abc"]
    assert "".join(one["state"] for one in link.asked) == "abccba"
    rule.ask(questions, again=False)
    assert "".join(one["state"] for one in link.asked[6:]) == "abc"
    assert rule.hold() is False


@pytest.mark.parametrize(
    "answer",
    [{"decision": "halt"}, {"decision": 5, "state": ""}, {"decision": ["halt"], "state": ""}],
)
def test_what_is_no_answer_of_a_program_is_not_believed(answer: Any) -> None:
    link: Any = Answering(decide=answer)
    rule = ProgramFilter(ProgramTarget(link, {}), {})
    with pytest.raises(Misbehaved):
        rule.ask([("s", opening(TWO))], again=False)


# --- reports --------------------------------------------------------------------------------------


def reporting_link(**more: Any) -> Answering:
    return Answering(
        reported=lambda asked: {"answers": [f"{one}" for one in asked["states"]], **more}
    )


def test_each_state_is_asked_about_once() -> None:
    link = reporting_link()
    reports = Reports(link.ask, 3)
    assert reports([2, 1, 2]) == [2, 1, 2]
    assert reports([1, 4]) == [1, 4]
    assert [one["states"] for one in link.asked] == [[2, 1], [4]]


def test_many_states_are_asked_about_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "MANY", 3)
    link = reporting_link()
    assert Reports(link.ask, 3)([*range(7)]) == [*range(7)]
    assert [one["states"] for one in link.asked] == [[0, 1, 2], [3, 4, 5], [6]]
    assert MANY > 3


@pytest.mark.parametrize("answers", [None, "01", ["0"], ["0", "1", "2"], {"0": "0", "1": "1"}])
def test_as_many_reports_as_states_are_needed(answers: Any) -> None:
    with pytest.raises(Misbehaved, match="need 2 reports; got"):
        Reports(reporting_link(answers=answers).ask, 3)([0, 1])


# --- parameters to try ----------------------------------------------------------------------------


class Offers(Additive):
    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> list[dict[str, Any]]:
        return [{"N": 1}, {"N": 2}, {"N": 3}]


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ({}, [{"N": 1}, {"N": 2}, {"N": 3}]),
        ({"M": 5}, [{"N": 1}, {"N": 2}, {"N": 3}]),
        ({"N": 5}, [{"N": 5}, {"N": 1}, {"N": 2}, {"N": 3}]),
        ({"N": 2}, [{"N": 2}, {"N": 1}, {"N": 3}]),
    ],
)
def test_the_parameters_of_a_case_are_tried_first_if_they_fit(own: Any, found: Any) -> None:
    assert parameters_for(Offers, Case("two", TWO, *BUDGET, own)) == found


# --- when the time is up --------------------------------------------------------------------------


@pytest.mark.parametrize("in_process", [True, False])
def test_a_target_whose_time_was_up_is_asked_again_as_if_nothing_had_been(in_process: bool) -> None:
    with open_target(ADDITIVE, Limits(), in_process=in_process) as loaded:
        target: Any = loaded.target
        rule, other = target(*BUDGET), target(*BUDGET)
        target.link.until = 0.0
        with pytest.raises(TimeIsUp):
            worst_case(rule, TWO, BUDGET[0])
        target.link.until = None
        found = [worst_case(one, TWO, BUDGET[0]).value for one in (rule, other, rule)]
    assert found == 3 * [worst_case(Additive(*BUDGET), TWO, BUDGET[0]).value]
