"""What is known of one adapter as six cells, each with its evidence: one JSON file per adapter.

`observed` runs all that there is for the adapter: the published findings are played again, the
search is run, and so are the slices of `liveness` and the probes of `failopen`.  Everything that is
concluded from what they saw is a function of that alone, so that a committed file can be held
against the committed observations.

A cell is *kept* (nothing was found against it), *broken* (the library breaks what it promises),
*open* (something gets through that the library does not promise to stop, or that only its use as
a filter lets through), *strict* (it refuses what the budget allows, which costs no privacy), or
*not asked*.
"""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from conformance import failopen, liveness
from conformance.counters import DESKS
from conformance.findings import Finding
from conformance.odometers import PUBLISHED
from filterproof.certificate import NotCertifiable, read_certificate
from filterproof.exact import ExpLinear, parse_epsilon, parse_rational
from filterproof.game import Game
from filterproof_properties.adapters import USED_AS, AdapterInfo, info_of, load
from filterproof_properties.adapters.support.ledger import FAILS, Ledger
from filterproof_properties.audit.record import SMALL, Record, Tick
from filterproof_properties.audit.running import Emit, audit_here, run_audit
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.target import Target

SCHEMA, VERSION = "filterproof.conformance", 1
ASPECTS = ("privacy", "liveness", "fail-open inputs", "failure charged", "threads", "rounding")
FAILING, RACING, CRUMBS = "failing mechanism", "racing threads", "subnormal"
"""Rows of the fail-open table that have a cell of their own, or are a matter of rounding."""
SLICES = range(2, 201)

Mark = Literal["kept", "broken", "open", "strict", "not asked"]
Seen = Mapping[str, Mapping[str, Any]]
"""The fail-open table of one library: by row what was said, and whether that is open."""


@dataclass(frozen=True)
class Cell:
    """What is known under one heading; `evidence` lists files, relative to docs/."""

    mark: Mark
    says: str
    evidence: tuple[str, ...] = ()


NOT_ASKED = Cell("not asked", "")


@dataclass(frozen=True)
class Observed:
    """All that was seen of one adapter; None where there is no such probe for it."""

    record: Record
    findings: tuple[Finding, ...]
    slices: Mapping[str, int] | None
    inputs: Seen | None
    failing: str = ""
    """The certificate that the search found of a mechanism that fails and is not charged."""


# --- what was seen ------------------------------------------------------------------------------


def observe(name: str, settings: Settings, limits: Limits, emit: Emit) -> Observed:
    """Run every probe that there is for an adapter."""
    there = tuple(one for one in PUBLISHED if one.adapter == name and _is_there(one))
    slices = _slices(name, emit) if name in liveness.COUNTERS else None
    inputs = _inputs(name, emit) if name in DESKS else None
    record = run_audit(name, settings, limits, emit)
    if not rests_on_failure(record.certificate):
        return Observed(record, there, slices, inputs)
    with open_target(name, limits, in_process=True) as loaded:
        charging = replace(loaded, target=charged(load(name)))
        again = audit_here(charging, settings, emit)
    return Observed(again, there, slices, inputs, record.certificate)


def rests_on_failure(certificate: str) -> bool:
    """Whether a certificate is of a game in which a mechanism may fail."""
    return bool(certificate) and fails(read_certificate(certificate).game)


def fails(game: Game) -> bool:
    """Whether a mechanism of a game may fail."""
    return any(FAILS in one.law for menu in game.nodes for one in menu.values())


def charged(target: Target) -> Target:
    """Return a target that is not told of failures, so that they are charged as answers are."""

    def made(*budget: Any, **parameters: Any) -> Ledger[Any]:
        told: Any = target(*budget, **parameters)
        return Ledger(told.admits, told.asked, told.refusal)

    return made


def _is_there(finding: Finding) -> bool:
    try:
        return bool(finding.certificate())
    except NotCertifiable:
        return False


def _slices(name: str, emit: Emit) -> Mapping[str, int]:
    emit(Tick(name, "slices of the budget"))
    return liveness.totals([liveness.slices(k, [name]) for k in SLICES])[name]


def _inputs(name: str, emit: Emit) -> Seen:
    emit(Tick(name, "odd input"))
    return {row: vars(one) for row, one in failopen.column(name).items() if one.text != "-"}


# --- what follows from it -----------------------------------------------------------------------


def cells(info: AdapterInfo, seen: Observed) -> dict[str, Cell]:
    """Return the six cells of an adapter."""
    made = (
        privacy(info, seen),
        live(seen.slices),
        inputs(seen.inputs),
        failure(seen),
        threads(info, seen.inputs),
        rounding(seen),
    )
    return dict(zip(ASPECTS, made, strict=True))


def privacy(info: AdapterInfo, seen: Observed) -> Cell:
    """The published findings that are real, or else what the search found."""
    broken: Mark = "broken" if info.fault == "the library" else "open"
    found = [one for one in seen.findings if aspect(one) == "privacy"]
    if found:
        return Cell(broken, "; ".join(one.says for one in found), pages(found))
    record = seen.record
    if record.verdict is Verdict.VIOLATED and not is_tiny(record.certificate):
        return Cell(broken, record.summary, (f"conformance/{info.name}.certificate.json",))
    if record.verdict not in (Verdict.VIOLATED, Verdict.NOT_FOUND):
        return Cell("not asked", f"{record.verdict}: {record.error}")
    tried = f"in {record.tried} plays, {record.seconds:.0f} s"
    beyond = " beyond rounding" if record.verdict is Verdict.VIOLATED else ""
    beyond += ", failures apart," if seen.failing else ""
    table = "internals/ODOMETERS.md" if "odometer" in info.kind else "internals/AUDITS.md"
    return Cell("kept", f"no violation{beyond} found {tried}", (table,))


def live(slices: Mapping[str, int] | None) -> Cell:
    """Whether a budget of 1 is granted in k slices of 1/k."""
    if slices is None:
        return NOT_ASKED
    early, every = slices["early"], sum(slices.values())
    says = f"refuses early in {early} of {every}" if early else f"none of {every} refused early"
    return Cell("strict" if early else "kept", says, ("internals/LIVENESS.md",))


def inputs(seen: Seen | None) -> Cell:
    """Which odd input lets more through than the budget allows, or ends the process."""
    if seen is None:
        return NOT_ASKED
    rows = [row for row in seen if row not in (FAILING, RACING)]
    through = [row for row in rows if seen[row]["open"]]
    ended = [row for row in rows if seen[row]["text"].startswith(("aborts", "hangs"))]
    says = f"{len(through)} of {len(rows)} open" + (f": {', '.join(through)}" if through else "")
    says += "".join(f"; {row} {seen[row]['text'].split()[0]}" for row in ended)
    return Cell("open" if through else "kept", says, ("internals/FAILOPEN.md",))


def failure(seen: Observed) -> Cell:
    """Whether a mechanism is charged that fails after it has touched the data."""
    found = [one for one in seen.findings if aspect(one) == "failure charged"]
    row = (seen.inputs or {}).get(FAILING)
    if row is None and not found and not seen.failing:
        return NOT_ASKED
    if seen.failing and not found:
        return Cell("open", "not charged", (f"conformance/{seen.record.target}.certificate.json",))
    if found or (row and row["open"]):
        return Cell("open", "not charged", pages(found) or ("internals/FAILOPEN.md",))
    return Cell("kept", "charged", ("internals/FAILOPEN.md",))


def threads(info: AdapterInfo, seen: Seen | None) -> Cell:
    """Whether two threads that meet after the check are both granted the last unit."""
    if seen is None or RACING not in seen:
        return NOT_ASKED
    whose = " (the gap is that of the wrapper)" if info.kind == USED_AS else ""
    raced = seen[RACING]["open"]
    says = f"both get the last unit{whose}" if raced else "one of two gets the last unit"
    return Cell("open" if raced else "kept", says, ("internals/FAILOPEN.md",))


def rounding(seen: Observed) -> Cell:
    """Whether anything was granted in the last places of a double."""
    found = [one for one in seen.findings if aspect(one) == "rounding"]
    crumbs, late = (seen.inputs or {}).get(CRUMBS), (seen.slices or {}).get("late", 0)
    tiny = seen.record.verdict is Verdict.VIOLATED and is_tiny(seen.record.certificate)
    told = [one.says for one in found]
    told += ["sums of doubles in the search"] if tiny and not found else []
    told += [f"{late} of {len(SLICES)} slicings grant too much"] if late else []
    told += ["5e-324 is spent for nothing"] if crumbs and crumbs["open"] else []
    if told:
        return Cell("open", "; ".join(told), (*pages(found), *_probed(seen)))
    if seen.slices is None and crumbs is None:
        return NOT_ASKED
    return Cell("kept", "no excess in the last places was seen", _probed(seen))


def _probed(seen: Observed) -> tuple[str, ...]:
    crumbs = CRUMBS in (seen.inputs or {})
    return ("internals/LIVENESS.md",) * bool(seen.slices) + ("internals/FAILOPEN.md",) * crumbs


def aspect(finding: Finding) -> str:
    """Return the cell that a finding belongs to."""
    if finding.size == "float":
        return "rounding"
    return "failure charged" if fails(finding.make()) else "privacy"


def pages(found: Sequence[Finding]) -> tuple[str, ...]:
    """Return the pages of findings."""
    return tuple(f"findings/{one.name}.md" for one in found)


def is_tiny(certificate: str) -> bool:
    """Whether the excess of a certificate is of the size of rounding errors in doubles."""
    data = json.loads(certificate)
    a, b = data["excess"] if isinstance(data["excess"], list) else (data["excess"], "0")
    excess = ExpLinear(parse_rational(a), parse_rational(b), parse_epsilon(data["epsilon"]))
    return bool(excess < SMALL * (parse_rational(data["delta"]) or 1))


# --- the files ----------------------------------------------------------------------------------


def files(name: str, seen: Observed) -> dict[str, str]:
    """Return the file of one adapter, and the certificate that a cell of it rests on, by name."""
    info = info_of(name)
    found = cells(info, seen)
    proof = f"{name}.certificate.json"
    made = {f"{name}.json": _text(about(info), found)}
    linked = {one for told in found.values() for one in told.evidence}
    text = seen.record.certificate if found["privacy"].mark != "kept" else seen.failing
    return made | ({proof: text} if f"conformance/{proof}" in linked else {})


def about(info: AdapterInfo) -> dict[str, str | int]:
    """Return what a file says of its adapter."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "adapter": info.name,
        "library": info.library,
        "library_version": info.version,
        "kind": info.kind,
        "promise": info.promise,
        "assumption": info.assumption,
        "fault": info.fault,
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def _text(head: Mapping[str, Any], found: Mapping[str, Cell]) -> str:
    made = {aspect: asdict(cell) for aspect, cell in found.items()}
    return json.dumps({**head, "cells": made}, indent=1, ensure_ascii=True) + "\n"
