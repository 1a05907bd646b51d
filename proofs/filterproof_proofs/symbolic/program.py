"""The source of a target: its file, and the modules that it imports by source.  Nothing is run.

A module of the same directory or package is read as source too.  Modules of the standard library
and of this project's reference are *known*: the interpreter has its own answer for what they offer
(`library`).  Everything else can be imported, and the first use of it is named with its line.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from filterproof.unknown import Unknown
from filterproof_proofs.symbolic.growing import Grown
from filterproof_proofs.symbolic.keyed import Kept
from filterproof_proofs.symbolic.run import Unsupported

OURS = Path(inspect.getfile(Unknown)).resolve().parents[1]
"""Where this project's own filters are."""
TRUSTED = (
    "filterproof.exact",
    "filterproof.privacy",
    "filterproof.filter",
    "filterproof.game",
    "filterproof.game.game",
    "filterproof.game.law",
    "filterproof.unknown",
    "filterproof.radicals",
    "filterproof.filters.common",
    "filterproof.filters.parameters",
)
"""Modules whose functions are called as they are; the other filters are interpreted."""


class NoSource(ValueError):
    """A target that has no source to be read: compiled, or made while something ran."""


@dataclass(frozen=True)
class Source:
    """One file: its name as a module, its path and its tree."""

    name: str
    path: Path
    tree: ast.Module = field(repr=False)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Program:
    """The source of a target, and the name that it has there."""

    main: Source
    attribute: str
    roots: tuple[Path, ...]
    """Where absolute imports are looked for."""
    made: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Enumerations and named tuples: the same ones in every run."""
    growing: dict[str, Grown] = field(default_factory=dict, repr=False)
    """Lists of the state that grow, by their names."""
    keyed: dict[str, Kept] = field(default_factory=dict, repr=False)
    """Dictionaries of the state that are keyed by names, by their own."""
    _read: dict[str, Source | None] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, path: Path, attribute: str) -> "Program":
        """Read a target's file; `Unsupported` says what is no Python."""
        package = _package(path)
        top = path.resolve().parents[len(package)]
        name = ".".join((*package, path.stem)) if path.stem != "__init__" else ".".join(package)
        return cls(_read_source(name, path), attribute, (top, path.resolve().parent))

    @classmethod
    def named(cls, module: str, attribute: str) -> "Program":
        """Read the source of a module that could be imported; nothing is imported."""
        where: list[str] | None = ["", *sys.path]
        found = None
        for count, name in enumerate(parts := module.split("."), 1):
            found = PathFinder.find_spec(".".join(parts[:count]), where)
            if found is None:
                raise NoSource(f"no source: there is no module {name!r} of {module}")
            where = list(found.submodule_search_locations or [])
        if found is None or found.origin is None or not found.origin.endswith(".py"):
            raise NoSource(f"no source: {module} is not a Python file")
        return cls.load(Path(found.origin), attribute)

    @classmethod
    def of_text(cls, text: str, attribute: str, name: str = "<text>") -> "Program":
        """Return a program out of a text."""
        return cls(_parse(name, Path(name), text), attribute, ())

    @classmethod
    def of(cls, target: Any) -> "Program":
        """Return the source of a class or function of this process, or say that it has none."""
        names = list(_imports(target))
        text = "".join(f"from {module} import {name}\n" for module, name in dict.fromkeys(names))
        roots = tuple({_root(module): None for module, _ in names})
        source = _parse("<target>", Path("<target>"), f"{text}target = {_expression_of(target)}\n")
        return cls(source, "target", roots)

    def source(self, name: str) -> Source | None:
        """Return the source of a module that is to be interpreted; None if it is not found."""
        if name not in self._read:
            self._read[name] = self._found(name)
        return self._read[name]

    def hiding(self, name: str) -> str:
        """Return the file that an import finds in place of a module known by name, or ""."""
        return _hiding(self.roots, name.partition(".")[0])

    def _found(self, name: str) -> Source | None:
        if name == self.main.name:
            return self.main
        parts = name.split(".")
        for root in (OURS,) if parts[0] == "filterproof" else self.roots:
            base = root.joinpath(*parts)
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.is_file() and not (len(parts) == 1 and parts[0] in sys.stdlib_module_names):
                    return _read_source(name, path)
        return None


@cache
def _hiding(roots: tuple[Path, ...], name: str) -> str:
    if name in sys.builtin_module_names:
        return ""
    tops = [root for root in roots if root != OURS and not (root / "__init__.py").is_file()]
    files = [root / file for root in tops for file in (f"{name}.py", f"{name}/__init__.py")]
    return next((f"{one.parent.name}/{one.name}" for one in files if one.is_file()), "")


def _read_source(name: str, path: Path) -> Source:
    try:
        return _parse(name, path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise NoSource(f"no source: {path}: {error}") from None


def _parse(name: str, path: Path, text: str) -> Source:
    try:
        return Source(name, path, ast.parse(text, str(path)))
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise Unsupported(f"{path.name}:{line}: no Python: {error}") from None


def _package(path: Path) -> tuple[str, ...]:
    """Return the names of the packages around a file, the outermost first."""
    found: list[str] = []
    here = path.resolve().parent
    while (here / "__init__.py").is_file() and here.parent != here:
        found.insert(0, here.name)
        here = here.parent
    return tuple(found)


def _imports(target: Any) -> Iterable[tuple[str, str]]:
    if isinstance(target, type) or inspect.isfunction(target):
        if "<" in target.__qualname__ or "." in target.__qualname__:
            raise NoSource(f"no source: {target.__qualname__} is not at the top of a module")
        yield target.__module__, target.__qualname__
        return
    yield type(target).__module__, type(target).__qualname__
    for part in _parts(target):
        yield from _imports(part)


def _parts(target: Any) -> list[Any]:
    names: Iterable[str] = getattr(type(target), "__dataclass_fields__", ())
    if not names:
        raise NoSource(f"no source: a {type(target).__name__} is no class and no function")
    return [getattr(target, name) for name in names]


def _expression_of(target: Any) -> str:
    """Write a target as an expression: a name, or a data class of targets."""
    if isinstance(target, type) or inspect.isfunction(target):
        return str(target.__qualname__)
    return f"{type(target).__qualname__}({', '.join(map(_expression_of, _parts(target)))})"


def _root(module: str) -> Path:
    """Return the directory from which a module of this process was imported."""
    where: Callable[..., Any] = inspect.getsourcefile
    path = where(sys.modules[module]) if module in sys.modules else None
    if path is None:
        raise NoSource(f"no source: {module}")
    package = _package(Path(path))
    return Path(path).resolve().parents[len(package)]
