"""States apart from their numbers: what a state of this shape is made of.

A shape is a value in which every number is replaced by a hole that keeps the number's type.  Every
other part keeps its type too: a text enumeration is no text, True is no 1, a list is no tuple, and
an instance has all of its attributes, fields of a data class or not.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from filterproof.exact import ExpLinear, Log
from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.growing import Growing, Tally
from filterproof_proofs.symbolic.keyed import FOLLOWED, Keyed
from filterproof_proofs.symbolic.kinds import NUMBERS, kind_of
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.modules import Quiet, is_trusted
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.scopes import is_closed
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.values import (
    Class,
    Function,
    Instance,
    attributes,
    kind_of_instance,
    type_name,
)

LEAVES = frozenset({*NUMBERS, bool, str, type(None)})
SEQUENCES = (list, tuple, deque)
QUIET = Quiet(), Quiet(is_async=True)
TABLES = (dict, OrderedDict, defaultdict, Counter)


class BadState(ValueError):
    """A state with a part that a proof does not know how to make again."""


@dataclass(frozen=True)
class Hole:
    """A number: an int, a Fraction, a float, a Decimal, or an `ExpLinear` of this epsilon."""

    kind: type


@dataclass(frozen=True)
class Constant:
    """What is no number; its type counts, so that True is not 1 and no text is an enumeration."""

    kind: type
    value: Any


@dataclass(frozen=True)
class Parts:
    """A tuple, a list, a deque, a named tuple, or a data class of this project."""

    kind: type
    parts: tuple["Shape", ...]


@dataclass(frozen=True)
class Row:
    """An array of numpy, or one of its numbers."""

    kind: str
    scalar: bool
    parts: tuple["Shape", ...]


@dataclass(frozen=True)
class Table:
    """A dict with keys that are known, in their order."""

    kind: type
    keys: tuple["Shape", ...]
    parts: tuple["Shape", ...]
    other: "Shape"


@dataclass(frozen=True)
class Object:
    """An instance of a class of the code, with the names of its attributes.

    `module` and `name` say which class; it is looked up again in every run.
    """

    module: str
    name: str
    names: tuple[str, ...]
    parts: tuple["Shape", ...]


@dataclass(frozen=True)
class Code:
    """A class or a function of the code itself."""

    module: str
    name: str


@dataclass(frozen=True)
class Unbound:
    """A function that uses nothing of what is around it but the module: its place in the source."""

    module: str
    node: Any


@dataclass(frozen=True)
class Same:
    """A part that is the same object as an earlier one: the list or instance of this number."""

    number: int


@dataclass(frozen=True)
class Bag:
    """A list that grows, by its name, with the numbers that are kept of it."""

    name: str
    kept: tuple[Tally, ...]


@dataclass(frozen=True)
class Book:
    """A dictionary keyed by names, by its place, with the entry of the name that is followed."""

    name: str
    kind: type
    factory: "Shape"
    entry: "Shape | None"


Shape = Hole | Constant | Parts | Row | Table | Object | Code | Unbound | Same | Bag | Book


Public = Mapping[int, tuple[str, str]]
"""What is found outside of the state too, by its identity: module and name, if it has one."""
Swaps = Mapping[int, Growing | Keyed]
"""Lists that grow and dictionaries keyed by names, by their identity: what is known of each."""


@dataclass(frozen=True)
class Around:
    """What a state is looked at with: what is public, and which of its lists grow."""

    public: Public = field(default_factory=dict)
    swaps: Swaps = field(default_factory=dict)
    names: bool = False
    """Whether names may be kept; whoever allows it asks `kept_name`."""

    def seen(self, state: Value) -> Value:
        """Return a part of a state; a list that grows, or a book, as what is known of it."""
        return self.swaps.get(id(state), state)


PLAIN = Around()


def shape_of(state: Value, around: Around = PLAIN) -> Shape:
    """Return a state with holes for its numbers; `BadState` says what has no shape.

    >>> describe(shape_of((1, None, "phase 2", [True])))
    "(#, None, 'phase 2', [True])"
    """
    return _shape(state, {}, around)


def _shape(state: Value, seen: dict[int, int], around: Around) -> Shape:
    state = around.seen(state)
    if isinstance(state, ExpLinear):
        return Hole(ExpLinear)
    if not isinstance(state, bool) and not isinstance(state, Enum) and kind_of(state) is not None:
        return Hole(kind_of(state) or int)
    if isinstance(state, (Instance, list, dict, deque, set, Growing, Keyed, Array)):
        if id(state) in around.public:
            return _code_that_shares(state, around.public)
        if id(state) in seen:
            return Same(seen[id(state)])
        seen[id(state)] = len(seen)
    if isinstance(state, Growing):
        return Bag(state.name, tuple(state.grown.kept))
    if isinstance(state, Keyed):
        return _book(state, seen, around)
    if isinstance(state, Array):
        parts = tuple(_shape(one, seen, around) for one in state.items)
        return Row(state.kind, state.scalar, parts)
    if isinstance(state, Instance):
        kind, inside = kind_of_instance(state), attributes(state)
        parts = tuple(_shape(one, seen, around) for one in inside.values())
        return Object(*_place(kind), tuple(inside), parts)
    if isinstance(state, TABLES):
        keys = tuple(Constant(type(key), key) for key in map(_key, state))
        other = _shape(getattr(state, "default_factory", None), seen, around)
        parts = tuple(_shape(one, seen, around) for one in state.values())
        return Table(type(state), keys, parts, other)
    return _plain(state, seen, around)


def _book(state: Keyed, seen: dict[int, int], around: Around) -> Book:
    known = FOLLOWED in state.entries
    entry = _shape(state.entries[FOLLOWED], seen, around) if known else None
    return Book(state.name, state.kind, _shape(state.factory, seen, around), entry)


def _code_that_shares(state: Value, public: Public) -> Code:
    """Return where something is found that a module holds too: it stays as it is."""
    module, name = public[id(state)]
    if not name:
        raise BadState(f"a {type_name(state)} is part of a state and of something that is no state")
    return Code(module, name)


def _plain(state: Value, seen: dict[int, int], around: Around) -> Shape:
    if isinstance(state, SEQUENCES) and not isinstance(state, Enum):
        return Parts(type(state), tuple(_shape(one, seen, around) for one in state))
    if state is None or isinstance(state, (bool, Enum)) or type(state) is str:
        return Constant(type(state), state)
    if isinstance(state, Name) and around.names:
        return Constant(Name, state)
    if isinstance(state, (set, frozenset)):
        return Parts(
            type(state), tuple(Constant(type(k), k) for k in sorted(map(_key, state), key=repr))
        )
    if isinstance(state, (type, Quiet)):
        return Constant(type(state), state if isinstance(state, type) else QUIET[state.is_async])
    if isinstance(state, Function) and is_closed(state):
        return Unbound(state.scope.module.name, state.node)
    if isinstance(state, (Class, Function)):
        return Code(*_place(state))
    if isinstance(state, Log):
        return Parts(Log, (_shape(state.argument, seen, around),))
    if is_trusted(type(state)) and hasattr(type(state), "__dataclass_fields__"):
        return Parts(type(state), tuple(_shape(one, seen, around) for one in _fields(state)))
    raise BadState(
        "a state must be made of numbers, texts, None, enumerations, tuples, lists, dicts and "
        f"objects of these to be proved; got a {type_name(state)}"
    )


def kept_name(shape: Shape) -> bool:
    """Whether a shape holds a name of which only its entry in a dictionary is followed."""
    if isinstance(shape, Constant):
        return shape.kind is Name
    if isinstance(shape, Book):
        return shape.entry is not None and kept_name(shape.entry)
    keys = shape.keys if isinstance(shape, Table) else ()
    return any(map(kept_name, (*keys, *getattr(shape, "parts", ()))))


def _key(key: Value) -> Value:
    if isinstance(key, Term) or (isinstance(key, tuple) and any(isinstance(k, Term) for k in key)):
        raise BadState("a number that is not known is a key of a state")
    if isinstance(key, (Instance, Name)):
        return key if isinstance(key, Name) else _refuse(key)
    return key


def _refuse(key: Value) -> Value:
    raise BadState(f"a {type_name(key)} is a key of a state")


def _place(code: Class | Function) -> tuple[str, str]:
    """Return where a class or a function is found again: its module and its name there."""
    module = code.module if isinstance(code, Class) else code.scope.module
    if module.names.get(code.name) is not code:
        raise BadState(f"{code.name}, which is not at the top of a module, is part of a state")
    return module.name, code.name


def _fields(state: Value) -> list[Value]:
    return [getattr(state, name) for name in type(state).__dataclass_fields__]


# --- numbers --------------------------------------------------------------------------------------


def numbers(state: Value, around: Around = PLAIN) -> list[Any]:
    """Return the numbers of a state, in the order of its holes."""
    return [number for _, number in _numbers(state, "", {*around.public}, around)]


def names(state: Value, root: str = "self", around: Around = PLAIN) -> list[str]:
    """Return a readable name for every number of a state, in the order of its holes.

    >>> names({"a": 1, "b": [2, 3]}, "book")
    ["book['a']", "book['b'][0]", "book['b'][1]"]
    """
    return [name for name, _ in _numbers(state, root, {*around.public}, around)]


def _numbers(state: Value, name: str, seen: set[int], around: Around) -> Iterator[tuple[str, Any]]:
    state = around.seen(state)
    if isinstance(state, Growing):
        if id(state) not in seen:
            seen.add(id(state))
            yield from ((one.words(state.name), state.number(one)) for one in state.grown.kept)
    elif isinstance(state, ExpLinear):
        yield name, state.a
    elif not isinstance(state, (bool, Enum)) and kind_of(state) is not None:
        yield name, state
    else:
        for label, part in inside(state, seen):
            yield from _numbers(part, f"{name}{label}", seen, around)


def inside(state: Value, seen: set[int]) -> list[tuple[str, Value]]:
    """Return the parts of a value with their labels; none of what was seen before."""
    if type(state) in LEAVES:
        return []
    if isinstance(state, (Instance, list, dict, deque, set, Keyed, Array)):
        if id(state) in seen:
            return []
        seen.add(id(state))
    if isinstance(state, Keyed):
        known = FOLLOWED in state.entries
        return [(f"[{FOLLOWED!r}]", state.entries[FOLLOWED])] if known else []
    if isinstance(state, Instance):
        return [(f".{name}", one) for name, one in attributes(state).items()]
    if isinstance(state, Array):
        labels = [""] if state.scalar else [f"[{i}]" for i in range(len(state.items))]
        return list(zip(labels, state.items, strict=True))
    if isinstance(state, TABLES):
        return [(f"[{key!r}]", one) for key, one in state.items()]
    if isinstance(state, SEQUENCES) and not isinstance(state, Enum):
        fields = getattr(type(state), "_fields", None)
        labels = [f".{one}" for one in fields] if fields else [f"[{i}]" for i in range(len(state))]
        return list(zip(labels, state, strict=True))
    if isinstance(state, Log):
        return [(".argument", state.argument)]
    if is_trusted(type(state)) and hasattr(type(state), "__dataclass_fields__"):
        return [(f".{name}", getattr(state, name)) for name in type(state).__dataclass_fields__]
    return []


def describe(shape: Shape, known: Iterator[Any] | None = None) -> str:
    """Write a shape the way a state prints, with # for a number, or with known numbers."""
    if isinstance(shape, Hole):
        return "#" if known is None else str(next(known))
    if isinstance(shape, Constant):
        return repr(shape.value)
    if isinstance(shape, (Code, Unbound)):
        return shape.name if isinstance(shape, Code) else "<lambda>"
    if isinstance(shape, Same):
        return "(the same again)"
    if isinstance(shape, Bag):
        return "[...]"
    if isinstance(shape, Book):
        return (
            "{...}"
            if shape.entry is None
            else f"{{{FOLLOWED}: {describe(shape.entry, known)}, ...}}"
        )
    if isinstance(shape, Object):
        pairs = zip(shape.names, shape.parts, strict=True)
        return f"{shape.name}({', '.join(f'{n}={describe(p, known)}' for n, p in pairs)})"
    if isinstance(shape, Table):
        entries = zip(shape.keys, shape.parts, strict=True)
        return "{" + ", ".join(f"{describe(k)}: {describe(p, known)}" for k, p in entries) + "}"
    inside = ", ".join(describe(part, known) for part in shape.parts)
    if isinstance(shape, Row):
        return inside if shape.scalar else f"array([{inside}])"
    if shape.kind is tuple:
        return f"({inside},)" if len(shape.parts) == 1 else f"({inside})"
    return f"[{inside}]" if shape.kind is list else f"{shape.kind.__name__}({inside})"
