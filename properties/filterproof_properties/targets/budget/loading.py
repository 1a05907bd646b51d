"""Loads a budget object's class and reads its signatures, by the standard library only."""

import asyncio
import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from typing import Any

FRAMES = 3
"""So many frames of a traceback at most are shown."""


class Fault(Exception):
    """The object cannot be made or asked; the message says what was called and what came back."""


def load(spec: str) -> Any:
    """Return what a name stands for: package.module:name or path/to/file.py:name.

    A file inside a package is imported as a part of it, so that its relative imports work.
    """
    where, _, name = spec.rpartition(":")
    if not where:
        raise Fault(f"need FILE.py:NAME or package.module:NAME; got {spec!r}")
    module = _module(where)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [key for key, value in vars(module).items() if _is_own(key, value, module)]
            raise Fault(f"{where} has no {name!r}; it has {', '.join(public) or 'nothing'}")
        found = getattr(found, part)
    return found


def _is_own(key: str, value: Any, module: Any) -> bool:
    return not key.startswith("_") and getattr(value, "__module__", None) == module.__name__


def _module(where: str) -> Any:
    if not where.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return _ran(where, lambda: importlib.import_module(where))
    path = os.path.abspath(where)
    if not os.path.isfile(path):
        raise Fault(f"no such file: {where}")
    folder, name = os.path.dirname(path), os.path.basename(path)[: -len(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    sys.path.insert(0, folder)
    if "." in name:
        return _ran(where, lambda: importlib.import_module(name))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Fault(f"not a Python file: {where}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _ran(where, lambda: loader.exec_module(module))
    return module


def _ran(where: str, run: Any) -> Any:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return run()
    except (Exception, SystemExit) as error:
        raise Fault(f"{where} cannot be loaded: {said(error)}") from None


def said(error: BaseException) -> str:
    """Return an exception in one line, with the places in the user's own files it came from."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not _is_ours(one)]
    places = " < ".join(f"{one.filename}:{one.lineno}" for one in frames[::-1][:FRAMES])
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what} ({places})" if places else what


def _is_ours(frame: Any) -> bool:
    inside = ("<frozen", "<string>", os.path.dirname(__file__), os.path.dirname(asyncio.__file__))
    return str(frame.filename).startswith(inside) or frame.filename == contextlib.__file__


# --- what it can be asked for -------------------------------------------------------------------

Parameters = list[tuple[str, bool]]
"""Names of parameters, each with whether it must be given."""


def described(target: str, calls: list[str]) -> dict[str, Any]:
    """Return the parameters of what makes the object, and of each method; None if unknown."""
    make = load(target)
    if not callable(make):
        raise Fault(f"{target} must be a class or a function that makes a budget object")
    methods = {call: _method(target, make, call) for call in calls}
    return {"open": _parameters(make), "methods": methods}


def _method(target: str, make: Any, call: str) -> Parameters | None:
    """Return the parameters of a method; of a dotted one, or a factory's, nothing is known."""
    if "." in call or not inspect.isclass(make):
        return None
    if not hasattr(make, call):
        public = [one for one in dir(make) if not one.startswith("_")]
        near = difflib.get_close_matches(call, public, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(public) or 'none'}"
        raise Fault(f"{target} has no method {call!r}; {hint}")
    found = _parameters(getattr(make, call))
    is_static = isinstance(inspect.getattr_static(make, call), staticmethod | classmethod)
    return found if found is None or is_static else found[1:]


def _parameters(function: Any) -> Parameters | None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    named = [one for one in signature.parameters.values() if one.kind not in (2, 4)]
    return [(one.name, one.default is one.empty) for one in named]
