"""The compensator with every charge rounded up to a multiple of a grid.

An upper bound of a charge in place of the charge keeps the filter sound: it only stops sooner.  In
return its states are few (multiples of the grid), so that long plays on many outputs can
be audited exactly, where the states of `Compensator` itself would multiply from round to round.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, rational
from filterproof.filters.common import ceiling
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
