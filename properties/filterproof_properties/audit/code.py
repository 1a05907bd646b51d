"""A proof of the target's own code beside its audit, and what stands behind a built-in filter.

The prover runs the filter's Python on unknown numbers, so it runs in a copy of this process that
tells a verdict and ends; code that is written to deceive the prover can do so there.  A refuted
round comes back as ideas: games that the search tries first.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.certificate import parameter_from_json, parameter_to_json
from filterproof.exact import ExactError, format_epsilon, format_rational, parse_epsilon
from filterproof.game.json import BadJson, game_from_json, game_to_json, load_json
from filterproof_properties.case import Case
from filterproof_properties.processes.child import Child, ChildFailed, Limits
from filterproof_properties.processes.quoting import quoted
from filterproof_properties.targets.loading import is_trusted, load
from filterproof_properties.targets.target import Loaded

OUTPUTS = 2
"""An audit proves for laws with so many outputs; `filterproof prove` goes further."""
LONGEST = 6.0
"""So many seconds of an audit go into a proof at most, and no more than a quarter of them."""
DEMANDED = 120.0
"""So many seconds at most where a proof is demanded; no more than the whole audit may take."""
MOST_BYTES = 2**22


@dataclass(frozen=True)
class CodeVerdict:
    """PROVED, REFUTED or OPEN, with what is covered or why; and games to try."""

    verdict: str
    detail: str
    ideas: tuple[Case, ...] = ()


def code_verdict(
    target: Loaded, seconds: float | None, demanded: bool = False
) -> CodeVerdict | None:
    """Return what the prover says of a target that has a potential; None where it has none."""
    if is_trusted(target.spec) and not hasattr(target.target, "remaining"):
        return None
    if not target.portable:
        return None  # it lives in this process only, under no name
    most, share = (DEMANDED, 1.0) if demanded else (LONGEST, 0.25)
    most = most if seconds is None else min(most, seconds * share)
    child = Child(partial(_tell, target.spec, most), target.limits or Limits())
    try:
        return _read(child.line(most + LONGEST, MOST_BYTES))
    except ChildFailed as error:
        return CodeVerdict("OPEN", f"the prover: {quoted(error, 300)}")
    finally:
        child.close()


def _read(line: bytes) -> CodeVerdict | None:
    try:
        told = load_json(line.decode())
        if told.get("verdict") is None:
            return None
        ideas = tuple(_case(one) for one in told["ideas"])
        verdict, detail = quoted(told["verdict"], 20), quoted(told["detail"], 600)
    except (BadJson, ExactError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        return CodeVerdict("OPEN", f"the prover: {quoted(error, 300)}")
    return CodeVerdict(verdict, detail, ideas)


def _case(told: dict[str, Any]) -> Case:
    return Case(
        quoted(told["name"], 200),
        game_from_json(told["game"]),
        parse_epsilon(told["epsilon"]),
        Fraction(told["delta"]),
        {name: parameter_from_json(one) for name, one in told["parameters"].items()},
    )


# --- in the copy ---------------------------------------------------------------------------------


def _tell(spec: str, seconds: float) -> None:
    """Prove one target's code and write the verdict as one line."""
    from filterproof_proofs.symbolic import CannotRun, Effort, NoPotential, prove

    try:
        found = prove(load(spec).target, Effort(OUTPUTS, 2, seconds, second_opinion=False), spec)
    except NoPotential:
        told: dict[str, Any] = {"verdict": None}
    except CannotRun as error:
        told = {"verdict": "OPEN", "detail": f"cannot be proved: {error}", "ideas": []}
    else:
        told = {"verdict": str(found.verdict), "detail": _detail(found), "ideas": _ideas(found)}
    with open(1, "wb", closefd=False) as line:  # `sys.stdout` may be somebody else's
        line.write(json.dumps(told).encode() + b"\n")


def _detail(found: Any) -> str:
    if found.refutation is not None:
        return "; ".join(found.refutation.lines()[:3])
    if found.open:
        one = found.open[0]
        return f"{one.where}: {one.question}"
    return str(found.covered())


def _ideas(found: Any) -> list[dict[str, Any]]:
    from filterproof_properties.search.refuted import first_idea, games

    cases = games(first_idea(found.refutation)) if found.refutation is not None else []
    return [
        {
            "name": case.name,
            "game": game_to_json(case.game),
            "epsilon": format_epsilon(case.epsilon),
            "delta": format_rational(case.delta),
            "parameters": {name: parameter_to_json(one) for name, one in case.parameters.items()},
        }
        for case in cases
    ]
