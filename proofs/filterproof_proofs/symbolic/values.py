"""What interpreted code computes with: functions, classes, instances, texts that are not known.

Numbers, texts, tuples, lists, dicts, sets, enumerations and named tuples are Python's own; unknown
numbers are `Term`s.  Functions, classes and instances of interpreted code are the objects of this
module.  They can be handed to trusted functions, which call them like any other.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

from filterproof_proofs.symbolic.machine import Machine, Value


class Raised(Exception):
    """Interpreted code raised: `value` is a built-in exception, or an instance of its own class."""

    def __init__(self, value: Value) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return f"{type_name(self.value)}: {message(self.value)}"


@dataclass(eq=False)
class Module:
    """A module whose source is interpreted: its file and its names."""

    name: str
    path: Path
    names: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """Where names are looked up: a module, a class body, or one call of a function."""

    names: dict[str, Value]
    module: Module
    parent: "Scope | None" = None
    declared: "Declared | None" = None
    function: "Function | None" = None
    is_class: bool = False


@dataclass(frozen=True)
class Declared:
    """The names that a function assigns, and those that it declares global or nonlocal."""

    local: frozenset[str]
    outer: frozenset[str]
    nonlocal_: frozenset[str]
    generator: bool


@dataclass(eq=False)
class Function:
    """A function of interpreted code, with its defaults and the scope it was made in."""

    machine: Machine
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: list[Value]
    keyword_defaults: dict[str, Value]
    declared: Declared
    owner: "Class | None" = None
    attributes: dict[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that the function was defined with."""
        return getattr(self.node, "name", "<lambda>")

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        """Call it from a trusted function."""
        return from_outside(self.machine, self, args, kwargs)


@dataclass(eq=False)
class Coroutine:
    """A call of an `async def`: nothing of it runs before it is awaited."""

    function: Function
    scope: Scope
    started: bool = False


@dataclass(eq=False)
class Method:
    """A function with its first argument."""

    function: Value
    receiver: Value
    machine: Machine

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        """Call it from a trusted function."""
        return from_outside(self.machine, self, args, kwargs)


def from_outside(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    """Call interpreted code from a trusted function; a built-in exception passes as itself."""
    try:
        return machine.call(function, *args, **kwargs)
    except Raised as error:
        if isinstance(error.value, Exception):
            raise error.value from None
        raise


@dataclass(eq=False)
class Wrapper:
    """A property, a class method or a static method: what an attribute does when it is read."""

    kind: str
    function: Value
    setter: Value = None


@dataclass(eq=False)
class Opaque:
    """Something that is not interpreted: every use of it says so."""

    what: str

    def _use(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"{self.what} is not interpreted")

    __getattr__ = __getitem__ = __iter__ = __len__ = __contains__ = __bool__ = _use
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _use


@dataclass(eq=False)
class UnionOf:
    """Several types, as in `int | None`."""

    kinds: tuple[Any, ...]


@dataclass(frozen=True)
class Field:
    """A field of a data class."""

    name: str
    default: Value
    factory: Value
    init: bool = True
    compare: bool = True
    keyword_only: bool = False


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


@dataclass(frozen=True)
class DataClass:
    """What `@dataclass` was told."""

    fields: tuple[Field, ...]
    frozen: bool = False
    eq: bool = True
    order: bool = False


@dataclass(eq=False)
class Class:
    """A class of interpreted code."""

    name: str
    module: Module
    machine: Machine
    bases: tuple[Any, ...]
    namespace: dict[str, Value]
    annotations: dict[str, ast.expr]
    mro: tuple[Any, ...] = ()
    data: DataClass | None = None
    decorated: bool = False
    """Whether this class itself is a data class, and does not only inherit from one."""
    slots: tuple[str, ...] | None = None
    """The only attributes that instances have room for; None if they take any."""

    def find(self, name: str, after: "Class | None" = None) -> Value:
        """Return an attribute of the class or of what it inherits; MISSING if there is none."""
        mro = self.mro if after is None else self.mro[self.mro.index(after) + 1 :]
        for one in mro:
            if isinstance(one, Class) and name in one.namespace:
                return one.namespace[name]
        return MISSING

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        """Call it from a trusted function."""
        return from_outside(self.machine, self, args, kwargs)

    def __or__(self, other: Any) -> UnionOf:
        return UnionOf((self, other))

    __ror__ = __or__

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__"):
            raise AttributeError(name)
        return attribute_from_outside(self.machine, self, name)


class Instance:
    """An instance of a class of interpreted code; operators ask the class."""

    def __init__(self, kind: Class) -> None:
        self.__dict__.update(_kind=kind, _attributes={})

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__"):
            raise AttributeError(name)
        return attribute_from_outside(kind_of_instance(self).machine, self, name)

    def __setattr__(self, name: str, value: Value) -> None:
        raise kind_of_instance(self).machine.unsupported(f"a trusted function sets {name}")

    def __bool__(self) -> bool:
        for name in ("__bool__", "__len__"):
            if kind_of_instance(self).find(name) is not MISSING:
                return bool(_special(self, name))
        return True

    def __eq__(self, other: object) -> Any:
        kind = kind_of_instance(self)
        if other is self and kind.find("__eq__") is MISSING:
            return True
        if kind.find("__eq__") is MISSING and kind.data is not None and kind.data.eq:
            return _same_fields(self, other)
        return _special(self, "__eq__", other)

    def __ne__(self, other: object) -> Any:
        if kind_of_instance(self).find("__ne__") is not MISSING:
            return _special(self, "__ne__", other)
        answer = self.__eq__(other)
        return answer if answer is NotImplemented else not answer

    def __hash__(self) -> int:
        kind = kind_of_instance(self)
        own = (one.namespace for one in kind.mro if isinstance(one, Class))
        if "__hash__" in next((one for one in own if one.keys() & {"__hash__", "__eq__"}), {}):
            return int(_special(self, "__hash__"))
        if kind.data is not None and kind.data.eq:
            if not kind.data.frozen:
                raise TypeError(f"unhashable type: '{kind.name}'")
            return hash(tuple(compared(self)))
        if kind.find("__eq__") is not MISSING:
            raise TypeError(f"unhashable type: '{kind.name}'")
        return object.__hash__(self)

    def __iter__(self) -> Iterator[Value]:
        kind = kind_of_instance(self)
        if kind.find("__iter__") is not MISSING:
            return iter(_special(self, "__iter__"))
        if kind.find("__getitem__") is MISSING:
            raise TypeError(f"'{kind.name}' object is not iterable")
        return _by_place(self)

    def __contains__(self, value: Value) -> bool:
        if kind_of_instance(self).find("__contains__") is not MISSING:
            return bool(_special(self, "__contains__", value))
        return any(one is value or one == value for one in self)

    def __repr__(self) -> str:
        return f"<{kind_of_instance(self).name}>"


def _by_place(instance: Instance) -> Iterator[Value]:
    """Yield obj[0], obj[1], ... until there is none."""
    place = 0
    while True:
        try:
            value = _special(instance, "__getitem__", place)
        except IndexError:
            return
        yield value
        place += 1


def kind_of_instance(instance: Instance) -> Class:
    """Return the class of an instance."""
    kind: Class = instance.__dict__["_kind"]
    return kind


def attributes(instance: Instance) -> dict[str, Value]:
    """Return the attributes that are kept in an instance."""
    found: dict[str, Value] = instance.__dict__["_attributes"]
    return found


def attribute_from_outside(machine: Machine, obj: Value, name: str) -> Value:
    """Return an attribute to a trusted function; AttributeError passes as itself."""
    try:
        return machine.get(obj, name)
    except Raised as error:
        if isinstance(error.value, Exception):
            raise error.value from None
        raise


def compared(instance: Instance) -> list[Value]:
    """Return the fields by which instances of a data class are compared."""
    data = kind_of_instance(instance).data
    assert data is not None
    return [attributes(instance)[one.name] for one in data.fields if one.compare]


def _same_fields(one: Instance, other: object) -> Any:
    if not isinstance(other, Instance) or kind_of_instance(other) is not kind_of_instance(one):
        return NotImplemented
    return tuple(compared(one)) == tuple(compared(other))


def special_method(kind: Class, name: str) -> Value:
    """Return a special method of a class; Python binds other values in other ways."""
    found = kind.find(name)
    if found is not MISSING and not isinstance(found, (Function, FunctionType)):
        raise kind.machine.unsupported(f"{name} of {kind.name}, which is no plain method")
    return found


def _special(instance: Instance, name: str, *args: Value) -> Any:
    """Call a special method of the class; NotImplemented if it has none."""
    kind = kind_of_instance(instance)
    if args and isinstance(args[0], Instance):
        _check_turn(kind, kind_of_instance(args[0]), name)
    found = special_method(kind, name)
    if found is MISSING:
        return NotImplemented
    return from_outside(kind.machine, Method(found, instance, kind.machine), args, {})


MIRROR = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}


def _check_turn(left: Class, right: Class, name: str) -> None:
    """Say so if Python asks the right side first: its class inherits from that of the left one."""
    mirrored = MIRROR.get(name, name if name in ("__eq__", "__ne__") else f"__r{name[2:]}")
    if right is not left and left in right.mro and right.find(mirrored) is not MISSING:
        raise left.machine.unsupported(f"{mirrored} of {right.name}, which is asked first")


def _forward(name: str, required: bool) -> Any:
    def forwarded(self: Instance, *args: Value) -> Any:
        answer = _special(self, name, *args)
        if answer is NotImplemented and required:
            raise TypeError(f"'{kind_of_instance(self).name}' object has no {name}")
        return answer

    return forwarded


_REFLECTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
for _name in _REFLECTED:
    setattr(Instance, f"__{_name}__", _forward(f"__{_name}__", required=False))
    setattr(Instance, f"__r{_name}__", _forward(f"__r{_name}__", required=False))


def _ordering(name: str, compare: Any) -> Any:
    def ordered(self: Instance, other: Value) -> Any:
        data = kind_of_instance(self).data
        if data is None or not data.order or kind_of_instance(self).find(name) is not MISSING:
            return _special(self, name, other)
        if not isinstance(other, Instance) or kind_of_instance(other).data is not data:
            return NotImplemented
        return compare(tuple(compared(self)), tuple(compared(other)))

    return ordered


for _name, _compare in {
    "__lt__": lambda a, b: a < b,
    "__le__": lambda a, b: a <= b,
    "__gt__": lambda a, b: a > b,
    "__ge__": lambda a, b: a >= b,
}.items():
    setattr(Instance, _name, _ordering(_name, _compare))
for _name in ("len", "next", "getitem", "setitem", "delitem", "neg", "abs"):
    setattr(Instance, f"__{_name}__", _forward(f"__{_name}__", required=True))
for _name in ("call", "float", "int", "index", "floor", "ceil", "round"):
    setattr(Instance, f"__{_name}__", _forward(f"__{_name}__", required=True))


def type_name(value: Value) -> str:
    """Return the name of the type of a value."""
    return kind_of_instance(value).name if isinstance(value, Instance) else type(value).__name__


def message(error: Value) -> str:
    """Return what an exception says."""
    args = attributes(error).get("args", ()) if isinstance(error, Instance) else error.args
    return ", ".join(map(str, args))
