"""What a proof of one round cannot know: what names say, the history, the rest of the game."""

from collections.abc import Callable
from typing import Any

from filterproof_proofs.symbolic.run import NeedsKnown


class Name(str):
    """The name of an output or a database: nothing but itself may be learnt from it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and not isinstance(other, Name):
            raise NeedsKnown(f"a name is compared with the text {str(other)!r}")
        return str.__eq__(self, other) if isinstance(other, Name) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _read(self, *_: object) -> Any:
        raise NeedsKnown("a name is read: only whether two names are the same may be asked")

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __mul__ = __mod__ = __getitem__ = _read
    __len__ = __iter__ = __contains__ = _read
    __hash__ = str.__hash__


class Hidden:
    """Something that a round does not know: every use of it says so."""

    def __init__(self, stuck: Callable[[], NeedsKnown]) -> None:
        object.__setattr__(self, "_stuck", stuck)

    def _raise(self, *_: object) -> Any:
        raise object.__getattribute__(self, "_stuck")()

    __getattr__ = __getitem__ = __iter__ = __len__ = __contains__ = __call__ = _raise
    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _raise
    __hash__ = __str__ = __repr__ = __format__ = __add__ = __radd__ = _raise
