"""Lists that grow with every round, known by a few numbers: length, sums, maximum, last element.

Which numbers those are is found: where the code asks for another one, the run ends with
`NotCounted`, and the proof begins anew with it.  A sum of floats is added up in one of several
ways, by Python's version and by function (`sum`, `math.fsum`, a loop): each of them is within three
roundings of the one before plus the new element, if no element is negative.
"""

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from filterproof_proofs.symbolic.kinds import ROUNDED, kind_of, of_kind
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import Raised

Place = tuple[tuple[str, Any], ...]
"""Where a number is in an element: ("item", 0), ("attribute", "epsilon"), one inside the other."""
LENGTH, LARGEST, LAST, SUMS = "len", "max", "last of", ("sum", "math.fsum", "added up")


class NotCounted(BaseException):
    """The code asks for a number of a list that is not kept yet."""


@dataclass(frozen=True)
class Tally:
    """One number that a list is known by: what it is, and of which number of each element."""

    what: str
    place: Place = ()

    def words(self, name: str) -> str:
        """Return a name for it.

        >>> Tally("sum", (("item", 0),)).words("self.log")
        'sum(self.log[*][0])'
        """
        return f"{self.what}({name}{'[*]' if self.place else ''}{place_words(self.place)})"


def place_words(place: Place) -> str:
    """Return how a number of an element is written."""
    return "".join(f".{key}" if how == "attribute" else f"[{key!r}]" for how, key in place)


@dataclass
class Grown:
    """What is known of a list that grows: the types of its elements' numbers, and what is kept."""

    kind: type
    kinds: Mapping[Place, type]
    kept: list[Tally] = field(default_factory=list)

    def kind_of(self, tally: Tally) -> type:
        """Return the type of a number that is kept."""
        return int if tally.what == LENGTH else self.kinds[tally.place]


@dataclass(eq=False)
class Growing:
    """A list or tuple of which a few numbers are known, and what was added to it since."""

    machine: Machine
    name: str
    grown: Grown
    numbers: dict[Tally, Value]
    added: list[Value] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.number(Tally(LENGTH)) > 0)

    def __hash__(self) -> int:
        raise self.machine.unsupported(f"{self.name} as a key")

    def __add__(self, other: Value) -> Value:
        return self.copied(other) if type(other) is self.grown.kind else NotImplemented

    def copied(self, more: Value = ()) -> "Growing":
        """Return another list with the same elements and some more."""
        added = [*self.added, *more]
        made = Growing(self.machine, self.name, self.grown, self.numbers, added)
        return self.machine.created(made)  # type: ignore[no-any-return]

    def number(self, tally: Tally) -> Value:
        """Return a number of the list as it is now."""
        if tally.what in (LARGEST, LAST):
            self.number(Tally(LENGTH))
        if tally not in self.numbers:
            if tally.what != LENGTH and tally.place not in self.grown.kinds:
                raise self.machine.unsupported(f"{tally.words(self.name)}")
            self.grown.kept.append(tally)
            raise NotCounted(tally.words(self.name))
        return with_added(self.machine, self.numbers, self.added, tally)

    def last(self) -> Value:
        """Return the last element."""
        if self.added:
            return self.added[-1]
        if not self:
            raise Raised(IndexError("list index out of range"))
        return self.number(Tally(LAST))

    def pop(self, *place: Value) -> Value:
        """Take the last element away, one that was added in this very request."""
        if not self.added or place not in ((), (-1,)):
            raise self.machine.unsupported("pop of an older element of a list that grows")
        return self.added.pop()


@dataclass(frozen=True, eq=False)
class Mapped:
    """One number of each element of a list, as a comprehension gives it."""

    of: Growing
    place: Place


def with_added(
    machine: Machine, numbers: Mapping[Tally, Value], added: list[Value], tally: Tally
) -> Value:
    """Return a number of a list with some more elements."""
    found = numbers[tally]
    if tally.what == LENGTH:
        return found + len(added)
    for count, element in enumerate(added):
        one = number_in(machine, element, tally.place)
        if tally.what in SUMS:
            found = one_more(machine, found, one)
        elif tally.what == LAST or (not count and machine.truth(numbers[Tally(LENGTH)] == 0)):
            found = one
        else:
            found = machine.host(max, found, one)
    return found


def one_more(machine: Machine, total: Value, one: Value) -> Value:
    """Return a sum with one more element."""
    if machine.truth(one < 0):
        raise machine.unsupported("a list of numbers that may be negative")
    if kind_of(total) in ROUNDED or kind_of(one) in ROUNDED:
        return machine.run.added(total, one)
    return machine.host(lambda: total + one)


def number_in(machine: Machine, element: Value, place: Place) -> Value:
    """Return a number of an element."""
    for how, key in place:
        if how == "attribute":
            element = machine.get(element, key)
        else:
            element = machine.host(lambda one, at: one[at], element, key)
    if kind_of(element) is None:
        raise machine.unsupported("a list whose elements have no such number")
    return element


def first_numbers(grown: Grown) -> dict[Tally, Value]:
    """Return the numbers of an empty list."""
    return {one: of_kind(0, grown.kind_of(one)) for one in grown.kept}


# --- what code asks -------------------------------------------------------------------------------


def ask_growing(machine: Machine, function: Value, args: Any, kwargs: Any) -> Value:
    """Answer `sum`, `max`, `len`, ... of a list that grows."""
    over, place = (args[0].of, args[0].place) if isinstance(args[0], Mapped) else (args[0], ())
    if kwargs or len(args) > 1:
        raise machine.unsupported("more arguments beside a list that grows")
    if function is len:
        return over.number(Tally(LENGTH))
    if function in (list, tuple) and not place:
        return over.copied()
    if function in (sum, math.fsum):
        return over.number(Tally("sum" if function is sum else "math.fsum", place))
    if function is max:
        if not over:
            raise Raised(ValueError("max() arg is an empty sequence"))
        return over.number(Tally(LARGEST, place))
    if function is bool:
        return bool(over)
    raise machine.unsupported(f"{getattr(function, '__name__', 'this')}() of a list that grows")


def attribute_of_growing(machine: Machine, over: Growing, name: str) -> Value:
    """Return `append`, `extend`, `pop` or `copy` of a list that grows."""
    if name not in ("append", "extend", "pop", "copy") or over.grown.kind is not list:
        raise machine.unsupported(f"{name} of a list that grows")

    def change(*args: Value) -> Value:
        if name == "copy":
            return over.copied()
        machine.change(over)
        if name == "pop":
            return over.pop(*args)
        over.added.extend(args if name == "append" else machine.iterate(*args))
        return None

    return change


def item_of_growing(machine: Machine, over: Value, key: Value) -> Value:
    """Return the last element of a list that grows: no other place is known."""
    if isinstance(over, Growing) and key == -1 and type(key) is int:
        return over.last()
    raise machine.unsupported("a place in a list that grows")


def comprehended(machine: Machine, node: Any, over: Value) -> Mapped:
    """Return what a comprehension over a list that grows gives: one number of each element."""
    (here, *others) = node.generators
    place = _place(node.elt, here.target) if not others and not here.ifs else None
    if place is None or not isinstance(over, Growing):
        raise machine.unsupported("this way to go through a list that grows")
    return Mapped(over, place)


def added_up(machine: Machine, node: ast.For, over: Value) -> list[tuple[ast.Name, Tally]]:
    """Return what a loop over a list that grows adds up: `total += one`, and nothing else."""
    found = []
    for one in node.body:
        plain = isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add)
        place = _place(one.value, node.target) if isinstance(one, ast.AugAssign) else None
        if not plain or place is None or not isinstance(one.target, ast.Name) or node.orelse:  # type: ignore[attr-defined]
            raise machine.unsupported("this way to go through a list that grows")
        found.append((one.target, Tally("added up", place)))  # type: ignore[attr-defined]
    return found


def _place(node: ast.expr, target: ast.expr) -> Place | None:
    """Return which number of an element an expression is, over the names of a loop."""
    inside: list[tuple[str, Any]] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            inside.insert(0, ("attribute", node.attr))
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            inside.insert(0, ("item", node.slice.value))
        else:
            return None
        node = node.value
    outer = _place_of_name(target, node.id)
    return None if outer is None else (*outer, *inside)


def _place_of_name(target: ast.expr, name: str) -> Place | None:
    """Return where the target of a loop binds a name."""
    if isinstance(target, ast.Name):
        return () if target.id == name else None
    found = None
    for i, one in enumerate(getattr(target, "elts", ())):
        if isinstance(one, ast.Starred):
            return None
        inner = _place_of_name(one, name)
        found = (("item", i), *inner) if inner is not None else found
    return found
