"""What can be audited, by name: a built-in, an adapter, a module's attribute, a file's attribute.

compensator                     a built-in filter or odometer (see `filterproof list`)
opendp                          an adapter to a third-party library
mylib                           what a library publishes (entry points `filterproof.targets`)
package.module:attribute        anything importable
path/to/file.py:attribute       a file that is not installed
command:prog args               a program that speaks the protocol of docs/internals/PROTOCOL.md
"""

import ast
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from filterproof.filters.registry import REGISTRY, Entry, UnknownFilter, entry
from filterproof.odometers.registry import ODOMETERS
from filterproof_properties.adapters import ADAPTERS, AdapterInfo, MissingLibrary
from filterproof_properties.adapters import load as load_adapter
from filterproof_properties.adapters.entry_points import published_targets
from filterproof_properties.adapters.support.library import NOT_INSTALLED, install
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.reading import refuse_endless
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.attribute import attribute
from filterproof_properties.targets.budget.names import is_budget_object
from filterproof_properties.targets.target import Loaded, Target, TargetError


def _refuse_unloaded(*budget: object) -> NoReturn:
    raise TargetError("the target has not been loaded")


RUNTIME = Entry(
    "runtime",
    _refuse_unloaded,  # its code needs numpy, which a list of names does not
    "compensator",
    "this project, docs/RUNTIME.md: doubles rounded outward",
    "(eps, delta)-DP",
    True,
)
BUILT_INS: tuple[Entry, ...] = (*REGISTRY, RUNTIME, *ODOMETERS)
"""All that can be audited by name: the reference's filters, the one to run, the odometers."""
_OTHERS = {one.name: one for one in (RUNTIME, *ODOMETERS)}


def load(spec: str, timeout: float = Limits.timeout) -> Loaded:
    """Return the target that a command line names, its code loaded into this process.

    A service has so many seconds for each answer.
    """
    if spec in ADAPTERS:
        return replace(describe_target(spec), target=_adapter(ADAPTERS[spec]))
    if is_budget_object(spec):
        return replace(describe_target(spec), target=_budget_object(spec, timeout))
    if ":" in spec:
        return replace(describe_target(spec), target=attribute(spec))
    if is_published(spec):
        return replace(describe_target(spec), target=attribute(published_targets()[spec]))
    return _built_in(_known(spec))


def _known(spec: str) -> Entry:
    """Return what is built in under this name, or an error that lists near names."""
    if spec in _OTHERS:
        return _OTHERS[spec]
    if spec.startswith("odometer"):
        near = get_close_matches(spec, _OTHERS, n=3, cutoff=0.4)
        raise UnknownFilter(f"no odometer {spec!r}; near: {', '.join(near)}")
    return entry(spec)


def describe_target(spec: str) -> Loaded:
    """Return what is known of a target of somebody else's without running any of its code."""
    note = _about(ADAPTERS[spec]) if spec in ADAPTERS else ""
    return Loaded(spec, _refuse_unloaded, ("dp",), note=note)


def is_trusted(spec: str) -> bool:
    """Whether the target is code of this project, so that it need not run in a sandbox."""
    return ":" not in spec and spec not in ADAPTERS and not is_published(spec)


def is_published(spec: str) -> bool:
    """Whether another distribution publishes a target of this name; ours cannot be replaced."""
    return spec in published_targets() and spec not in {one.name for one in BUILT_INS}


def check_name(spec: str) -> None:
    """Raise at once if a plain name is no built-in filter, or an adapter without its library."""
    if spec in ADAPTERS:
        info = ADAPTERS[spec]
        if info.version == NOT_INSTALLED:
            raise TargetError(f"{spec} needs {info.library}: {install(info.extra)}")
    elif spec.endswith(".py") and ":" not in spec:
        raise TargetError(which_of(Path(spec)))
    elif is_trusted(spec):
        _known(spec)


def check_spec(spec: str) -> None:
    """Raise if a name could command a terminal, or names a file that may never end (a pipe)."""
    if not spec.isprintable():
        raise TargetError(f"a target's name must be printable; got {quoted(repr(spec), 200)}")
    if (path := Path(spec.rpartition(":")[0])).suffix == ".py":
        refuse_endless(path)


def which_of(path: Path) -> str:
    """Ask which class or function of a file is meant, and list those that it has."""
    if not path.is_file():
        return f"no such file: {path}"
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"{path} is no Python: {error}"
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    names = [one.name for one in tree.body if isinstance(one, kinds) and one.name[0] != "_"]
    return f"which one of {path}? write {path}:NAME; it has {', '.join(names) or 'none'}"


FILTER_METHODS = {"decide", "__getattr__", "__getattribute__", "__new__"}
"""A class that speaks of one of these may be a filter, or make one."""


def check_shape(spec: str) -> None:
    """Raise if a class of a file is no filter but may be a budget class; the file is read, not run.

    A class that inherits, or is decorated, is not judged.
    """
    where, _, name = spec.rpartition(":")
    for one in _classes(Path(where)):
        plain = not (one.bases or one.keywords or one.decorator_list)
        if one.name == name and plain and not FILTER_METHODS & _words(one):
            public = [each.name for each in one.body if isinstance(each, ast.FunctionDef)]
            calls = ", ".join(each for each in public if each[0] != "_") or "none"
            raise TargetError(
                f"{spec} has no method 'decide', so it is no filter. If it is a budget class, name "
                f"the method that books a spend: --spend NAME (its methods: {calls})"
            )


def _classes(path: Path) -> list[ast.ClassDef]:
    """Return the classes of a file; none if it cannot be read, which is told when it is run."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    return [one for one in body if isinstance(one, ast.ClassDef)]


def _words(one: ast.ClassDef) -> set[str]:
    """Return what a class defines or speaks of: names, attributes and functions."""
    kinds = {ast.Name: "id", ast.Attribute: "attr", ast.FunctionDef: "name"}
    nodes = ast.walk(one)
    return {getattr(node, kinds[type(node)]) for node in nodes if type(node) in kinds}


def _built_in(known: Entry) -> Loaded:
    target = _runtime() if known is RUNTIME else known.target
    return Loaded(known.name, target, known.claims, known.sound, known.why)


def _runtime() -> Target:
    from filterproof.runtime.audited import RuntimeCompensator

    return RuntimeCompensator


def _budget_object(spec: str, timeout: float) -> Target:
    from filterproof_properties.targets.budget.named import load_budget

    return load_budget(spec, timeout)


def _adapter(info: AdapterInfo) -> Target:
    try:
        return load_adapter(info.name)
    except MissingLibrary as error:
        raise TargetError(str(error)) from None


def _about(info: AdapterInfo) -> str:
    """Say what is audited, so that no finding is read as more than it is."""
    return (
        f"{info.library} {info.version}, {info.kind}. Promised: {info.promise}. "
        f"Assumed: {info.assumption}. A violation is that of {info.fault}."
    )
