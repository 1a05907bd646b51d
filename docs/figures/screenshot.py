"""A terminal's output as an SVG picture: for pages that show what a command prints.

`python -m docs.figures.screenshot FOLDER` draws the pictures of the
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

from conformance import badge
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.reports.picture import picture
from filterproof_properties.reports.terminal import violation
from filterproof_properties.targets.evaluate import certify_violation
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
    """Return what a terminal would show, as a picture that needs no network.

    An empty line ends it: the picture cuts what hangs below the last line, such as an underscore.
    """
    console = Console(record=True, width=WIDTH, file=StringIO(), highlight=False, markup=False)
    console.print(shown)
    console.print()
    drawn = console.export_svg(title=title, theme=DARK, unique_id="filterproof")
    return re.sub(r"@font-face \{.*?\}\n?", "", drawn, flags=re.DOTALL)


def counterexample(name: str) -> str:
    """Return the picture of a known-bad filter's smallest violation."""
    found = certify_violation(name, load(name).target, SPECIMENS[name]())
    command = Text(f"$ filterproof audit {name}\n", "bold")
    return svg(Group(command, violation(picture(found.certificate))), "filterproof")


PYTHON = "Python :: 3."


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
    return badge.row([(label, text, badge.BLUE) for label, text in told.items()])


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
