"""What the filter must know of a mechanism: its privacy profile and its log-likelihood ratio.

Both are asked for hypothetical databases only.  The profile may be too large and the loss too
wide an interval, never the other way round: then a charge is never too small.
"""

from typing import Any, Protocol

from filterproof.runtime.domain import Database
from filterproof.runtime.rounding import Interval


class MechanismError(ValueError):
    """A description of a mechanism that cannot be charged for."""


def itself(database: Any) -> Any:
    """Return the database: the query for databases that are the answer."""
    return database


class Mechanism(Protocol):
    """A mechanism as the filter sees it."""

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return an upper bound of δ(epsilon) from x to x′, for epsilon >= 0.

        That is the sum, or integral, of max(0, p_x - e^epsilon·p_x′) over the outputs.
        """
        ...

    def loss(self, x: Database, x_: Database, output: Any) -> Interval | None:
        """Return an interval that holds log p_x(y)/p_x′(y); None where p_x(y) = 0.

        The interval is (inf, inf) where p_x′(y) = 0.
        """
        ...

    def plausible(self, x: Database, output: Any) -> bool:
        """Return whether x could have led to this output at all.

        An output that no declared database explains says that the declaration is wrong.
        """
        ...
