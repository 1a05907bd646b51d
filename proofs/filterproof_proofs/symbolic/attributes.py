"""Attributes: what `obj.name` is, for objects of the code and for Python's own."""

import enum
import types
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof.exact import ExpLinear
from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.classes import METHODS, check_not_frozen, check_room, set_fields
from filterproof_proofs.symbolic.decimals import attribute_of_decimal
from filterproof_proofs.symbolic.descriptors import as_read_from, part_of, read_first
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.growing import Growing, attribute_of_growing
from filterproof_proofs.symbolic.keyed import Keyed, attribute_of_keyed
from filterproof_proofs.symbolic.library import HANDLERS, PLAIN, is_unknown, method_of
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.modules import QUIET, Library, Quiet, is_trusted
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.numpy_names import attribute_of_array
from filterproof_proofs.symbolic.scopes import parameters
from filterproof_proofs.symbolic.signs import Sign
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Function,
    Instance,
    Method,
    Module,
    Opaque,
    Raised,
    Scope,
    Wrapper,
    attributes,
    kind_of_instance,
)


@dataclass(eq=False)
class Super:
    """What `super()` stands for: the classes after `owner`, for one object."""

    owner: Class
    receiver: Value


def super_in(machine: Any, scope: Scope, args: list[Value]) -> Super:
    """Return what `super()` stands for in a method."""
    here: Scope | None = scope
    while here is not None and here.declared is None:
        here = here.parent
    function = here.function if here is not None else None
    if args or here is None or function is None or function.owner is None:
        raise machine.unsupported("this use of super()")
    if function.owner.decorated and function.owner.slots is not None:
        raise machine.unsupported("super() in a data class with slots")
    first = next(iter(parameters(function.node.args)))
    return Super(function.owner, here.names[first])


def get(machine: Any, obj: Value, name: str) -> Value:
    """Return an attribute, or raise what Python raises."""
    for kind, found in _GET.items():
        if isinstance(obj, kind):
            return found(machine, obj, name)
    return _get_host(machine, obj, name)


def _no(machine: Any, obj: Value, name: str) -> Value:
    kind = machine.call(type, obj)
    label = kind.name if isinstance(kind, Class) else kind.__name__
    raise Raised(AttributeError(f"'{label}' object has no attribute '{name}'"))


def _get_instance(machine: Any, obj: Instance, name: str) -> Value:
    kind = kind_of_instance(obj)
    if name == "__class__":
        return kind
    found = kind.find(name)
    if (first := read_first(machine, found, obj, kind)) is not MISSING:
        return first
    if name in attributes(obj):
        return attributes(obj)[name]
    if found is not MISSING:
        return as_read_from(machine, found, obj, kind, name)
    if kind.find("__getattr__") is not MISSING:
        return machine.call(kind.find("__getattr__"), obj, name)
    if name.startswith("__"):
        raise machine.unsupported(f"the attribute {name}")
    return _no(machine, obj, name)


def _get_class(machine: Any, obj: Class, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return obj.name
    found = obj.find(name)
    if isinstance(found, Wrapper) and found.kind == "classmethod":
        return Method(found.function, obj, machine)
    if isinstance(found, Wrapper) and found.kind == "staticmethod":
        return found.function
    if (getter := part_of(found, "__get__")) is not MISSING:
        return machine.call(getter, found, None, obj)
    if found is not MISSING:
        return found
    if name.startswith("__"):
        raise machine.unsupported(f"the attribute {name} of a class")
    raise Raised(AttributeError(f"type object '{obj.name}' has no attribute '{name}'"))


def _get_super(machine: Any, obj: Super, name: str) -> Value:
    kind = obj.receiver if isinstance(obj.receiver, Class) else kind_of_instance(obj.receiver)
    for one in kind.mro[kind.mro.index(obj.owner) + 1 :]:
        if isinstance(one, Class) and name in one.namespace:
            found = one.namespace[name]
            if isinstance(found, Wrapper) and found.kind == "property":
                return machine.call(found.function, obj.receiver)
            return as_read_from(machine, found, obj.receiver, kind, name)
        if name == "__init__" and isinstance(one, Class) and one.decorated:
            return Setup(machine, obj.receiver, one)
    if name == "__init__":
        return Setup(machine, obj.receiver, None)
    if name == "__post_init__" or not name.startswith("__"):
        raise Raised(AttributeError(f"'super' object has no attribute '{name}'"))
    raise machine.unsupported(f"super().{name}")


@dataclass(eq=False)
class Setup:
    """The constructor that a class inherits from a data class, an exception or `object`."""

    machine: Any
    receiver: Instance
    owner: Class | None

    def set_up(self, *args: Value, **kwargs: Value) -> None:
        """Set the fields, or the arguments of an exception."""
        if self.owner is not None:
            set_fields(self.machine, self.receiver, args, kwargs)
        else:
            _plain_init(self.receiver, args, kwargs)


def set_up(machine: Any, made: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """Do what the constructor of a class does."""
    kind = kind_of_instance(made)
    if abstract := sorted(_abstract(kind)):
        raise Raised(TypeError(f"cannot instantiate {kind.name}: {abstract} is abstract"))
    if _is_error(kind):
        attributes(made)["args"] = args
    for one in kind.mro:
        if isinstance(one, Class) and "__init__" in one.namespace:
            machine.call(one.namespace["__init__"], made, *args, **kwargs)
            return
        if isinstance(one, Class) and one.decorated:
            set_fields(machine, made, args, kwargs)
            return
    _plain_init(made, args, kwargs)


def _abstract(kind: Class) -> set[str]:
    names = {name for one in kind.mro if isinstance(one, Class) for name in one.namespace}
    return {name for name in names if is_abstract(kind.find(name))}


def is_abstract(found: Value) -> bool:
    """Whether a function is decorated with `abstractmethod`."""
    while isinstance(found, Wrapper):
        found = found.function
    if not isinstance(found, Function):
        return False
    written = getattr(found.node, "decorator_list", [])
    return any(getattr(one, "attr", getattr(one, "id", "")) == "abstractmethod" for one in written)


def _is_error(kind: Class) -> bool:
    return any(isinstance(one, type) and issubclass(one, BaseException) for one in kind.mro)


def _plain_init(made: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    kind = kind_of_instance(made)
    if _is_error(kind):
        attributes(made)["args"] = args
    elif args or kwargs:
        raise Raised(TypeError(f"{kind.name}() takes no arguments"))


def _get_function(machine: Any, obj: Function, name: str) -> Value:
    if name in obj.attributes:
        return obj.attributes[name]
    if name in ("__name__", "__qualname__"):
        return obj.name
    if name.startswith("__"):
        raise machine.unsupported(f"the attribute {name} of a function")
    raise Raised(AttributeError(f"'function' object has no attribute '{name}'"))


def _get_method(machine: Any, obj: Method, name: str) -> Value:
    return get(machine, obj.function, name)


def _get_wrapper(machine: Any, obj: Wrapper, name: str) -> Value:
    if obj.kind == "property" and name == "setter":
        return lambda function: Wrapper("property", obj.function, function)
    raise machine.unsupported(f"the attribute {name} of a {obj.kind}")


def _get_module(machine: Any, obj: Module, name: str) -> Value:
    if name in obj.names:
        return obj.names[name]
    if machine.program.source(f"{obj.name}.{name}") is not None:
        return machine.module(f"{obj.name}.{name}")
    raise Raised(AttributeError(f"module '{obj.name}' has no attribute '{name}'"))


def _get_library(machine: Any, obj: Library, name: str) -> Value:
    inner = machine.module(f"{obj.name}.{name}")
    return machine.library(obj.name, name) if isinstance(inner, Opaque) else inner


def _get_opaque(machine: Any, obj: Opaque, name: str) -> Value:
    raise machine.unsupported(f"{obj.what}.{name}")


def _get_unknown(machine: Any, obj: Value, name: str) -> Value:
    raise machine.run.stuck(f"something unknown is asked for its {name}")


def _get_number(machine: Any, obj: Term, name: str) -> Value:
    if obj.python_type is int and name in ("numerator", "real"):
        return obj
    if obj.python_type is int and name == "denominator":
        return 1
    if name == "is_integer" and obj.python_type is int:
        raise machine.unsupported("int.is_integer, which not every Python has")
    if obj.python_type is float and hasattr(int, name) is not hasattr(float, name):
        raise machine.run.stuck(f"the code tells an int from a float by its {name}")
    if not hasattr(obj.python_type, name):
        return _no(machine, obj, name)
    if obj.python_type is Decimal and (found := attribute_of_decimal(machine, obj, name)):
        return found
    raise machine.run.stuck(f"{name} of a number that is not known")


def _get_exp_linear(machine: Any, obj: ExpLinear, name: str) -> Value:
    """Return an attribute of a + b·e^ε; a and b are apart only where ε is no `Log`."""
    apart = name in ("a", "b", "enclosure") and isinstance(obj.epsilon, AnyEpsilon)
    if apart and not obj.epsilon.is_log():  # type: ignore[union-attr]
        raise machine.run.stuck(f"{name} of a + b*e^eps, eps rational, is looked at")
    return _get_host(machine, obj, name)


_GET: dict[type, Any] = {
    Instance: _get_instance,
    Class: _get_class,
    Super: _get_super,
    Function: _get_function,
    Method: _get_method,
    Wrapper: _get_wrapper,
    Module: _get_module,
    Library: _get_library,
    Opaque: _get_opaque,
    Hidden: lambda machine, obj, name: obj._raise(),
    Text: _get_unknown,
    Name: _get_unknown,
    Sign: _get_unknown,
    Term: _get_number,
    AnyEpsilon: lambda machine, obj, name: get(machine, obj.resolved(), name),
    ExpLinear: _get_exp_linear,
    Growing: attribute_of_growing,
    Keyed: attribute_of_keyed,
    Array: attribute_of_array,
}


def _get_host(machine: Any, obj: Value, name: str) -> Value:
    """Return an attribute of one of Python's own objects, or of one of this project's."""
    found = method_of(machine, obj, name)
    if found is not MISSING:
        return found
    if isinstance(obj, Quiet):
        if obj.is_async or name not in QUIET:
            raise machine.unsupported(f"{name} of a lock or a log")
        return getattr(obj, name)
    if isinstance(obj, type):
        return _get_type(machine, obj, name)
    if isinstance(obj, enum.Enum) and name in ("name", "value"):
        return getattr(obj, name)
    if _is_known(obj, name) or _is_ours(obj, name):
        return machine.host(getattr, obj, name)
    if isinstance(obj, BaseException) and name == "args":
        return obj.args if not is_unknown(obj) else (Text(machine),)
    if hasattr(type(obj), name) or name.startswith("_"):
        raise machine.unsupported(f"the attribute {name} of a {type(obj).__name__}")
    return _no(machine, obj, name)


def _is_known(obj: Value, name: str) -> bool:
    """Whether it is a field of a named tuple, or an attribute of a known number."""
    if name in getattr(type(obj), "_fields", ()) or (
        hasattr(type(obj), "_fields") and name in ("_replace", "_asdict", "_fields")
    ):
        return True
    numbers = (int, Fraction, float, Decimal, slice, range)
    return isinstance(obj, numbers) and not name.startswith("_") and hasattr(type(obj), name)


def _is_ours(obj: Value, name: str) -> bool:
    """Whether it is a public attribute of an object that this project hands to filters."""
    kind = getattr(type(obj), "stands_for", type(obj))
    if not is_trusted(kind) or name.startswith("_"):
        return False
    return hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ())


def _get_type(machine: Any, obj: type, name: str) -> Value:
    own = getattr(obj, METHODS, {})
    if name in own:
        found = own[name]
        if isinstance(found, Wrapper):
            return (
                Method(found.function, obj, machine)
                if found.kind == "classmethod"
                else found.function
            )
        return found
    if name in ("__name__", "__qualname__"):
        return obj.__name__
    if issubclass(obj, enum.Enum) and (name in obj.__members__ or name == "__members__"):
        return getattr(obj, name)
    found = getattr(obj, name, MISSING)
    if found is MISSING:
        raise Raised(AttributeError(f"type object '{obj.__name__}' has no attribute '{name}'"))
    if _callable(found) and (found in HANDLERS or found in PLAIN):
        return found
    if (obj, name) in ((dict, "fromkeys"), (Fraction, "from_float"), (Decimal, "from_float")):
        return found
    if (is_trusted(obj) and not name.startswith("_")) or name in ("_fields", "_make"):
        return found
    raise machine.unsupported(f"{obj.__name__}.{name}")


def _callable(found: Value) -> bool:
    kinds = (types.FunctionType, types.BuiltinFunctionType, types.WrapperDescriptorType, type)
    return isinstance(found, kinds)


# --- setting ----------------------------------------------------------------------------------


def put(machine: Any, obj: Value, name: str, value: Value) -> None:
    """Set an attribute, or take it away (`MISSING`)."""
    if isinstance(obj, Instance):
        _put_instance(machine, obj, name, value)
    elif isinstance(obj, (Class, Function)):
        machine.change(obj)
        _put_name(obj.namespace if isinstance(obj, Class) else obj.attributes, name, value)
    else:
        raise machine.unsupported(f"an attribute {name} of something that is not the code's own")


def _put_instance(machine: Any, obj: Instance, name: str, value: Value) -> None:
    found = kind_of_instance(obj).find(name)
    if isinstance(found, Wrapper) and found.kind == "property":
        if found.setter is None:
            raise Raised(AttributeError(f"property '{name}' has no setter"))
        machine.call(found.setter, obj, value)
        return
    if (setter := part_of(found, "__set__")) is not MISSING:
        if value is MISSING:
            raise Raised(AttributeError("__delete__"))
        machine.call(setter, found, obj, value)
        return
    check_not_frozen(obj, name)
    if name.startswith("__") and name.endswith("__"):
        raise machine.unsupported(f"an assignment to {name}")
    check_room(machine, obj, name)
    machine.change(obj)
    _put_name(attributes(obj), name, value)


def _put_name(names: dict[str, Value], name: str, value: Value) -> None:
    if value is not MISSING:
        names[name] = value
    elif names.pop(name, MISSING) is MISSING:
        raise Raised(AttributeError(name))
