"""The grid of strengths on which families are turned up."""

from bisect import bisect_right
from fractions import Fraction

from filterproof_properties.games.families import Strength

OCTAVES, STEPS = 40, 8
TOP = 2 * OCTAVES * STEPS - 1
MIDDLE = OCTAVES * STEPS
"""Strengths are tried on a grid of eight per octave, from 2^-40 to 2^40; the middle one is 1.

Below 2^-40 nothing is told and above 2^40 all; eight per octave leave at most an eighth unspent,
which deeper plays then find in finer steps."""


def strength_at(place: int) -> Strength:
    """Return the strength at a place of the grid.

    >>> [str(strength_at(place)) for place in (0, MIDDLE, MIDDLE + 4)]
    ['1/1099511627776', '1', '3/2']
    """
    octave, step = divmod(place, STEPS)
    return Fraction(STEPS + step, STEPS) * Fraction(2) ** (octave - OCTAVES)


STRENGTHS = tuple(strength_at(place) for place in range(TOP + 2))


def place_of(strength: Strength) -> int:
    """Return the place of the grid at or just below a strength."""
    return max(0, min(bisect_right(STRENGTHS, strength) - 1, TOP - 1))
