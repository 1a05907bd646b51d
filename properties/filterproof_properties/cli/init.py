"""`filterproof init`: a first filter with test and workflow, or a budget object's entry."""

import argparse
import json
import shlex
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

from filterproof.budget_calls import BudgetCalls, to_table
from filterproof_properties.cli.calls import tried_object
from filterproof_properties.cli.options import add_options
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.targets.target import TargetError

EPILOG = """\
The files are yours: change the filter, and the test and the workflow go on auditing it.
Nothing is overwritten.  In a project that has a pyproject.toml that file is left as it is.

With `adapter` and a LIBRARY (package.module:Class or path/to/file.py:Class) it tries the calls that
spend from the library's budget, and adds them to pyproject.toml: the class is audited as it is.

examples:
  filterproof init my-filter && cd my-filter && filterproof audit
  filterproof init adapter diffprivlib:BudgetAccountant --check check --spend spend \\
    --between --refusal ValueError"""

ADAPTER = Path("adapter")
"""Stands for no folder if a library follows."""

WRITTEN = {
    "my_filter.py": "my_filter.py",
    "claims.py": "test_my_filter.py",
    "workflow.yml": ".github/workflows/filterproof.yml",
    "pyproject.toml": "pyproject.toml",
}
"""The files of the folder `starter`, and where they are written."""

OPTIONAL = "pyproject.toml"

NEXT = """\
next:{enter}
  filterproof audit my_filter.py:MyFilter              look for a game that breaks it
  pytest -q test_my_filter.py                          the same as tests, one per claim
  filterproof prove my_filter.py:MyFilter --outputs 2  prove its code
"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR")
    made.add_argument("target", nargs="?", metavar="LIBRARY")
    add_options(made, "calls")


def run(options: argparse.Namespace) -> int:
    """Write the files, name them, and say what to do next."""
    spends = options.spend is not None
    if options.target is None and not spends:
        write(starter_files(options.folder))
        sys.stdout.write(f"\n{next_steps(options.folder)}")
        return 0
    if options.target is None or options.folder != ADAPTER or not spends:
        raise TargetError("need: filterproof init adapter LIBRARY --spend CALL")
    found = tried_object(options.target, vars(options))
    name = configure(found.target, found.calls)
    sys.stdout.write(f"\nnext:\n  filterproof audit {name}\n")
    return 0


def next_steps(folder: Path) -> str:
    """Return the commands that come next; they are given in the folder.

    >>> print(next_steps(Path("my-filter")).splitlines()[1])
      cd my-filter
    """
    return NEXT.format(enter="" if folder == Path() else f"\n  cd {shlex.quote(str(folder))}")


def write(texts: dict[Path, str]) -> None:
    """Write the files and name them; nothing is overwritten."""
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} exists, and nothing is overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_in_time(path, text.encode())
        sys.stdout.write(f"wrote {path}\n")


def starter_files(folder: Path) -> dict[Path, str]:
    """Return each file to write, with its text; a project's own settings stay as they are."""
    texts = {folder / place: starter(name) for name, place in WRITTEN.items()}
    if (folder / OPTIONAL).exists():
        del texts[folder / OPTIONAL]
    return texts


def starter(name: str) -> str:
    """Return the text of a file of the folder `starter`."""
    return (files("filterproof_properties.cli") / "starter" / name).read_text("utf-8")


# --- a budget object --------------------------------------------------------------------------


def configure(target: str, calls: BudgetCalls) -> str:
    """Add a budget object to the configuration of this folder; return its name there."""
    path, name = Path("pyproject.toml"), target.rpartition(":")[2].lower()
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    targets = tomllib.loads(before).get("tool", {}).get("filterproof", {}).get("targets", {})
    if not isinstance(targets, dict) or name in targets:
        raise TargetError(
            f"{path} has {'a list of targets' if name not in targets else name!r} already, and "
            f"nothing is overwritten; the entry is\n{entry(name, target, calls)}"
        )
    write_in_time(path, f"{before}\n{entry(name, target, calls)}".lstrip("\n").encode())
    sys.stdout.write(f"wrote [tool.filterproof.targets.{name}] to {path}\n")
    return name


def entry(name: str, target: str, calls: BudgetCalls) -> str:
    """Return the table of a configuration that names a budget object.

    >>> print(entry("shop", "shop.py:Budget", BudgetCalls(("spend(epsilon)",))), end="")
    [tool.filterproof.targets.shop]
    target = "shop.py:Budget"
    spend = ["spend(epsilon)"]
    """
    lines = {"target": target, **to_table(calls)}
    table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
    return f"[tool.filterproof.targets.{name}]\n{table}"
