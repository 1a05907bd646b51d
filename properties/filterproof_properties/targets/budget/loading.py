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

from filterproof_properties.processes.isolated import behind_the_standard_library

FRAMES = 3
"""So many frames of a traceback at most are shown."""


BASIC = ("builtins", "decimal", "fractions", "datetime", "typing", "collections.abc")
"""Modules whose classes are nobody's own."""


class Fault(Exception):
    """The object cannot be made or asked; the message says what was called and what came back.

    `raised` is the name of what a call to the object raised, if that was it.
    """

    def __init__(self, what: str, raised: str = "") -> None:
        super().__init__(what)
        self.raised = raised


def load(spec: str) -> Any:
    """Return what a name stands for: package.module:name or path/to/file.py:name.

    A file inside a package is imported as a part of it, so that its relative imports work.
    """
    where, _, name = spec.rpartition(":")
    return find(load_module(where), where, name)


def find(module: Any, where: str, name: str) -> Any:
    """Return what a name, perhaps with dots, stands for in a module."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [key for key, value in vars(module).items() if _is_own(key, value, module)]
            raise Fault(f"{where} has no {name!r}; {_near(name, public)}")
        found = getattr(found, part)
    return found


def _is_own(key: str, value: Any, module: Any) -> bool:
    return not key.startswith("_") and getattr(value, "__module__", None) == module.__name__


def _near(name: str, there: list[str]) -> str:
    """Say which name was meant, or which ones there are."""
    near = difflib.get_close_matches(name, there, n=1)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(there) or 'nothing'}"


def load_module(where: str) -> Any:
    """Return the module of a file, or of a name with dots."""
    if not where:
        raise Fault("need FILE.py:NAME or package.module:NAME")
    if not where.endswith(".py"):
        _search(os.getcwd())
        return _ran(where, lambda: importlib.import_module(where))
    path = os.path.abspath(where)
    if not os.path.isfile(path):
        raise Fault(f"no such file: {where}")
    folder, name = os.path.dirname(path), os.path.basename(path)[: -len(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    _search(folder)
    if "." in name:
        return _ran(where, lambda: importlib.import_module(name))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Fault(f"not a Python file: {where}")
    return _executed(spec)


def load_again(module: Any) -> Any:
    """Return a module loaded again, and with it all of the package that it is in."""
    name, spec = module.__name__, module.__spec__
    top = name.partition(".")[0]
    for one in [one for one in sys.modules if one.partition(".")[0] == top]:
        del sys.modules[one]
    return _ran(name, lambda: importlib.import_module(name)) if "." in name else _executed(spec)


def _executed(spec: Any) -> Any:
    """Return the module of a file that is in no package."""
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    _ran(_near_path(spec.origin), lambda: spec.loader.exec_module(module))
    return module


def _search(folder: str) -> None:
    """Let modules be looked for in a folder first, but for those of the standard library."""
    sys.path[:] = [one for one in sys.path if one != folder]
    behind_the_standard_library([folder])


def _ran(where: str, run: Any) -> Any:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return run()
    except (Exception, SystemExit) as error:
        raise Fault(f"{where} cannot be loaded: {said(error)}") from None


def said(error: BaseException) -> str:
    """Return an exception in one line, with the places in the user's own files it came from."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not _is_ours(one)]
    places = " < ".join(f"{_near_path(one.filename)}:{one.lineno}" for one in frames[::-1][:FRAMES])
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what} ({places})" if places else what


def _near_path(path: str) -> str:
    """Return a path as it is written from the current directory, if it is in there."""
    inside = os.path.join(os.getcwd(), "")
    return path.removeprefix(inside)


def _is_ours(frame: Any) -> bool:
    ours = (os.path.dirname(__file__), os.path.dirname(asyncio.__file__))
    inside = ("<frozen", "<string>", "<call>", *ours)
    return str(frame.filename).startswith(inside) or frame.filename == contextlib.__file__


# --- what it can be asked for -------------------------------------------------------------------

Parameters = list[tuple[str, bool, bool, str]]
"""Names of parameters, each with whether it must be given, whether by its name only, and its type.

The type is "" or a name, and of a class that is the object's own its call: `Cost(epsilon, delta)`.
"""


def described(target: str, calls: list[str], makes: bool) -> dict[str, Any]:
    """Return the parameters of the target and of each method; None if unknown.

    `makes` says that the target is what makes the object.
    """
    where, _, name = target.rpartition(":")
    module = load_module(where)
    it = find(module, where, name)
    if makes and not callable(it):
        raise Fault(
            f"it is made already: name the call that gives it a budget, as in --open "
            f"'{name}.reset(epsilon)', or --open '()' and, by --epsilon, the budget that it has"
        )
    methods = {call: _method(it, call, module) for call in calls}
    return {"open": _parameters(it), "methods": methods}


def _method(make: Any, call: str, module: Any) -> Parameters | None:
    """Return the parameters of a method; of a dotted one, or a factory's, nothing is known."""
    if "." in call or not inspect.isclass(make) or is_function(module, make, call):
        return None
    is_static = isinstance(inspect.getattr_static(make, call, None), staticmethod | classmethod)
    return method_of(make, call, skipped=0 if is_static else 1)


def is_function(module: Any, it: Any, call: str) -> bool:
    """Whether a call that is none of an object's methods is a function of its module."""
    return not hasattr(it, call.partition(".")[0]) and callable(getattr(module, call, None))


def method_of(it: Any, call: str, skipped: int = 0) -> Parameters | None:
    """Return the parameters of a method, without the first ones; None if nothing is known."""
    for part in call.split("."):
        if not hasattr(it, part):
            public = [one for one in dir(it) if not one.startswith("_")]
            raise Fault(f"it has no method {part!r}; {_near(part, public)}")
        it = it if part == "__call__" and not inspect.isclass(it) else getattr(it, part)
    return _parameters(it, skipped)


def _parameters(function: Any, skipped: int = 0) -> Parameters | None:
    try:
        everything = [*_signature(function).parameters.values()][skipped:]
    except (TypeError, ValueError):
        return None
    named = [one for one in everything if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    if everything and not named:
        return _fields(function, everything[0])
    return [
        (one.name, one.default is one.empty, one.kind == one.KEYWORD_ONLY, _type(one.annotation))
        for one in named
    ]


def _signature(function: Any) -> inspect.Signature:
    """Return a signature, with the classes that its annotations name where they can be had."""
    try:
        return inspect.signature(function, eval_str=True)
    except (NameError, SyntaxError, AttributeError):
        return inspect.signature(function)


def _fields(kind: Any, first: inspect.Parameter) -> Parameters | None:
    """Return the fields of a model that takes them by name, `**data`; None if it has none."""
    if not inspect.isclass(kind) or first.kind != first.VAR_KEYWORD:
        return None
    of_bases = [inspect.get_annotations(base) for base in kind.__mro__[::-1]]
    every = {name: one for names in of_bases for name, one in names.items() if name[0] != "_"}
    found = [(name, not hasattr(kind, name), True, _type(one)) for name, one in every.items()]
    return found or None


def _type(annotation: Any) -> str:
    """Return the name of a parameter's type; of a class of its own, its call."""
    if annotation is inspect.Parameter.empty:
        return ""
    name: str = getattr(annotation, "__name__", str(annotation)).rpartition(".")[2]
    if not inspect.isclass(annotation) or annotation.__module__ in BASIC:
        return name
    fields = _parameters(annotation) or []
    return f"{name}({', '.join(one for one, *_ in fields)})"
