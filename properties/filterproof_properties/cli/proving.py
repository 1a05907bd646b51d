"""One target's source proved in a child that can be killed; what it says, and what it is worth.

The child interprets the source and asks the solver; nothing of the target runs in it.  What comes
back as PROVED is held against the target itself, which answers in its own process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from filterproof.filter import ProtocolError
from filterproof_properties.audit.code import GRACE, program_of
from filterproof_properties.processes.child import ChildFailed, Limits, NoAnswer, answer_of, tell
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.target import TargetError

if TYPE_CHECKING:
    from filterproof_proofs.potential import Effort

TOO_DEEP = "its expressions are nested too deeply to be interpreted"
PLAYS, SECONDS = 200, 20.0
"""So many random plays, and so long at most, compare a target with its source."""
Event = Callable[[str], object]
Told = dict[str, Any]


class CannotProve(Exception):
    """A target that cannot be proved, for a reason that its author can act on."""


class Contradicted(CannotProve):
    """The target itself does not answer as its source: no other proof will do either."""


@dataclass(frozen=True)
class Proof:
    """What a proof says: exit code, text and data."""

    code: int
    text: str
    data: Told


def prove_source(spec: str, effort: "Effort", on_event: Event) -> Proof:
    """Prove a target's source; `CannotProve` says which line, or why not."""
    if program_of(spec) is None:
        raise CannotProve("no source: a proof interprets the target's Python file")
    try:
        told = ask_prover(partial(_tell, spec, effort), effort.seconds, on_event)
    except NoAnswer:
        return _open(spec, f"nothing after {effort.seconds:g} s: the prover was ended")
    return _hold_against_target(spec, Proof(told["code"], told["text"], told["data"]))


def ask_prover(
    prover: Callable[[], None], seconds: float, on_event: Event = lambda event: None
) -> Told:
    """Return what a prover tells from a child; `NoAnswer` where it does not end."""
    try:
        told: Told = answer_of(prover, Limits(), seconds + GRACE, on_event)
    except NoAnswer:
        raise
    except ChildFailed as error:
        raise RuntimeError(f"the prover: {quoted(error, 1000)}") from None
    if "error" in told:
        raise CannotProve(quoted(told["error"], 2000))
    return told


def _hold_against_target(spec: str, proof: Proof) -> Proof:
    """Return a proof that the target itself does not contradict."""
    from filterproof_proofs.potential import CannotRun, guard

    if proof.code != 0:
        return proof
    program = program_of(spec)
    assert program is not None
    try:
        with open_target(spec, Limits()) as loaded:
            played = guard(program, loaded.target, PLAYS, SECONDS)
    except CannotRun as error:
        raise Contradicted(quoted(error, 2000)) from None
    except TargetError as error:
        raise Contradicted(f"the target itself: {quoted(error, 500)}") from None
    if not played.rounds:
        return _open(spec, f"none of {played.plays} plays of the target ran a round")
    said = (
        f"  the target itself: {played.plays} random plays, {played.rounds} rounds, "
        "answered as its source and kept the rules\n"
    )
    plays = {"plays": played.plays, "rounds": played.rounds}
    return Proof(proof.code, proof.text + said, {**proof.data, "compared": plays})


def _open(spec: str, why: str) -> Proof:
    data = {"target": spec, "verdict": "OPEN", "open": [{"where": "the proof", "question": why}]}
    return Proof(3, f"{spec}: OPEN\n  open: {why}\n", data)


# --- in the child --------------------------------------------------------------------------------


def _tell(spec: str, effort: "Effort") -> None:
    """Prove one target's source; write events and the outcome, a line each."""
    from filterproof_proofs.potential import NoPotential, prove
    from filterproof_properties.reports.proof import as_data, as_text

    program = program_of(spec)
    assert program is not None
    try:
        found = prove(program, effort, spec, lambda said: tell({"event": said}))
    except (ProtocolError, NoPotential) as error:
        tell({"error": str(error)})
        return
    except RecursionError:
        tell({"error": TOO_DEEP})
        return
    tell({"code": found.exit_code, "text": as_text(found), "data": as_data(found)})
