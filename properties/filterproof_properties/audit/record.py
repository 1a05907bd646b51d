"""The result of one audit as plain data: what every report reads and what crosses a process.

A `Record` holds strings, numbers and the certificate's text, nothing of the target itself, so it
can be sent from the process that ran an untrusted filter to the one that reports on it.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from filterproof.certificate import NotCertifiable, parameter_to_json
from filterproof.exact import format_epsilon, format_rational
from filterproof_proofs.coq_theorems import standing
from filterproof_properties.audit.closest_sound import ClosestSound
from filterproof_properties.audit.coverage_record import CoverageRecord, coverage_record
from filterproof_properties.audit.engine import ALWAYS, Progress, Result
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.case import Envelope, Scored
from filterproof_properties.search.results import SearchResult
from filterproof_properties.targets.budget.clocks_read import clock_read
from filterproof_properties.targets.budget.currencies import not_asked
from filterproof_properties.targets.budget.names import is_budget_object, named, plays_failures
from filterproof_properties.targets.evaluate import Violation

SCHEMA = "filterproof.report"
VERSION = 1
CHANGE, PROOF, SETTINGS = "change", "proof", "settings"
"""What a record of the gate is about, where that is not an audit."""
WHY_TOO_LARGE = "the filter keeps more histories apart than an audit can hold"
"""What is said of games with too many positions."""
SMALL = Fraction(1, 2**40)
"""An excess below this share of δ (below this, where δ = 0) takes no more than sums of doubles."""


@dataclass(frozen=True)
class Best:
    """The play that came closest to the budget, or went furthest beyond it.

    `ratio` is H/δ as a double for display; None where δ = 0.
    """

    case: str
    epsilon: str
    delta: str
    parameters: dict[str, Any]
    value: str
    ratio: float | None


@dataclass(frozen=True)
class ClaimRecord:
    """One named claim and whether it held wherever it was tried; None if it was not tried."""

    name: str
    holds: bool | None
    detail: str


@dataclass(frozen=True)
class Record:
    """All that a report says about one target.

    `history` lists (plays tried, H/δ) whenever the best play improved; `proved` names the spaces
    of games that were played in full; `envelope` says how large the games were, `closest_sound`
    which sound filter was never stricter, `code` what the prover says of the filter's own code,
    `theorem` what is proved of a built-in filter's rule in Coq, and `kind` what it was audited as
    (at the gate: what about it was checked).
    `unanswered` says on how many plays the target `declined` or `raised`, and on which one first;
    and how many games were `too_large` to be played.
    `rounding` tells the largest excess of the size of rounding.
    `smaller_tried` counts, apart from `tried`, the plays that made a violation small.
    `coverage` says which lines of the target were run; None where that was not recorded.
    """

    target: str
    verdict: Verdict
    as_expected: bool | None
    note: str
    tried: int
    seconds: float
    best: Best | None = None
    claims: tuple[ClaimRecord, ...] = ()
    proved: tuple[str, ...] = ()
    error: str = ""
    summary: str = ""
    certificate: str = ""
    history: tuple[tuple[int, float | None], ...] = ()
    envelope: str = ""
    closest_sound: str = ""
    code: str = ""
    theorem: str = ""
    kind: str = "filter"
    declined: int = 0
    raised: int = 0
    too_large: int = 0
    unanswered: str = ""
    smaller_tried: int = 0
    rounding: str = ""
    coverage: CoverageRecord | None = None

    @property
    def outcome(self) -> str:
        """The verdict in words; one without a violation says so of the lines that were run."""
        missed = self.coverage and self.coverage.lines - self.coverage.run
        if not missed or self.verdict not in (Verdict.NOT_FOUND, Verdict.ROUNDING):
            return str(self.verdict)
        assert self.coverage is not None
        return f"{self.verdict}; {missed} of {self.coverage.lines} lines never reached"

    @property
    def passes(self) -> bool:
        """Whether this result is what one wants to see: the announced one, or no fault found.

        `as_expected` is None where nothing is announced or the announcement does not count.
        """
        if self.as_expected is not None:
            return self.as_expected
        return entry(self.verdict).exit_code == 0


@dataclass(frozen=True)
class Tick:
    """How far the audit of one target has come."""

    target: str
    stage: str = ""
    tried: int = 0
    ratio: float | None = None


History = list[tuple[int, float | None]]


def tick(now: Progress, history: History) -> Tick:
    """Return how far an audit is; the best H/δ so far goes into its history when it has changed."""
    ratio = shown_ratio(now.best) if now.best else None
    if now.best and (not history or ratio != history[-1][1]):
        history.append((now.tried, ratio))
    return Tick(now.target.spec, now.stage, now.tried, ratio)


def shown_ratio(best: Scored) -> float | None:
    """Return H/δ where it is a number."""
    return best.ratio if isfinite(best.ratio) else None


def score_of(found: Violation) -> Scored:
    """Return the score of a violation, by what its pair is promised."""
    own = found.case.game.promises.get(found.worst.pair)
    return Scored(found.case, found.worst.value, own=own)


def record(result: Result, history: Iterable[tuple[int, float | None]] = ()) -> Record:
    """Return what a report needs to know of a result."""
    found = result.violation
    best = result.best if found is None else score_of(found)
    return Record(
        target=result.target.spec,
        verdict=result.verdict,
        as_expected=result.as_expected,
        note=result.target.note,
        tried=result.tried,
        seconds=result.seconds,
        best=_best(best) if best else None,
        claims=_claims(result),
        proved=result.proved,
        error=result.error,
        summary=found.summary if found else "",
        certificate=found.certificate if found else "",
        history=tuple(history),
        envelope=envelope_text(result.envelope, result.target.spec, left_out(result)),
        rounding=rounding_text(result.heard.rounding),
        closest_sound=closest_sound_text(result.closest_sound),
        code=f"{result.code.verdict}: {result.code.detail}" if result.code else "",
        theorem=standing(result.target.spec) if result.target.expected_sound else "",
        kind="odometer" if result.best and result.best.reports else "filter",
        declined=result.heard.declined,
        raised=result.heard.raised,
        too_large=result.heard.too_large,
        unanswered=unanswered_text(result.heard),
        smaller_tried=result.smaller_tried,
        coverage=coverage_record(result.coverage),
    )


def left_out(result: Result) -> str:
    """Say what was not tried, for want of time or of an option that names the object's clock."""
    spec, files = result.target.spec, result.coverage.files if result.coverage else ()
    still = is_budget_object(spec) and not named(spec)[1].clock
    clock = next((name for file in files if (name := clock_read(file.text))), "") if still else ""
    said = f"requests on later days (it reads the time: add --clock {clock})" if clock else ""
    return "; ".join(filter(None, [result.heard.not_tried, said]))


def rounding_text(found: Scored | None) -> str:
    """Say how large the largest excess of rounding was, and at which budget."""
    if found is None:
        return ""
    case = found.case
    budget = f"({format_epsilon(case.epsilon)}, {format_rational(case.delta)})"
    return f"the largest excess is one of rounding: H - delta = {found.excess:.3g} at {budget}"


def envelope_text(tried: Envelope, spec: str = "", not_tried: str = "") -> str:
    """Say how large the games were, whether mechanisms failed in them, and what was left out."""
    if not tried.plays:
        return ""
    sizes = f"{tried.rounds} rounds, {tried.requests} requests, {tried.outputs} outputs"
    played = f"{tried.plays} plays of up to {tried.databases} databases, {sizes}, at "
    left_out = f"; not tried: {not_tried}" if not_tried else ""
    rest = f"{failures_text(tried, spec)}{not_asked_text(spec)}{left_out}"
    return f"{played}{len(tried.budgets)} budgets; {rest}"


def not_asked_text(spec: str) -> str:
    """Say what was not put to a budget object because its currency has no word for it."""
    said = not_asked(named(spec)[1]) if is_budget_object(spec) else ""
    return f"; not asked: {said}" if said else ""


def failures_text(tried: Envelope, spec: str) -> str:
    """Say whether mechanisms that fail were played, and where not, why."""
    if not plays_failures(spec):
        return (
            "failures not played: no call tells the object that a query failed (--fails, --between)"
        )
    return f"failures played ({tried.failures} plays)" if tried.failures else "failures not played"


def unanswered_text(heard: SearchResult) -> str:
    """Say how many plays the target declined or raised on, and how many were too large to play."""
    plays = heard.tried + heard.declined + heard.raised
    counts = (
        ("declined", heard.declined, heard.why_declined),
        ("raised on", heard.raised, heard.error),
    )
    said = [
        f"{did} {times} of {plays} plays; the first: {why}" for did, times, why in counts if times
    ]
    large = f"{heard.too_large} larger games were passed over: {WHY_TOO_LARGE}"
    said += [large] if heard.too_large else []
    return "; ".join(said)


def closest_sound_text(found: ClosestSound | None) -> str:
    """Say which sound filter refused nothing that the target ran."""
    if found is None:
        return ""
    return f"on {found.plays} of these plays it granted nothing that {found.name} refuses"


def _claims(result: Result) -> tuple[ClaimRecord, ...]:
    """Return every claim that an audit of the target checks, those not tried included."""
    tried = {one.name: ClaimRecord(one.name, one.holds, one.detail) for one in result.claims}
    failed = "the target failed" if result.verdict is Verdict.FAILED else "the time was up"
    why = "the filter is not private" if result.violation else failed
    always = (*ALWAYS, *result.target.claims) if result.tried else ()
    return tuple(
        tried.get(name, ClaimRecord(name, None, f"not tried, because {why}"))
        for name in dict.fromkeys((*always, *tried))
        if name != "dp"
    )


def _best(attempt: Scored) -> Best:
    case = attempt.case
    return Best(
        case.name,
        format_epsilon(attempt.own.epsilon if attempt.own else case.epsilon),
        format_rational(attempt.delta),
        {name: _parameter(value) for name, value in case.parameters.items()},
        str(attempt.value),
        shown_ratio(attempt),
    )


def _parameter(value: Any) -> Any:
    try:
        return parameter_to_json(value)
    except NotCertifiable:
        return repr(value)


# --- JSON -----------------------------------------------------------------------------------


def to_json(one: Record) -> dict[str, Any]:
    """Return a record as JSON data; the certificate becomes an object."""
    data = asdict(one)
    data["certificate"] = json.loads(one.certificate) if one.certificate else None
    if data["coverage"] is not None:
        del data["coverage"]["source"]  # whoever has the file has it
    return data
