"""Games made to measure for one filter: every branch is filled to the brim.

A filter that balances each path on its own may still lose in the sum over paths, and it loses
most where every path uses up what it is allowed.  So after a first round (one that says little or
nothing, one that leans to a side, one that rules a database out) the second round differs by
branch, and on each branch every knob is turned up to the largest setting that the filter still
runs.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Filter
from filterproof.game import OPENING, Game, Mechanism
from filterproof.game.palette import game, lottery, one_sided, response, table
from filterproof_properties.case import Case
from filterproof_properties.search.dials import (
    KNOBS,
    Knob,
    fullest,
    leak_back,
    outputs_within,
    runs_last,
)

RARE = Fraction(1, 20)
FIRST: Mapping[str, Mechanism] = MappingProxyType(
    {
        "response(11/20)": response(Fraction(11, 20)),
        "lottery of 4": lottery([Fraction(1, 4)] * 4),
        "rare symbol": lottery([RARE, 1 - RARE]),
        "rare hints": table(
            {"0": (2 * RARE, RARE), "1": (RARE, 2 * RARE), "?": (1 - 3 * RARE,) * 2}
        ),
        "rare leak": one_sided(RARE),
        "rare leak back": leak_back(RARE),
        "three symbols, leaning": table(
            {"0": (RARE * 6, RARE * 5), "1": (RARE * 5, RARE * 6), "?": (RARE * 9, RARE * 9)}
        ),
        "response(21/40)": response(Fraction(21, 40)),
        "response(9/10)": response(Fraction(9, 10)),
        "response(63/64)": response(Fraction(63, 64)),
    }
)
"""First rounds: those that cost little or nothing, and a few that cost more."""
PARTS = 3
"""The first rounds are dealt out into so many tasks."""

Filling = tuple[str, Mechanism | None]


def brim_cases(
    rule: Filter[Any], epsilon: Epsilon, delta: Fraction, part: int | None = None
) -> Iterator[Case]:
    """Yield games whose branches are filled for this filter: all of them, or one part.

    >>> from filterproof.filters.additive import Additive
    >>> cases = brim_cases(Additive(Fraction(1), Fraction(0)), Fraction(1), Fraction(0), 1)
    >>> next(cases).name
    'brim: lottery of 4, then response(473/1024)'
    """
    dealt = [*FIRST.items()][slice(None) if part is None else slice(part, None, PARTS)]
    for name, first in dealt:
        for said, play in branching(rule, first):
            yield Case(f"brim: {name}, then {said}", play, epsilon, delta)


def branching(rule: Filter[Any], first: Mechanism) -> Iterator[tuple[str, Game]]:
    """Yield games in which every branch after the first round is filled as far as is allowed.

    The first branch takes every filling with every filling of the others; these take like ones.
    """
    filled = [fillings(rule, first, y) for y in first.law]
    others = [*zip(*_alike(filled[1:]), strict=True)]
    for one, rest in product(filled[0], others):
        chosen = (one, *rest)
        menus = zip(first.law, (mechanism for _, mechanism in chosen), strict=True)
        after = {y: {"ask": mechanism} for y, mechanism in menus if mechanism}
        if after:
            said = " or ".join(dict.fromkeys(label for label, _ in chosen))
            yield said, game(Mechanism(first.law, after))


def _alike(filled: list[list[Filling]]) -> list[list[Filling]]:
    """Return lists of one length: the last filling of a shorter one stands for the missing ones."""
    most = max(map(len, filled))
    return [[*one, *[one[-1]] * (most - len(one))] for one in filled]


def fillings(rule: Filter[Any], first: Mechanism, y: str) -> list[Filling]:
    """Return, for every knob that can be turned up at all, the fullest mechanism after y."""

    def runs(knob: Knob, setting: Fraction) -> bool:
        filling = knob(setting)
        trial = game(Mechanism(first.law, {y: {"ask": filling}}))
        return runs_last(rule, trial, (OPENING, y, *outputs_within(filling)))

    settings = {name: fullest(partial(runs, knob)) for name, knob in KNOBS.items()}
    found: list[Filling] = [(f"{name}({s})", KNOBS[name](s)) for name, s in settings.items() if s]
    return found or [("nothing", None)]
