"""A proof of the target's own source beside its audit, and what stands behind a built-in filter.

The prover interprets the source: nothing of a target runs in it.  It runs in a copy of this process
that can be killed, because a solver may ignore its limits.  What is PROVED is then held against the
target itself, which answers in its own process (`potential.guard`).  A refuted round comes back as
ideas: games that the search tries first.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from filterproof.certificate import parameter_from_json, parameter_to_json
from filterproof.exact import ExactError, format_epsilon, format_rational, parse_epsilon
from filterproof.filter import ProtocolError
from filterproof.game.json import BadJson, game_from_json, game_to_json
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.adapters.entry_points import published_targets
from filterproof_properties.case import Case
from filterproof_properties.processes.child import ChildFailed, Limits, answer_of, tell
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.names import is_budget_object
from filterproof_properties.targets.coverage.own_code import program_named
from filterproof_properties.targets.loading import is_published, is_trusted, load
from filterproof_properties.targets.target import COMMAND, Loaded, TargetError

if TYPE_CHECKING:
    from filterproof_proofs.symbolic.program import Program

OUTPUTS = 2
"""An audit proves for laws with so many outputs; `filterproof prove` goes further."""
LONGEST = 6.0
"""So many seconds of an audit go into a proof at most, and no more than a quarter of them."""
DEMANDED = 120.0
"""So many seconds at most where a proof is demanded; no more than the whole audit may take."""
GRACE = 5.0
"""So many seconds more, and the prover is killed: a solver may ignore its limits."""
PLAYS = 100
"""So many random plays compare the target with its source as it is interpreted."""


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
    if not target.portable or program_of(target.spec) is None:
        return None  # it lives in this process only, under no name; or it has no source
    most, share = (DEMANDED, 1.0) if demanded else (LONGEST, 0.25)
    most = most if seconds is None else min(most, seconds * share)
    prover = partial(_tell, target.spec, most)
    try:
        found = _verdict_told(answer_of(prover, target.limits or Limits(), most + GRACE))
    except (ChildFailed, BadJson, ExactError, KeyError, TypeError, ValueError) as error:
        return CodeVerdict("OPEN", f"the prover: {quoted(error, 300)}")
    proved = found is not None and found.verdict == "PROVED"
    return _hold_against_target(target, found) if found and proved else found


def program_of(spec: str) -> "Program | None":
    """Return the source of a target without running any of it; None where there is none."""
    from filterproof_proofs.symbolic.program import NoSource, Program
    from filterproof_proofs.symbolic.run import Unsupported

    try:
        if is_trusted(spec):
            return Program.of(load(spec).target)
        if spec.startswith(COMMAND) or spec in ADAPTERS or is_budget_object(spec):
            return None
        if is_published(spec):
            return Program.named(*published_targets()[spec].split(":", 1))
        return program_named(spec)
    except NoSource:
        return None
    except Unsupported as error:
        raise TargetError(f"{spec}: {error}") from None


def _hold_against_target(target: Loaded, found: CodeVerdict) -> CodeVerdict:
    """Hold what was proved against the target itself."""
    from filterproof_proofs.potential import CannotRun, guard

    program = program_of(target.spec)
    assert program is not None
    try:
        played = guard(program, target.target, PLAYS, LONGEST)
    except CannotRun as error:
        return CodeVerdict("OPEN", f"cannot be proved: {quoted(error, 300)}")
    if not played.rounds:
        return CodeVerdict("OPEN", f"none of {played.plays} plays ran a round")
    return found


def _verdict_told(told: dict[str, Any]) -> CodeVerdict | None:
    if told["verdict"] is None:
        return None
    ideas = tuple(_case(one) for one in told["ideas"])
    return CodeVerdict(quoted(told["verdict"], 20), quoted(told["detail"], 600), ideas)


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
    """Prove one target's source and write the verdict as one line."""
    from filterproof_proofs.potential import CannotRun, Effort, NoPotential, prove

    program = program_of(spec)
    assert program is not None
    try:
        found = prove(program, Effort(OUTPUTS, 2, seconds, second_opinion=False), spec)
    except NoPotential:
        tell({"verdict": None})
    except ProtocolError as error:
        detail = f"cannot be proved: {error}" if isinstance(error, CannotRun) else str(error)
        tell({"verdict": "OPEN", "detail": detail, "ideas": []})
    else:
        tell({"verdict": str(found.verdict), "detail": _detail(found), "ideas": _ideas(found)})


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
