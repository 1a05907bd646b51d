"""One target at the gate: its audit, its change since the base, and the proof that it had there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import monotonic

from filterproof.filter import ProtocolError
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.audit.base import Base
from filterproof_properties.audit.code import code_verdict
from filterproof_properties.audit.comparison import Comparison
from filterproof_properties.audit.diff import run_diff
from filterproof_properties.audit.engine import INTERRUPTED
from filterproof_properties.audit.memory import memory_folder
from filterproof_properties.audit.record import CHANGE, PROOF, Record, Tick
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.cli.calls import target_spec
from filterproof_properties.cli.diff import looser_lines, privacy, stricter_lines
from filterproof_properties.cli.options import effort
from filterproof_properties.cli.proving import CannotProve
from filterproof_properties.cli.refining import prove_never_looser
from filterproof_properties.options.config import Config
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.reports.sentence import short_name
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.loading import check_name, is_trusted
from filterproof_properties.targets.target import TargetError

FOR_AUDIT, FOR_CHANGE, FOR_PROOF = 0.35, 0.35, 0.1
"""Shares of a target's time; what is left goes into making counterexamples small."""
LONGEST_PROOF = 30.0
"""So many seconds a proof may take where the gate has no limit."""
LEAST = 1.0
"""With fewer seconds left nothing is begun."""

Emit = Callable[[Tick | Record], None]


class Clock:
    """The time of a whole gate: all that is asked for, divided among the targets."""

    def __init__(self, total: float | None, targets: int) -> None:
        self.total, self.targets, self.begun = total, targets, monotonic()

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where there is no limit."""
        return None if self.total is None else self.total - (monotonic() - self.begun)

    def slice(self) -> float | None:
        """Return the seconds for the next target."""
        left, targets = self.left, self.targets
        self.targets -= 1
        return None if left is None else max(0.0, left) / max(1, targets)


@dataclass(frozen=True)
class Gate:
    """What every target is checked against; without a `base` there is no older version."""

    config: Config
    base: Base | None
    before: Config
    clock: Clock
    emit: Emit

    def check(self, name: str) -> list[Record]:
        """Return all that there is to say about one target; whatever cannot be done is red."""
        seconds = self.clock.slice()
        if seconds is not None and seconds < LEAST:
            return [failed(name, Verdict.INCONCLUSIVE, "not checked: the time of the gate was up")]
        try:
            spec = target_spec(name, self.config, {})
            check_name(spec)
        except TargetError as error:
            return [failed(name, Verdict.FAILED, str(error))]
        old, note, why = self.older(name, spec)
        audited = self.audit(name, spec, seconds)
        if audited.error == INTERRUPTED:
            return [audited]
        found = [replace(audited, note=" ".join(filter(None, (audited.note, note))))]
        if why:
            return [*found, failed(self.since(spec), Verdict.FAILED, why, CHANGE)]
        return found + (self.changed(name, old, spec, seconds) if old else [])

    # --- the audit ----------------------------------------------------------------------------

    def audit(self, name: str, spec: str, seconds: float | None) -> Record:
        """Audit the target as it is now; what broke it before is tried first."""
        chosen = self.settings(name, seconds, FOR_AUDIT)
        allowed = self.config.limits({}, name)
        record = run_audit(spec, chosen, allowed, self.emit, memory=memory_folder())
        return in_full(record, self.config.settings({}, name), chosen)

    def settings(self, name: str, seconds: float | None, share: float) -> Settings:
        """Return how hard to try: as configured, otherwise for a share of the target's time."""
        own = self.config.settings({}, name)
        if seconds is None or own.seconds is not None:
            return effort(own, everything=False)
        left = self.clock.left or 0.0
        return replace(own, seconds=max(0.1, left if own.examples is not None else share * seconds))

    # --- the change ---------------------------------------------------------------------------

    def older(self, name: str, spec: str) -> tuple[str, str, str]:
        """Return the target at the base; else a note on why there is none, or what is wrong.

        A target that the base configures must be there; a built-in one has no other version.
        """
        if self.base is None:
            return "", "There is no older version to compare with: audited only.", ""
        if is_trusted(spec) or spec in ADAPTERS:
            return "", "It is built into filterproof: audited only.", ""
        words, configured = self.base.commit.words, name in self.before.targets
        try:
            old = target_spec(name, self.before if configured else self.config, {}, self.base)
        except (ProtocolError, TargetError) as error:
            why = f"its version at {words} cannot be asked: {error}"
            return ("", "", why) if configured else ("", f"Audited only: {why}.", "")
        if old or not configured:
            return old, "" if old else f"It did not exist at {words}: audited only.", ""
        return "", "", f"it is configured at {words}, and does not exist there"

    def since(self, spec: str) -> str:
        """Return the name of a target's change."""
        assert self.base is not None
        return f"{short_name(spec)} since {self.base.commit.short}"

    def changed(self, name: str, old: str, new: str, seconds: float | None) -> list[Record]:
        """Compare a target with what it was; a proof that it had must be there."""
        assert self.base is not None
        chosen = self.settings(name, seconds, FOR_CHANGE)
        allowed = self.config.limits({}, name)
        found = run_diff(old, new, chosen, allowed, self.emit, checkout=self.base.checkout)
        since = self.since(new)
        records = [in_full(as_record(found, since), self.config.settings({}, name), chosen)]
        if found.verdict is Verdict.NO_LOOSER_PLAY:
            limit = LONGEST_PROOF if seconds is None else FOR_PROOF * seconds
            records += self.proof(since, (old, new), allowed, limit)
        return records

    def proof(
        self, since: str, versions: tuple[str, str], allowed: Limits, seconds: float
    ) -> list[Record]:
        """Say whether a proof that the older version had is still there."""
        assert self.base is not None
        begun = monotonic()
        before = replace(allowed, checkout=self.base.checkout)
        was, how = proof_of(versions[0], before, seconds)
        if not was:
            return []
        now, why = proof_of(versions[1], allowed, seconds)
        took = monotonic() - begun
        verdict = Verdict.PROVED if now else Verdict.PROOF_LOST
        error = "" if now else f"at {self.base.commit.words} it was proved {how}; now: {why}"
        note = f"Proved {why}, as before." if now else ""
        return [Record(since, verdict, None, note, 0, took, error=error, kind=PROOF)]


def proof_of(spec: str, limits: Limits, seconds: float) -> tuple[bool, str]:
    """Return whether a target's code is proved, and how or why not."""
    try:
        with open_target(spec, limits) as loaded:
            code = code_verdict(loaded, seconds, demanded=True)
        if code is not None and code.verdict == Verdict.PROVED:
            return True, "by its potential"
        found = prove_never_looser(spec, "", seconds, limits)
    except (CannotProve, ProtocolError, TargetError) as error:
        return False, str(error)
    open_ = "; ".join(map(str, found.data.get("open") or [])) or str(found.data.get("verdict"))
    return (True, f"never looser than {found.data['rule']}") if found.code == 0 else (False, open_)


# --- records ----------------------------------------------------------------------------------


def failed(target: str, verdict: Verdict, why: str, kind: str = "filter") -> Record:
    """Return the record of a target that was not checked."""
    return Record(target, verdict, None, "", 0, 0.0, error=why, kind=kind)


def in_full(record: Record, wanted: Settings, chosen: Settings) -> Record:
    """Return a record; one that the gate's time cut short of what is configured is no pass."""
    cut = wanted.seconds is None and wanted.examples is not None and chosen.seconds is not None
    if not cut or not record.passes or record.seconds < (chosen.seconds or 0.0):
        return record
    why = f"the time of the gate was up before the {wanted.examples} examples that are configured"
    return replace(record, verdict=Verdict.INCONCLUSIVE, error=why)


def as_record(found: Comparison, since: str) -> Record:
    """Return a comparison as a line of the gate's table."""
    return Record(
        since,
        found.verdict,
        None,
        "\n".join(stricter_lines(found)) if found.stricter_plays else "",
        found.plays,
        found.seconds,
        error="\n".join(_why(found)) if entry(found.verdict).exit_code else "",
        summary=found.summary or str(found.verdict),
        certificate=found.certificate,
        envelope=f"compared: {found.envelope}" if found.envelope else "",
        kind=CHANGE,
    )


def _why(found: Comparison) -> Iterator[str]:
    """Yield the lines that say what is wrong with a change."""
    if found.looser:
        yield from looser_lines(found.looser)
    yield from (*privacy(found), *filter(None, (found.error,)))
