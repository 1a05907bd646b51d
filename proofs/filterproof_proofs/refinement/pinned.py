"""A machine whose states are told apart by some of their whole numbers too: phases, modes, flags.

A number such as `self.phase` that is 1 or 2 and nothing else is better a part of the shape: then
each phase has an invariant of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.machine import Answer, Choice, Machine, Request, Shape
from filterproof_proofs.refinement.samples import Observed
from filterproof_proofs.symbolic.shapes import BadState

MOST_VALUES = 3
"""A whole number with more values than this in concrete runs is no phase."""


def phases(seen: Observed) -> frozenset[str]:
    """Return the names of whole numbers that have several values, but few, in all runs."""
    values: dict[str, set[Any]] = {}
    for shape, rows in seen.rows.items():
        for name, kind in zip(shape.names, shape.kinds, strict=True):
            if kind is int:
                values.setdefault(name, set()).update(row[name] for row in rows)
    return frozenset(name for name, some in values.items() if 1 < len(some) <= MOST_VALUES)


@dataclass(frozen=True)
class Pinned:
    """A machine some of whose numbers are part of the shape."""

    machine: Machine
    names: frozenset[str]

    @property
    def choices(self) -> Sequence[Choice]:
        """What an adversary may choose beside the costs."""
        return self.machine.choices

    @property
    def unknown_choices(self) -> Sequence[Choice]:
        """The same, one choice for all that differ in a number only."""
        return self.machine.unknown_choices

    @property
    def for_any_names(self) -> Machine | None:
        """Return None: names stand for any names already."""
        return None

    @property
    def constants(self) -> Sequence[int]:
        """The whole numbers above 1 that the code names."""
        return self.machine.constants

    def first(self, run: Doubles | None, budget: Mapping[str, Any]) -> Any:
        """Return the first state."""
        return self.machine.first(run, budget)

    def step(self, run: Doubles | None, state: Any, request: Request) -> Answer:
        """Return what the code does."""
        return self.machine.step(run, state, request)

    def split(self, state: Any) -> tuple[Shape, list[Any]]:
        """Return a shape with the pinned numbers in it, and the other numbers."""
        whole, numbers = self.machine.split(state)
        fixed, left = [], []
        for name, kind, number in zip(whole.names, whole.kinds, numbers, strict=True):
            if name not in self.names:
                left.append((name, kind, number))
            elif type(number) is int:
                fixed.append((name, number))
            else:
                raise BadState(f"{name} is not one of a few whole numbers")
        words = ", ".join(f"{name} = {number}" for name, number in fixed)
        shape = Shape(
            (whole, tuple(fixed)),
            tuple(name for name, _, _ in left),
            tuple(kind for _, kind, _ in left),
            f"{whole.words} with {words}" if words else whole.words,
            whole.lists,
        )
        return shape, [number for _, _, number in left]

    def join(self, run: Doubles, shape: Shape, numbers: Sequence[Any]) -> Any:
        """Return a state of a shape with these numbers."""
        forms: Any = shape.form
        whole, fixed = forms
        known, left = dict(fixed), iter(numbers)
        every = [known[name] if name in known else next(left) for name in whole.names]
        return self.machine.join(run, whole, every)

    def grow(self, seen: Iterable[Shape]) -> bool:
        """Know lists that have several lengths by a few numbers."""
        return self.machine.grow(seen)

    def opening(self, budget: Mapping[str, Any]) -> str:
        """Return how the code is made."""
        return self.machine.opening(budget)

    def asking(self, request: Request) -> str:
        """Return a request."""
        return self.machine.asking(request)
