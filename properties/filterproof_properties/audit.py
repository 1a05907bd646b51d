"""The engine: targets x claims -> events and results, as data.  It prints nothing.

A verdict is VIOLATED only with a certificate that the independent checker accepted and that the
filter itself replayed.  Everything else is "no violation found" together with what was tried, or
says plainly why nothing can be concluded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from time import monotonic
from typing import Protocol

from filterproof.certificate import ReplayMismatch
from filterproof.exact import Epsilon
from filterproof.filter import ProtocolError
from filterproof_proofs.checker import Rejected
from filterproof_properties.evaluate import Attempt, Violation, attempts, certified
from filterproof_properties.named import Case, named_cases
from filterproof_properties.targets import Loaded


class Verdict(StrEnum):
    """The outcome for one target; `exit_code` says what a shell sees of it."""

    VIOLATED = "VIOLATED"
    NOT_FOUND = "no violation found"
    FAILED = "target failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Settings:
    """How hard to try, and at which budget (None: several)."""

    seed: int = 0
    seconds: float | None = None
    examples: int = 200
    jobs: int = 1
    cluster: str | None = None
    attacks: bool = True
    epsilon: Epsilon | None = None
    delta: Fraction | None = None


@dataclass(frozen=True)
class ClaimResult:
    """Whether one claim held wherever it was tried."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class Result:
    """All that is known about one target after its audit."""

    target: Loaded
    verdict: Verdict
    tried: int
    best: Attempt | None
    seconds: float
    violation: Violation | None = None
    error: str = ""
    claims: tuple[ClaimResult, ...] = ()

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
    best: Attempt | None


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
    tried, best = 0, None
    try:
        for attempt in campaign(target, settings):
            tried += 1
            best = attempt if best is None or attempt.ratio > best.ratio else best
            emit(Progress(target, "named games", tried, best))
            if attempt.violated:
                found = certified(target.spec, target.target, attempt)
                spent = monotonic() - begun
                return Result(target, Verdict.VIOLATED, tried, attempt, spent, found)
    except (ProtocolError, ReplayMismatch, Rejected) as error:
        spent = monotonic() - begun
        return Result(target, Verdict.FAILED, tried, best, spent, error=str(error))
    verdict = Verdict.NOT_FOUND if tried else Verdict.INCONCLUSIVE
    return Result(target, verdict, tried, best, monotonic() - begun)


def campaign(target: Loaded, settings: Settings) -> Iterator[Attempt]:
    """Yield every attempt of an audit, in an order that depends on the seed alone."""
    for case in cases(settings):
        yield from attempts(target.target, case)


def cases(settings: Settings) -> Iterator[Case]:
    """Yield the cases to try."""
    return named_cases()


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
    for verdict, code in ((Verdict.FAILED, 2), (Verdict.VIOLATED, 1), (Verdict.INCONCLUSIVE, 3)):
        if verdict in verdicts:
            return code
    return 0
