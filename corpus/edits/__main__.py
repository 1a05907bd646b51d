"""Run the gate on every edit: `python -m corpus.edits [--seconds S] [--only NAME ...]`.

Every line is what `filterproof diff OLD NEW --no-looser` says, with the seconds that went by and
those of the processor.  Exit code 0: no looser edit passed, no stricter or harmless one was called
looser, and at least eight of ten harmless ones were PROVED.
"""

import json
import resource
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from corpus.edits import KINDS, TARGETS, Edit, edits

PROVED_AT_LEAST = 8
HEAD = ("kind", "edit", "message", "verdict", "exit", "seconds", "of the processor")


@dataclass(frozen=True)
class Said:
    """What the command said about an edit."""

    edit: Edit
    verdict: str
    code: int
    seconds: float
    processor: float

    @property
    def looser(self) -> bool:
        """Whether it failed as a looser version."""
        return self.code == 1

    @property
    def proved(self) -> bool:
        """Whether the new version was proved to be no looser."""
        return self.verdict == "PROVED no looser"

    def line(self) -> str:
        """Return it as a row of a table."""
        told = (self.edit.kind, self.edit.name, self.edit.message, self.verdict, str(self.code))
        return f"| {' | '.join(told)} | {self.seconds:.1f} | {self.processor:.1f} |"


def compared(edit: Edit, more: Iterable[str]) -> Said:
    """Run the command on one edit."""
    attribute, *words = TARGETS[edit.base]
    with TemporaryDirectory() as folder:
        versions = [f"{path}:{attribute}" for path in edit.versions(Path(folder).resolve())]
        command = [sys.executable, "-m", "filterproof_properties.cli.main", "diff", *versions]
        begun, before = monotonic(), processor()
        done = subprocess.run(
            [*command, *words, *more, "--no-looser", "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    said = json.loads(done.stdout)["verdict"] if done.stdout else done.stderr.strip()
    return Said(edit, said, done.returncode, monotonic() - begun, processor() - before)


def processor() -> float:
    """Return the seconds that the processes which have ended took of the processor."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> int:
    """Print the table and the sum; return the exit code."""
    parser = ArgumentParser(description="Thirty edits, and what the gate says of each.")
    parser.add_argument("--seconds", help="per edit (default: as the command)")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these edits")
    options = parser.parse_args()
    more = ["--seconds", options.seconds] if options.seconds else []
    sys.stdout.write(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}\n")
    found = []
    for edit in [one for kind in KINDS for one in edits(kind)]:
        if not options.only or edit.name in options.only:
            found.append(compared(edit, more))
            sys.stdout.write(found[-1].line() + "\n")
            sys.stdout.flush()
    return total(found)


def total(found: list[Said]) -> int:
    """Print what was caught, proved and passed; return 0 if it is as it should be."""
    by_kind = {kind: [one for one in found if one.edit.kind == kind] for kind in KINDS}
    through = [one for one in by_kind["looser"] if one.code == 0]
    caught = [one for one in by_kind["looser"] if one.looser]
    proved = [one for one in by_kind["harmless"] if one.proved]
    accused = [one for kind in ("harmless", "stricter") for one in by_kind[kind] if one.looser]
    passed = [one for one in by_kind["stricter"] if one.code == 0]
    sys.stdout.write(
        f"\nlooser: {len(caught)} of {len(by_kind['looser'])} shown, {len(through)} passed; "
        f"harmless: {len(proved)} of {len(by_kind['harmless'])} proved; "
        f"stricter: {len(passed)} of {len(by_kind['stricter'])} passed; "
        f"called looser and not so: {len(accused)}\n"
    )
    enough = len(proved) >= min(PROVED_AT_LEAST, len(by_kind["harmless"]))
    return 0 if enough and not through and not accused else 1


if __name__ == "__main__":
    raise SystemExit(main())
