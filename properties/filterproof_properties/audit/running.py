"""One audit from beginning to end: targets opened, asked, and closed.

A stranger's target runs in a process of its own and gives nothing but answers (`targets.server`);
all that is concluded from them is concluded here.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic

from filterproof.filter import ProtocolError
from filterproof_properties.audit.engine import ALWAYS, INTERRUPTED, audit_one
from filterproof_properties.audit.memory import recall, remember
from filterproof_properties.audit.record import History, Record, Tick, record, tick
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.loading import is_trusted
from filterproof_properties.targets.target import Loaded, TargetError
from filterproof_properties.targets.transcript import Transcript

Emit = Callable[[Tick | Record], None]


def run_audit(
    spec: str,
    settings: Settings,
    limits: Limits,
    emit: Emit,
    *,
    in_process: bool = False,
    book: Transcript | None = None,
    memory: Path | None = None,
) -> Record:
    """Audit one target and return its record; one that cannot even be opened has one, too.

    In `book` all of its answers are written down.  What broke the target before is in the folder
    `memory`: it is tried first, and what breaks the target now is added.
    """
    begun = monotonic()
    remembered = recall(spec, settings, memory) if memory else ()
    try:
        with open_target(spec, limits, in_process=in_process) as loaded:
            if book is not None:
                loaded.target.book = book  # type: ignore[attr-defined]
            record = audit_here(replace(loaded, remembered=remembered), settings, emit)
        if memory and record.certificate and not is_trusted(spec):
            remember(spec, record.certificate, settings, memory)
        return record
    except (ProtocolError, TargetError) as error:
        verdict, why = Verdict.FAILED, str(error)
    except KeyboardInterrupt:  # before there was anything to audit
        verdict, why = Verdict.INCONCLUSIVE, INTERRUPTED
    failed = Record(spec, verdict, None, "", 0, monotonic() - begun, error=why)
    emit(failed)
    return failed


def audit_here(loaded: Loaded, settings: Settings, emit: Emit) -> Record:
    """Audit a target that is open."""
    history: History = []
    emit(Tick(loaded.spec))
    result = audit_one(loaded, settings, lambda now: emit(tick(now, history)))
    emit(found := record(result, history))
    return found


def run_claims(spec: str, limits: Limits) -> list[str]:
    """Return the names of the claims that an audit of this target checks."""
    with open_target(spec, limits) as loaded:
        return checked_claims(loaded)


def checked_claims(loaded: Loaded) -> list[str]:
    """Return dp, then what every filter has to be, then what this one claims besides."""
    return list(dict.fromkeys(("dp", *ALWAYS, *loaded.claims)))
