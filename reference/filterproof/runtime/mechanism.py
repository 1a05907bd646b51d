"""What the filter must know of a mechanism: its privacy profile and its log-likelihood ratio.

Both are asked for hypothetical databases only.  The profile may be too large and the loss too
wide an interval, never the other way round: then a charge is never too small.

Two more methods are optional.  With them the rounds can be booked at mechanism level, on the
floor (`floor`); without them they are charged by what is realised.
"""

from collections.abc import Callable
from math import inf, isnan
from typing import Any, NamedTuple, Protocol, runtime_checkable

from filterproof.directed_rounding import Exact, Interval, double_interval, exact
from filterproof.runtime.domain import Database


class MechanismError(ValueError):
    """A description of a mechanism that cannot be charged for."""


class Cost(NamedTuple):
    """What a round costs at mechanism level, outside an event of probability `slack` under x.

    `amount` is μ of Gaussian DP, or the Rényi divergence at the order that was asked for.
    """

    amount: float
    slack: float = 0.0


NO_COST = Cost(inf)
"""The cost of a round that mechanism-level accounting cannot take."""


def itself(database: Any) -> Any:
    """Return the database: the query for databases that are the answer."""
    return database


class PerKey(dict[Any, Any]):
    """What has to be computed once for each key, such as the distance of two answers."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Any) -> Any:
        self[key] = self._compute(*key) if isinstance(key, tuple) else self._compute(key)
        return self[key]


class DescribedMechanism(Protocol):
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


@runtime_checkable
class Accountable(Protocol):
    """A mechanism that mechanism-level accounting can take."""

    def mu(self, x: Database, x_: Database) -> Cost:
        """Return a μ such that telling x from x′ is no easier than N(0, 1) from N(μ, 1)."""
        ...

    def renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return an upper bound of the Rényi divergence of that order from x to x′."""
        ...


def number(value: Any, what: str) -> Exact:
    """Return any finite real number as the rational that it is."""
    if type(value) is int:
        return value
    found = exact(value)
    if found is None:
        raise MechanismError(f"{what} must be a finite number; got {value!r}")
    return found


def outward(value: Any, what: str) -> Interval:
    """Return the doubles around a number from outside, which may be infinite.

    A number of numpy's or a Decimal is taken at its word, not computed with as it is.

    >>> import numpy
    >>> outward(numpy.float32(0.1), "a profile")
    (0.10000000149011612, 0.10000000149011612)
    """
    if type(value) is float and not isnan(value):
        return value, value
    if value in (inf, -inf):
        return (inf, inf) if value > 0 else (-inf, -inf)
    return double_interval(number(value, what))
