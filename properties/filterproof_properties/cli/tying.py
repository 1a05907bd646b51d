"""A built-in filter's code, tied to its theorem in a child that can be killed."""

import json
from functools import partial

from filterproof_properties.audit.code import GRACE, MOST_BYTES
from filterproof_properties.cli.proving import Proof
from filterproof_properties.processes.child import Child, ChildFailed, Limits, NoAnswer
from filterproof_properties.processes.sanitise import quoted


def prove_tied(spec: str, seconds: float) -> Proof | None:
    """Return the proof that a built-in filter's code keeps to its rule; None if there is none."""
    from filterproof_proofs.ties.table import WAYS, ByRule

    if not isinstance(WAYS.get(spec), ByRule):
        return None
    child = Child(partial(_tell, spec, seconds), Limits())
    try:
        told = json.loads(child.line(seconds + GRACE, MOST_BYTES))
    except NoAnswer:
        return None
    except (ChildFailed, ValueError) as error:
        raise RuntimeError(f"the prover: {quoted(error, 300)} {child.noise()}") from None
    finally:
        child.close()
    return Proof(0, told["text"], told["data"]) if told["data"] else None


def _tell(spec: str, seconds: float) -> None:
    """Tie one filter's code and write the outcome as one line, in the child."""
    from filterproof_proofs.ties.table import tie
    from filterproof_proofs.ties.tie import NotTied

    try:
        found = tie(spec, seconds=seconds)
        told = {"text": "\n".join(found.lines()) + "\n", "data": found.data()}
    except NotTied:
        told = {"text": "", "data": {}}
    with open(1, "wb", closefd=False) as line:
        line.write(json.dumps(told).encode() + b"\n")
