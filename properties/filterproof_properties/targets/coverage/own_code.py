"""Finds a target's own code without running it: its class, and what that uses of its own files.

Own files are the target's file and those beside it or in its package.  What is used is found by
its name, so it may be more than is needed, and never less.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from filterproof.budget_calls import complete, is_function
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.adapters.entry_points import published_targets
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.coverage.marks import (
    Definition,
    Mark,
    definitions,
    marks_in,
)
from filterproof_properties.targets.target import COMMAND

if TYPE_CHECKING:
    from filterproof_proofs.symbolic.program import Program, Source

MOST_FILES = 12
"""So many files at most are a target's own: a file, and some that it is split into."""


@dataclass(frozen=True)
class OwnFile:
    """A file of a target and the names at its top that are the target's own.

    `changed` are the lines that another version does not have, where one is compared with it.
    """

    path: str
    text: str
    names: tuple[str, ...]
    changed: frozenset[int] = frozenset()

    @cached_property
    def marks(self) -> list[Mark]:
        """The marks of this file."""
        return marks_in(self.text, self.names)

    @property
    def nodes(self) -> list[Definition]:
        """The target's own functions and classes."""
        found = definitions(ast.parse(self.text).body)
        return [node for node in found if node.name in self.names]


def what_changed(files: Iterable[OwnFile]) -> str:
    """Return the first of a target's files that is no longer what was read; "" if all are."""
    return next((file.path for file in files if _text(file.path) != file.text), "")


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # it is gone, or was replaced by something else
        return None


def own_files(spec: str) -> tuple[OwnFile, ...]:
    """Return the files of a target and what in them is its own; none where it has no source."""
    from filterproof_proofs.symbolic.program import NoSource
    from filterproof_proofs.symbolic.run import Unsupported

    found: dict[Path, set[str]] = {}
    for name in _names(spec):
        try:
            program = program_named(name)
            _collect(program, program.main, program.attribute.partition(".")[0], found)
        except (NoSource, Unsupported, RecursionError):
            continue
    return tuple(_own(path, names) for path, names in found.items() if names)


def _own(path: Path, names: set[str]) -> OwnFile:
    return OwnFile(str(path), path.read_text(encoding="utf-8"), tuple(sorted(names)))


def _names(spec: str) -> list[str]:
    """Return the names of the code that a target is: its class, and the factory that makes it."""
    if is_budget_object(spec):
        target, calls = named(spec)
        whole = complete(calls)
        factory = whole.open.partition("(")[0]
        where, every = target.rpartition(":")[0], (*whole.spend, whole.check, whole.fails)
        names = [one.partition("(")[0].partition(".")[2] for one in every if is_function(one)]
        found = [target, *([factory] if ":" in factory else []), *(f"{where}:{n}" for n in names)]
        return [] if calls.python else [*dict.fromkeys(found)]
    if spec.startswith(COMMAND) or spec in ADAPTERS:
        return []
    return [spec if ":" in spec else published_targets().get(spec, "")]


def program_of(spec: str) -> "Program | None":
    """Return the source of the class or function that a target is; None where there is none."""
    from filterproof_proofs.symbolic.program import NoSource
    from filterproof_proofs.symbolic.run import Unsupported

    try:
        names = _names(spec)
        return program_named(names[0]) if names else None
    except (NoSource, Unsupported, RecursionError):
        return None


def program_named(name: str) -> "Program":
    """Return the source that FILE.py:NAME or package.module:NAME stands for; raise `NoSource`."""
    from filterproof_proofs.symbolic.program import NoSource, Program

    where, _, attribute = name.rpartition(":")
    if not where:
        raise NoSource(f"no source: {name!r}")
    if where.endswith(".py"):
        return Program.load(Path(where), attribute)
    return Program.named(where, attribute)


def _collect(program: "Program", source: "Source", name: str, found: dict[Path, set[str]]) -> None:
    """Add what a name of a source stands for, and all that it uses by name."""
    names = found.setdefault(source.path, set())
    if name in names or (len(found) > MOST_FILES and not names):
        return
    nodes = [node for node in definitions(source.tree.body) if node.name == name]
    for node in nodes:
        names.add(name)
        for used in _names_used(node):
            _collect(program, source, used, found)
    for used in () if nodes else _names_assigned(source, name):
        _collect(program, source, used, found)
    if nodes:
        return
    for module, original in _modules_of_name(source, name):
        if (other := program.source(module)) is not None and "filterproof" not in module:
            _collect(program, other, original, found)


def _names_assigned(source: "Source", name: str) -> Iterator[str]:
    """Yield the names in what is assigned to a name at the top of a source."""
    for node in source.tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == name for one in targets):
                yield from (one for one in _names_used(node.value) if one != name)


def _names_used(node: ast.AST) -> Iterator[str]:
    """Yield the names in a piece of code, in the order in which they stand."""
    every = (one.id if isinstance(one, ast.Name) else "" for one in ast.walk(node))
    attributes = (one.attr if isinstance(one, ast.Attribute) else "" for one in ast.walk(node))
    yield from dict.fromkeys(name for name in (*every, *attributes) if name)


def _modules_of_name(source: "Source", name: str) -> Iterator[tuple[str, str]]:
    """Yield the modules that a source may have a name from, and what it is called there."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            base = source.package.split(".")[: len(source.package.split(".")) - node.level + 1]
            module = ".".join([*(base if node.level else []), *filter(None, [node.module])])
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    yield module, alias.name
