"""What is known of a change, as plain data."""

from dataclasses import dataclass

from filterproof_properties.audit.side_by_side import Row
from filterproof_properties.audit.verdicts import Verdict


@dataclass(frozen=True)
class Looser:
    """The shortest play found that the new version runs and the old one does not."""

    opening: str
    rows: tuple[Row, ...]
    game: str = ""


@dataclass(frozen=True)
class Stricter:
    """A play in which the new version runs less: the expected rounds of both, and where."""

    opening: str
    rounds_old: str
    rounds_new: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Comparison:
    """All that is known of a change; `certificate` shows that the new version breaks its budget."""

    old: str
    new: str
    verdict: Verdict
    plays: int = 0
    seconds: float = 0.0
    envelope: str = ""
    proof: tuple[str, ...] = ()
    looser: Looser | None = None
    stricter_plays: int = 0
    stricter: tuple[Stricter, ...] = ()
    notes: tuple[str, ...] = ()
    summary: str = ""
    certificate: str = ""
    error: str = ""
