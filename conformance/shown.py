"""Runs the script of a finding where this project cannot be imported."""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

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
        child, lines = Child(command, Limits(), visible=[str(path)]), []
        try:
            while True:
                lines.append(child.line(SECONDS, MOST_BYTES).decode())
        except Ended:
            return Shown("\n".join(lines) + "\n", child.how(ENDING), child.noise())
        finally:
            child.close()
