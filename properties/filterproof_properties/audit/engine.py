"""The engine: targets x claims -> events and results, as data.  It prints nothing.

A verdict is VIOLATED only with a certificate that the independent checker accepted and that the
filter itself replayed.  Everything else is "no violation found" together with what was tried, or
says plainly why nothing can be concluded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from filterproof.certificate import ReplayMismatch
from filterproof.filter import ProtocolError
from filterproof_proofs.checker import Rejected
from filterproof_properties.audit.closest_sound import ClosestSound, closest_sound
from filterproof_properties.audit.code import CodeVerdict, code_verdict
from filterproof_properties.audit.coverage_record import changed_meanwhile, coverage_of
from filterproof_properties.audit.first_cases import first_cases
from filterproof_properties.audit.suiting import fails_first, settings_for, small_cases
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.case import NOTHING_TRIED, Case, Envelope, Scored
from filterproof_properties.claims import CLAIMS, UnknownClaim
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.tasks import ClusterError, WorkerLost
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.plan import least, plan
from filterproof_properties.search.results import Merger, SearchResult, shrink_violation
from filterproof_properties.search.sources import with_parameters
from filterproof_properties.search.workers import run_search
from filterproof_properties.targets.coverage.unreached import Coverage
from filterproof_properties.targets.evaluate import Violation, certify_violation
from filterproof_properties.targets.guard import TimeIsUp, await_sign, ending
from filterproof_properties.targets.target import Loaded

FAULTS = (ProtocolError, UnknownClaim, ReplayMismatch, Rejected)
"""What ends an audit without a verdict on privacy; none of it is ever a pass."""
LOSSES = (WorkerLost, ClusterError)
"""What ends a search too early, through no fault of the target."""

INTERRUPTED = "interrupted"
"""The error of an audit that was stopped by hand; what was done so far is in the result."""

TOO_LATE = "a violation was found, but the target is too slow to certify it in time"

NO_TIME = "the time was up before anything was tried"

PROVED = "proved"
"""The claim that the filter's own code is proved, made by whoever asks for it."""

NO_POTENTIAL = "it has no potential, `remaining`; other code is proved by `filterproof prove`"

SLOW, MANY = 10.0, 100
"""An audit of fewer seconds, or of fewer plays, proves nothing unless that is asked for."""

ALWAYS = ("determinism", "purity", "markov")
"""What every filter has to be, whether it says so or not."""

FOR_CLAIMS, FOR_SHRINKING, FOR_COMPARISON = 0.1, 0.5, 0.1
"""Shares of the time: the last tenth is for the claims; what comes after the search is on top."""
LEAST, LONGEST = 1.0, 3.0
"""So many seconds other filters are compared with the target: what is left, within these."""


SOUND = (Verdict.NOT_FOUND, Verdict.PROVED)
"""The verdicts on a sound built-in filter."""

NOTHING_HEARD = SearchResult()


@dataclass(frozen=True)
class ClaimResult:
    """Whether one claim held wherever it was tried; None if the target declined all of it."""

    name: str
    holds: bool | None
    detail: str


@dataclass(frozen=True)
class Conclusion:
    """A verdict and what it rests on; `proved` names spaces of games played in full.

    `closest_sound` is the tightest sound filter that was never stricter on a sample of the plays;
    `smaller_tried` counts the plays that made a violation small.
    """

    verdict: Verdict
    violation: Violation | None = None
    error: str = ""
    claims: tuple[ClaimResult, ...] = ()
    proved: tuple[str, ...] = ()
    envelope: Envelope = NOTHING_TRIED
    closest_sound: ClosestSound | None = None
    code: CodeVerdict | None = None
    smaller_tried: int = 0


@dataclass(frozen=True, kw_only=True)
class Result(Conclusion):
    """All that is known about one target after its audit; `heard` counts what it declined.

    `coverage` says which of its own lines were run, where it has a source and its own process.
    """

    target: Loaded
    tried: int
    best: Scored | None
    seconds: float
    heard: SearchResult = NOTHING_HEARD
    coverage: Coverage | None = None

    @property
    def as_expected(self) -> bool | None:
        """Whether a built-in filter got the verdict that the registry announces."""
        if self.target.expected_sound is None:
            return None
        wanted = SOUND if self.target.expected_sound else (Verdict.VIOLATED,)
        return self.verdict in wanted


@dataclass(frozen=True)
class Progress:
    """So many cases were tried; the best H/δ so far."""

    target: Loaded
    stage: str
    tried: int
    best: Scored | None


Emit = Callable[[Progress], object]


def audit_one(target: Loaded, settings: Settings, emit: Emit) -> Result:
    """Audit one target; whatever it does wrong ends up in the result, never in a pass."""
    begun = monotonic()
    auditor = Auditor(target, settings, emit, begun)
    try:
        with ending(target.target, auditor.last_moment()):
            found = auditor.conclusion()
    except FAULTS as error:
        found = Conclusion(Verdict.FAILED, error=str(error))
    except LOSSES as error:
        found = Conclusion(Verdict.INCONCLUSIVE, error=str(error))
    except TimeIsUp:
        found = Conclusion(Verdict.INCONCLUSIVE, error=TOO_LATE)
    except KeyboardInterrupt:
        found = Conclusion(Verdict.INCONCLUSIVE, error=INTERRUPTED)
    seconds, heard = monotonic() - begun, auditor.merger.result()
    return Result(
        **vars(found),
        target=target,
        tried=auditor.tried,
        best=auditor.best,
        seconds=seconds,
        heard=heard,
        coverage=coverage_of(target, heard.reached),
    )


class Auditor:
    """The audit of one target at work: the search, then its other claims, on one clock."""

    def __init__(self, target: Loaded, settings: Settings, emit: Emit, begun: float) -> None:
        self.target, self.settings, self.emit, self.begun = target, settings, emit, begun
        self.suited = settings_for(target.spec, settings)
        self.tried = 0
        self.best: Scored | None = None
        self.code: CodeVerdict | None = None
        self.merger = Merger()

    def conclusion(self) -> Conclusion:
        """Look for a violation; if there is none, check what else the target claims."""
        for claim in ("dp", *self.target.claims):
            if claim not in CLAIMS:
                raise UnknownClaim(f"unknown claim {claim!r}; known: {', '.join(CLAIMS)}")
        self.code = self.prove()
        found = self.search()
        if found.violation is not None:
            small, smaller_tried = self.shrink(found)
            violation = certify_violation(self.target.spec, self.target.target, small)
            return Conclusion(
                self.broken(),
                violation,
                found.error,
                code=self.code,
                smaller_tried=smaller_tried,
            )
        if found.error:
            return Conclusion(Verdict.FAILED, error=found.error)
        return self.claimed(found)

    def broken(self) -> Verdict:
        """Return the verdict on a certified violation; of proved code it is a defect of ours."""
        proved = self.code is not None and self.code.verdict == Verdict.PROVED
        return Verdict.CONTRADICTION if proved else Verdict.VIOLATED

    def search(self) -> SearchResult:
        """Run the tasks of the search, here or elsewhere."""
        first = first_cases(self.target, self.code, self.suited)
        failures = fails_first(self.target)
        seconds = self.seconds_left(1 - FOR_CLAIMS)
        self.merger = Merger(least(self.suited, first, failures=failures), seconds)
        run = run_search(
            self.target,
            plan(self.suited, first, failures=failures, code=self.target.spec),
            self.note,
            seconds=seconds,
            jobs=self.settings.jobs,
            cluster=self.settings.cluster,
        )
        if run.interrupted and not self.suited.endless:
            raise KeyboardInterrupt
        return self.merger.result()

    def prove(self) -> CodeVerdict | None:
        """Return what the prover says of the code, where there is time for that."""
        limit, plays = self.settings.seconds, self.settings.examples
        short = (limit is not None and limit < SLOW) or (plays is not None and plays < MANY)
        known_bad = self.target.expected_sound is False
        if known_bad or (short and not self.settings.proved):
            return None
        self.tell("proving its code")
        return code_verdict(self.target, limit, demanded=self.settings.proved)

    def shrink(self, found: SearchResult) -> tuple[Case, int]:
        """Return the violation made small, and the plays for it.

        It takes half of the time that is left, or of what one answer may take if that is more.
        """
        limit, left = self.settings.seconds, self.seconds_left()
        longest = None if limit is None or left is None else max(left, min(limit, self.patience()))
        seconds = None if longest is None else longest * FOR_SHRINKING
        free = not self.suited.budget_is_fixed
        self.tell("making it small")
        exact = self.suited.exact
        return shrink_violation(found, self.target.target, seconds, free=free, exact=exact)

    def patience(self) -> float:
        """Return the seconds that one answer of the target may take."""
        return (self.target.limits or Limits()).timeout

    def last_moment(self) -> float | None:
        """Return when the target is asked no more, whatever for."""
        limit = self.settings.seconds
        return None if limit is None else self.begun + limit + self.patience()

    def note(self, tally: Tally) -> None:
        """Count what was tried and tell how far it is."""
        self.merger.add(tally)
        self.tried += tally.tried
        if tally.best is not None and tally.best.beats(self.best):
            self.best = tally.best
        self.tell(tally.source)

    def tell(self, stage: str) -> None:
        """Tell what is being done."""
        self.emit(Progress(self.target, stage, self.tried, self.best))

    def seconds_left(self, share: float = 1.0) -> float | None:
        """Return the seconds that are left of a share of those asked for."""
        limit = self.settings.seconds
        return None if limit is None else max(0.0, self.begun + share * limit - monotonic())

    def claimed(self, found: SearchResult) -> Conclusion:
        """Check the target's other claims, and that it behaves like a function."""
        if why := self.declined(found) or self.merger.too_little():
            return Conclusion(Verdict.INCONCLUSIVE, error=why)
        self.tell("its other claims")
        wanted = [name for name in dict.fromkeys((*ALWAYS, *self.target.claims)) if name != "dp"]
        results = tuple(one for name in wanted if (one := self.claim(name)) is not None)
        results += (self.is_proved(),) if self.settings.proved else ()
        broken = any(result.holds is False for result in results)
        sound = Verdict.NOT_FOUND if found.rounding is None else Verdict.ROUNDING
        verdict = Verdict.CLAIM_BROKEN if broken else sound
        near = None if self.reports else self.closest_sound(found)
        await_sign(self.target.target)
        if why := changed_meanwhile(self.target):
            return Conclusion(Verdict.INCONCLUSIVE, error=why)
        return Conclusion(
            verdict,
            claims=results,
            proved=found.proved,
            envelope=found.envelope,
            closest_sound=near,
            code=self.code,
        )

    @property
    def reports(self) -> bool:
        """Whether the target was audited as an odometer."""
        return self.best is not None and self.best.reports

    def closest_sound(self, found: SearchResult) -> ClosestSound | None:
        """Return the tightest sound filter that was never stricter."""
        return closest_sound(self.target.target, found.sample, self.seconds_for_comparison())

    def is_proved(self) -> ClaimResult:
        """Say whether the code is proved, which the caller demands."""
        if not self.target.portable:
            return ClaimResult(PROVED, False, "a target without a name cannot be proved: name it")
        if self.code is None:
            return ClaimResult(PROVED, False, NO_POTENTIAL)
        return ClaimResult(PROVED, self.code.verdict == Verdict.PROVED, self.code.detail)

    def seconds_for_comparison(self) -> float | None:
        """Return how long other filters are compared: what is left of the time, and some more."""
        limit, left = self.settings.seconds, self.seconds_left()
        if limit is None or left is None:
            return None
        return max(min(LEAST, limit * FOR_COMPARISON), min(LONGEST, left))

    def declined(self, found: SearchResult) -> str:
        """Say that a target declined most of the plays, which leaves nothing to conclude from.

        Filters and adapters of ours decline what their mathematics has no answer for.
        """
        ours = ":" not in self.target.spec and self.tried
        if not self.tried and not found.declined:
            return NO_TIME
        if ours or (self.tried and found.declined <= found.tried):
            return ""
        plays = found.declined + found.tried
        said = f"the target declined {found.declined} of {plays} plays"
        return f"{said}; the first: {found.why_declined}"

    def claim(self, name: str) -> ClaimResult | None:
        """Try one claim on the small named games; None if there was no time for any of them."""
        target = self.target.target
        loop = Loop(target, seconds=self.seconds_left(), breach=CLAIMS[name].breach)
        tally = loop.run(with_parameters(small_cases(), target))
        if tally.error:
            raise ProtocolError(tally.error)
        if tally.violation is not None:
            return ClaimResult(name, False, f"{tally.violation.name}: {tally.detail}")
        games = tally.declined + tally.tried
        but = f"; declined on {tally.declined} of {games} games" if tally.declined else ""
        if tally.tried:
            return ClaimResult(name, True, f"{CLAIMS[name].statement}{but}")
        return ClaimResult(name, None, f"not tried{but}") if but else None
