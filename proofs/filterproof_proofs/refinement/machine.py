"""What the prover needs of code that answers requests, whatever the code looks like.

A machine is made for a budget and asked again and again; it runs on known numbers and on unknown
ones alike.  Its state is opaque: `split` takes it apart into a *shape* (everything that is no
number) and its numbers, `join` puts one together again.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from filterproof_proofs.refinement.doubles import Doubles, Kind


@dataclass(frozen=True)
class Choice:
    """What an adversary chooses beside costs: the part of the data, free arguments, a failure."""

    part: str = ""
    arguments: tuple[tuple[str, Any], ...] = ()
    fails: bool = False
    call: int = 0
    """Which of several calls."""
    place: int = 0
    """Which of several objects."""

    def __str__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.arguments]
        return ", ".join([*given, *(["the mechanism fails"] if self.fails else [])])


PLAIN = (Choice(),)
"""The one choice where there is nothing to choose."""


@dataclass(frozen=True)
class Request:
    """One request: its costs by name, and what the adversary chose beside them."""

    costs: Mapping[str, Any]
    choice: Choice = Choice()


@dataclass(frozen=True)
class Answer:
    """What the code did with a request: whether the round ran, whether it goes on, the next state.

    `beyond` says that a round ran which the other side of a comparison does not run.
    """

    ran: bool
    goes_on: bool
    state: Any
    beyond: str = ""


@dataclass(frozen=True)
class Shape:
    """A state without its numbers: hashable, with a name and a kind for each number."""

    form: Hashable
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    words: str
    lists: tuple[tuple[str, Any], ...] = field(default=(), compare=False, repr=False)
    """The lists in it by name, with their shapes."""


class Declined(Exception):
    """The code does not accept this budget."""


class Machine(Protocol):
    """Code that is made for a budget and asked again and again."""

    @property
    def choices(self) -> Sequence[Choice]:
        """What an adversary may choose beside the costs."""
        ...

    @property
    def unknown_choices(self) -> Sequence[Choice]:
        """The same, one choice for all that differ in a number only."""
        ...

    @property
    def for_any_names(self) -> "Machine | None":
        """The machine in which names stand for any names; None where nobody chooses names."""
        ...

    @property
    def constants(self) -> Sequence[int]:
        """The whole numbers above 1 that the code names."""
        ...

    def first(self, run: Doubles | None, budget: Mapping[str, Any]) -> Any:
        """Return the first state; `run` is None where all numbers are known."""
        ...

    def step(self, run: Doubles | None, state: Any, request: Request) -> Answer:
        """Return what the code does; the state that is handed over may be changed."""
        ...

    def split(self, state: Any) -> tuple[Shape, list[Any]]:
        """Return a state's shape and its numbers."""
        ...

    def join(self, run: Doubles, shape: Shape, numbers: Sequence[Any]) -> Any:
        """Return a state of a shape with these numbers."""
        ...

    def grow(self, seen: Iterable[Shape]) -> bool:
        """Know lists that have several lengths by a few numbers; return whether there are any."""
        ...

    def opening(self, budget: Mapping[str, Any]) -> str:
        """Return how the code is made for a budget, as a person writes it."""
        ...

    def asking(self, request: Request) -> str:
        """Return a request as a person writes it."""
        ...
