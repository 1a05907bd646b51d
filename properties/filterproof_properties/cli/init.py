"""`filterproof init`: a first filter with test and workflow, or a draft adapter, ready to run."""

import argparse
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

from filterproof_properties.cli import failopen
from filterproof_properties.failopen.named import Budget
from filterproof_properties.targets.target import TargetError

EPILOG = """\
The files are yours: change the filter, and the test and the workflow go on auditing it.
Nothing is overwritten.  In a project that has a pyproject.toml that file is left as it is.

With `adapter` and a LIBRARY (package.module:Class or path/to/file.py:Class) it writes a draft of an
adapter instead, from the calls that spend from the library's budget (see `filterproof failopen`).

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
next:
  filterproof audit my_filter.py:MyFilter              look for a game that breaks it
  pytest -q test_my_filter.py                          the same as tests, one per claim
  filterproof prove my_filter.py:MyFilter --outputs 2  prove its code
"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR")
    made.add_argument("target", nargs="?", metavar="LIBRARY")
    failopen.add_calls(made, required=False)


def run(options: argparse.Namespace) -> int:
    """Write the files, name them, and say what to do next."""
    spends = hasattr(options, "spend")
    if options.target is None and not spends:
        write(wanted(options.folder))
        sys.stdout.write(f"\n{NEXT}")
        return 0
    if options.target is None or options.folder != ADAPTER or not spends:
        raise TargetError("need: filterproof init adapter LIBRARY --spend CALL")
    path, text = draft(failopen.budget(options))
    write({path: text})
    sys.stdout.write(f"\nnext:\n  filterproof audit {path}:Target\n")
    return 0


def write(texts: dict[Path, str]) -> None:
    """Write the files and name them; nothing is overwritten."""
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} exists, and nothing is overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path}\n")


def wanted(folder: Path) -> dict[Path, str]:
    """Return each file to write, with its text; a project's own settings stay as they are."""
    texts = {folder / place: starter(name) for name, place in WRITTEN.items()}
    if (folder / OPTIONAL).exists():
        del texts[folder / OPTIONAL]
    return texts


def starter(name: str) -> str:
    """Return the text of a file of the folder `starter`."""
    return (files("filterproof_properties.cli") / "starter" / name).read_text("utf-8")


# --- an adapter -------------------------------------------------------------------------------


def draft(budget: Budget) -> tuple[Path, str]:
    """Return where the draft of an adapter is written, and its text."""
    where, _, name = budget.target.rpartition(":")
    file = Path(where)
    module = file.stem if where.endswith(".py") else where
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise TargetError(f"need package.module:Class or path/file.py:Class; got {budget.target!r}")
    folder = file.parent if where.endswith(".py") else Path()
    path = folder / f"{module.replace('.', '_')}_adapter.py"
    text = Template(starter("adapter.txt")).substitute(
        target=budget.target,
        file=path.name,
        module=module,
        name=name,
        refusal=budget.refusal or "Exception",
        opens=name + budget.opens.removeprefix("target"),
        calls="\n".join(calls(budget)),
    )
    return path, text


def calls(budget: Budget) -> list[str]:
    """Return the lines that ask for one mechanism, in the order in which they happen."""
    check, spend = (asking(text) for text in (budget.check, budget.spend))
    fails = f"account.{budget.fails}" if budget.fails else ""
    if budget.between:
        failed = [f"        {fails}"] if fails else []
        return [*check, "    if failed:", *failed, "        return True", *spend]
    return [*check, *spend, *(["    if failed:", f"        {fails}"] if fails else [])]


def asking(text: str) -> list[str]:
    """Return the lines that make one call and heed a refusal."""
    if not text:
        return []
    return [f"    if not granted(lambda: account.{text}, REFUSAL):", "        return False"]
