"""A target by the name of its code: package.module:attribute, or path/to/file.py:attribute."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from filterproof_properties.processes.isolated import behind_the_standard_library
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
    if not path.is_file():
        raise TargetError(f"no such file: {path}")
    name = f"filterproof_target_{path.stem}_{crc32(str(path.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"not a Python file: {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its classes can be sent to another process
    behind_the_standard_library([str(path.resolve().parent)])  # its neighbours, now and later
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"{path} raised {type(error).__name__}: {error}") from error
    return module
