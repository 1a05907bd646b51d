"""The compensator with every charge rounded up to a multiple of a grid.

An upper bound of a charge in place of the charge keeps the filter sound: it only stops sooner.  In
return its states are few (multiples of the grid), so that long plays on many outputs can
be audited exactly, where the states of `Compensator` itself would multiply from round to round.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, rational
from filterproof.filters.compensator import Compensator
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Pair


@dataclass(frozen=True)
class CompensatorGrid(Compensator):
    """The compensator whose charges are rounded up to whole multiples of `grid`."""

    _: KW_ONLY
    grid: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        if rational(self.grid) <= 0:
            raise ParameterError(f"need grid > 0; got {self.grid}")

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge, rounded up to the grid."""
        return ExpLinear(self.units(step, pair) * self.grid, 0, self.epsilon)

    def units(self, step: Step, pair: Pair) -> int:
        """Return how many grid units the charge takes."""
        return ceiling(super().charge(step, pair) / self.grid)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer a grid of which δ has at least 64 units, and 64 for every round."""
        for units in (64, 64 * depth):
            yield {"grid": delta / units if delta else Fraction(1, units)}


def ceiling(value: ExpLinear) -> int:
    """Return the smallest integer that is not below a + b·e^ε.

    >>> ceiling(ExpLinear(0, 1, Fraction(1))), ceiling(ExpLinear(2, 0, Fraction(1)))
    (3, 2)
    """
    bits = 64
    low, high = value.enclosure(bits)
    while ceil(low) != ceil(high):  # ends: with b ≠ 0 the value is no integer
        bits *= 2
        low, high = value.enclosure(bits)
    return ceil(low)
