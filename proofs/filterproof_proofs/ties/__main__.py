"""`python -m filterproof_proofs.ties`: tie every filter's code to its theorem, compare the page.

Exit code 1 if a proof fails or docs/internals/THEOREMS.md says something else; `--write` writes
it there, `--slow` leaves out those that the tests tie.
"""

import sys
from pathlib import Path

from filterproof_proofs.ties.table import WAYS, Tie, section, section_of, tie
from filterproof_proofs.ties.tie import NotTied

PAGE = Path("docs/internals/THEOREMS.md")
SLOW = {
    "rdp-weighted", "repaired", "repaired-sharp", "repaired-upper-bound", "product",
    "compensator-recycling", "compensator-capped", "odometer-forgiving", "floor-gdp", "floor-rdp",
}  # fmt: skip
"""These the tests do not tie."""


def main(arguments: list[str]) -> int:
    """Run every proof, say what came out, compare or write the page."""
    found: list[Tie] = []
    for name in SLOW if "--slow" in arguments else WAYS:
        try:
            found.append(tie(name))
        except NotTied as error:
            sys.stdout.write(f"{name}: NOT TIED: {error}\n")
            return 1
        sys.stdout.write(_line(found[-1]))
        sys.stdout.flush()
    sys.stdout.write(_closing(found))
    page = PAGE.read_text(encoding="utf-8")
    if arguments == ["--write"]:
        PAGE.write_text(page.replace(section_of(page), section(found)), encoding="utf-8")
    elif not _agrees(section_of(page), found):
        sys.stdout.write(f"{PAGE} says something else: write it again with --write\n")
        return 1
    return 0


def _agrees(written: str, found: list[Tie]) -> bool:
    """Whether the page says the same: all of it, or its lines for those that were tied."""
    if len(found) == len(WAYS):
        return written == section(found)
    return {one.row() for one in found} <= {*written.splitlines()}


def _line(one: Tie) -> str:
    took = f" ({one.paths} paths, {one.seconds:.1f} s)" if one.tied else ""
    return f"{one.name}: {one.how}{took}\n"


def _closing(found: list[Tie]) -> str:
    tied = [one for one in found if one.tied]
    seconds = sum(one.seconds for one in tied)
    return f"{len(tied)} of {len(found)} tied to their theorems, {seconds:.0f} s\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
