"""The conformance page: libraries and versions by what is known of them, with the evidence.

`python -m conformance.page DOCS` reads DOCS/conformance/*.json, which
`python -m conformance ADAPTER` writes, and draws DOCS/conformance/index.html and one badge per
row.  The page is one file, needs no network and no script, and is readable in light and in dark.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conformance import badge
from conformance.history import by_library
from conformance.observe import ASPECTS, SCHEMA, VERSION

Row = dict[str, Any]
"""One file: an adapter and its cells."""

PRIVACY = {
    "kept": ("no violation found", badge.GREEN),
    "broken": ("violated", badge.RED),
    "open": ("violated in this use", badge.AMBER),
    "not asked": ("not audited", badge.GREY),
}
"""What a badge says of the first cell."""
UNPAID = ("failures are not charged", badge.AMBER)
"""What it says of a library against which nothing was found as long as nothing fails."""
LEGEND = {
    "kept": "nothing was found against it, within what was tried",
    "broken": "the library breaks what it promises, with a certificate",
    "open": "something gets through that the library does not promise to stop, or only in this use",
    "strict": "it refuses what the budget allows: answers are lost, privacy is not",
    "not asked": "there is no such probe for it, or it concluded nothing",
}


class NotConformance(ValueError):
    """A file that is no conformance file."""


def rows(folder: Path) -> list[Row]:
    """Return what the files of a folder say, by library and adapter."""
    paths = [path for path in folder.glob("*.json") if not path.match("*.certificate.json")]
    return sorted(map(read, paths), key=lambda row: (row["library"], row["adapter"]))


def read(path: Path) -> Row:
    """Read one file."""
    row: Row = json.loads(path.read_text(encoding="utf-8"))
    if (row.get("schema"), row.get("version")) != (SCHEMA, VERSION):
        raise NotConformance(f"{path} is not a file of schema {SCHEMA}, version {VERSION}")
    if (path.stem, [*row["cells"]]) != (row["adapter"], [*ASPECTS]):
        raise NotConformance(f"{path} must be named after its adapter, with the cells {ASPECTS}")
    return row


WHY_NOT = {
    "privacy": "no search was run",
    "liveness": "nobody counts equal slices at it",
    "fail-open inputs": "no counter hands odd numbers in",
    "failure charged": "it is not told whether a mechanism fails",
    "threads": "no counter lets two threads in",
    "rounding": "what was seen says nothing of the last places",
}
"""What a cell that was not asked lacks."""


def page(shown: Sequence[Row], history: Mapping[str, Sequence[Any]]) -> str:
    """Return the page."""
    shared, own = files("filterproof_properties.reports"), files("conformance")
    css = (shared / "assets" / "report.css").read_text(encoding="utf-8")
    text = (own / "assets" / "conformance.html").read_text(encoding="utf-8")
    made = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return made.from_string(text).render(
        css=Markup(css),
        rows=shown,
        aspects=ASPECTS,
        legend=LEGEND,
        why_not=WHY_NOT,
        history=history,
        badges={row["adapter"]: Markup(drawn(row)) for row in shown},
    )


def drawn(row: Row) -> str:
    """Return the badge of one row."""
    mark, failure = (row["cells"][one]["mark"] for one in ("privacy", "failure charged"))
    told = UNPAID if (mark, failure) == ("kept", "open") else PRIVACY[mark]
    name = f"{row['adapter']} {row['library_version']}"
    return badge.row([(name, *told)])


def pictures(folder: Path) -> dict[Path, str]:
    """Return the page and the badges of a folder, by their places."""
    shown = rows(folder)
    made = {folder / "badges" / f"{row['adapter']}.svg": drawn(row) for row in shown}
    path = folder.parent / "history.jsonl"
    past = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return {folder / "index.html": page(shown, by_library(past))} | made


def main(docs: Path) -> None:
    """Draw them."""
    for path, text in pictures(docs / "conformance").items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"drew {docs / 'conformance' / 'index.html'}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
