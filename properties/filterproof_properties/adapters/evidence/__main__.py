"""Replays the findings: `python -m filterproof_properties.adapters.evidence [NAME ...]`.

First the adapters are shown to answer as a live object of their library does (see `equivalence`).
What needs a library that is not installed is named with the extra that installs it.  The exit code
is 0 if all the rest held: every finding was reproduced and its certificate accepted by the checker.
"""

import argparse
import sys
from pathlib import Path

from filterproof.certificate import NotCertifiable, certify
from filterproof_proofs.checker import check
from filterproof_properties.adapters import info_of
from filterproof_properties.adapters.evidence.equivalence import COMPARISONS, disagreement
from filterproof_properties.adapters.evidence.findings import FINDINGS, Finding, finding_of, summary
from filterproof_properties.adapters.support.library import MissingLibrary

SAMPLES = 50


def main(arguments: list[str] | None = None) -> int:
    """Replay the named findings, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m filterproof_properties.adapters.evidence")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--library", metavar="EXTRA", help="all findings on one library")
    parser.add_argument("--write", type=Path, metavar="DIR", help="store the certificates there")
    options = parser.parse_args(arguments)
    chosen = [finding_of(name) for name in options.names] or list(FINDINGS)
    if options.library:
        chosen = [f for f in chosen if info_of(f.adapter).extra == options.library]
    extras = {info_of(finding.adapter).extra for finding in chosen}
    codes = [compared(name) for name in COMPARISONS if info_of(name).extra in extras]
    return max([*codes, *(replayed(finding, options.write) for finding in chosen)], default=0)


def compared(name: str) -> int:
    """Compare one adapter with a live object; return 0 if they agree or the library is missing."""
    try:
        found = disagreement(COMPARISONS[name], SAMPLES)
    except MissingLibrary as missing:
        sys.stdout.write(f"{name}: {missing}\n")
        return 0
    said = f"differ: {found}" if found else "agree"
    sys.stdout.write(f"{name}: replay and live object on {SAMPLES} samples: {said}\n")
    return int(found is not None)


def replayed(finding: Finding, directory: Path | None) -> int:
    """Replay one finding; return 0 if it was reproduced or its library is missing."""
    try:
        game, worst = finding.played()
    except MissingLibrary as missing:
        sys.stdout.write(f"{finding.name}: {missing}\n")
        return 0
    sys.stdout.write(summary(finding, worst) + "\n")
    try:
        text = certify(finding.adapter, {}, game, finding.epsilon, finding.delta, worst)
    except NotCertifiable as reason:
        sys.stdout.write(f"  not reproduced: {reason}\n")
        return 1
    check(text)
    if directory:
        (directory / f"{finding.name}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
