"""What Python's own functions, types and methods answer when a number or a name is not known.

A function is called as it is where its answer is right for unknown numbers too (`PLAIN`), has an
answer of its own here (`HANDLERS`, filled by `handler`), or is not interpreted.
"""

import abc
import collections
import dataclasses
import enum
import functools
import itertools
import math
import operator
import types
import typing
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof.exact import ExpLinear, Log
from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.classes import METHODS
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.growing import Growing, Mapped, item_of_growing
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.signs import Sign
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Function,
    Instance,
    Method,
    Opaque,
    Raised,
    Scope,
    UnionOf,
    Wrapper,
    kind_of_instance,
)

CONTAINERS = (list, dict, set, deque)
PLAIN: set[Any] = {
    abs, all, any, divmod, enumerate, filter, map, max, min, pow, reversed, sorted, sum, zip,
    iter, next, range, slice, bytes, chr, ord, complex,
    math.ceil, math.floor, math.trunc, math.prod, math.gcd, math.lcm, math.comb, math.factorial,
    math.copysign, math.perm, math.isqrt,
    itertools.accumulate, itertools.chain, itertools.count, itertools.cycle, itertools.islice,
    itertools.product, itertools.repeat, itertools.takewhile, itertools.dropwhile,
    itertools.combinations, itertools.permutations, itertools.pairwise, itertools.starmap,
    itertools.zip_longest, itertools.groupby, itertools.chain.from_iterable,
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.lt,
    operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.not_,
    operator.itemgetter, operator.attrgetter, functools.reduce,
    types.MappingProxyType, enum.auto, object, collections.namedtuple,
}  # fmt: skip
KNOWN_ONLY: set[Any] = {
    math.sqrt, math.exp, math.log, math.log2, math.log10, math.log1p, math.expm1, math.pow,
    math.fsum, math.isclose, math.hypot, math.nextafter, math.ulp, math.erf, math.erfc, math.tanh,
    math.cbrt, math.ldexp, math.frexp, math.fabs, math.fmod, math.modf, math.sin, math.cos,
    math.lgamma, math.gamma, math.dist, math.remainder, typing.TypeVar, typing.NewType,
    typing.ParamSpec,
}  # fmt: skip
OWN = "made by the code"
"""Marks an exception whose arguments the code itself has given."""
NUMERIC: set[Any] = {int, float, Decimal, Fraction, round, math.isnan, math.isinf, math.isfinite}
"""Functions with an answer of their own that takes a number."""
UNORDERED = {len, sorted, set, frozenset, any, all, min, max, bool, isinstance, type}
READ: dict[type, frozenset[str]] = {
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    dict: frozenset({"get", "keys", "values", "items", "copy", "total", "most_common"}),
    set: frozenset(
        {"union", "intersection", "difference", "issubset", "issuperset", "isdisjoint", "copy"}
    ),
    deque: frozenset({"copy", "count", "index", "maxlen"}),
}
CHANGE: dict[type, frozenset[str]] = {
    list: frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"}),
    dict: frozenset({"update", "setdefault", "pop", "popitem", "clear", "move_to_end"}),
    set: frozenset({"add", "discard", "remove", "update", "clear"}),
    deque: frozenset({"append", "appendleft", "pop", "popleft", "extend", "clear", "rotate"}),
}
BASES = ((dict, (Mapping,)), (set, (frozenset,)), (list, ()), (tuple, ()), (deque, ()))
HANDLERS: dict[Any, Callable[..., Value]] = {}


@dataclasses.dataclass(eq=False)
class HostMethod:
    """A method of one of Python's own objects, with the object."""

    obj: Value
    name: str
    machine: Machine

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        """Call it from a trusted function."""
        return self.machine.call(self, *args, **kwargs)


def handler(*functions: Any) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register the answer to a call of one of Python's own functions."""

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        HANDLERS.update(dict.fromkeys(functions, function))
        return function

    return register


# --- what a value is ------------------------------------------------------------------------------


def is_unknown(value: Value) -> bool:
    """Whether a text of this value would contain something that is not known."""
    if isinstance(value, (Term, Sign, Text, Name, Hidden, Instance, Function, Method, Class)):
        return True
    if isinstance(value, ExpLinear):
        return is_unknown(value.a) or is_unknown(value.b) or is_unknown(value.epsilon)
    if isinstance(value, Log):
        return is_unknown(value.argument)
    if isinstance(value, Mapping):
        return any(is_unknown(part) for item in value.items() for part in item)
    if isinstance(value, BaseException):  # one that Python raised may name our types
        return OWN not in vars(value) or any(map(is_unknown, value.args))
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return any(map(is_unknown, value))
    return type(value).__module__ not in ("builtins", "fractions", "decimal") and not isinstance(
        value, enum.Enum
    )


def is_plain(value: Value) -> bool:
    """Whether a value is Python's own through and through: what it raises, Python raises."""
    if isinstance(value, Mapping):
        return all(is_plain(part) for item in value.items() for part in item)
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return all(map(is_plain, value))
    if isinstance(value, (Term, type)):
        return not isinstance(value, Term) and not hasattr(value, METHODS)
    return value is None or type(value).__module__ in ("builtins", "fractions", "decimal")


def is_plain_or_own(value: Value) -> bool:
    """Whether an operator raises with this value what Python raises: objects of the code too."""
    return isinstance(value, Instance) or is_plain(value)


def type_of(machine: Machine, value: Value) -> Value:
    """Return the type that the value has in an ordinary run."""
    if isinstance(value, Term):
        return value.python_type
    if isinstance(value, AnyEpsilon):
        return value.python_type_now()
    if isinstance(value, Sign):
        return int
    if isinstance(value, (Text, Name)):
        return str
    if isinstance(value, Keyed):
        return value.kind
    if isinstance(value, Array):
        raise machine.unsupported("the type of a number or an array of numpy")
    if isinstance(value, Growing):
        return value.grown.kind
    if isinstance(value, Instance):
        return kind_of_instance(value)
    if isinstance(value, Hidden):
        raise machine.run.stuck("the type of something that no single round knows")
    if isinstance(value, Class):
        return type
    if isinstance(value, (Function, Method, HostMethod)):
        return types.FunctionType
    if isinstance(value, (Opaque, UnionOf)):
        raise machine.unsupported("the type of something that is not interpreted")
    return getattr(type(value), "stands_for", type(value))


def is_instance(machine: Machine, value: Value, kind: Value) -> bool:
    """Answer `isinstance` as an ordinary run would.

    People write 1 where 1.0 was followed: code that tells an int from a float is not proved.
    """
    found = is_of_type(machine, type_of(machine, value), kind)
    is_float = isinstance(value, Term) and value.python_type is float
    if is_float and is_of_type(machine, int, kind) is not found:
        raise machine.run.stuck("the code tells an int from a float, and may be given either")
    return found


def is_of_type(machine: Machine, one: Value, kind: Value) -> bool:
    """Whether values of a type are instances of a kind, or of one of several."""
    if isinstance(kind, UnionOf):
        kind = kind.kinds
    if isinstance(kind, types.UnionType):
        kind = typing.get_args(kind)
    if isinstance(kind, tuple):
        return any(is_of_type(machine, one, each) for each in kind)
    return is_subclass(machine, one, type(None) if kind is None else kind)


def is_subclass(machine: Machine, one: Value, kind: Value) -> bool:
    """Answer `issubclass` as an ordinary run would."""
    if isinstance(kind, tuple):
        return any(is_subclass(machine, one, part) for part in kind)
    if isinstance(kind, Class):
        return isinstance(one, Class) and kind in one.mro
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        raise machine.unsupported("a type check against something that is no class")
    if isinstance(one, Class):
        if isinstance(kind, abc.ABCMeta):
            raise machine.unsupported(f"whether a {one.name} counts as a {kind.__name__}")
        return any(isinstance(base, type) and issubclass(base, kind) for base in one.mro)
    return bool(machine.host(issubclass, one, kind))


def is_exception(value: Value) -> bool:
    """Whether a value can be raised."""
    if isinstance(value, Instance):
        bases = kind_of_instance(value).mro
        return any(isinstance(one, type) and issubclass(one, BaseException) for one in bases)
    return isinstance(value, BaseException)


# --- containers -----------------------------------------------------------------------------------


def check_key(machine: Machine, container: Value, key: Value) -> None:
    """Say so if a name is looked up among texts, or a text among names."""
    if isinstance(container, (Mapping, set, frozenset)):
        if _has(key, Name) and any(_has_text(one) for one in container):
            raise machine.run.stuck("a name is looked up among texts")
        if _has_text(key) and any(_has(one, Name) for one in container):
            raise machine.run.stuck("a text is looked up among names")


def _has(key: Value, kind: type) -> bool:
    return isinstance(key, kind) or (isinstance(key, tuple) and any(_has(k, kind) for k in key))


def _has_text(key: Value) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_text, key))
    return isinstance(key, str) and not isinstance(key, Name)


def contains(machine: Machine, container: Value, value: Value) -> bool:
    """Answer `value in container`."""
    if isinstance(container, (Opaque, Text, Name, Growing, Mapped)):
        raise machine.run.stuck("something unknown is searched")
    if isinstance(value, Name) and isinstance(container, str):
        raise machine.run.stuck("a name is searched in a text")
    if isinstance(container, Keyed):
        return value in container
    machine.use(container)
    check_key(machine, container, value)
    if isinstance(container, type) and issubclass(container, enum.Enum):
        raise machine.unsupported("`in` an enumeration")
    if isinstance(container, (list, tuple, deque)):
        return any(one is value or machine.truth(_equal(machine, one, value)) for one in container)
    return bool(machine.host(operator.contains, container, value))


def _equal(machine: Machine, one: Value, other: Value) -> Value:
    if isinstance(other, Term) and not isinstance(one, Term):
        one, other = other, one
    return machine.host(operator.eq, one, other)


def subscript(
    machine: Machine, obj: Value, key: Value, operation: Callable[..., Any] = operator.getitem
) -> Value:
    """Return obj[key], or set or delete it."""
    if isinstance(obj, (Class, UnionOf)):
        return obj
    if isinstance(obj, (Growing, Mapped)):
        return item_of_growing(machine, obj, key if operation is operator.getitem else None)
    if isinstance(obj, type) or type(obj).__module__ == "typing":
        return machine.host(operation, obj, key)
    if isinstance(obj, (Opaque, Text, Name)):
        raise machine.run.stuck("a part of something unknown is taken")
    check_key(machine, obj, key)
    if isinstance(obj, defaultdict) and operation is operator.getitem and key not in obj:
        machine.change(obj)
    if isinstance(key, (Term, Sign)) and isinstance(obj, (list, tuple, str, deque)):
        raise machine.run.stuck("a place in a sequence is not known")
    made = machine.host(operation, obj, key)
    return machine.created(made) if isinstance(key, slice) and type(made) is list else made


def written(machine: Machine, template: str, value: Value, formats: bool = False) -> Value:
    """Write a value into a text; the text is unknown if the value is."""
    if isinstance(value, Hidden):
        raise machine.run.stuck("something that no single round knows is written as text")
    if is_unknown(value):
        return Text(machine)
    return (
        machine.host(template.format, value) if formats else machine.host(_percent, template, value)
    )


def _percent(template: str, value: Value) -> str:
    return str(template % value)


def method_of(machine: Machine, obj: Value, name: str) -> Value:
    """Return an attribute of one of Python's own objects, or say that it is not interpreted."""
    own = getattr(type(obj), METHODS, {}) if not isinstance(obj, type) else {}
    if name in own:
        return _as_read_from(machine, own[name], obj)
    for kind, others in BASES:
        known = name in READ.get(kind, ()) or name in CHANGE.get(kind, ())
        if known and isinstance(obj, (kind, *others)):
            return HostMethod(obj, name, machine)
    if isinstance(obj, str) and not isinstance(obj, (Name, enum.Enum)) and not name.startswith("_"):
        return HostMethod(obj, name, machine) if hasattr(obj, name) else _no_attribute(obj, name)
    return MISSING


def _as_read_from(machine: Machine, found: Value, obj: Value) -> Value:
    if isinstance(found, Wrapper):
        if found.kind == "property":
            return machine.call(found.function, obj)
        receiver = type(obj) if found.kind == "classmethod" else None
        return found.function if receiver is None else Method(found.function, receiver, machine)
    return Method(found, obj, machine)


def _no_attribute(obj: Value, name: str) -> Value:
    raise Raised(AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'"))


def call_method(machine: Machine, method: HostMethod, args: Any, kwargs: Any) -> Value:
    """Call a method of a list, a dict, a set, a deque or a text."""
    obj, name = method.obj, method.name
    machine.use(*args)
    if isinstance(obj, str):
        if any(is_unknown(one) for one in (*args, *kwargs.values())):
            if name in ("format", "join", "format_map"):
                return Text(machine)
            raise machine.run.stuck(f"a text is made or searched with something unknown ({name})")
        return machine.host(getattr(obj, name), *args, **kwargs)
    if args and isinstance(obj, (Mapping, set, frozenset)) and name not in ("update", "union"):
        check_key(machine, obj, args[0])
    if any(name in CHANGE.get(kind, ()) and isinstance(obj, kind) for kind in CHANGE):
        machine.change(obj)
    made = machine.host(getattr(obj, name), *args, **kwargs)
    return (
        machine.created(made) if name in ("copy", "union", "intersection", "difference") else made
    )


def call_in(
    machine: Any, scope: Scope, function: Value, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """Call a function from a scope; `super()` needs to know which."""
    if function is super:
        return machine.super_in(scope, args)
    return machine.call(function, *args, **kwargs)
