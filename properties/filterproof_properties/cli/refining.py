"""Never looser than a rule with a theorem: proved in a child, held against the ordinary object.

The child interprets the source; nothing of the target runs in it.  What comes back as PROVED brings
concrete runs with the answers that the interpreter gave.  The object answers the same calls in a
process of its own, and a disagreement is never PROVED.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from filterproof.filter import ProtocolError
from filterproof_properties.audit.code import program_of
from filterproof_properties.audit.replays import answers, run_to_json
from filterproof_properties.cli.proving import TOO_DEEP, CannotProve, Proof, ask_prover
from filterproof_properties.processes.child import Limits, NoAnswer, tell
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.target import TargetError

if TYPE_CHECKING:
    from filterproof_proofs.refinement import Refinement

OPEN = 3


def prove_never_looser(spec: str, by: str, seconds: float, limits: Limits | None = None) -> Proof:
    """Return the verdict on a budget object or a filter, by one rule or by all that fit."""
    target = named(spec)[0] if is_budget_object(spec) else spec
    if program_of(target) is None:
        raise CannotProve("no source: a proof interprets the target's Python file")
    try:
        told = ask_prover(partial(_tell, spec, by, seconds), seconds)
    except NoAnswer:
        return _open(spec, f"nothing after {seconds:g} s: the prover was ended")
    return _held_against_the_object(spec, told, limits or Limits())


def _open(spec: str, why: str) -> Proof:
    return Proof(OPEN, f"OPEN  {spec}: {why}\n", {"target": spec, "verdict": "OPEN", "open": [why]})


def _held_against_the_object(spec: str, told: Mapping[str, Any], limits: Limits) -> Proof:
    """Return a verdict that the ordinary object does not contradict."""
    proof = Proof(told["code"], told["text"], told["data"])
    plays = told["plays"]
    try:
        answered_by_it = answers(spec, plays, limits)
    except (ProtocolError, TargetError) as error:
        return _open(spec, f"the object itself: {quoted(error, 500)}")
    for play, answered in zip(plays, answered_by_it, strict=True):
        if answered != play["answers"]:
            said = f"it is asked {play['words']}, and answers {answered} where its source says so"
            return _open(spec, f"the object itself behaves differently: {quoted(said, 800)}")
    calls = sum(len(play["answers"]) for play in plays)
    same = f"  the object itself: {len(plays)} runs, {calls} calls, answered as its source\n"
    return Proof(proof.code, proof.text + same if plays else proof.text, proof.data)


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
        tell({"error": str(error)})
        return
    except RecursionError:
        tell({"error": TOO_DEEP})
        return
    tell({"code": found.exit_code, **_as_text(found), "plays": _plays(found)})


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
    return [run_to_json(play) for play in runs]
