"""Rényi odometers: one order fixed before, several with δ shared out, and several without.

For one order α the process e^((α-1)·L_t) / (S_1·...·S_t) is a nonnegative supermartingale under
P_x that starts at 1, so by Ville's inequality it ever exceeds 1/δ with probability at most δ.  So

    ε_t  =  (log(S_1·...·S_t) + log(1/δ)) / (α-1)

holds at all times at once, with the very same formula that an accountant uses at one time.  With
several orders each has its own supermartingale: the smallest of their reports is right if their
shares of δ add up to δ (`RenyiOrders`), and wrong if each takes all of it (`RenyiBest`).

A report is the logarithm of a rational, rounded up.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.filters.parameters import ParameterError
from filterproof.filters.rdp import renyi_cost
from filterproof.game import Step
from filterproof.odometer import INFINITE, Reported
from filterproof.radicals import floor_root

BITS = 16
"""Odds are reported as multiples of 2^-16."""

Products = tuple[Fraction | None, ...]
"""The product of the Rényi sums so far at each order; None if it is infinite."""


@dataclass(frozen=True)
class RenyiOrders:
    """Reports the smallest (log ∏S_i(α) + log(k/δ))/(α-1) over k whole orders α."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    orders: tuple[int, ...] = (2, 16)

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        if not self.orders or any(type(a) is not int or a < 2 for a in self.orders):
            raise ParameterError(f"need whole Rényi orders of 2 or more; got {self.orders}")

    def start(self) -> Products:
        """Return the empty product of each order."""
        return (Fraction(1),) * len(self.orders)

    def decide(self, state: Products, step: Step) -> tuple[Decision, Products]:
        """Let it run, and multiply its Rényi sums in."""
        asked = zip(state, self.orders, strict=True)
        return Decision.CONTINUE, tuple(times_round(product, step, a) for product, a in asked)

    def reported(self, state: Products) -> Reported:
        """Return the smallest report of an order; 0 if nothing was said yet."""
        if state == self.start():
            return Fraction(0)
        delta = self.share()
        finite = [(s / delta, a) for s, a in zip(state, self.orders, strict=True) if s and delta]
        return Log(min(root_up(q, a - 1) for q, a in finite)) if finite else INFINITE

    def share(self) -> Fraction:
        """Return the δ of one order: all of them have the same."""
        return self.delta / len(self.orders)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer two orders far apart."""
        return iter([{"orders": (2, 16)}])


@dataclass(frozen=True)
class RenyiOne(RenyiOrders):
    """Reports (log ∏S_i(α) + log(1/δ))/(α-1) at one whole order α, fixed before."""

    _: KW_ONLY
    orders: tuple[int, ...] = (2,)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer a small order and a large one."""
        return ({"orders": (order,)} for order in (2, 16))

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.orders) != 1:
            raise ParameterError(f"need one Rényi order; got {self.orders}")


@dataclass(frozen=True)
class RenyiBest(RenyiOrders):
    """Takes the best order afterwards, each with the whole δ: a *known-bad specimen*."""

    def share(self) -> Fraction:
        """Return δ."""
        return self.delta


def times_round(product: Fraction | None, step: Step, order: int) -> Fraction | None:
    """Return the product with the round's Rényi sum; None if that is infinite."""
    cost = renyi_cost(step.mechanism, Fraction(order))
    value = None if cost is None else cost.rational()
    return None if product is None or value is None else product * value


def root_up(q: Fraction, degree: int) -> Fraction:
    """Return the smallest multiple of 2^-16 whose power is at least q > 0, and no less than 1.

    >>> root_up(Fraction(8), 3), root_up(Fraction(2), 2) ** 2 >= 2
    (Fraction(2, 1), True)
    """
    scaled = -(-(q.numerator << BITS * degree) // q.denominator)
    root = floor_root(scaled, degree)
    root += root**degree < scaled
    return max(Fraction(root, 1 << BITS), Fraction(1))
