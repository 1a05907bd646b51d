"""Python's own functions, each with its answer for unknown numbers."""

import contextlib
import dataclasses
import functools
import math
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from filterproof_proofs.symbolic.arrays import Array, as_float
from filterproof_proofs.symbolic.classes import check_room, make_data_class, make_field
from filterproof_proofs.symbolic.decimals import Digits, digits_of
from filterproof_proofs.symbolic.descriptors import total_ordering
from filterproof_proofs.symbolic.kinds import kind_of
from filterproof_proofs.symbolic.library import (
    HANDLERS,
    handler,
    is_instance,
    is_subclass,
    is_unknown,
    type_of,
)
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.signs import Sign
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import (
    MISSING,
    Instance,
    Opaque,
    Raised,
    Wrapper,
    attributes,
    kind_of_instance,
)


@handler(isinstance)
def _isinstance(machine: Machine, value: Value, kind: Value) -> bool:
    return is_instance(machine, value, kind)


@handler(issubclass)
def _issubclass(machine: Machine, one: Value, kind: Value) -> bool:
    return is_subclass(machine, one, kind)


@handler(type)
def _type(machine: Machine, value: Value) -> Value:
    if isinstance(value, Term) and value.python_type is float:
        raise machine.run.stuck("the type of a number is asked for, and may be int or float")
    return type_of(machine, value)


@handler(len)
def _len(machine: Machine, value: Value) -> Value:
    if isinstance(value, Name):
        raise machine.run.stuck("the length of a name is asked for")
    return machine.host(len, value)


@handler(bool)
def _bool(machine: Machine, value: Value = False) -> bool:
    return machine.truth(value)


@handler(int)
def _int(machine: Machine, value: Value = 0, *base: Value) -> Value:
    if isinstance(value, Term):
        return machine.host(math.trunc, value)
    if isinstance(value, Sign):
        return value
    return machine.host(int, value, *base)


@handler(float)
def _float(machine: Machine, value: Value = 0.0) -> Value:
    if isinstance(value, Array):
        return as_float(machine, value)
    if isinstance(value, Digits):
        return value.read(float)
    if isinstance(value, Term):
        return (
            value if value.python_type is float else machine.run.rounded(value.exact(float), float)
        )
    return machine.host(float, value)


@handler(Decimal)
def _decimal(machine: Machine, value: Value = 0) -> Value:
    if isinstance(value, Term):
        if value.python_type is Fraction:
            raise Raised(TypeError("conversion from Fraction to Decimal is not supported"))
        return value.exact(Decimal)
    return value.read(Decimal) if isinstance(value, Digits) else machine.host(Decimal, value)


@handler(Fraction)
def _fraction(machine: Machine, above: Value = 0, below: Value = None) -> Value:
    if isinstance(above, Digits) and below is None:
        return above.read(Fraction)
    if not isinstance(above, Term) and not isinstance(below, Term):
        return machine.host(Fraction, above, below)
    if below is None:
        return above.exact(Fraction)
    if any(kind_of(one) not in (int, Fraction) for one in (above, below)):
        raise machine.run.stuck("a Fraction of two numbers, one of them a float: an int would do")
    return machine.host(operator.truediv, _fraction(machine, above), _fraction(machine, below))


@handler(str, format)
def _str(machine: Machine, value: Value = "", spec: Value = "") -> Value:
    if is_unknown(value) or is_unknown(spec):
        if isinstance(value, Hidden):
            raise machine.run.stuck("something that no single round knows is written as text")
        return Text(machine) if spec != "" or is_unknown(spec) else digits_of(machine, value)
    return machine.host(format, value, spec)


@handler(repr)
def _repr(machine: Machine, value: Value) -> Value:
    return digits_of(machine, value) if is_unknown(value) else machine.host(repr, value)


@handler(round)
def _round(machine: Machine, value: Value, digits: Value = None) -> Value:
    if isinstance(digits, Term):
        raise machine.run.stuck("a number of digits is not known")
    return machine.host(round, value, digits) if digits is not None else machine.host(round, value)


@handler(math.isnan)
def _isnan(machine: Machine, value: Value) -> bool:
    return False if isinstance(value, Term) else machine.host(math.isnan, value)


@handler(math.isinf)
def _isinf(machine: Machine, value: Value) -> bool:
    return False if isinstance(value, Term) else machine.host(math.isinf, value)


@handler(math.isfinite)
def _isfinite(machine: Machine, value: Value) -> bool:
    return True if isinstance(value, Term) else machine.host(math.isfinite, value)


def _container(kind: type) -> Callable[..., Value]:
    def make(machine: Machine, *args: Value, **kwargs: Value) -> Value:
        places = [one for one in args if not callable(one)]
        if kind not in (set, frozenset) and any(
            isinstance(one, (set, frozenset)) and len(one) > 1 for one in places
        ):
            raise machine.unsupported("the order of a set is used")
        given = [
            one if callable(one) or isinstance(one, (int, Mapping)) else machine.iterate(one)
            for one in args
        ]
        return machine.created(machine.host(kind, *given, **kwargs))

    return make


for _kind in (list, set, frozenset, tuple, deque, dict, defaultdict, OrderedDict, Counter):
    HANDLERS[_kind] = _container(_kind)
HANDLERS[functools.total_ordering] = total_ordering


@handler(getattr)
def _getattr(machine: Machine, obj: Value, name: Value, default: Value = MISSING) -> Value:
    if type(name) is not str:
        raise machine.unsupported("the name of an attribute is not known")
    try:
        return machine.get(obj, name)
    except Raised as error:
        if default is not MISSING and isinstance(error.value, AttributeError):
            return default
        raise


@handler(hasattr)
def _hasattr(machine: Machine, obj: Value, name: Value) -> bool:
    return _getattr(machine, obj, name, Ellipsis) is not Ellipsis


@handler(setattr)
def _setattr(machine: Machine, obj: Value, name: Value, value: Value) -> None:
    if type(name) is not str:
        raise machine.unsupported("the name of an attribute is not known")
    machine.put(obj, name, value)


@handler(object.__setattr__)
def _force(machine: Machine, obj: Value, name: Value, value: Value) -> None:
    if not isinstance(obj, Instance) or type(name) is not str:
        raise machine.unsupported("object.__setattr__ of something else than an instance")
    check_room(machine, obj, name)
    machine.change(obj)
    attributes(obj)[name] = value


@handler(callable)
def _callable(machine: Machine, value: Value) -> bool:
    if isinstance(value, Instance):
        return kind_of_instance(value).find("__call__") is not MISSING
    if isinstance(value, Opaque):
        raise machine.unsupported(value.what)
    return not isinstance(value, (Term, Text, Hidden)) and callable(value)


@handler(print)
def _print(machine: Machine, *args: Value, **kwargs: Value) -> None:
    """Say nothing."""


@handler(property)
def _property(machine: Machine, function: Value) -> Wrapper:
    return Wrapper("property", function)


@handler(classmethod)
def _classmethod(machine: Machine, function: Value) -> Wrapper:
    return Wrapper("classmethod", function)


@handler(staticmethod)
def _staticmethod(machine: Machine, function: Value) -> Wrapper:
    return Wrapper("staticmethod", function)


@handler(functools.cached_property)
def _cached_property(machine: Machine, function: Value) -> Wrapper:
    return Wrapper("cached", function)


@handler(functools.wraps)
def _wraps(machine: Machine, wrapped: Value, **_: Value) -> Value:
    return lambda function: function


@handler(contextlib.contextmanager)
def _contextmanager(machine: Machine, function: Value) -> Value:
    return Wrapper("contextmanager", function)


@handler(dataclasses.dataclass)
def _dataclass(machine: Machine, kind: Value = None, **told: Value) -> Value:
    if kind is None:
        return lambda made: make_data_class(machine, made, told)
    return make_data_class(machine, kind, told)


@handler(dataclasses.field)
def _field(machine: Machine, **told: Value) -> Value:
    return make_field(machine, **told)


@handler(dataclasses.replace)
def _replace(machine: Machine, obj: Value, **changes: Value) -> Value:
    if not isinstance(obj, Instance):
        raise machine.unsupported("replace() of something else than an own data class")
    data = kind_of_instance(obj).data
    if data is None:
        raise Raised(TypeError("replace() should be called on dataclass instances"))
    old = {one.name: attributes(obj)[one.name] for one in data.fields if one.init}
    return machine.call(kind_of_instance(obj), **{**old, **changes})


@handler(vars, dir, id, hash, globals, locals, eval, exec, compile, open, input, __import__)
def _refused(machine: Machine, *args: Value, **kwargs: Value) -> Value:
    raise machine.unsupported("a function that looks behind the code (vars, id, hash, eval, ...)")
