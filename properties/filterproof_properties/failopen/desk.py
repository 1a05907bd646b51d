"""A desk: how a budget object is opened and asked, whoever wrote it.

It opens a fresh object whose budget fits one `unit` and not two, and `ask` spends one number there
the way a user would: True if it was granted, False if it was refused, and whatever the object
raises otherwise.  `odd` says which number stands for which oddity in the terms of the object: an
infinite cost is ε = ∞ for one and noise 0 for another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from filterproof_properties.failopen.inputs import ODD, ROOM, UNIT, doubles

EPSILON, DELTA = doubles(ROOM)
"""The budget that has room for one unit."""
ONE = doubles(UNIT)
PAIRS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {row: doubles(odd) for row, odd in ODD.items()}
)
"""What is odd, for an object that takes (ε, δ)."""


@dataclass(frozen=True)
class Seen:
    """What was observed; `open` if more got through than the budget allows."""

    text: str
    open: bool


NOT_ASKED = Seen("-", False)
"""There is no such input here."""


@dataclass(frozen=True)
class Desk:
    """How one object is opened and asked; `checks` names its function that says yes or no.

    Where that is "" a thread is held at every line instead; `threads` says that it can be asked by
    two.  `pairs` says that numbers that add up are handed over, so that every sequence of `inputs`
    can be; a delta among them where it `has_delta`.  `ask` may also answer by the name of what was
    raised that is no refusal.
    """

    open: Callable[..., Any]
    ask: Callable[[Any, Any], bool | str]
    unit: Any
    odd: Mapping[str, Any]
    checks: str
    fail: Callable[[Any], Any] | None = None
    special: Mapping[str, Callable[[], Seen]] = field(default_factory=dict)
    pairs: bool = False
    has_delta: bool = True
    threads: bool = True
