"""A bound in place of the exact number: an upper one stays sound, a lower one does not.

The paper remarks that the check may have to be approximated.  Here the charge of the compensator,
and the overshoot in the repaired rule, are rounded to a coarse grid: upwards (sound, halts
earlier; for the charge that is `compensator_grid`) or downwards (*known-bad specimens*: what is
below one grid step is free).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from filterproof.exact import ExpLinear
from filterproof.filters.algorithm1 import overshoot
from filterproof.filters.common import ceiling
from filterproof.filters.compensator import Compensator
from filterproof.filters.repaired import Repaired
from filterproof.game import Request, Step
from filterproof.game.law import Output, Pair

GRID = 64


def round_down(number: ExpLinear) -> Fraction:
    """Return a multiple of 1/64 that is not above the number, and at least 0.

    >>> round_down(ExpLinear(Fraction(3, 65), 0, Fraction(1)))
    Fraction(1, 32)
    """
    return max(Fraction(0), -ceiling(-number * GRID) * Fraction(1, GRID))


@dataclass(frozen=True)
class CompensatorLower(Compensator):
    """The compensator that charges a lower bound: a *known-bad specimen*."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge rounded down."""
        return ExpLinear(round_down(super().charge(step, pair)), 0, self.epsilon)


@dataclass(frozen=True)
class RepairedUpper(Repaired):
    """The repaired rule with an upper bound of the overshoot: sound."""

    def safe(self, step: Step, y: Output, r: Request, pair: Pair, z: Fraction) -> bool:
        """Whether the overshoot rounded up is at most z."""
        return ceil(overshoot(step, y, r, pair, self.epsilon) * GRID) <= z * GRID


@dataclass(frozen=True)
class RepairedLower(Repaired):
    """The repaired rule with a lower bound of the overshoot: a *known-bad specimen*."""

    def safe(self, step: Step, y: Output, r: Request, pair: Pair, z: Fraction) -> bool:
        """Whether the overshoot rounded down is at most z."""
        return floor(overshoot(step, y, r, pair, self.epsilon) * GRID) <= z * GRID
