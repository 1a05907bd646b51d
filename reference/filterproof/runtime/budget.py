"""A budget (ε, δ) as doubles on the safe side, and what it allows to each kind of booking.

The share a of δ belongs to the floor, the rest to the compensator.  The floor keeps two books,
one of Gaussian DP and one of Rényi divergences at an order that is fixed here, before anything
is asked, and it takes a round if *either* book has room (`account` says why that is sound).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, log
from typing import Any

from filterproof.directed_columns import (
    down,
)
from filterproof.directed_rounding import (
    Exact,
    Interval,
    ball,
    ball_ends,
    double_down,
    double_interval,
    exact,
    log_interval,
)
from filterproof.exact import MAX_EPSILON, Epsilon, Log
from filterproof.runtime.noise import gaussian_profile

HALF = Fraction(1, 2)

GAUSSIAN, RENYI, SLACK = Fraction(56, 64), Fraction(7, 64), Fraction(1, 64)
"""How the floor's share of δ is split: among its two books, and what is outside of both."""

ORDERS = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0)
ORDERS += tuple(16.0 * 2**k for k in range(1, 8)) + tuple(24.0 * 2**k for k in range(7))


class BudgetError(ValueError):
    """A budget (ε, δ), or a share of it, that is none."""


@dataclass(frozen=True)
class Budget:
    """What may be spent: every number is a lower bound of what the budget allows."""

    epsilon: Interval
    delta: float
    rest: float
    """What the compensator may charge."""
    squares: float
    """The sum of the μ² of Gaussian DP; below 0 if nothing fits."""
    order: float
    renyi: float
    """The sum of the Rényi divergences at that order; below 0 if nothing fits."""
    slack: float
    exact_epsilon: Epsilon | None
    """ε itself; None beyond what is computed with exactly."""
    exact_rest: Fraction

    @classmethod
    def of(cls, epsilon: Any, delta: Any, share: Any = HALF) -> "Budget":
        """Return the budget with its floor, checked.

        >>> Budget.of(1, Fraction(1, 1000), share=0).squares
        -inf
        """
        ends = epsilon_interval(epsilon)
        whole = _exact(delta, "delta")
        if not 0 <= whole <= 1:
            raise BudgetError(f"need 0 <= delta <= 1; got {delta!r}")
        part = _exact(share, "share")
        if not 0 <= part <= 1:
            raise BudgetError(f"need 0 <= share <= 1; got {share!r}")
        floor = part * whole
        order = best_order(ends[0], float(floor * RENYI))
        return cls(
            ends,
            double_down(whole),
            double_down(whole - floor),
            squares(ends[0], double_down(floor * GAUSSIAN)),
            order,
            renyi(ends[0], Fraction(floor * RENYI), order),
            double_down(floor * SLACK),
            _exact_epsilon(epsilon),
            Fraction(whole - floor),
        )

    def named(self) -> dict[str, str]:
        """Return the budget in words that are the same in every process."""
        low, high = self.epsilon
        numbers = {"delta": self.delta, "rest": self.rest, "squares": self.squares}
        numbers |= {"order": self.order, "renyi": self.renyi, "slack": self.slack}
        texts = {name: value.hex() for name, value in numbers.items()}
        return texts | {"epsilon": f"{low.hex()} {high.hex()}"}


def epsilon_interval(epsilon: Epsilon | float | int) -> Interval:
    """Return doubles around ε; a double is taken at its word.

    >>> epsilon_interval(0.1)
    (0.1, 0.1)
    """
    if isinstance(epsilon, Log):
        return log_interval(epsilon.argument)
    value = _exact(epsilon, "epsilon")
    if value < 0:
        raise BudgetError(f"need epsilon >= 0; got {epsilon!r}")
    return double_interval(value)


def _exact_epsilon(epsilon: Any) -> Epsilon | None:
    if isinstance(epsilon, Log):
        return epsilon
    value = Fraction(_exact(epsilon, "epsilon"))
    return value if value <= MAX_EPSILON else None


def _exact(value: Any, what: str) -> Exact:
    found = exact(value)
    if found is None:
        raise BudgetError(f"{what} must be a finite number; got {value!r}")
    return found


@lru_cache(maxsize=256)
def squares(epsilon: float, delta: float) -> float:
    """Return the largest μ² found, rounded down, for which μ-GDP implies (ε, δ)-DP.

    >>> 0.25 * 24 < squares(10.0, 1e-3) < 0.25 * 25
    True
    """
    low, high = 0.0, 64.0
    while low < (middle := (low + high) / 2) < high:
        fits = gaussian_profile(middle, epsilon) <= delta
        low, high = (middle, high) if fits else (low, middle)
    return max(0.0, down(low * low)) if low > 0 else -inf


def best_order(epsilon: float, delta: float) -> float:
    """Return the order at which the most Gaussian rounds fit; any order would be sound."""
    if delta <= 0:
        return 2.0

    def zcdp(order: float) -> float:
        return _epsilon_at_order(epsilon, log(delta), order) / order

    return max(ORDERS, key=zcdp)


def _epsilon_at_order(epsilon: float, log_delta: float, order: float) -> float:
    return epsilon + log(order / (order - 1)) + (log_delta + log(order)) / (order - 1)


def renyi(epsilon: float, delta: Fraction, order: float) -> float:
    """Return ε + log(α/(α-1)) + (log δ + log α)/(α-1), rounded down: the tight conversion."""
    if delta <= 0:
        return -inf

    def allowed() -> Any:
        alpha = ball(order)
        spread = (ball(delta).log() + alpha.log()) / (alpha - 1)
        return ball(epsilon) + (alpha / (alpha - 1)).log() + spread

    return double_down(ball_ends(allowed)[0])
