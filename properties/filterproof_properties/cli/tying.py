"""A built-in filter's code, tied to its theorem in a child that can be killed."""

from functools import partial

from filterproof_properties.cli.proving import Proof, ask_prover
from filterproof_properties.processes.child import NoAnswer, tell


def prove_tied(spec: str, seconds: float) -> Proof | None:
    """Return the proof that a built-in filter's code keeps to its rule; None if there is none."""
    from filterproof_proofs.ties.table import WAYS, ByRule

    if not isinstance(WAYS.get(spec), ByRule):
        return None
    try:
        told = ask_prover(partial(_tell, spec, seconds), seconds)
    except NoAnswer:
        return None
    return Proof(0, told["text"], told["data"]) if told["data"] else None


def _tell(spec: str, seconds: float) -> None:
    """Tie one filter's code and write the outcome as one line, in the child."""
    from filterproof_proofs.ties.table import tie
    from filterproof_proofs.ties.tie import NotTied

    try:
        found = tie(spec, seconds=seconds)
        tell({"text": "\n".join(found.lines()) + "\n", "data": found.data()})
    except NotTied:
        tell({"text": "", "data": {}})
