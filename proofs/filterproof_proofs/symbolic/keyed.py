"""Dictionaries keyed by names that anybody may have: one entry is followed, others are anything.

A book per user has as many entries as there are users.  Names are told apart by being equal and by
nothing else, so what holds of one name holds of every other.  One name's entry is part of the
state; whoever else acts finds no entry, or one of any kind that entries have, with any numbers.
Code that asks for more than the entry of one name (how many there are, all of them in turn) is
named with its line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Name

FOLLOWED, ANOTHER = Name("anybody"), Name("somebody else")
"""The name whose entry is part of the state, and whoever else acts."""


@dataclass
class Kept:
    """What is known of a dictionary by its place in the state: the kinds that its entries have."""

    entries: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Keyed:
    """A dictionary keyed by names, in one round."""

    machine: Machine
    name: str
    kind: type
    factory: Value
    makers: Sequence[Callable[[], Value]]
    """How an entry of each kind is made, with numbers of which nothing is known."""
    entries: dict[Name, Value] = field(default_factory=dict)
    asked: set[Name] = field(default_factory=set)

    def __contains__(self, key: Value) -> bool:
        if self._is_new(key):
            self._look_up(key)
        return key in self.entries

    def _is_new(self, key: Value) -> bool:
        """Whether it is not known yet if another name has an entry."""
        if type(key) is not Name:
            raise self.machine.run.stuck(f"something else than a name is looked up in {self.name}")
        new = key != FOLLOWED and key not in self.asked
        self.asked.add(key)
        return new

    def _look_up(self, key: Name) -> None:
        """Let another name have no entry, or one of each kind."""
        import z3  # an audit reads sources, and with them this module, without a solver

        for number, make in enumerate(self.makers):
            if self.machine.run.branch(z3.Real(f"entry {number} of {self.name}") > 0):
                self.entries[key] = make()
                return

    def __getitem__(self, key: Value) -> Value:
        if key in self:
            return self.entries[key]
        if self.factory is None:
            raise KeyError(key)
        self.machine.change(self)
        self.entries[key] = self.machine.call(self.factory)
        return self.entries[key]

    def __setitem__(self, key: Value, value: Value) -> None:
        self._is_new(key)  # whatever it had is replaced
        self.entries[key] = value

    def __delitem__(self, key: Value) -> None:
        if key not in self:
            raise KeyError(key)
        del self.entries[key]

    def _refuse(self, *_: Value) -> Any:
        raise self.machine.unsupported(f"{self.name} is used as a whole, for all names at once")

    __bool__ = __iter__ = __len__ = __eq__ = __ne__ = __hash__ = __or__ = __ror__ = _refuse


def attribute_of_keyed(machine: Machine, book: Keyed, name: str) -> Value:
    """Return `get`, `setdefault` or `pop` of a dictionary keyed by names."""
    if name not in ("get", "setdefault", "pop"):
        raise machine.unsupported(f"{name} of {book.name}, which is keyed by names")

    def ask(*args: Value) -> Value:
        if len(args) not in (1, 2):
            raise machine.unsupported(f"{name} with these arguments")
        if name != "get":
            machine.change(book)
        key, default = args[0], args[1] if len(args) == 2 else None
        if key in book:
            return book.entries.pop(key) if name == "pop" else book.entries[key]
        if name == "pop" and len(args) == 1:
            return machine.host(book.__delitem__, key)
        if name == "setdefault":
            book.entries[key] = default
        return default

    return ask
