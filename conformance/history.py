"""What each published finding comes to on each version of its library.

`python -m conformance.history LIBRARY` plays the findings on the version that is installed and puts
a line for it into docs/history.jsonl; `make -C conformance history` does so for several versions.
A finding that a version does not show is a change of the verdict, and stands on the page.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.findings import Finding
from conformance.odometers import PUBLISHED
from filterproof.filter import ProtocolError
from filterproof_properties.adapters import info_of

FILE = Path("docs", "history.jsonl")
Line = dict[str, Any]
"""A library, a version, and what was seen by the name of the finding."""


def observed(library: str) -> Line:
    """Play all findings on one installed library."""
    mine = [one for one in PUBLISHED if info_of(one.adapter).extra == library]
    seen = {one.name: outcome(one) for one in mine}
    return {"library": library, "version": info_of(mine[0].adapter).version, "seen": seen}


def outcome(finding: Finding) -> str:
    """Return the exact excess as a decimal, "kept", or that this version has no such part."""
    try:
        _, worst = finding.played()
    except (AttributeError, ProtocolError) as error:
        if not isinstance(error.__cause__ or error, AttributeError):
            raise
        return "no such part"
    over = float(worst.value - finding.delta)
    return f"{over:.2g} over" if over > 0 else "kept"


def written(lines: Iterable[str], new: Line) -> str:
    """Return the lines with one put in, sorted by library and version."""
    known = [json.loads(line) for line in lines]
    others = [one for one in known if key(one) != key(new)]
    return "".join(json.dumps(one) + "\n" for one in sorted((*others, new), key=key))


def key(line: Line) -> tuple[str, list[int]]:
    """Return the library, and the version as numbers."""
    return line["library"], [*map(int, line["version"].split("."))]


def by_library(lines: Iterable[str]) -> dict[str, list[Line]]:
    """Return the lines of each library, the newest version first."""
    found: dict[str, list[Line]] = {}
    for line in map(json.loads, lines):
        found.setdefault(line["library"], []).insert(0, line)
    return found


def main(library: str) -> int:
    """Observe one library and write its line."""
    before = FILE.read_text(encoding="ascii").splitlines() if FILE.exists() else []
    new = observed(library)
    FILE.write_text(written(before, new), encoding="ascii")
    sys.stdout.write(json.dumps(new) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
