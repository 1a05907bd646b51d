"""The databases that a filter guards, as `tune` is told them, and as the runtime filter is.

>>> parse_domain("counts:61").python
'Domain.counts(60)'
"""

from collections.abc import Callable
from dataclasses import dataclass

MOST = 2_000
"""How many databases may be simulated, and how many ordered pairs a record may have."""

Pair = tuple[int, int]


class SpecError(ValueError):
    """A mechanism or a domain that is not known, or not with this parameter."""


@dataclass(frozen=True)
class Guarded:
    """Databases 0, 1, ..., size - 1 and the ordered pairs of neighbours among them."""

    said: str
    size: int
    pairs: tuple[Pair, ...]
    python: str


def _both(pairs: list[Pair]) -> tuple[Pair, ...]:
    return tuple(one for x, x_ in pairs for one in ((x, x_), (x_, x)))


def counts(size: int) -> Guarded:
    """Return the counts 0, ..., size - 1; one record changes the count by one."""
    said = f"counts:{size}, the {size} counts 0 to {size - 1}, neighbours differ by one"
    pairs = _both([(x, x + 1) for x in range(size - 1)])
    return Guarded(said, size, pairs, f"Domain.counts({size - 1})")


def values(size: int) -> Guarded:
    """Return one record with `size` values, every two of them neighbours."""
    said = f"values:{size}, one record with {size} values, every two are neighbours"
    pairs = _both([(x, x_) for x in range(size) for x_ in range(x)])
    return Guarded(said, size, pairs, f"Domain.record(range({size}))")


PAIR = Guarded(
    "pair, two databases whose answers differ by one and nothing else possible",
    2,
    ((0, 1), (1, 0)),
    "Domain.of([0, 1], [(0, 1)])",
)

KINDS: dict[str, Callable[[int], Guarded]] = {"counts": counts, "values": values}


def parse_domain(text: str) -> Guarded:
    """Read "pair", "counts:SIZE" or "values:SIZE".

    >>> parse_domain("values:1")
    Traceback (most recent call last):
    filterproof_properties.choose.domains.SpecError: need a size from 2 to ...
    """
    if text == "pair":
        return PAIR
    kind, _, number = text.partition(":")
    if kind not in KINDS:
        raise SpecError(f"no domain {text!r}; known: pair, counts:SIZE, values:SIZE")
    most = MOST if kind == "counts" else int(MOST**0.5)
    if not (number.isascii() and number.isdigit() and 2 <= int(number) <= most):
        raise SpecError(f"need a size from 2 to {most}, as in {kind}:16; got {text!r}")
    return KINDS[kind](int(number))
