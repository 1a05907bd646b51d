"""`filterproof init`: a first filter, its test and a workflow for a forge, ready to run."""

import argparse
import sys
from importlib.resources import files
from pathlib import Path

EPILOG = """\
The files are yours: change the filter, and the test and the workflow go on auditing it.
Nothing is overwritten.  In a project that has a pyproject.toml that file is left as it is.

example:
  filterproof init my-filter && cd my-filter && filterproof audit"""

WRITTEN = {
    "my_filter.py": "my_filter.py",
    "claims.py": "test_my_filter.py",
    "workflow.yml": ".github/workflows/filterproof.yml",
    "pyproject.toml": "pyproject.toml",
}
"""The files of the folder `starter`, and where they are written."""

OPTIONAL = "pyproject.toml"

NEXT = """\
next:
  filterproof audit my_filter.py:MyFilter              look for a game that breaks it
  pytest -q test_my_filter.py                          the same as tests, one per claim
  filterproof prove my_filter.py:MyFilter --outputs 2  prove its code
"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR")


def run(options: argparse.Namespace) -> int:
    """Write the files, name them, and say what to do next."""
    texts = wanted(options.folder)
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} exists, and nothing is overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path}\n")
    sys.stdout.write(f"\n{NEXT}")
    return 0


def wanted(folder: Path) -> dict[Path, str]:
    """Return each file to write, with its text; a project's own settings stay as they are."""
    starter = files("filterproof_properties.cli") / "starter"
    texts = {folder / place: (starter / name).read_text("utf-8") for name, place in WRITTEN.items()}
    if (folder / OPTIONAL).exists():
        del texts[folder / OPTIONAL]
    return texts
