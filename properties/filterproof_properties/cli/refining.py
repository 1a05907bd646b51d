"""Never looser than a rule with a theorem: proved in a child, held against the ordinary object.

The child interprets the source; nothing of the target runs in it.  What comes back as PROVED brings
concrete runs with the answers that the interpreter gave.  The object answers the same calls in a
process of its own, and a disagreement is never PROVED.
"""

import json
import sys
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from filterproof.budget_calls import to_table
from filterproof.exact import Log
from filterproof.filter import Decision, ProtocolError, ask, observe, start
from filterproof.game import Game, Mechanism, opening
from filterproof.game.law import Declared
from filterproof_properties.audit.code import GRACE, MOST_BYTES, program_of
from filterproof_properties.cli.proving import CannotProve, Proof
from filterproof_properties.processes.child import Child, ChildFailed, Limits, NoAnswer
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.connect import opened
from filterproof_properties.targets.target import TargetError

if TYPE_CHECKING:
    from filterproof_proofs.refinement import Play, Refinement

SILENT = {"y": {"0": Fraction(1), "1": Fraction(1)}}
"""A law that says nothing: whatever it declares is true."""
OPEN = 3


def prove_never_looser(spec: str, by: str, seconds: float) -> Proof:
    """Return the verdict on a budget object or a filter, by one rule or by all that fit."""
    target = named(spec)[0] if is_budget_object(spec) else spec
    if program_of(target) is None:
        raise CannotProve("no source: a proof interprets the target's Python file")
    child = Child(partial(_tell, spec, by, seconds), Limits())
    try:
        told = json.loads(child.line(seconds + GRACE, MOST_BYTES))
    except NoAnswer:
        return _open(spec, f"nothing after {seconds:g} s: the prover was ended")
    except (ChildFailed, ValueError) as error:
        raise RuntimeError(f"the prover: {quoted(error, 300)} {child.noise()}") from None
    finally:
        child.close()
    if "error" in told:
        raise CannotProve(quoted(told["error"], 2000))
    return _held_against_the_object(spec, told)


def _open(spec: str, why: str) -> Proof:
    return Proof(OPEN, f"OPEN  {spec}: {why}\n", {"target": spec, "verdict": "OPEN", "open": [why]})


def _held_against_the_object(spec: str, told: Mapping[str, Any]) -> Proof:
    """Return a verdict that the ordinary object does not contradict."""
    proof = Proof(told["code"], told["text"], told["data"])
    plays = told["plays"]
    try:
        answers = _of_a_budget(spec, plays) if is_budget_object(spec) else _of_a_filter(spec, plays)
    except (ProtocolError, TargetError) as error:
        return _open(spec, f"the object itself: {quoted(error, 500)}")
    for play, answered in zip(plays, answers, strict=True):
        if answered != play["answers"]:
            said = f"it is asked {play['words']}, and answers {answered} where its source says so"
            return _open(spec, f"the object itself behaves differently: {quoted(said, 800)}")
    calls = sum(len(play["answers"]) for play in plays)
    same = f"  the object itself: {len(plays)} runs, {calls} calls, answered as its source\n"
    return Proof(proof.code, proof.text + same if plays else proof.text, proof.data)


def _of_a_budget(spec: str, plays: list[dict[str, Any]]) -> list[list[bool]]:
    """Return what the budget object grants in each run, asked in a process of its own."""
    from filterproof_properties.targets.budget.plays import asked, started

    target, calls = named(spec)
    words = {**to_table(calls), "target": target}
    with started(calls.python or sys.executable, words) as process:
        found = [asked(process, {"budget": p["budget"], "events": p["events"]}) for p in plays]
        if process.stdin:
            process.stdin.close()
    return [[bool(answer[0]) for answer in one["answers"]] for one in found]


def _of_a_filter(spec: str, plays: list[dict[str, Any]]) -> list[list[bool]]:
    """Return what the filter runs in each run, asked in its own process."""
    with opened(spec, Limits()) as loaded:
        return [_filter_runs(loaded.target, play) for play in plays]


def _filter_runs(target: Any, play: dict[str, Any]) -> list[bool]:
    odds, delta = (Fraction(play["budget"][name]) for name in ("odds", "delta"))
    rule = target(Log(odds), delta)
    asked = [Declared(*map(Fraction, one)) for one in play["declared"]]
    step = opening(Game(("0", "1"), (("0", "1"),), _menu(asked, len(asked))))
    state = observe(rule, ask(rule, start(rule), step)[1], step, "⊥")
    found: list[bool] = []
    output = "⊥"
    for i in range(len(asked)):
        step = step.next(output, f"r{i}") if not found or found[-1] else step.instead(f"r{i}")
        decision, state = ask(rule, state, step)
        found.append(decision in (Decision.CONTINUE, Decision.LAST))
        if decision is Decision.CONTINUE:
            state, output = observe(rule, state, step, "y"), "y"
        elif decision is not Decision.REFUSE:
            break
    return found


def _menu(asked: list[Declared], depth: int) -> dict[str, Mechanism]:
    """Return menus that offer every request in every round."""
    if not depth:
        return {}
    after = _menu(asked, depth - 1)
    return {f"r{i}": Mechanism(SILENT, {"y": after}, one) for i, one in enumerate(asked)}


# --- in the child --------------------------------------------------------------------------------


def _tell(spec: str, by: str, seconds: float) -> None:
    """Prove one target's source and write the outcome as one line."""
    from filterproof_proofs.refinement import NoRule, prove_program

    target, calls = named(spec) if is_budget_object(spec) else (spec, None)
    program = program_of(target)
    assert program is not None
    try:
        found = prove_program(program, spec, calls, by, seconds)
    except NoRule as error:
        _say({"error": str(error)})
        return
    _say({"code": found.exit_code, **_as_text(found), "plays": _plays(found)})


def _as_text(found: "Refinement") -> dict[str, Any]:
    data = {
        "target": found.target,
        "verdict": str(found.verdict),
        "rule": found.rule,
        "theorems": list(found.theorems),
        "promise": found.promise,
        "covers": list(found.covers),
        "leaves_out": list(found.leaves_out),
        "invariant": list(found.invariant),
        "open": list(found.open),
        "run": str(found.excess) if found.excess else None,
        "paths": found.paths,
        "seconds": round(found.seconds, 1),
    }
    return {"text": "\n".join(found.lines()) + "\n", "data": data}


def _plays(found: "Refinement") -> list[dict[str, Any]]:
    runs = [*found.replays, *([found.excess.play] if found.excess else [])]
    return [_as_json(play) for play in runs]


def _as_json(play: "Play") -> dict[str, Any]:
    filters = "odds" in play.budget
    return {
        "words": play.words,
        "budget": {name: str(one) if filters else one for name, one in play.budget.items()},
        "answers": [call.ran for call in play.calls],
        "declared": [[str(one) for one in call.costs.values()] for call in play.calls]
        if filters
        else [],
        "events": []
        if filters
        else [
            {
                "call": call.choice.call,
                "values": {**call.costs, **dict(call.choice.arguments)},
                "instance": call.choice.place,
                "failed": call.choice.fails,
            }
            for call in play.calls
        ],
    }


def _say(told: dict[str, Any]) -> None:
    with open(1, "wb", closefd=False) as line:
        line.write(json.dumps(told).encode() + b"\n")
