"""Calls: how arguments become parameters, and which of Python's own functions may be called."""

import functools
import inspect
import types
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof_proofs.symbolic.classes import METHODS
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.growing import Growing, Mapped, ask_growing
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.library import (
    CONTAINERS,
    HANDLERS,
    KNOWN_ONLY,
    NUMERIC,
    OWN,
    PLAIN,
    UNORDERED,
    HostMethod,
    call_method,
)
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.modules import call_known, call_trusted, is_trusted
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.scopes import parameters
from filterproof_proofs.symbolic.values import (
    MISSING,
    Function,
    Instance,
    Opaque,
    Raised,
    kind_of_instance,
    special_method,
)

SAID: tuple[Any, ...] = (str, repr, format, print)
"""Functions that write something into a message."""


def call_host(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    """Call something that is no function or class of the code."""
    if isinstance(function, HostMethod):
        return call_method(machine, function, args, kwargs)
    if isinstance(function, functools.partial):
        given = {**function.keywords, **kwargs}
        return machine.call(function.func, *function.args, *args, **given)
    if isinstance(function, Opaque):
        raise machine.unsupported(function.what)
    if isinstance(function, types.FunctionType) and function.__module__.startswith(__package__):
        return function(*args, **kwargs)  # a part of the library that was made on the way
    return _call_own(machine, function, args, kwargs)


def call_instance(machine: Machine, obj: Instance, args: Any, kwargs: Any) -> Value:
    """Call an object of a class of the code."""
    kind = kind_of_instance(obj)
    found = special_method(kind, "__call__")
    if found is MISSING:
        raise Raised(TypeError(f"'{kind.name}' object is not callable"))
    return machine.call(found, obj, *args, **kwargs)


def _call_own(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    if args and isinstance(args[0], (Growing, Mapped)) and function not in SAID:
        return ask_growing(machine, function, args, kwargs)
    if any(isinstance(one, Keyed) for one in args) and function not in (*SAID, isinstance, type):
        raise machine.unsupported("a dictionary keyed by names is used as a whole")
    if function in NUMERIC or function in PLAIN or function in KNOWN_ONLY:
        args = tuple(one.resolved() if isinstance(one, AnyEpsilon) else one for one in args)
        if any(isinstance(one, Name) for one in args):
            raise machine.run.stuck("a name is read")
    if function in HANDLERS:
        return _answer(machine, HANDLERS[function], args, kwargs)
    machine.use(*args)
    if function in PLAIN:
        unordered = any(isinstance(one, (set, frozenset)) and len(one) > 1 for one in args)
        if unordered and function not in UNORDERED:
            raise machine.unsupported("the order of a set is used")
        made = machine.host(function, *args, **kwargs)
        return machine.created(made) if isinstance(made, (*CONTAINERS, Iterator)) else made
    if function in KNOWN_ONLY or _belongs_to_a_number(function):
        return call_known(machine, function, args, kwargs)
    if is_trusted(function) or _is_made_here(function):
        made = call_trusted(machine, function, args, kwargs)
        if isinstance(made, BaseException):
            vars(made)[OWN] = True
        return machine.created(made) if isinstance(made, CONTAINERS) else made
    raise machine.unsupported(f"a call of {getattr(function, '__name__', type(function).__name__)}")


def _answer(machine: Machine, function: Any, args: Any, kwargs: Any) -> Value:
    """Call a library function of ours; Python's own may take arguments that ours does not."""
    try:
        _signature(function).bind(machine, *args, **kwargs)
    except TypeError as error:
        raise machine.unsupported(f"these arguments: {error}") from None
    return function(machine, *args, **kwargs)


def bind_arguments(
    machine: Machine, function: Function, args: Any, kwargs: Any
) -> dict[str, Value]:
    """Give every parameter its value, or raise what Python raises."""
    spec = function.node.args
    plain = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    names = dict(zip(plain, args, strict=False))
    if spec.vararg is not None:
        names[spec.vararg.arg] = tuple(args[len(plain) :])
    elif len(args) > len(plain):
        raise Raised(TypeError(f"{function.name}() takes {len(plain)} arguments"))
    allowed = {one.arg for one in (*spec.args, *spec.kwonlyargs)}
    others = {key: value for key, value in kwargs.items() if key not in allowed}
    if (others and spec.kwarg is None) or (set(kwargs) & allowed & set(names)):
        raise Raised(TypeError(f"{function.name}() got an unexpected argument"))
    names |= {key: value for key, value in kwargs.items() if key in allowed}
    if spec.kwarg is not None:
        names[spec.kwarg.arg] = machine.created(others)
    for name, value in zip(reversed(plain), reversed(function.defaults), strict=False):
        names.setdefault(name, value)
    for name, value in function.keyword_defaults.items():
        names.setdefault(name, value)
    if missing := [one for one in parameters(spec) if one not in names]:
        raise Raised(TypeError(f"{function.name}() needs {missing[0]}"))
    return names


@functools.cache
def _signature(function: Any) -> inspect.Signature:
    return inspect.signature(function)


def _belongs_to_a_number(function: Value) -> bool:
    """Whether it is a method of a number that is known."""
    return isinstance(getattr(function, "__self__", None), (int, float, Fraction, Decimal))


def _is_made_here(function: Value) -> bool:
    """Whether calling it makes an exception, an enumeration's member or a named tuple."""
    if isinstance(function, types.MethodType | types.BuiltinFunctionType):
        return function.__name__ in ("_replace", "_asdict", "_make", "fromkeys", "from_float")
    return isinstance(function, type) and (
        hasattr(function, METHODS) or issubclass(function, BaseException)
    )
