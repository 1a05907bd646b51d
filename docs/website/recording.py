"""`python docs/website/recording.py`: real commands at a terminal, as docs/pictures/watch.svg.

Every command is run here and now in a pseudo-terminal, and what it wrote is shown at the time it
wrote it; only typing and reading take as long as this page says.  The picture is a dark terminal
on light and dark pages alike, needs no network, and stands still where motion is not wanted.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/pictures/watch.svg"
COLUMNS, ROWS = 92, 19
LONG = 20.0
"""The picture takes so many seconds, then begins anew."""
TYPING = 0.9
CONTROL = re.compile(r"\r\n|\n|\r|\x1b\[(\d*)A|\x1b\[2K|\x1b\[\?25[lh]")


class Scene(NamedTuple):
    """A command, how many of its seconds are shown at most, how long its last line is read."""

    command: str
    run: float
    read: float


FOUND = "my_filter.py-MyFilter.certificate.json"
SCENES = (
    Scene("filterproof audit my_filter.py:MyFilter --certificates .", 2.5, 6.0),
    Scene(f"filterproof check {FOUND} --replay my_filter.py:MyFilter", 0.5, 2.4),
    Scene("filterproof audit my_filter_fixed.py:MyFilter --seconds 5", 3.5, 2.0),
)

Screen = tuple[str, ...]
Frame = tuple[float, Screen]


# --- a real run -----------------------------------------------------------------------------


def recorded(command: str, folder: Path) -> list[Frame]:
    """Run a command at a terminal; return what stood there, and since when."""
    ours, theirs = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    told = {"PATH": path, "COLUMNS": str(COLUMNS), "TERM": "xterm", "LINES": str(ROWS)}
    known = {key: text for key, text in os.environ.items() if key != "NO_COLOR"}
    running = subprocess.Popen(
        command.split(), cwd=folder, env={**known, **told}, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    begun, written = monotonic(), ""
    frames: list[Frame] = []
    while more := _read(ours):
        written += more
        frames.append((monotonic() - begun, screen(written)))
    os.close(ours)
    running.wait()
    return frames


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # the command has ended
        return ""


def screen(written: str) -> Screen:
    """Return the lines that a terminal shows after all of this was written to it.

    >>> screen("one\\r\\ntwo\\r\\x1b[2Kthree\\r\\n\\x1b[1A\\x1b[2K")
    ('one', '')
    """
    lines, at = [""], 0
    for found in CONTROL.finditer(written):
        lines[-1] += written[at : found.start()]
        at = found.end()
        if "\n" in found[0]:
            lines.append("")
        elif found[0].endswith("A"):
            del lines[-int(found[1] or 1) :]
        elif found[0] == "\x1b[2K":
            lines[-1] = ""
    lines[-1] += written[at:]
    return tuple(lines)


# --- what is seen when ----------------------------------------------------------------------


def played(folder: Path) -> list[Frame]:
    """Return all frames of the picture: each command is typed, run and read."""
    frames: list[Frame] = []
    now = 0.0
    for scene in SCENES:
        for cut in range(0, len(scene.command) + 1, 4):
            typed = scene.command[: cut + 4]
            now += TYPING * 4 / len(scene.command)
            frames.append((now, (f"\x1b[1m$ {typed}\x1b[0m",)))
        found = recorded(scene.command, folder)
        pace = min(1.0, scene.run / found[-1][0])
        prompt = f"\x1b[1m$ {scene.command}\x1b[0m"
        frames += [(now + pace * after, (prompt, *lines)[-ROWS:]) for after, lines in found]
        now = frames[-1][0] + scene.read
    stretch = LONG / now
    return [(at * stretch, lines) for at, lines in frames]


def spans(frames: list[Frame]) -> Iterator[tuple[int, str, float, float]]:
    """Yield each text: its row, and from when until when it stands there."""
    for row in range(ROWS):
        since, text = 0.0, ""
        for at, lines in [*frames, (LONG, ())]:
            here = lines[row] if row < len(lines) else ""
            if here != text:
                if text.strip():
                    yield row, text, since, at
                since, text = at, here


# --- the picture ----------------------------------------------------------------------------

WIDE, HIGH, TOP, LEFT = 8.43, 18.0, 46.0, 14.0
COLOURS = ("#8a93a5", "#f07178", "#7ec786", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dee2ea")
"""The eight colours of a terminal."""


def svg(frames: list[Frame]) -> str:
    """Return the frames as one picture that moves."""
    width, height = COLUMNS * WIDE + 2 * LEFT, ROWS * HIGH + TOP + 10
    texts: list[str] = []
    moves: dict[tuple[str, str], str] = {}
    for row, text, since, until in spans(frames):
        first, last = f"{100 * since / LONG:.2f}", f"{100 * until / LONG:.2f}"
        name = moves.setdefault((first, last), f"m{len(moves)}")
        still = " still" if until == LONG else ""
        place = f'x="{LEFT:g}" y="{TOP + (row + 1) * HIGH - 4:g}"'
        texts.append(f'<text class="{name}{still}" {place}>{styled(text)}</text>')
    rules = [
        f"@keyframes {name}{{0%{{opacity:0}}{first}%{{opacity:1}}{last}%{{opacity:0}}}}"
        f".{name}{{animation:{name} {LONG:g}s step-end infinite}}"
        for (first, last), name in moves.items()
    ]
    dots = "".join(
        f'<circle cx="{20 + 20 * i}" cy="18" r="6" fill="{colour}"/>'
        for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">\n'
        "<title>filterproof: a wrong filter is refuted, the certificate is checked, and the "
        "mended filter is audited</title>\n"
        "<style>text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        "fill:#dee2ea;white-space:pre;opacity:0}\n"
        + "\n".join(rules)
        + "\n@media (prefers-reduced-motion:reduce){text{animation:none!important}"
        ".still{opacity:1}}</style>\n"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#181b22"/>{dots}\n'
        + "\n".join(texts)
        + "\n</svg>\n"
    )


def styled(line: str) -> str:
    """Return a line with its colours as spans of a text."""
    text = Text.from_ansi(line)
    found = []
    for start, end, style in _parts(text):
        words = escape(text.plain[start:end])
        bold = ' font-weight="bold"' if style.bold else ""
        number = style.color.number if style.color else None
        colour = COLOURS[0] if style.dim else COLOURS[number % 8] if number is not None else ""
        fill = f' fill="{colour}"' if colour else ""
        found.append(f"<tspan{bold}{fill}>{words}</tspan>" if bold or fill else words)
    return "".join(found)


def _parts(text: Text) -> Iterator[tuple[int, int, Style]]:
    from rich.console import Console

    marks = sorted({0, len(text), *(at for span in text.spans for at in (span.start, span.end))})
    for start, end in pairwise(marks):
        yield start, end, text.get_style_at_offset(Console(), start)


def main() -> None:
    """Run the commands and write the picture."""
    with TemporaryDirectory() as folder:
        for name in ("my_filter.py", "my_filter_fixed.py"):
            shutil.copy(ROOT / "examples" / name, folder)
        PICTURE.write_text(svg(played(Path(folder))), encoding="utf-8")
    sys.stdout.write(f"wrote {PICTURE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
