"""Runs the script of a finding where this project cannot be imported.

`python -m filterproof_properties.adapters.evidence.shown [NAME ...] [--library EXTRA]` runs the
scripts of published findings and prints what they print.  The exit code is 0 if every finding was
still there; what needs a library that is not installed is named.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from filterproof_properties.adapters import info_of
from filterproof_properties.adapters.evidence.findings import Finding, finding_of
from filterproof_properties.adapters.evidence.repro import PUBLISHED, script
from filterproof_properties.adapters.support.library import NOT_INSTALLED, install
from filterproof_properties.processes.child import ENDING, Child, Ended, Limits

SECONDS, MOST_BYTES = 120, 2**20
BROKEN, THERE = "BROKEN", "exit status 1"
"""The last word of a script that shows its finding, and how it ends: so does one that raises."""

ALONE = """\
import runpy, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0].startswith("filterproof"):
            raise ModuleNotFoundError(f"{name} is not to be imported here", name=name)

sys.meta_path.insert(0, Absent())
runpy.run_path(sys.argv[1], run_name="__main__")
"""
"""Runs a file in a Python to which this project is not installed."""


@dataclass(frozen=True)
class Shown:
    """What a script printed, and how it ended."""

    printed: str
    ended: str
    noise: str

    @property
    def there(self) -> bool:
        """Whether the finding was shown, and not an error."""
        return self.ended == THERE and self.printed.rstrip().endswith(BROKEN)


def shown(text: str) -> Shown:
    """Run a script by itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "repro.py"
        path.write_text(text, encoding="ascii")
        command = [sys.executable, "-I", "-W", "ignore", "-c", ALONE, str(path)]
        child, lines = Child(command, Limits()), []
        try:
            while True:
                lines.append(child.line(SECONDS, MOST_BYTES).decode())
        except Ended:
            return Shown("\n".join(lines) + "\n", child.how(ENDING), child.noise())
        finally:
            child.close()


def certificate_of(finding: Finding, certificates: Path) -> str:
    """Return the committed certificate of a finding, from a folder or one below it."""
    (path,) = certificates.rglob(f"{finding.name}.json")
    return path.read_text(encoding="ascii")


def main(arguments: list[str] | None = None) -> int:
    """Run the scripts of the named findings, or of all."""
    parser = argparse.ArgumentParser(
        prog="python -m filterproof_properties.adapters.evidence.shown"
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--library", metavar="EXTRA", help="all findings on one library")
    parser.add_argument("--certificates", type=Path, default=Path("docs/certificates"))
    options = parser.parse_args(arguments)
    chosen = [finding_of(name) for name in options.names] or list(PUBLISHED)
    if options.library:
        chosen = [one for one in chosen if info_of(one.adapter).extra == options.library]
    return max((ran(one, options.certificates) for one in chosen), default=0)


def ran(finding: Finding, certificates: Path) -> int:
    """Run one script; return 0 if the finding is there, or its library is not."""
    info = info_of(finding.adapter)
    sys.stdout.write(f"== {finding.name}\n")
    if info.version == NOT_INSTALLED:
        sys.stdout.write(f"not run: {info.library} is missing: {install(info.extra)}\n")
        return 0
    done = shown(script(certificate_of(finding, certificates)))
    sys.stdout.write(f"{done.printed}{done.ended} {done.noise}\n")
    return int(not done.there)


if __name__ == "__main__":
    sys.exit(main())
