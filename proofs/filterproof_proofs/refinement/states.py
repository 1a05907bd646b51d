"""States of interpreted code, taken apart into a shape and its numbers, and put together again."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any

from filterproof.exact import Log
from filterproof_proofs.refinement.doubles import LARGEST, Doubles
from filterproof_proofs.refinement.machine import Shape
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.growing import (
    Growing,
    Grown,
    NotCounted,
    Tally,
    first_numbers,
)
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.keyed import Kept, Keyed
from filterproof_proofs.symbolic.kinds import ROUNDED, is_finite, kind_of
from filterproof_proofs.symbolic.lists import element_kinds, named_lists, named_tables
from filterproof_proofs.symbolic.memory import reachable
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.shapes import (
    Around,
    BadState,
    Book,
    Public,
    describe,
    kept_name,
    names,
    numbers,
    shape_of,
)

SEVERAL = 4
"""A list that has so many lengths in concrete runs grows."""


class NotFinite(BadState):
    """A state holds inf or nan."""


def split(machine: Interpreter, state: Any, root: str, public: Public) -> tuple[Shape, list[Any]]:
    """Return a state's shape and its numbers, and not those of what is public."""
    books = _books(machine, state, root)
    around = Around(public, {**_growing(machine, state, root), **books}, names=True)
    form, found = shape_of(state, around), numbers(state, around)
    if not all(map(is_finite, found)):
        raise NotFinite("a state holds a number that is not finite")
    if machine.run.exploring and kept_name(form):
        raise BadState(f"a state keeps a name beside its entry in a dictionary: {describe(form)}")
    for place, one in books.items():
        _check_entries(machine, state, place, one, public)
    kinds = tuple(kind_of(number) or int for number in found)
    kept = Around(names=True)
    lists = tuple((name, shape_of(one, kept)) for name, one in named_lists(state, root))
    return Shape(form, tuple(names(state, root, around)), kinds, describe(form), lists), found


def join(
    machine: Interpreter, form: Any, left: Iterator[Any], log: Callable[[Any], Log] = Log
) -> Any:
    """Return a state with the next numbers, of the classes of an interpreter."""

    def grow(name: str, known: dict[Tally, Any]) -> Growing:
        return Growing(machine, name, machine.program.growing[name], known)

    def book(shape: Book, factory: Any) -> Keyed:
        return _dictionary(machine, shape.name, shape.kind, factory)

    return fill(form, lambda _: next(left), Fraction(0), machine.find, grow, book, log)


# --- dictionaries keyed by names ----------------------------------------------------------------


def _dictionary(machine: Interpreter, name: str, kind: type, factory: Any) -> Keyed:
    """Return a dictionary of which nothing is known but which kinds of entries it has."""
    known, run = machine.program.keyed[name].entries, machine.run
    assert isinstance(run, Doubles)

    def make(number: int, shape: Any) -> Any:
        places = count()

        def unknown(kind: type) -> Any:
            found = run.given(f"entry {number}.{next(places)} of {name}", kind)
            if kind in ROUNDED:
                run.assume(found.term <= LARGEST)
                run.assume(found.term >= -LARGEST)
            return found

        entry = fill(shape, unknown, Fraction(0), machine.find)
        for one in reachable(entry):
            machine.created(one)
        return entry

    makers = [partial(make, number, shape) for number, shape in enumerate(known)]
    return Keyed(machine, name, kind, factory, makers)


def _books(machine: Interpreter, state: Any, root: str) -> dict[int, Keyed]:
    """Return what is known of each dictionary keyed by names, by its identity."""
    found = {}
    for name, one in named_tables(state, root):
        if isinstance(one, Keyed):
            if one.name != name:
                raise BadState(f"{one.name} has become {name}")
            found[id(one)] = one
            continue
        by_name = any(isinstance(key, Name) for key in one)
        if by_name and name not in machine.program.keyed:
            machine.program.keyed[name] = Kept()
            raise NotCounted(name)
        if name in machine.program.keyed and (by_name or not one):
            factory = getattr(one, "default_factory", None)
            found[id(one)] = _dictionary(machine, name, type(one), factory)
            found[id(one)].entries.update(one)
    return found


def _check_entries(
    machine: Interpreter, state: Any, place: int, book: Keyed, public: Public
) -> None:
    """Remember a new kind of entry, and begin anew; say so if an entry is kept elsewhere too."""
    known = machine.program.keyed[book.name].entries
    held = list(reachable(state, {place}))
    for entry in book.entries.values():
        shape, found = shape_of(entry, Around(public, names=True)), numbers(entry)
        if not all(map(is_finite, found)):
            raise NotFinite(f"an entry of {book.name} holds a number that is not finite")
        if kept_name(shape):
            raise BadState(f"an entry of {book.name} keeps a name")
        own = [*reachable(entry)]
        if {id(one) for one in own} & {id(one) for one in held}:
            raise BadState(f"an entry of {book.name} is kept elsewhere too")
        held += own
        if shape not in known:
            known.append(shape)
            raise NotCounted(book.name)


# --- lists that grow ------------------------------------------------------------------------------


def _growing(machine: Interpreter, state: Any, root: str) -> dict[int, Growing]:
    """Return what is known of each list that grows, by its identity."""
    found = {}
    for name, one in named_lists(state, root):
        if isinstance(one, Growing):
            if one.name != name:
                raise BadState(f"{one.name} has become {name}")
            found[id(one)] = one
        elif name in machine.program.growing:
            grown = machine.program.growing[name]
            found[id(one)] = Growing(machine, name, grown, first_numbers(grown), list(one))
    _check_elements(state, found)
    return found


def _check_elements(state: Any, growing: Mapping[int, Growing]) -> None:
    """Say so if an element that can be changed is found elsewhere in the state too."""
    inside = {id(part) for one in growing.values() for part in reachable(one.added)}
    if inside and inside & {id(one) for one in reachable(state, {*growing})}:
        raise BadState("an element of a list that grows is kept elsewhere too")


def grown_lists(seen: Iterator[Shape]) -> dict[str, Grown]:
    """Return the lists that had several lengths in concrete runs, and what their elements hold."""
    found: dict[str, list[Any]] = {}
    for shape in seen:
        for name, one in shape.lists:
            found.setdefault(name, []).append(one)
    return {
        name: Grown(some[0].kind, element_kinds(some))
        for name, some in found.items()
        if len({len(one.parts) for one in some}) >= SEVERAL
    }
