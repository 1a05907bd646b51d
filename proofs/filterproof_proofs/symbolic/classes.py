"""Classes of interpreted code: inheritance, data classes, enumerations, named tuples."""

import ast
import enum
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from typing import Any

from filterproof_proofs.symbolic.descriptors import is_descriptor, tell_names
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    DataClass,
    Field,
    Function,
    Instance,
    Method,
    Module,
    Opaque,
    Raised,
    Wrapper,
    attributes,
    kind_of_instance,
)

PLAIN_BASES = ("Protocol", "Generic", "ABC")
METHODS = "_interpreted_methods"
"""Where an enumeration or a named tuple keeps the functions of its class body."""
REFUSED = frozenset(
    {"__new__", "__getattribute__", "__setattr__", "__delattr__", "__init_subclass__"}
    | {"__class_getitem__", "__delete__", "__del__", "__reduce__"}
)
"""Special methods with which a class would be something else than it seems."""


def make_class(
    machine: Machine,
    node: ast.ClassDef,
    module: Module,
    bases: list[Value],
    keywords: dict[str | None, Value],
    namespace: dict[str, Value],
) -> Value:
    """Return the class that a class statement makes."""
    if unknown := [one.what for one in bases if isinstance(one, Opaque)]:
        raise machine.unsupported(f"the class {node.name} inherits from {unknown[0]}")
    bases = [one for one in bases if getattr(one, "__name__", "") not in PLAIN_BASES]
    bases = [one for one in bases if getattr(_origin(one), "__name__", "") not in PLAIN_BASES]
    if (
        set(keywords) - {"metaclass"}
        or getattr(keywords.get("metaclass"), "__name__", "ABCMeta") != "ABCMeta"
    ):
        raise machine.unsupported(f"keywords of the class {node.name}")
    is_enum = any(isinstance(one, type) and issubclass(one, enum.Enum) for one in bases)
    is_tuple = any(getattr(one, "__name__", "") == "NamedTuple" for one in bases)
    if (is_enum or is_tuple) and any(map(is_descriptor, namespace.values())):
        raise machine.unsupported(f"a descriptor in {node.name}, which is no ordinary class")
    if is_enum:
        return _enumeration(machine, node, module, bases, namespace)
    if is_tuple:
        return _named_tuple(machine, node, module, namespace)
    for name in REFUSED:
        if name in namespace:
            raise machine.unsupported(f"{name} in the class {node.name}")
    return _class(machine, node, module, tuple(bases), namespace)


def _origin(base: Value) -> Any:
    return getattr(base, "__origin__", base)


def _class(
    machine: Machine,
    node: ast.ClassDef,
    module: Module,
    bases: tuple[Any, ...],
    namespace: dict[str, Value],
) -> Class:
    for one in bases:
        if not isinstance(one, Class) and one is not object and not _is_exception_type(one):
            raise machine.unsupported(f"the class {node.name} inherits from {one!r:.60}")
    made = Class(node.name, module, machine, bases, namespace, dict(_annotations(node)))
    made.mro = (made, *_merge([*map(_linear, bases), list(bases)]))
    made.data = next((one.data for one in made.mro if isinstance(one, Class) and one.data), None)
    if "__slots__" in namespace:
        made.slots = _slots(machine, namespace["__slots__"])
    for value in namespace.values():
        _own(value, made)
    machine.created(made)
    tell_names(machine, made)
    return made


def _slots(machine: Machine, told: Value) -> tuple[str, ...]:
    names = (told,) if isinstance(told, str) else tuple(machine.iterate(told))
    if not all(type(one) is str and not one.startswith("__") for one in names):
        raise machine.unsupported("these __slots__")
    return names


def check_room(machine: Machine, made: Instance, name: str) -> None:
    """Raise what Python raises where a class has no slot for an attribute."""
    kinds = [one for one in kind_of_instance(made).mro if isinstance(one, Class)]
    if any(one.slots is None for one in kinds) or _is_exception_type(
        kind_of_instance(made).mro[-2]
    ):
        return
    if not any(name in (one.slots or ()) for one in kinds):
        raise Raised(AttributeError(f"no attribute '{name}': the class has __slots__"))


def _own(value: Value, made: Class) -> None:
    """Tell functions which class they are of, for `super()`."""
    while isinstance(value, Wrapper):
        if value.setter is not None:
            _own(value.setter, made)
        value = value.function
    if isinstance(value, Function) and value.owner is None and isinstance(value.node, ast.stmt):
        value.owner = made


def _annotations(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, one.annotation


def _is_exception_type(kind: Value) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _linear(base: Any) -> list[Any]:
    return list(base.mro) if isinstance(base, Class) else list(base.__mro__)


def _merge(lists: list[list[Any]]) -> list[Any]:
    """Return the order in which classes are searched (C3, as in Python)."""
    found: list[Any] = []
    while lists := [one for one in lists if one]:
        for one in lists:
            if not any(one[0] in other[1:] for other in lists):
                head = one[0]
                break
        else:
            raise Raised(TypeError("no consistent order of the base classes"))
        found.append(head)
        lists = [[part for part in other if part is not head] for other in lists]
    return found if object in found else [*found, object]


# --- enumerations and named tuples ---------------------------------------------------------------


def _enumeration(
    machine: Machine,
    node: ast.ClassDef,
    module: Module,
    bases: list[Value],
    namespace: dict[str, Value],
) -> Value:
    name = node.name
    kinds = (enum.Enum, str, int)
    if not all(isinstance(one, type) and issubclass(one, kinds) for one in bases):
        raise machine.unsupported(f"the base classes of the enumeration {name}")
    methods, members = _functions_and_others(namespace)
    if any(one.startswith("_") for one in (*members, *methods)):
        raise machine.unsupported(f"a special name in the enumeration {name}")
    made = machine.remember(
        (module.name, node.lineno, name, tuple(bases), *map(_known_again, members.items())),
        lambda: machine.host(_enum_type, name, tuple(bases), members),
    )
    setattr(made, METHODS, {**_methods_of(bases), **methods})
    return made


def _known_again(member: tuple[str, Value]) -> tuple[str, Value]:
    """Return a member so that it equals itself in another run: every `auto()` is a new object."""
    name, value = member
    return name, enum.auto if isinstance(value, enum.auto) else value


def _methods_of(bases: list[Value]) -> dict[str, Value]:
    return {k: v for one in bases for k, v in getattr(one, METHODS, {}).items()}


def _enum_type(name: str, bases: tuple[Any, ...], members: dict[str, Value]) -> Any:
    kind: Any = type(bases[-1])
    namespace = kind.__prepare__(name, bases)
    for key, value in members.items():
        namespace[key] = value
    return kind(name, bases, namespace)


def _functions_and_others(namespace: dict[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return the functions of a class body, and everything else."""
    plain = {k: v for k, v in namespace.items() if k not in ("__doc__", "__module__")}
    functions = {k: v for k, v in plain.items() if isinstance(v, (Function, Wrapper))}
    return functions, {k: v for k, v in plain.items() if k not in functions}


def _named_tuple(
    machine: Machine, node: ast.ClassDef, module: Module, namespace: dict[str, Value]
) -> Value:
    fields = [name for name, _ in _annotations(node)]
    methods, others = _functions_and_others(namespace)
    defaults = [others[name] for name in fields if name in others]
    if set(others) - set(fields) or any(one in methods for one in ("__new__", "__eq__")):
        raise machine.unsupported(f"what the named tuple {node.name} defines")
    made = machine.remember(
        (module.name, node.lineno, node.name, *fields, *defaults),
        lambda: machine.host(namedtuple, node.name, fields, defaults=defaults),
    )
    setattr(made, METHODS, methods)
    return made


# --- data classes --------------------------------------------------------------------------------


def make_data_class(machine: Machine, kind: Class, told: dict[str, Value]) -> Class:
    """Give a class the fields that its annotations name."""
    allowed = {"frozen", "eq", "order", "slots", "kw_only", "repr", "unsafe_hash", "init"}
    if set(told) - allowed or told.get("unsafe_hash") or not told.get("init", True):
        raise machine.unsupported(f"@dataclass with {sorted(told)}")
    fields = {one.name: one for base in reversed(kind.mro[1:]) for one in _own_fields(base)}
    keyword_only = bool(told.get("kw_only"))
    for name, annotation in kind.annotations.items():
        written = ast.unparse(annotation)
        if written.split("[")[0].rpartition(".")[2] == "ClassVar":
            continue
        if written.split("[")[0].rpartition(".")[2] == "InitVar":
            raise machine.unsupported("InitVar")
        if written.rpartition(".")[2] == "KW_ONLY":
            keyword_only = True
            continue
        fields[name] = _field(name, kind, keyword_only)
    frozen, eq = bool(told.get("frozen")), bool(told.get("eq", True))
    if eq and "__eq__" not in kind.namespace and kind.find("__eq__") is not MISSING:
        raise machine.unsupported("a data class that inherits an __eq__")
    for base in kind.mro[1:]:
        if isinstance(base, Class) and base.decorated and base.data and base.data.frozen != frozen:
            raise Raised(
                TypeError("a data class is frozen if and only if those it inherits from are")
            )
    if told.get("slots"):
        kind.slots = tuple(kind.annotations)
    kind.decorated = True
    kind.data = DataClass(tuple(fields.values()), frozen, eq, bool(told.get("order")))
    return kind


def _own_fields(base: Any) -> tuple[Field, ...]:
    return base.data.fields if isinstance(base, Class) and base.data is not None else ()


def _field(name: str, kind: Class, keyword_only: bool) -> Field:
    default = kind.namespace.get(name, MISSING)
    if not isinstance(default, Field):
        return Field(name, default, MISSING, keyword_only=keyword_only)
    if default.default is MISSING:
        del kind.namespace[name]
    else:
        kind.namespace[name] = default.default
    return replace(default, name=name, keyword_only=default.keyword_only or keyword_only)


def make_field(machine: Machine, **told: Value) -> Field:
    """Return what `field(...)` says about a field."""
    unknown = set(told) - {
        "default",
        "default_factory",
        "init",
        "compare",
        "repr",
        "kw_only",
        "hash",
        "metadata",
    }
    if unknown or told.get("hash") is not None:
        raise machine.unsupported(f"field({sorted(told)})")
    return Field(
        "",
        told.get("default", MISSING),
        told.get("default_factory", MISSING),
        bool(told.get("init", True)),
        bool(told.get("compare", True)),
        bool(told.get("kw_only", False)),
    )


def set_fields(
    machine: Machine, made: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> None:
    """Do what the constructor of a data class does."""
    kind = kind_of_instance(made)
    assert kind.data is not None
    given = dict(kwargs)
    positional = [one.name for one in kind.data.fields if one.init and not one.keyword_only]
    if len(args) > len(positional) or set(positional[: len(args)]) & set(given):
        raise Raised(TypeError(f"{kind.name}() takes other arguments"))
    given |= dict(zip(positional, args, strict=False))
    for one in kind.data.fields:
        if isinstance(found := kind.find(one.name), Wrapper) or is_descriptor(found):
            raise machine.unsupported(f"the field {one.name}, which is a property or descriptor")
        attributes(made)[one.name] = _field_value(machine, kind, one, given)
    if given:
        raise Raised(TypeError(f"{kind.name}() has no {sorted(given)}"))
    after = kind.find("__post_init__")
    if after is not MISSING:
        machine.call(Method(after, made, machine))


def _field_value(machine: Machine, kind: Class, one: Field, given: dict[str, Value]) -> Value:
    if one.init and one.name in given:
        return given.pop(one.name)
    if one.factory is not MISSING:
        return machine.call(one.factory)
    if one.default is MISSING:
        raise Raised(TypeError(f"{kind.name}() needs {one.name}"))
    return one.default


def check_not_frozen(made: Instance, name: str) -> None:
    """Raise what a frozen data class raises."""
    data = kind_of_instance(made).data
    if data is not None and data.frozen:
        raise Raised(FrozenInstanceError(f"cannot assign to field '{name}'"))
