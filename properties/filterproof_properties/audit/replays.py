"""Runs that an interpreter has seen, made again with the ordinary object in its own process."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from filterproof.budget_calls import to_table
from filterproof.exact import Log
from filterproof.filter import Decision, ask, observe, parameter_sets, start
from filterproof.game import OPENING, Game, Mechanism, opening
from filterproof.game.law import Declared
from filterproof_properties.case import Case
from filterproof_properties.processes import isolated
from filterproof_properties.processes.child import MOST_BYTES, Child, ChildFailed, Limits
from filterproof_properties.processes.sandbox import with_directories
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget import playing
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.budget.plays import STARTS, outcome
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.target import Declined, TargetError, make_filter

if TYPE_CHECKING:
    from filterproof_proofs.refinement import Play

SILENT = {"y": {"0": Fraction(1), "1": Fraction(1)}}
"""A law that says nothing: whatever it declares is true."""
DEPTH = 3
"""The rounds for which a filter is asked what parameters it offers, as in the proof."""
Run = dict[str, Any]


def run_to_json(play: "Play") -> Run:
    """Return a run as plain data: its budget, what was asked, and what was answered."""
    filters = "odds" in play.budget
    return {
        "words": play.words,
        "offer": play.offer,
        "budget": {name: str(one) if filters else one for name, one in play.budget.items()},
        "answers": [call.ran for call in play.calls],
        "declared": [[str(one) for one in call.costs.values()] for call in play.calls if filters],
        "events": [_event(call) for call in play.calls if not filters],
    }


def _event(call: Any) -> dict[str, Any]:
    choice = call.choice
    values = {**call.costs, **dict(choice.arguments)}
    placed = {"call": choice.call, "instance": choice.place, "failed": choice.fails}
    return {**placed, "values": values}


def answers(spec: str, runs: list[Run], limits: Limits) -> list[list[bool]]:
    """Return what a budget object or a filter runs in each run."""
    if is_budget_object(spec):
        return _of_a_budget(spec, runs, limits)
    with open_target(spec, limits) as loaded:
        return [_of_a_filter(loaded.target, run) for run in runs]


# --- a budget object ------------------------------------------------------------------------------


def _of_a_budget(spec: str, runs: list[Run], limits: Limits) -> list[list[bool]]:
    target, calls = named(spec)
    told = json.dumps({**to_table(calls), "target": target})
    words = isolated.python(playing.__name__, told)
    if calls.python:
        words = [calls.python, "-c", STARTS, isolated.ROOTS[-1], told]
    child = Child(words, limits, visible=with_directories([target.rpartition(":")[0]]))
    try:
        return [_answers_of_child(child, run, limits.timeout) for run in runs]
    except ChildFailed as error:
        raise TargetError(f"{target}: {quoted(error, 300)} {child.noise()}") from None
    finally:
        child.close()


def _answers_of_child(child: Child, run: Run, seconds: float) -> list[bool]:
    asked = {"budget": run["budget"], "events": run["events"]}
    child.send(json.dumps(asked).encode() + b"\n", seconds)
    try:
        found = outcome(json.loads(child.line(seconds, MOST_BYTES)))["answers"]
        return [bool(granted) for granted, *_ in found]
    except Declined:
        return [False] * len(run["events"])
    except (KeyError, TypeError, ValueError) as error:
        raise ChildFailed(f"no answer that can be read: {quoted(error, 100)}") from None


# --- a filter -------------------------------------------------------------------------------------


def _of_a_filter(target: Any, run: Run) -> list[bool]:
    """Return what runs, request by request; nothing does once the filter has ended."""
    if not run["declared"]:
        return []
    case = case_of(run)
    found: list[bool] = []
    try:
        rule = make_filter(target, case.epsilon, case.delta, _given(target, case, run))
    except (Declined, IndexError):
        return [False] * len(run["declared"])
    step = opening(case.game)
    state, output = observe(rule, ask(rule, start(rule), step)[1], step, OPENING), OPENING
    for i in range(len(run["declared"])):
        step = step.next(output, f"r{i}") if not found or found[-1] else step.instead(f"r{i}")
        decision, state = ask(rule, state, step)
        found.append(decision in (Decision.CONTINUE, Decision.LAST))
        if decision is Decision.CONTINUE:
            state, output = observe(rule, state, step, "y"), "y"
        elif decision is not Decision.REFUSE:
            break
    return found + [False] * (len(run["declared"]) - len(found))


def _given(target: Any, case: Case, run: Run) -> dict[str, Any]:
    """Return the parameters that a run names by their number among those that are offered."""
    if "offer" not in run:
        return {}
    return parameter_sets(target, case.epsilon, case.delta, DEPTH)[run["offer"]]


def case_of(run: Run) -> Case:
    """Return the game in which every request of a run can be sent in every round, at its budget."""
    odds, delta = (Fraction(run["budget"][name]) for name in ("odds", "delta"))
    asked = [Declared(*map(Fraction, one)) for one in run["declared"]]
    game = Game(("0", "1"), (("0", "1"),), _menu(asked, len(asked)))
    return Case("a run of the proof", game, Log(odds), delta)


def shortest_case_of(run: Run) -> Case:
    """Return the same with one request in each round, where all of them were granted."""
    case = case_of(run)
    if not all(run["answers"]):
        return case
    menu: dict[str, Mechanism] = {}
    for i, one in reversed([*enumerate(run["declared"])]):
        menu = {f"r{i}": Mechanism(SILENT, {"y": menu}, Declared(*map(Fraction, one)))}
    return replace(case, game=Game(case.game.databases, case.game.pairs, menu))


def _menu(asked: list[Declared], depth: int) -> dict[str, Mechanism]:
    if not depth:
        return {}
    after = _menu(asked, depth - 1)
    return {f"r{i}": Mechanism(SILENT, {"y": after}, one) for i, one in enumerate(asked)}
