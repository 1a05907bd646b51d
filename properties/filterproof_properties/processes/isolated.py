"""Starts our own Python processes so that they import our code and the standard library's first.

`python -P -s isolated.py WHERE MODULE ARGUMENTS` imports one of our modules and calls its `main`.
No file in the working directory or beside a target is imported instead of an installed one, and
the environment has the variables of `PASSED_ON` and no other.  A target's directory is searched by
the target's own process only, after our packages are imported and behind the standard library.
"""

import importlib
import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path

PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME", "NODE_PATH"),
    "PYTHONHASHSEED",  # a run can be repeated
)
"""The variables that a child sees: where programs are, and how text and time are written."""
PACKAGES = ("filterproof", "filterproof_proofs", "filterproof_properties")

_told: list[str] | None = None  # where the process that started this one looks for targets


def environment(more: Iterable[tuple[str, str]] = ()) -> dict[str, str]:
    """Return the environment of a child: the named variables, and some more."""
    return {**{name: os.environ[name] for name in PASSED_ON if name in os.environ}, **dict(more)}


def target_path() -> list[str]:
    """Return the directories in which targets and their modules are looked for by name."""
    return [os.path.abspath(one) for one in sys.path] if _told is None else _told


def python(
    module: str, *arguments: str, serves: Callable[..., object] | None = None, flags: str = ""
) -> list[str]:
    """Return the command that calls `main(arguments)` of one of our modules, isolated.

    With `serves`, a function that the process imports, it cannot import a target: a worker.
    """
    ours = ROOTS if serves is None else [*ROOTS, *_roots([serves.__module__])]
    where = {"ours": ours, "targets": target_path(), "imports": serves is None}
    words = [sys.executable, "-P", "-s", *flags.split(), str(Path(__file__).resolve())]
    return [*words, json.dumps(where), module, *arguments]


def _roots(names: Iterable[str]) -> list[str]:
    """Return the directories from which modules of these names were imported here."""
    found: dict[str, None] = {}
    for name in names:
        if (spec := importlib.util.find_spec(name)) is not None and spec.origin:
            up = name.count(".") + (1 if spec.submodule_search_locations else 0)
            found[str(Path(spec.origin).resolve().parents[up])] = None
    return list(found)


def behind_the_standard_library(path: Iterable[str]) -> None:
    """Let these directories be searched after the standard library, before what is installed."""
    new = [one for one in dict.fromkeys(path) if one not in sys.path]
    standard = [one for one in sys.path if _is_standard(one)]
    sys.path[:] = [*standard, *new, *(one for one in sys.path if one not in standard)]


def _is_standard(directory: str) -> bool:
    path = Path(directory)
    inside = path.is_relative_to(sysconfig.get_path("stdlib")) and "site-packages" not in path.parts
    return inside or path.suffix == ".zip"


def main(where: str, module: str, *arguments: str) -> object:
    """Import our packages and one module of ours; then call its `main`."""
    told = json.loads(where)
    ours = told["ours"]
    sys.path[:] = [one for one in sys.path if one not in ours or _is_standard(one)]
    behind_the_standard_library(ours)
    for package in PACKAGES:
        importlib.import_module(package)
    mine = importlib.import_module("filterproof_properties.processes.isolated")
    vars(mine)["_told"] = told["targets"]
    called = importlib.import_module(module).main
    if told["imports"]:
        behind_the_standard_library(told["targets"])
        importlib.import_module("filterproof_properties.processes.checkout").enter(os.environ)
    return called(list(arguments))


ROOTS = [] if __name__ == "__main__" else _roots(PACKAGES)
"""Where our packages are, looked up before any code of a target's is near."""

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))  # type: ignore[arg-type]
