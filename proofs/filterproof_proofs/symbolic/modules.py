"""Modules that the interpreter knows: what of them may be imported, and small parts of its own."""

import abc
import asyncio
import builtins
import collections
import contextlib
import copy
import dataclasses
import decimal
import enum
import fractions
import functools
import importlib
import itertools
import logging
import math
import numbers
import operator
import sys
import threading
import types
import typing
import warnings
from typing import Any

import filterproof_proofs.symbolic.functions  # noqa: F401  its answers are registered
from filterproof.exact import ExpLinear, budget, exceeds
from filterproof.filters.common import Wrapped, by_cases, check_budget, per_mechanism
from filterproof.privacy import best_event, charge, delta_at, exceeding, risk
from filterproof_proofs.symbolic.arrays import Array, array_of
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.library import (
    HANDLERS,
    KNOWN_ONLY,
    PLAIN,
    handler,
    is_unknown,
)
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Hidden
from filterproof_proofs.symbolic.numpy_names import offered
from filterproof_proofs.symbolic.program import TRUSTED
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import (
    Class,
    Function,
    Instance,
    Opaque,
    Raised,
    Wrapper,
    attributes,
    kind_of_instance,
)

KNOWN = (
    abc, asyncio, collections, contextlib, copy, dataclasses, decimal, enum, fractions, functools,
    itertools, logging, math, numbers, operator, sys, threading, types, typing, warnings,
)  # fmt: skip
MODULES: dict[str, Any] = {one.__name__: one for one in KNOWN}
MODULES["collections.abc"] = collections.abc
LIBRARIES = frozenset({*MODULES, *TRUSTED, "numpy"})
"""Modules that are known by name, and are never interpreted."""


def _type(one: Any) -> type:
    return one if isinstance(one, type) else object


TYPES = ("typing", "collections.abc", "numbers")
"""Modules of names for types: they stand in annotations, base classes and type checks."""
VALUES: frozenset[tuple[str, str]] = frozenset(
    {("sys", "maxsize"), ("types", "MappingProxyType"), ("types", "NoneType"), ("abc", "ABC")}
    | {("abc", "ABCMeta"), ("math", "inf"), ("math", "nan"), ("math", "pi"), ("math", "e")}
    | {("dataclasses", "KW_ONLY"), ("dataclasses", "FrozenInstanceError"), ("enum", "Enum")}
    | {("enum", "StrEnum"), ("enum", "IntEnum"), ("decimal", "InvalidOperation")}
    | {("decimal", name) for name in dir(decimal) if name.startswith("ROUND_")}
)
BUILTINS: dict[str, Value] = {
    name: one
    for name, one in vars(builtins).items()
    if isinstance(one, (type, types.BuiltinFunctionType))
    and (one in PLAIN or one in HANDLERS or issubclass(_type(one), BaseException))
} | {"NotImplemented": NotImplemented, "Ellipsis": Ellipsis, "super": super, "__debug__": True}


BLIND: tuple[Any, ...] = (
    ExpLinear, budget, exceeds, Wrapped, by_cases, check_budget, best_event, charge, delta_at,
    exceeding, risk,
)  # fmt: skip
"""Trusted functions that ask e^epsilon only, whichever kind of epsilon it is."""


@dataclasses.dataclass(eq=False)
class Library:
    """A module that is known: its names are answered one by one."""

    name: str


QUIET = frozenset({"debug", "info", "warning", "error", "exception", "critical", "release"}) | {
    "acquire"
}


@dataclasses.dataclass(eq=False)
class Quiet:
    """A lock or a log: it can be used, and does nothing; one of asyncio in `async with` only."""

    is_async: bool = False

    def acquire(self) -> bool:
        """Wait for the lock: in the end one has it."""
        return True

    def release(self) -> None:
        """Give the lock back."""

    def debug(self, *_: Value, **__: Value) -> None:
        """Say nothing."""

    info = warning = error = exception = critical = debug


@dataclasses.dataclass(eq=False)
class Manager:
    """What a `with` statement enters: a generator, or the exceptions to be hidden."""

    generator: Any = None
    hides: tuple[Value, ...] = ()
    value: Value = None


@dataclasses.dataclass(eq=False)
class Cached:
    """A function whose results are remembered by its arguments; it is computed anew here."""

    function: Value


def known_module(machine: Any, name: str) -> Library:
    """Return a module that is known by name, unless a file beside the target takes its place."""
    hiding = machine.program.hiding(name)
    if hiding:
        raise machine.unsupported(f"{hiding} takes the place of the module {name}")
    return Library(name)


def named(machine: Machine, module: str, name: str) -> Value:
    """Return what a known module offers under a name; what is not interpreted is opaque."""
    if module == "numpy":
        return offered(machine, name)
    if module in TRUSTED:
        return getattr(importlib.import_module(module), name)
    found = getattr(MODULES[module], name, None)
    if found is None:
        raise Raised(ImportError(f"cannot import name '{name}' from '{module}'"))
    if (module, name) == ("typing", "TYPE_CHECKING"):
        return False
    if (module, name) in VALUES or (module in TYPES and not _behaves(found)):
        return found
    known = _hashable(found) and (found in HANDLERS or found in PLAIN or found in KNOWN_ONLY)
    return found if known else Opaque(f"{module}.{name}")


def _behaves(found: Any) -> bool:
    """Whether a name of `typing` is called, and not only written in annotations."""
    return isinstance(found, types.FunctionType) and found is not typing.NamedTuple


def _hashable(found: Any) -> bool:
    return getattr(type(found), "__hash__", None) is not None


def is_trusted(function: Any) -> bool:
    """Whether a function, class or method is one of this project's that is called as it is."""
    if isinstance(function, types.MethodType):
        owner = function.__self__
        return isinstance(owner, Quiet) or is_trusted(type(owner)) or is_trusted(function.__func__)
    if isinstance(function, (types.FunctionType, type)) or hasattr(function, "__wrapped__"):
        made = getattr(function, "stands_for", function)
        return getattr(made, "__module__", "").startswith((*TRUSTED, "filterproof.game."))
    return isinstance(function, Quiet) or getattr(type(function), "__module__", "") in TRUSTED


@handler(functools.partial)
def _partial(machine: Machine, function: Value, *args: Value, **kwargs: Value) -> Value:
    return functools.partial(function, *args, **kwargs)


@handler(functools.cache, Cached)
def _cache(machine: Machine, function: Value) -> Value:
    return Cached(function)


@handler(functools.lru_cache)
def _lru_cache(machine: Machine, *args: Value, **_: Value) -> Value:
    return Cached(args[0]) if args and isinstance(args[0], Function) else Cached


@handler(contextlib.suppress)
def _suppress(machine: Machine, *kinds: Value) -> Value:
    return Manager(hides=kinds)


@handler(contextlib.nullcontext)
def _nullcontext(machine: Machine, value: Value = None) -> Value:
    return Manager(value=value)


@handler(threading.Lock, threading.RLock, logging.getLogger)
def _quiet(machine: Machine, *_: Value) -> Value:
    return Quiet()


@handler(asyncio.Lock)
def _async_lock(machine: Machine) -> Value:
    return Quiet(is_async=True)


@handler(
    warnings.warn, logging.debug, logging.info, logging.warning, logging.error, logging.exception
)
def _say_nothing(machine: Machine, *_: Value, **__: Value) -> None:
    """Say nothing."""


@handler(abc.abstractmethod, typing.final, typing.overload, typing.runtime_checkable, enum.unique)
def _itself(machine: Machine, value: Value) -> Value:
    return value


@handler(typing.cast)
def _cast(machine: Machine, kind: Value, value: Value) -> Value:
    return value


@handler(sys.exit, exit, quit)
def _exit(machine: Machine, *code: Value) -> Value:
    raise Raised(SystemExit(*code))


@handler(dataclasses.is_dataclass)
def _is_dataclass(machine: Machine, value: Value) -> bool:
    kind = kind_of_instance(value) if isinstance(value, Instance) else value
    return kind.data is not None if isinstance(kind, Class) else dataclasses.is_dataclass(value)


@handler(dataclasses.astuple)
def _astuple(machine: Machine, value: Value) -> Value:
    data = kind_of_instance(value).data if isinstance(value, Instance) else None
    if data is None:
        raise machine.unsupported("astuple() of something else than an own data class")
    parts = [attributes(value)[one.name] for one in data.fields]
    if any(isinstance(one, (Instance, list, dict, tuple, set)) for one in parts):
        raise machine.unsupported("astuple() of nested values")
    return tuple(parts)


@handler(copy.copy)
def _copy(machine: Machine, value: Value) -> Value:
    if isinstance(value, Instance):
        kind = kind_of_instance(value)
        if any(isinstance(kind.find(name), Function) for name in ("__copy__", "__deepcopy__")):
            raise machine.unsupported("a class that defines how it is copied")
        made = machine.created(Instance(kind))
        attributes(made).update(attributes(value))
        return made
    if isinstance(value, (list, dict, set, collections.deque)):
        return machine.created(value.copy())
    if isinstance(value, Array):
        return array_of(machine, value) if not value.scalar else value
    if isinstance(value, Hidden):
        raise machine.run.stuck("something that no single round knows is copied")
    return value


@handler(copy.deepcopy)
def _deepcopy(machine: Machine, value: Value) -> Value:
    made = _copy(machine, value)
    if isinstance(made, Instance):
        inside = attributes(made)
        inside.update({name: _deepcopy(machine, one) for name, one in inside.items()})
    elif isinstance(made, dict):
        made.update({key: _deepcopy(machine, one) for key, one in made.items()})
    elif isinstance(made, (list, collections.deque)):
        items = [_deepcopy(machine, one) for one in made]
        made.clear()
        made.extend(items)
    elif type(made) is tuple:
        return tuple(_deepcopy(machine, one) for one in made)
    return made


def call_trusted(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    """Call a function of this project as it is; most of them must know which kind epsilon is."""
    if function not in BLIND and type(function) not in BLIND:
        args = tuple(map(_without_wrapper, args))
        kwargs = {name: _without_wrapper(one) for name, one in kwargs.items()}
    before, machine.run.at_the_door = machine.run.at_the_door, True
    try:
        return machine.host(function, *args, **kwargs)
    except Raised as error:
        if isinstance(error.value, Exception) and "?" in str(error.value):
            error.value.args = (Text(machine),)  # what it says contains an unknown number
        raise
    finally:
        machine.run.at_the_door = before


def _without_wrapper(value: Value) -> Value:
    return value.resolved() if isinstance(value, AnyEpsilon) else value


@handler(per_mechanism)
def _per_mechanism(machine: Machine, cost: Value) -> Value:
    return cost


@handler(by_cases)
def _by_cases(machine: Any, epsilon: Value, function: Value, *args: Value) -> Value:
    """Let a function be explored by itself; what it does to older objects is not allowed."""

    def alone(*given: Value) -> Value:
        with machine.sealed():
            return machine.call(function, *given)

    return machine.host(by_cases, epsilon, alone, *args)


def call_known(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    """Call one of Python's own functions that is right for known numbers only."""
    for one in (*args, *kwargs.values()):
        if is_unknown(one):
            if isinstance(one, Term):
                name = getattr(function, "__name__", "a function")
                raise machine.run.stuck(f"{name}() of a number that is not known")
            raise machine.unsupported(f"{getattr(function, '__name__', function)}() of an object")
    return machine.host(function, *args, **kwargs)


def call_manager(machine: Any, wrapper: Wrapper, args: Any, kwargs: Any) -> Value:
    """Call a function that is decorated with `contextmanager` or `staticmethod`."""
    made = machine.call(wrapper.function, *args, **kwargs)
    return Manager(generator=made) if wrapper.kind == "contextmanager" else made
