"""A change of a module that is in use: the functions that are there take the changed code.

Whatever holds such a function (a decorator, a class, a table) goes on holding it.  What a module
works out when it is imported, constants and default values, is worked out again beside it and
put into its place where it is plain data.
"""

import gc
import inspect
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from re import Pattern
from types import CodeType, FunctionType, ModuleType
from typing import Any

PLAIN = (int, float, str, bytes, Fraction, Pattern, type(None))

Functions = Mapping[str, list[FunctionType]]


class CannotBeApplied(Exception):
    """A change that shows only in a process that imports the changed file."""


def functions_of(code: str) -> Functions:
    """Return every function there is whose code is in this folder, by file."""
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(code):
            found.setdefault(one.__code__.co_filename, []).append(one)
    return found


def apply(was: CodeType, code: CodeType, module: ModuleType, functions: list[FunctionType]) -> None:
    """Change a module, whose file had the code `was`, into what this code would make of it.

    What is in use need not be what was in the file: pytest rewrites functions with assertions.
    """
    old, new = ({_place(one): one for one in _codes(each)} for each in (was, code))
    changed = 0
    for function in functions:
        place = _place(function.__code__)
        if place in new and new[place] != old.get(place):
            function.__code__ = new[place]
            changed += 1
    if not changed:
        scratch = ModuleType(module.__name__)
        scratch.__file__, scratch.__package__ = module.__file__, module.__package__
        exec(code, vars(scratch))
        if not _taken_over(module, scratch, module.__name__):
            raise CannotBeApplied


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _taken_over(old: Any, new: Any, home: str) -> int:
    """Take plain values and defaults over from a module or class; return how many differed."""
    count = 0
    for name, one in list(vars(new).items()):
        was = vars(old).get(name)
        if isinstance(one, type) and isinstance(was, type) and one.__module__ == home:
            count += _taken_over(was, one, home)
        elif (made := _function(one)) and (there := _function(was)):
            for kind in ("__defaults__", "__kwdefaults__"):
                told, said = getattr(made, kind), getattr(there, kind)
                if _plain(told) and _plain(said) and told != said:
                    setattr(there, kind, told)
                    count += 1
        elif not name.startswith("__") and _plain(one) and _plain(was) and one != was:
            _put(old, name, was, one)
            count += 1
    return count


def _function(one: Any) -> FunctionType | None:
    held = getattr(one, "fget", None) or getattr(one, "__func__", one)
    found = inspect.unwrap(held) if callable(held) and not isinstance(held, type) else None
    return found if isinstance(found, FunctionType) else None


def _plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_plain, [*value, *value.values()]))
    if isinstance(value, (tuple, list, set, frozenset)):
        return all(map(_plain, value))
    return isinstance(value, PLAIN)


def _put(place: Any, name: str, was: Any, value: Any) -> None:
    """Set a name where it is defined, and in the modules that have imported it from there."""
    setattr(place, name, value)
    if isinstance(place, ModuleType):
        for module in list(sys.modules.values()):
            if vars(module).get(name) is was:
                setattr(module, name, value)
