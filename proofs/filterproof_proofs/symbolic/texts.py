"""Texts that are not known: messages with an unknown number in them, and `__name__`."""

from typing import Any

from filterproof_proofs.symbolic.machine import Machine


class Text:
    """A text that contains something unknown: a message, in which nothing may be read."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def _use(self, *_: Any) -> Any:
        raise self.machine.run.stuck("a text that contains an unknown number is looked at")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _use
    __len__ = __iter__ = __getitem__ = __contains__ = __int__ = __float__ = __index__ = _use

    def __add__(self, other: Any) -> "Text":
        return self

    __radd__ = __add__

    def __str__(self) -> str:
        return "?"

    __repr__ = __str__


class ModuleName(Text):
    """What `__name__` is: not "__main__", and else whatever it was imported as."""

    def __eq__(self, other: object) -> Any:
        return False if other == "__main__" else self._use()

    def __ne__(self, other: object) -> Any:
        return not self.__eq__(other)

    __hash__ = Text.__hash__
