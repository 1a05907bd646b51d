"""The built-in filters at an older commit, beside those of the work tree.

The old ones are the files of `filterproof/filters` under another package name, so that they import
each other and never a new one; so are the helpers that they compute with.  What they are asked in
(`exact`, `game`, ...) is the work tree's for both, and what changed there is not compared.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILTERS = "reference/filterproof/filters"
PACKAGE, OLDER = "filterproof.filters", "older_filters"
HELPERS = ("privacy", "radicals")
"""What filters import from outside of `filters` to compute with."""
SHARED = ("exact.py", "filter.py", "unknown.py", "game")
"""What both versions are asked in."""
MAKERS = ("_sound", "_bad")
"""The functions by which the registry describes a filter."""


def unchanged(name: str, old: Path, new: Path) -> bool:
    """Whether a filter's entry in the registry and every file that it is made of are the same."""
    entries = [registered(folder).get(name) for folder in (old, new)]
    if None in entries or ast.dump(entries[0] or MISSING) != ast.dump(entries[1] or MISSING):
        return False
    files = {*modules_of(name, new), *modules_of(name, old)}
    return all(text_of(old, one) == text_of(new, one) for one in files)


MISSING = ast.Pass()


def registered(folder: Path) -> dict[str, ast.AST]:
    """Return what makes each filter that the registry of a folder has, as it is written there."""
    calls = [one for one in ast.walk(tree_of(folder, "registry")) if isinstance(one, ast.Call)]
    return {
        str(one.args[0].value): one.args[1]
        for one in calls
        if getattr(one.func, "id", "") in MAKERS and isinstance(one.args[0], ast.Constant)
    }


def modules_of(name: str, folder: Path) -> set[str]:
    """Return the modules that a filter is made of, helpers and what they import included."""
    homes = dict(imported(folder, "registry"))
    used = {one.id for one in ast.walk(registered(folder)[name]) if isinstance(one, ast.Name)}
    found: set[str] = set()
    todo = {homes[one] for one in used if one in homes}
    while todo:
        found |= todo
        todo = {home for one in todo for _, home in imported(folder, one)} - found
    return found


def imported(folder: Path, module: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a module imports from one of `filters` or a helper, with its module."""
    for one in ast.walk(tree_of(folder, module)):
        helper = str(getattr(one, "module", "")).removeprefix("filterproof.")
        if isinstance(one, ast.ImportFrom) and helper in HELPERS:
            yield from ((name.asname or name.name, helper) for name in one.names)
        if isinstance(one, ast.ImportFrom) and one.module == PACKAGE:
            yield from ((name.asname or name.name, name.name) for name in one.names)
        elif isinstance(one, ast.ImportFrom) and (one.module or "").startswith(f"{PACKAGE}."):
            home = str(one.module).removeprefix(f"{PACKAGE}.").partition(".")[0]
            yield from ((name.asname or name.name, home) for name in one.names)


def tree_of(folder: Path, module: str) -> ast.Module:
    """Return a module of a folder, parsed."""
    return ast.parse(text_of(folder, module) or "")


def text_of(folder: Path, module: str) -> str | None:
    """Return the text of a module; None if there is none."""
    path = home_of(folder, module) / f"{module}.py"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def home_of(folder: Path, module: str) -> Path:
    """Return where a module is: a helper beside `filters`, anything else in it."""
    return folder.parent if module in HELPERS else folder


def changed_for_both(old: Path, new: Path) -> list[str]:
    """Return what has changed of that in which both versions are asked."""
    found = []
    for name in SHARED:
        texts = [
            {path.name: path.read_bytes() for path in (top, *top.rglob("*.py")) if path.is_file()}
            for top in (old.parent / name, new.parent / name)
        ]
        found += [name] if texts[0] != texts[1] else []
    return found


def write_versions(old: Path, folder: Path, names: list[str]) -> None:
    """Write two modules into a folder: `old` and `new`, with a target for each name."""
    (folder / OLDER).mkdir()
    helpers = [path for one in HELPERS if (path := old.parent / f"{one}.py").is_file()]
    moved = rf"\bfilterproof\.(filters\b|(?=({'|'.join(HELPERS)})\b))"
    for path in (*old.glob("*.py"), *helpers):
        text = path.read_text(encoding="utf-8")
        text = re.sub(moved, lambda found: OLDER + ("" if found[1] else "."), text)
        (folder / OLDER / path.name).write_text(text, encoding="utf-8")
    for version, package in (("old", OLDER), ("new", PACKAGE)):
        lines = [f"{attribute(one)} = entry({one!r}).target\n" for one in names]
        text = "".join([f"from {package}.registry import entry\n\n", *lines])
        (folder / f"{version}.py").write_text(text, encoding="utf-8")


def attribute(name: str) -> str:
    """Return a filter's name as one of Python."""
    return name.replace("-", "_")
