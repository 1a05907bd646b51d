"""Filters with one line changed: text in, another text out, and the filter that comes of it."""

from pathlib import Path

from filterproof.filter import ProtocolError
from filterproof_proofs.potential import Effort, NoPotential, Verdict, prove
from filterproof_proofs.symbolic.program import Program

ROOT = Path(__file__).parents[3]
FILTERS = ROOT / "reference/filterproof/filters"


def changed(file: str, *changes: tuple[str, str]) -> str:
    """The source of a filter after the changes; every text that is to be changed must be there."""
    source = (FILTERS / file).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in source, f"{file} has no {old!r}"
        source = source.replace(old, new, 1)
    return source


def said(source: str, name: str, outputs: int = 2, seconds: float = 120) -> str:
    """REFUTED, OPEN, PROVED, or why the source cannot be proved."""
    try:
        effort = Effort(outputs=outputs, seconds=seconds, second_opinion=False)
        return str(prove(Program.of_text(source, name, "changed.py"), effort).verdict)
    except (ProtocolError, NoPotential) as error:
        return str(error)


PROVED = str(Verdict.PROVED)
