"""Two versions of one thing side by side: whenever the new one runs a round, so does the old one.

Both are asked the same requests.  What the new version refuses, the old one is not asked: then
every transcript that the new version allows, the old one allows too, whatever both are about.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.machine import (
    Answer,
    Choice,
    Declined,
    Machine,
    Request,
    Shape,
)

LOOSER = "the old version does not run this round"


@dataclass(frozen=True)
class Both:
    """The states of both versions; None for an old one that has ended or was never made."""

    new: Any
    old: Any


@dataclass(frozen=True)
class VersionsMachine:
    """The new version of something, watched by the old one."""

    new: Machine
    old: Machine

    @property
    def choices(self) -> Sequence[Choice]:
        """What an adversary may choose beside the costs."""
        return self.new.choices

    @property
    def unknown_choices(self) -> Sequence[Choice]:
        """The same, one choice for all that differ in a number only."""
        return self.new.unknown_choices

    @property
    def for_any_names(self) -> "VersionsMachine | None":
        """The versions in which names stand for any names."""
        new, old = self.new.for_any_names, self.old.for_any_names
        return VersionsMachine(new, old) if new and old else None

    @property
    def constants(self) -> Sequence[int]:
        """The whole numbers above 1 that either version names."""
        return tuple(dict.fromkeys((*self.new.constants, *self.old.constants)))

    def first(self, run: Doubles | None, budget: Mapping[str, Any]) -> Both:
        """Return the first states; a budget that only the old version rejects leaves it ended."""
        new = self.new.first(run, budget)
        try:
            return Both(new, self.old.first(run, budget))
        except Declined:
            return Both(new, None)

    def step(self, run: Doubles | None, state: Both, request: Request) -> Answer:
        """Ask the new version, and the old one if that runs."""
        new = self.new.step(run, state.new, request)
        if not new.ran:
            return Answer(False, new.goes_on, Both(new.state, state.old))
        if state.old is None:
            return Answer(True, new.goes_on, Both(new.state, None), LOOSER)
        old = self.old.step(run, state.old, request)
        left = old.state if old.goes_on else None
        return Answer(True, new.goes_on, Both(new.state, left), "" if old.ran else LOOSER)

    def split(self, state: Both) -> tuple[Shape, list[Any]]:
        """Return the shapes of both states, and their numbers."""
        new, numbers = self.new.split(state.new)
        if state.old is None:
            named = tuple(f"new {name}" for name in new.names)
            return Shape((new, None), named, new.kinds, f"{new.words}, old ended"), numbers
        old, more = self.old.split(state.old)
        named = (*(f"new {name}" for name in new.names), *(f"old {name}" for name in old.names))
        words = f"new {new.words}, old {old.words}"
        return Shape((new, old), named, (*new.kinds, *old.kinds), words), [*numbers, *more]

    def join(self, run: Doubles, shape: Shape, numbers: Sequence[Any]) -> Both:
        """Return states of these shapes."""
        forms: Any = shape.form
        new, old = forms
        count = len(new.names)
        made = self.new.join(run, new, numbers[:count])
        return Both(made, self.old.join(run, old, numbers[count:]) if old else None)

    def grow(self, seen: Iterable[Shape]) -> bool:
        """Lists that grow are not followed in two versions at once."""
        return False

    def opening(self, budget: Mapping[str, Any]) -> str:
        """Return how the new version is made."""
        return self.new.opening(budget)

    def asking(self, request: Request) -> str:
        """Return a request to the new version."""
        return self.new.asking(request)
