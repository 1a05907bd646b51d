"""States of interpreted code, taken apart into a shape and its numbers, and put together again."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from filterproof_proofs.refinement.machine import Shape
from filterproof_proofs.symbolic.growing import Growing, Grown, Tally, first_numbers
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.kinds import is_finite, kind_of
from filterproof_proofs.symbolic.lists import element_kinds, named_lists
from filterproof_proofs.symbolic.memory import reachable
from filterproof_proofs.symbolic.shapes import (
    Around,
    BadState,
    Public,
    describe,
    fill,
    names,
    numbers,
    shape_of,
)

SEVERAL = 4
"""A list that has so many lengths in concrete runs grows."""


def split(machine: Interpreter, state: Any, root: str, public: Public) -> tuple[Shape, list[Any]]:
    """Return a state's shape and its numbers, and not those of what is public."""
    around = Around(public, _growing(machine, state, root))
    form, found = shape_of(state, around), numbers(state, around)
    if not all(map(is_finite, found)):
        raise BadState("a state holds a number that is not finite")
    kinds = tuple(kind_of(number) or int for number in found)
    lists = tuple((name, shape_of(one)) for name, one in named_lists(state, root))
    return Shape(form, tuple(names(state, root, around)), kinds, describe(form), lists), found


def join(machine: Interpreter, form: Any, left: Iterator[Any]) -> Any:
    """Return a state with the next numbers, of the classes of an interpreter."""

    def grow(name: str, known: dict[Tally, Any]) -> Growing:
        return Growing(machine, name, machine.program.growing[name], known)

    return fill(form, lambda _: next(left), Fraction(0), machine.find, grow)


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
