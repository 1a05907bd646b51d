"""Replays the findings: `python -m filterproof_properties.adapters [NAME ...] [--write DIR]`.

A finding whose library is not installed is named with the extra that installs it.  The exit code
is 0 if every other one was reproduced and its certificate accepted by the checker, else 1.
"""

import argparse
import sys
from pathlib import Path

from filterproof.certificate import NotCertifiable, certify
from filterproof_proofs.checker import check
from filterproof_properties.adapters.findings import FINDINGS, Finding, finding_of, summary
from filterproof_properties.adapters.library import MissingLibrary


def main(arguments: list[str] | None = None) -> int:
    """Replay the named findings, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m filterproof_properties.adapters")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", type=Path, metavar="DIR", help="store the certificates there")
    options = parser.parse_args(arguments)
    chosen = [finding_of(name) for name in options.names] or list(FINDINGS)
    return max(replayed(finding, options.write) for finding in chosen)


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
