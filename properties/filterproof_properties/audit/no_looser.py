"""A proof that a new version runs nothing that the old one does not, before anything is played.

Both sources are interpreted in a child that can be killed; nothing of either version runs in it.
What comes back is held against both versions, which answer the same calls in their own processes:
a proof that they contradict is none, and neither is a refutation.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from filterproof.filter import ProtocolError
from filterproof_properties.audit.code import GRACE, program_of
from filterproof_properties.audit.replays import Run, answers, run_to_json
from filterproof_properties.processes.child import ChildFailed, Limits, answer_of, tell
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.target import Loaded, TargetError

PROVED, REFUTED, OPEN = "PROVED", "REFUTED", "OPEN"


@dataclass(frozen=True)
class VersionsProof:
    """PROVED, REFUTED or OPEN; what is covered, or why; and the run that refutes it.

    `only_rounding` says that in exact arithmetic the new version is proved to be no looser.
    """

    verdict: str
    lines: tuple[str, ...]
    run: Run | None = None
    only_rounding: bool = False


def prove_versions(old: Loaded, new: Loaded, seconds: float) -> VersionsProof:
    """Prove two versions side by side, in about so many seconds at most."""
    limits = new.limits or Limits()
    if why := _cannot(old.spec, new.spec):
        return _open(why)
    prover = partial(_tell, old.spec, new.spec, seconds / 2)
    try:
        told = answer_of(prover, limits, seconds + GRACE)
        found = VersionsProof(told["verdict"], tuple(told["lines"]), None, told["only_rounding"])
        runs, by_laws = told["runs"], told["by_laws"]
    except (ChildFailed, KeyError, TypeError, ValueError) as error:
        return _open(f"the prover: {quoted(error, 300)}")
    if by_laws:  # it has no runs: laws are played instead, by the search that guards every proof
        return found
    try:
        return _hold_against_both(found, runs, old, new)
    except (ProtocolError, TargetError) as error:
        return _open(f"the versions themselves: {quoted(error, 300)}")


def _cannot(old: str, new: str) -> str:
    """Say why there is nothing to interpret, if that is so."""
    for spec in (old, new):
        if program_of(_class_of(spec)) is None:
            return f"no source: a proof interprets a Python file, and {spec} is none"
    if _calls_of(old) != _calls_of(new):
        return "the two versions are asked by different calls"
    return ""


def _class_of(spec: str) -> str:
    return named(spec)[0] if is_budget_object(spec) else spec


def _calls_of(spec: str) -> Any:
    return named(spec)[1] if is_budget_object(spec) else None


def _open(why: str) -> VersionsProof:
    return VersionsProof(OPEN, (f"open: {why}",))


def _hold_against_both(
    found: VersionsProof, runs: list[Run], old: Loaded, new: Loaded
) -> VersionsProof:
    """Hold the runs of a proof against both versions; the old one is asked what the new one ran."""
    limits = new.limits or Limits()
    asked = [_only_run(one) for one in runs]
    theirs = answers(new.spec, runs, limits) if runs else []
    before = answers(old.spec, asked, old.limits or Limits()) if runs else []
    if theirs != [one["answers"] for one in runs]:
        return _open("the new version itself does not answer as its source does")
    if found.verdict == REFUTED and runs and not before[-1][-1]:
        return VersionsProof(REFUTED, found.lines, runs[-1])
    if found.verdict == PROVED and runs and all(map(all, before)):
        calls = sum(len(one["answers"]) for one in runs)
        said = f"both versions themselves: {len(runs)} runs, {calls} calls, answered alike"
        return VersionsProof(PROVED, (*found.lines, said))
    if found.verdict == OPEN:
        return found
    return _open("the old version itself does not answer as its source does")


def _only_run(run: Run) -> Run:
    """Return a run without what the new version refused."""
    some = {
        key: [one for one, ran in zip(run[key], run["answers"], strict=True) if ran]
        for key in ("declared", "events")
        if run[key]
    }
    return {**run, **some}


# --- in the child ---------------------------------------------------------------------------------


def _tell(old: str, new: str, seconds: float) -> None:
    """Prove two sources side by side and write the outcome as one line."""
    from filterproof_proofs.refinement import ONLY_ROUNDING, prove_versions
    from filterproof_proofs.ties.no_looser import prove_laws

    sources = [program_of(_class_of(spec)) for spec in (new, old)]
    assert sources[0] is not None
    assert sources[1] is not None
    found = prove_versions(sources[0], sources[1], new, _calls_of(new), seconds)
    if found.verdict == OPEN and not is_budget_object(new):
        laws = prove_laws(sources[0], sources[1], new, seconds)
        both = (*found.open, *laws.open)
        found = laws if laws.verdict == PROVED else replace(found, open=both)
    runs = [*found.replays, *([found.excess.play] if found.excess else [])]
    told = {
        "verdict": str(found.verdict),
        "lines": [" ".join(line.split()) for line in found.lines()[1:]],
        "only_rounding": ONLY_ROUNDING in found.open,
        "by_laws": found.verdict == PROVED and not runs,
        "runs": [run_to_json(one) for one in runs] if found.verdict != OPEN else [],
    }
    tell(told)
