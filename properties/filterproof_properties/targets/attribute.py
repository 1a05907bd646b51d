"""A target by the name of its code: package.module:attribute, or path/to/file.py:attribute."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from filterproof_properties.processes.isolated import PACKAGES, behind_the_standard_library
from filterproof_properties.targets.target import TargetError


def attribute(spec: str) -> Any:
    """Run a stranger's module and return the target in it."""
    where, _, name = spec.rpartition(":")
    module = _from_file(Path(where)) if where.endswith(".py") else _from_name(where)
    try:
        target = getattr(module, name)
    except AttributeError:
        public = [key for key in vars(module) if not key.startswith("_")]
        raise TargetError(f"{where} has no attribute {name!r}; it has {public}") from None
    if not callable(target):
        raise TargetError(f"{spec} must be callable as (epsilon, delta) -> filter; got {target!r}")
    return target


def _from_name(name: str) -> ModuleType:
    behind_the_standard_library([os.getcwd()])
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise TargetError(f"cannot import {name!r}: {type(error).__name__}: {error}") from error


def _from_file(path: Path) -> ModuleType:
    """Run a file; inside a package it is imported as a part of it, so that its imports work."""
    if not path.is_file():
        raise TargetError(f"no such file: {path}")
    packages = _packages(path.resolve())
    if not packages:
        return _alone(path)
    names = [*packages, *([] if path.stem == "__init__" else [path.stem])]
    if packages[0] in PACKAGES:
        _look_in(packages, path.resolve().parent)
    else:
        root = str(path.resolve().parents[len(packages)])
        sys.path[:] = [one for one in sys.path if one != root]
        behind_the_standard_library([root])
    module: ModuleType = _ran(str(path), lambda: importlib.import_module(".".join(names)))
    if module.__file__ is None or not os.path.samefile(module.__file__, path):
        said = f"{'.'.join(names)} is imported from {module.__file__}, not from {path}"
        raise TargetError(f"{said}: a module of that name is loaded already")
    return module


def _packages(path: Path) -> list[str]:
    """Return the names of the packages around a file, the outermost first."""
    found: list[str] = []
    here = path.parent
    while (here / "__init__.py").is_file() and here.parent != here:
        found.insert(0, here.name)
        here = here.parent
    return found


def _look_in(packages: list[str], folder: Path) -> None:
    """Let a package of this project be that of another folder: an older version of its filters."""
    package = importlib.import_module(".".join(packages))
    if list(package.__path__) == [str(folder)]:
        return
    for name in [one for one in sys.modules if one.startswith(f"{package.__name__}.")]:
        del sys.modules[name]
    package.__path__ = [str(folder)]


def _alone(path: Path) -> ModuleType:
    name = f"filterproof_target_{path.stem}_{crc32(str(path.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"not a Python file: {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its classes can be sent to another process
    behind_the_standard_library([str(path.resolve().parent)])  # its neighbours, now and later
    loader = spec.loader
    _ran(str(path), lambda: loader.exec_module(module))
    return module


def _ran(path: str, run: Callable[[], Any]) -> Any:
    try:
        return run()
    except (Exception, SystemExit) as error:
        raise TargetError(f"{path} raised {type(error).__name__}: {error}") from error
