"""States put together again: a shape with a number for each of its holes."""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, Log
from filterproof_proofs.symbolic.growing import Growing, Tally
from filterproof_proofs.symbolic.keyed import FOLLOWED, Keyed
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.shapes import (
    BadState,
    Bag,
    Book,
    Code,
    Constant,
    Hole,
    Object,
    Parts,
    Row,
    Same,
    Shape,
    Table,
    Unbound,
)
from filterproof_proofs.symbolic.values import Instance, attributes


@dataclass
class Filler:
    """Makes a state of a shape: `number` gives the next number, `find` a class by its name."""

    number: Callable[[type], Any]
    epsilon: Epsilon
    find: Callable[[str, Any], Value]
    grow: Callable[[str, dict[Tally, Any]], Growing]
    book: Callable[[Book, Value], Keyed]
    log: Callable[[Any], Log]
    made: list[Any]


def fill(
    shape: Shape,
    number: Callable[[type], Any],
    epsilon: Epsilon,
    find: Callable[[str, Any], Value] | None = None,
    grow: Callable[[str, dict[Tally, Any]], Growing] | None = None,
    book: Callable[[Book, Value], Keyed] | None = None,
    log: Callable[[Any], Log] = Log,
) -> Value:
    """Return a state of this shape, with a number for each hole; `find` gives the classes."""
    others = find or _no_classes, grow or _no_lists, book or _no_books, log
    return _fill(shape, Filler(number, epsilon, *others, made=[]))


def _no_books(shape: Book, factory: Value) -> Keyed:
    raise BadState(f"{shape.name} is keyed by names")


def _no_lists(name: str, numbers: dict[Tally, Any]) -> Growing:
    raise BadState(f"{name} grows")


def _no_classes(module: str, name: Any) -> Value:
    raise BadState(f"there is no class {name}")


def _fill(shape: Shape, filler: Filler) -> Value:
    if isinstance(shape, Hole):
        made = filler.number(shape.kind)
        return ExpLinear(made, 0, filler.epsilon) if shape.kind is ExpLinear else made
    if isinstance(shape, Constant):
        return shape.value
    if isinstance(shape, Code):
        return filler.find(shape.module, shape.name)
    if isinstance(shape, Unbound):
        return filler.find(shape.module, shape.node)
    if isinstance(shape, Same):
        return filler.made[shape.number]
    if isinstance(shape, Bag):
        made = filler.grow(shape.name, {one: filler.number(float) for one in shape.kept})
        filler.made.append(made)
        return made
    if isinstance(shape, Book):
        return _filled_book(shape, filler)
    if isinstance(shape, Object):
        return _object(shape, filler)
    if isinstance(shape, Row):
        items = [_fill(part, filler) for part in shape.parts]
        filler.made.append(filler.find("numpy", (shape.kind, shape.scalar))(items))
        return filler.made[-1]
    if isinstance(shape, Table):
        return _table(shape, filler)
    return _parts(shape, filler)


def _filled_book(shape: Book, filler: Filler) -> Value:
    made = filler.book(shape, _fill(shape.factory, filler))
    filler.made.append(made)
    if shape.entry is not None:
        made.entries[FOLLOWED] = _fill(shape.entry, filler)
    return made


def _object(shape: Object, filler: Filler) -> Value:
    made = Instance(filler.find(shape.module, shape.name))
    filler.made.append(made)
    for name, part in zip(shape.names, shape.parts, strict=True):
        attributes(made)[name] = _fill(part, filler)
    return made


def _table(shape: Table, filler: Filler) -> Value:
    other = _fill(shape.other, filler)
    made: Any = shape.kind(other) if shape.kind is defaultdict else shape.kind()
    filler.made.append(made)
    for key, part in zip(shape.keys, shape.parts, strict=True):
        made[key.value] = _fill(part, filler)  # type: ignore[union-attr]
    return made


def _parts(shape: Parts, filler: Filler) -> Value:
    kind: Any = shape.kind
    if kind in (list, deque):
        made = kind()
        filler.made.append(made)
        made.extend(_fill(part, filler) for part in shape.parts)
        return made
    parts = [_fill(part, filler) for part in shape.parts]
    if kind is set:
        filler.made.append(set(parts))
        return filler.made[-1]
    if kind in (tuple, frozenset):
        return kind(parts)
    if issubclass(kind, tuple) or kind is Log:
        return filler.log(*parts) if kind is Log else kind(*parts)
    made = object.__new__(kind)
    for name, part in zip(kind.__dataclass_fields__, parts, strict=True):
        object.__setattr__(made, name, part)
    return made
