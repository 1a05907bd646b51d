"""Replays the findings: `python -m conformance.replay [NAME ...]`.

First the adapters are shown to answer as a live object of their library does (see `equivalence`).
What needs a library that is not installed is named with the extra that installs it.  The exit code
is 0 if all the rest held: every finding was reproduced and its certificate accepted by the checker.
"""

import argparse
import sys
from pathlib import Path

from conformance.equivalence import COMPARISONS, disagreement
from conformance.findings import Finding, finding_of, summary
from conformance.observations import OBSERVATIONS
from conformance.odometers import PUBLISHED
from filterproof.certificate import NotCertifiable
from filterproof_proofs.certificates import check
from filterproof_properties.adapters import info_of
from filterproof_properties.adapters.support.library import MissingLibrary


def main(arguments: list[str] | None = None) -> int:
    """Replay the named findings, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m conformance.replay")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--library", metavar="EXTRA", help="all findings on one library")
    parser.add_argument("--write", type=Path, metavar="DIR", help="store the certificates there")
    options = parser.parse_args(arguments)
    chosen = [finding_of(name, PUBLISHED) for name in options.names] or list(PUBLISHED)
    extras = {options.library or info_of(finding.adapter).extra for finding in chosen}
    chosen = [f for f in chosen if info_of(f.adapter).extra in extras]
    codes = [compared(name) for name in COMPARISONS if info_of(name).extra in extras]
    codes += [observed(name) for name in OBSERVATIONS if info_of(name).extra in extras]
    return max([*codes, *(replayed(finding, options.write) for finding in chosen)], default=0)


def compared(name: str) -> int:
    """Compare one adapter with a live object; return 0 if they agree or the library is missing."""
    comparison = COMPARISONS[name]
    try:
        found = disagreement(comparison)
    except MissingLibrary as missing:
        sys.stdout.write(f"{name}: {missing}\n")
        return 0
    said = f"differ: {found}" if found else "agree"
    sys.stdout.write(f"{name}: replay and live object on {comparison.samples} samples: {said}\n")
    return int(found is not None)


def observed(name: str) -> int:
    """Print what is observed at one adapter; return 0 if it is as expected, or nobody is there."""
    code = 0
    for says, seen in OBSERVATIONS[name].items():
        try:
            found = seen()
        except MissingLibrary as missing:
            sys.stdout.write(f"{name}: {missing}\n")
            return 0
        sys.stdout.write(f"{name}: {says}: {found or 'NOT SEEN'}\n")
        code = max(code, int(not found))
    return code


def replayed(finding: Finding, directory: Path | None) -> int:
    """Replay one finding; return 0 if it was reproduced or its library is missing."""
    try:
        game, worst = finding.played()
    except MissingLibrary as missing:
        sys.stdout.write(f"{finding.name}: {missing}\n")
        return 0
    sys.stdout.write(summary(finding, worst) + "\n")
    try:
        text = finding.certificate_of(game, worst)
    except NotCertifiable as reason:
        sys.stdout.write(f"  not reproduced: {reason}\n")
        return 1
    check(text)
    if directory:
        place = directory / finding.file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
