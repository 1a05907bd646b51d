"""Lets an older version of a project run from its own checkout, never from the work tree.

The project may be installed (`pip install -e .`), so that its work tree is on the path of every
process.  A process of the older version reads the variable below before it imports any of it:
what the path names of the work tree it then names of the checkout, and a module that can be found
in the work tree only is not found.  Standard library only: other interpreters run this, too.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

VARIABLE = "FILTERPROOF_CHECKOUT"
OURS = ("filterproof", "filterproof_proofs", "filterproof_properties")
INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Checkout:
    """An older commit of a work tree, in a folder of its own."""

    work_tree: str
    folder: str

    def variables(self) -> dict[str, str]:
        """Return what tells a process to look here."""
        told = json.dumps([self.work_tree, self.folder])
        return {VARIABLE: told, "PYTHONDONTWRITEBYTECODE": "1"}  # nothing is written there

    def leaves_out(self, path: str) -> bool:
        """Whether a path is in the work tree, and not something installed inside it."""
        real = os.path.realpath(path)
        if not within(real, self.work_tree):
            return False
        rest = os.path.relpath(real, self.work_tree).split(os.sep)
        prefixes = (sys.prefix, sys.base_prefix)
        return not (
            any(part in INSTALLED for part in rest)
            or any(within(real, os.path.realpath(one)) for one in prefixes)
        )

    def moved(self, path: str) -> str:
        """Return the same path in the checkout, if it is one of the work tree."""
        if not self.leaves_out(path):
            return path
        rest = os.path.relpath(os.path.realpath(path), self.work_tree)
        return os.path.normpath(os.path.join(self.folder, rest))

    def directory(self) -> str:
        """Return the checkout's own directory for the current one; its top where it has none."""
        here = self.moved(os.getcwd())
        return here if os.path.isdir(here) else self.folder


def within(path: str, directory: str) -> bool:
    """Whether a path is a directory or something in it."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def enter(environment: Mapping[str, str]) -> None:
    """Look for modules in the checkout that the environment names, if it names one."""
    entered = any(isinstance(one, NotFromTheWorkTree) for one in sys.meta_path)
    if VARIABLE not in environment or entered:
        return
    checkout = Checkout(*json.loads(environment[VARIABLE]))
    sys.path[:] = dict.fromkeys(checkout.moved(one) if one else one for one in sys.path)
    sys.meta_path.insert(0, NotFromTheWorkTree(checkout))


class NotFromTheWorkTree:
    """Finds what the other finders find, unless it is code of the work tree."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the first module of that name that is not in the work tree."""
        if name.partition(".")[0] in OURS:
            return None
        refused = ""
        for finder in sys.meta_path:
            found = None if finder is self else _find_module(finder, name, path, target)
            if found is not None and not (where := self._left_out(found)):
                return found
            refused = refused or ("" if found is None else where)
        if refused:
            said = f"the older version has no module {name!r}: it is in the work tree only"
            raise ModuleNotFoundError(f"{said} ({refused})", name=name)
        return None

    def _left_out(self, found: ModuleSpec) -> str:
        """Return where a module is, if that is in the work tree."""
        origin = found.origin if found.has_location else None
        places: Iterable[str] = [origin] if origin else list(found.submodule_search_locations or ())
        return next((one for one in places if self.checkout.leaves_out(one)), "")


def _find_module(finder: Any, name: str, path: Any, target: Any) -> ModuleSpec | None:
    find = getattr(finder, "find_spec", None)
    found: ModuleSpec | None = None if find is None else find(name, path, target)
    return found
