"""A terminal's output as an SVG picture: for pages that show what a command prints.

`python -m filterproof_properties.reports.screenshot FOLDER` draws the pictures of the
documentation again.
"""

import re
import sys
from collections.abc import Callable
from importlib.metadata import metadata
from io import StringIO
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.reports.picture import picture
from filterproof_properties.reports.terminal import violation
from filterproof_properties.targets.evaluate import certified
from filterproof_properties.targets.loading import load

WIDTH = 84
DARK = TerminalTheme(
    (24, 27, 34),
    (222, 226, 234),
    [
        (24, 27, 34),
        (240, 113, 120),
        (126, 199, 134),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (86, 182, 194),
        (171, 178, 191),
    ],
)


def svg(shown: RenderableType, title: str) -> str:
    """Return what a terminal would show, as a picture that needs no network."""
    console = Console(record=True, width=WIDTH, file=StringIO(), highlight=False, markup=False)
    console.print(shown)
    drawn = console.export_svg(title=title, theme=DARK, unique_id="filterproof")
    return re.sub(r"@font-face \{.*?\}\n?", "", drawn, flags=re.DOTALL)


def counterexample(name: str) -> str:
    """Return the picture of a known-bad filter's smallest violation."""
    found = certified(name, load(name).target, SPECIMENS[name]())
    command = Text(f"$ filterproof audit {name}\n", "bold")
    return svg(Group(command, violation(picture(found.certificate))), "filterproof")


PYTHON = "Python :: 3."
ROW = '<svg xmlns="http://www.w3.org/2000/svg" width="{:g}" height="20">{}</svg>\n'
BADGE = (
    '<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="11.9" fill="#fff">'
    '<rect x="{0:g}" width="{1:g}" height="20" fill="#4a4f5a"/>'
    '<rect x="{2:g}" width="{3:g}" height="20" fill="#3f51b5"/>'
    '<text x="{0:g}" dx="7" y="14">{4}</text><text x="{2:g}" dx="7" y="14">{5}</text></g>'
)


def badges() -> str:
    """Return what is true of the package that is installed, as a row of labels."""
    known = metadata("filterproof")
    pythons = [one.rpartition(" ")[2] for one in known.get_all("Classifier", []) if PYTHON in one]
    told = {
        "version": known["Version"],
        "python": f"{pythons[0]} to {pythons[-1]}",
        "license": known["License-Expression"],
        "tests": "make test",
    }
    drawn, at = [], 0.0
    for label, text in told.items():
        left, right = (7.2 * len(words) + 14 for words in (label, text))
        drawn.append(BADGE.format(at, left, at + left, right, label, text))
        at += left + right + 6
    return ROW.format(at, "".join(drawn))


PICTURES: dict[str, Callable[[], str]] = {
    "algorithm1.svg": lambda: counterexample("algorithm1"),
    "badges.svg": badges,
}


def main(folder: Path) -> None:
    """Draw every picture of the documentation into a folder."""
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
