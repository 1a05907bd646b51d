"""From "what was spent so far?" to an odometer: the helper behind adapters that report.

As in `ledger`, the state is the tuple of what was handed over, and each question replays it on a
fresh object of the library.

A library that says (ε, δ′)-DP bounds H, while an odometer bounds the loss itself.  It is read
fairly: (ε, δ/2)-DP gives P_x(L > ε + log 2) <= δ, so what is reported is its ε at δ/2, and log 2.
"""

from collections.abc import Callable, Hashable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from math import inf, isnan
from typing import Any

from filterproof.odometer import INFINITE, Reported
from filterproof_properties.adapters.support.ledger import MARGIN, Watched

LOG_2_UP = Fraction(69314718056, 10**11)
"""A little more than log 2."""


class NotANumber(ValueError):
    """A library that reports NaN."""


@dataclass(frozen=True)
class Told:
    """A report `function(*budget, spent)` at one budget; equal ones compare equal."""

    function: Callable[..., Reported]
    budget: tuple[Hashable, ...]

    def __call__(self, spent: Any) -> Reported:
        """Ask."""
        return self.function(*self.budget, spent)


def always(spent: Any, asked: Any) -> bool:
    """Admit everything: an odometer enforces nothing."""
    return True


@dataclass(frozen=True)
class Metered(Watched):
    """Runs everything, and reports what the library says of all that was handed over."""

    _: KW_ONLY
    report: Callable[[Any], Reported]

    def reported(self, state: tuple[Any, ...]) -> Reported:
        """Ask the library; before anything was handed over nothing is lost."""
        return self.report(state) if state else Fraction(0)


def fairly(epsilon: float, delta: float) -> Reported:
    """Return the report of an (ε, δ/2)-DP statement, with a margin for the doubles behind it.

    >>> fairly(1.0, 0.0) == 1 + Fraction(MARGIN) * 2, fairly(inf, 0.5)
    (True, inf)
    >>> fairly(0.0, 0.1) > LOG_2_UP
    True
    """
    if isnan(epsilon):
        raise NotANumber("the library reports NaN")
    if epsilon == inf:
        return INFINITE
    said = Fraction(max(epsilon, 0.0))
    return said + Fraction(MARGIN) * (1 + said) + (LOG_2_UP if delta else 0)


def at_delta(epsilon: float, failing: float, delta: float) -> Reported:
    """Return the report of an (ε, δ′)-DP statement at δ: infinite where 2δ′ > δ.

    An (ε_i, δ_i)-DP mechanism loses more than ε_i only as a post-processing of one that fails with
    probability δ_i, and where the loss of what is seen exceeds ε by log 2 at least half of the
    probability is that of a failure.

    >>> at_delta(1.0, 0.2, 0.3), at_delta(1.0, 0.1, 0.2) == fairly(1.0, 0.1)
    (inf, True)
    """
    return INFINITE if 2 * failing > delta else fairly(epsilon, failing)
