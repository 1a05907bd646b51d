"""The pictures of `terminal` as plain text, for reports that hold text."""

from io import StringIO

from rich.console import Console, RenderableType

from filterproof_properties.audit.record import CHANGE, Record
from filterproof_properties.reports import terminal
from filterproof_properties.reports.picture import picture
from filterproof_properties.reports.sentence import first_line


def plain(shown: RenderableType) -> str:
    """Return what a terminal would show, without colours."""
    made = Console(file=StringIO(), width=160, color_system=None, force_terminal=False)
    made.print(shown)
    lines = made.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def counterexample(certificate: str) -> str:
    """Return the picture of a violation as text."""
    return plain(terminal.violation(picture(certificate)))


def explanation(one: Record) -> str:
    """Return what there is to say about a result that does not pass; several lines."""
    if one.certificate:
        play = f"{one.error}\n" if one.kind == CHANGE else ""
        return f"{play}{first_line(one)}\n{counterexample(one.certificate)}"
    if one.error:
        return one.error
    return "\n".join(f"claim {c.name!r} fails: {c.detail}" for c in one.claims if c.holds is False)
