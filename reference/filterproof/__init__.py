"""What a game, a filter and an adversary are: the exact reference.

>>> from fractions import Fraction
>>> from filterproof import Log, worst_case
>>> from filterproof.filters.naive import Naive
>>> from filterproof.palette import game, repeated, response
>>> twice = game(repeated(response(Fraction(2, 3)), 2))
>>> str(worst_case(Naive(Log(Fraction(2)), Fraction(0)), twice, Log(Fraction(2))).value)
'0'

The engine is loaded when it is first asked for: it needs numpy, which a filter does not.
"""

from typing import TYPE_CHECKING, Any

from filterproof.exact import ExpLinear, Log
from filterproof.filter import Decision, Filter, ProtocolError
from filterproof.game import Declared, Game, Mechanism, Menu, Step

if TYPE_CHECKING:
    from filterproof.fast import worst_case, worst_tail
    from filterproof.witness import WorstCase

__all__ = [
    "Decision",
    "Declared",
    "ExpLinear",
    "Filter",
    "Game",
    "Log",
    "Mechanism",
    "Menu",
    "ProtocolError",
    "Step",
    "WorstCase",
    "worst_case",
    "worst_tail",
]

_LATER = {"WorstCase": "witness", "worst_case": "fast", "worst_tail": "fast"}


def __getattr__(name: str) -> Any:
    """Return a name of the engine, loading it now."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
