"""Arguments of a budget object's calls that the caller chooses: `--free NAME=VALUES`."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from filterproof.http_routes import CallError

KINDS = ("str", "int", "rate")
"""What may stand for the values of a free argument: names, counts, or sampling rates."""


@dataclass(frozen=True)
class Free:
    """An argument that the caller chooses: its name, and the values it is tried with."""

    name: str
    values: tuple[str | int | float, ...]


def free_argument(text: str) -> Free:
    """Return an argument that the caller chooses, from NAME=VALUES.

    >>> free_argument("analyst=a,b"), free_argument("day=int").values
    (Free(name='analyst', values=('a', 'b')), (1, 2, 100))
    """
    name, _, values = text.partition("=")
    if not name.isidentifier() or not values:
        kinds = ", ".join(KINDS)
        raise CallError(f"need NAME=a,b or NAME=KIND with a kind of {kinds}; got {text!r}")
    kinds_of: Mapping[str, tuple[str | int | float, ...]] = {
        "str": ("a", "b"),
        "int": (1, 2, 100),
        "rate": (1.0, 0.5),
    }
    return Free(name, kinds_of.get(values) or tuple(map(_value, values.split(","))))


def _value(text: str) -> str | int | float:
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # too deep
        return text
    return found if type(found) in (int, float) else text
