"""Thirty edits of a budget class and of three filters: does the gate let the right ones through?

Each is a commit as somebody would write it: a patch below `harmless/`, `stricter/` or `looser/`
whose first line is its message, for a file of `before/`.  They were written before their author had
read the comparison that judges them.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("harmless", "stricter", "looser")
TARGETS = {
    "ledger": ("Budget", "--spend", "spend"),
    "additive": ("Additive",),
    "compensator": ("Compensator",),
    "naive_product": ("NaiveProduct",),
}
"""What is compared in each file, and the options by which it is asked."""


@dataclass(frozen=True)
class Edit:
    """One commit: its kind, its name, its message, and the file that it changes."""

    kind: str
    name: str
    message: str
    base: str
    patch: Path

    def versions(self, folder: Path) -> tuple[Path, Path]:
        """Write the file before and after the edit; return both paths."""
        old, new = (folder / version / f"{self.base}.py" for version in ("old", "new"))
        for path in (old, new):
            path.parent.mkdir()
            path.write_bytes((HERE / "before" / path.name).read_bytes())
        words = ["git", "apply", "--unsafe-paths", f"--directory={new.parent}", str(self.patch)]
        subprocess.run(words, cwd=folder, check=True)
        return old, new


def edits(kind: str) -> list[Edit]:
    """Return the edits of a kind, in the order of their names."""
    return [_read(kind, path) for path in sorted((HERE / kind).glob("*.patch"))]


def _read(kind: str, patch: Path) -> Edit:
    lines = patch.read_text(encoding="utf-8").splitlines()
    (base,) = [one.removeprefix("--- a/")[:-3] for one in lines if one.startswith("--- a/")]
    return Edit(kind, patch.stem, lines[0], base, patch)
