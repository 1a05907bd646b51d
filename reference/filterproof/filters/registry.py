"""Every built-in filter: where it comes from, what it promises, and whether it keeps that.

>>> entry("compensator").sound, entry("naive").sound
(True, False)
>>> entry("compensater")
Traceback (most recent call last):
filterproof.filters.registry.UnknownFilter: no filter 'compensater'; near: compensator, ...
"""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from filterproof.filter import Filter
from filterproof.filters.additive import Additive, PerRoundDelta
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Capped, Compensator, Recycling
from filterproof.filters.naive import Naive, NaiveOverN
from filterproof.filters.repaired import Repaired, RepairedSharp

PAPER = "the paper"
PROJECT = "this project"


@dataclass(frozen=True)
class Entry:
    """One filter: `target(epsilon, delta, **parameters)` makes it.

    `sound` is the expected verdict, and `why` says for a known-bad specimen what breaks it.
    """

    name: str
    target: Callable[..., Filter[Any]]
    family: str
    source: str
    promise: str
    sound: bool
    why: str = ""
    claims: tuple[str, ...] = ("dp",)


class UnknownFilter(KeyError):
    """A name that no built-in filter has."""

    def __str__(self) -> str:
        return str(self.args[0])


_DP = "(eps, delta)-DP"

REGISTRY: tuple[Entry, ...] = (
    Entry("additive", Additive, "mechanism-level", "Rogers et al., basic composition", _DP, True),
    Entry("naive-over-n", NaiveOverN, "realisation-level", PROJECT, _DP, True),
    Entry("repaired", Repaired, "look-ahead", PROJECT, _DP, True),
    Entry("repaired-sharp", RepairedSharp, "look-ahead", PROJECT, _DP, True),
    Entry("compensator", Compensator, "compensator", PROJECT, _DP, True),
    Entry("compensator-recycling", Recycling, "compensator", PROJECT, _DP, True),
    Entry("compensator-capped", Capped, "compensator", PROJECT, _DP, True),
    Entry(
        "naive",
        Naive,
        "realisation-level",
        f"{PAPER}, section II-B",
        _DP,
        False,
        "the risks of several rounds add up: repeated erasure",
    ),
    Entry(
        "algorithm1",
        Algorithm1,
        "look-ahead",
        f"{PAPER}, Algorithm 1",
        _DP,
        False,
        "the next request is chosen after y_i: the bad outputs of several requests add up",
    ),
    Entry(
        "per-round-delta",
        PerRoundDelta,
        "mechanism-level",
        PROJECT,
        _DP,
        False,
        "each delta_i is compared with delta alone, so they are never added up",
    ),
)

_BY_NAME = {one.name: one for one in REGISTRY}


def entry(name: str) -> Entry:
    """Return the filter of that name, or an error that lists near names."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = get_close_matches(name, _BY_NAME, n=3, cutoff=0.4) or sorted(_BY_NAME)
    raise UnknownFilter(f"no filter {name!r}; near: {', '.join(near)}")
