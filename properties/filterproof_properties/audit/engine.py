"""The engine: targets x claims -> events and results, as data.  It prints nothing.

A verdict is VIOLATED only with a certificate that the independent checker accepted and that the
filter itself replayed.  Everything else is "no violation found" together with what was tried, or
says plainly why nothing can be concluded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from time import monotonic
from typing import Protocol

from filterproof.certificate import ReplayMismatch
from filterproof.fast import worst_case
from filterproof.filter import ProtocolError
from filterproof_proofs.checker import Rejected
from filterproof_properties.audit.claims import CLAIMS, UnknownClaim
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.named import erasures, guess, named_cases, switch, wasted_branch
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.processes.pool import ClusterError, WorkerLost
from filterproof_properties.search.campaign import Judge, SearchResult, finish, plan
from filterproof_properties.search.shrinking import shrink
from filterproof_properties.search.workers import run_campaign
from filterproof_properties.settings import Settings
from filterproof_properties.targets.evaluate import (
    Violation,
    certified,
    make_filter,
    parameters_for,
)
from filterproof_properties.targets.target import Declined, Loaded

FAULTS = (ProtocolError, UnknownClaim, ReplayMismatch, Rejected, WorkerLost, ClusterError)
"""What ends an audit without a verdict on privacy; none of it is ever a pass."""

INTERRUPTED = "interrupted"
"""The error of an audit that was stopped by hand; what was done so far is in the result."""

ALWAYS = ("determinism", "purity", "markov")
"""What every filter has to be, whether it says so or not."""


class Verdict(StrEnum):
    """The outcome for one target; `exit_code` says what a shell sees of it."""

    VIOLATED = "VIOLATED"
    NOT_FOUND = "no violation found"
    CLAIM_BROKEN = "claim broken"
    FAILED = "target failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class ClaimResult:
    """Whether one claim held wherever it was tried."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class Outcome:
    """A verdict and what it rests on; `proved` names spaces of games played in full."""

    verdict: Verdict
    violation: Violation | None = None
    error: str = ""
    claims: tuple[ClaimResult, ...] = ()
    proved: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """All that is known about one target after its audit."""

    target: Loaded
    tried: int
    best: Scored | None
    seconds: float
    verdict: Verdict
    violation: Violation | None = None
    error: str = ""
    claims: tuple[ClaimResult, ...] = ()
    proved: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool | None:
        """Whether a built-in filter got the verdict that the registry announces."""
        if self.target.expected_sound is None:
            return None
        wanted = Verdict.NOT_FOUND if self.target.expected_sound else Verdict.VIOLATED
        return self.verdict is wanted


@dataclass(frozen=True)
class Started:
    """An audit of one target begins."""

    target: Loaded


@dataclass(frozen=True)
class Progress:
    """So many cases were tried; the best H/δ so far."""

    target: Loaded
    stage: str
    tried: int
    best: Scored | None


@dataclass(frozen=True)
class Finished:
    """The result for one target is there."""

    result: Result


Event = Started | Progress | Finished
Emit = Callable[[Event], None]


def audit(targets: Iterable[Loaded], settings: Settings, emit: Emit) -> list[Result]:
    """Audit every target in turn and return the results."""
    results = []
    for target in targets:
        emit(Started(target))
        results.append(audit_one(target, settings, emit))
        emit(Finished(results[-1]))
    return results


def audit_one(target: Loaded, settings: Settings, emit: Emit) -> Result:
    """Audit one target; whatever it does wrong ends up in the result, never in a pass."""
    begun = monotonic()
    campaign = Campaign(target, settings, emit, begun)
    try:
        outcome = campaign.outcome()
    except (
        ProtocolError,
        UnknownClaim,
        ReplayMismatch,
        Rejected,
        WorkerLost,
        ClusterError,
    ) as error:
        outcome = Outcome(Verdict.FAILED, error=str(error))
    except KeyboardInterrupt:
        outcome = Outcome(Verdict.INCONCLUSIVE, error=INTERRUPTED)
    return Result(target, campaign.tried, campaign.best, monotonic() - begun, **vars(outcome))


class Campaign:
    """The audit of one target at work: its specimen, the search, then its other claims."""

    def __init__(self, target: Loaded, settings: Settings, emit: Emit, begun: float) -> None:
        self.target, self.settings, self.emit, self.begun = target, settings, emit, begun
        self.tried = 0
        self.best: Scored | None = None

    def outcome(self) -> Outcome:
        """Look for a violation; if there is none, check what else the target claims."""
        for claim in ("dp", *self.target.claims):
            if claim not in CLAIMS:
                raise UnknownClaim(f"unknown claim {claim!r}; known: {', '.join(CLAIMS)}")
        case = self.specimen() or self.named()
        found = self.search("dp") if case is None else None
        if found is not None and found.error:
            raise ProtocolError(found.error)
        case = found.violation if found else case
        if case is not None:
            violation = certified(self.target.spec, self.target.target, case)
            return Outcome(Verdict.VIOLATED, violation)
        return self.claimed(found)

    def specimen(self) -> Case | None:
        """Return the smallest known counterexample of a known-bad filter, if it still is one."""
        known = SPECIMENS.get(self.target.spec) if self.target.expected_sound is False else None
        if known is None or self.settings.budget_is_fixed:
            return None
        return self.play("specimen", known())

    def named(self) -> Case | None:
        """Play the named games; a violation is shrunk like any other."""
        judge = Judge(self.target.target, "dp")
        for case in cases(self.settings) if self.settings.attacks else ():
            if (broken := self.play("named games", case)) is not None:
                found = judge(broken)
                free = not self.settings.budget_is_fixed
                return shrink(found, judge, budget_is_free=free).case if found else broken
        return None

    def play(self, stage: str, case: Case) -> Case | None:
        """Play one case with every parameter set; return it as soon as it is a violation."""
        for parameters in parameters_for(self.target.target, case):
            chosen = replace(case, parameters=parameters)
            try:
                rule = make_filter(self.target.target, case.epsilon, case.delta, parameters)
            except Declined:
                continue
            scored = Scored(chosen, worst_case(rule, case.game, case.epsilon).value)
            self.note(stage, 1, scored)
            if scored.violated:
                return chosen
        return None

    def search(self, claim: str) -> SearchResult:
        """Run the tasks of a search for a breach of one claim, here or elsewhere."""
        settings = self.settings.for_search(claim)
        run = run_campaign(
            self.target,
            plan(settings),
            lambda result: self.note(result.kind, result.tried, result.best),
            seconds=self.time_left(),
            jobs=self.settings.jobs,
            cluster=self.settings.cluster,
        )
        if run.interrupted:
            raise KeyboardInterrupt
        return finish(run.results, self.target.target, settings)

    def note(self, stage: str, tried: int, best: Scored | None) -> None:
        """Count what was tried and tell how far it is."""
        self.tried += tried
        if best is not None and best.beats(self.best):
            self.best = best
        self.emit(Progress(self.target, stage, self.tried, self.best))

    def time_left(self) -> float | None:
        """Return the seconds that are left of those asked for."""
        limit = self.settings.seconds
        return None if limit is None else max(0.0, self.begun + limit - monotonic())

    def claimed(self, found: SearchResult | None) -> Outcome:
        """Check the target's other claims, and that it behaves like a function."""
        proved = found.proved if found else ()
        if not self.tried:
            return Outcome(Verdict.INCONCLUSIVE, error="the target declined every case")
        results = tuple(self.claim(name) for name in (*ALWAYS, *self.target.claims) if name != "dp")
        broken = any(not result.holds for result in results)
        verdict = Verdict.CLAIM_BROKEN if broken else Verdict.NOT_FOUND
        return Outcome(verdict, claims=results, proved=proved)

    def claim(self, name: str) -> ClaimResult:
        """Try one claim on the small named games."""
        for case in small_cases():
            for parameters in parameters_for(self.target.target, case):
                try:
                    detail = CLAIMS[name].breach(
                        self.target.target, replace(case, parameters=parameters)
                    )
                except Declined:
                    continue
                if detail is not None:
                    return ClaimResult(name, False, f"{case.name}: {detail}")
        return ClaimResult(name, True, CLAIMS[name].statement)


def cases(settings: Settings) -> Iterator[Case]:
    """Yield the named games at the budgets asked for."""
    for case in named_cases():
        epsilon = case.epsilon if settings.epsilon is None else settings.epsilon
        delta = case.delta if settings.delta is None else settings.delta
        fits = (epsilon, delta) == (case.epsilon, case.delta)
        yield case if fits else replace(case, epsilon=epsilon, delta=delta, parameters={})


def small_cases() -> list[Case]:
    """Return a few games on which every claim is tried."""
    return [guess(3), erasures(Fraction(1, 10), 3, Fraction(3, 10)), switch(), wasted_branch()]


EXIT_CODES = {  # the first that applies
    Verdict.FAILED: 2,
    Verdict.VIOLATED: 1,
    Verdict.CLAIM_BROKEN: 1,
    Verdict.INCONCLUSIVE: 3,
}


class Judged(Protocol):
    """Anything that carries a verdict: a `Result`, or a record of one."""

    @property
    def verdict(self) -> Verdict:
        """The outcome."""
        ...

    @property
    def as_expected(self) -> bool | None:
        """Whether it is the announced one."""
        ...


def exit_code(results: Sequence[Judged], *, expected: bool) -> int:
    """Return the process's exit code: 0, 1 violated, 2 failed, 3 inconclusive.

    With `expected` (no target was named) it is 0 iff every verdict is the announced one.
    """
    if expected:
        return 0 if all(result.as_expected for result in results) else 1
    verdicts = {result.verdict for result in results}
    return next((code for verdict, code in EXIT_CODES.items() if verdict in verdicts), 0)
