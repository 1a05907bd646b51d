"""Rényi filters: multiply the Rényi sums of the mechanisms that run, at an order fixed before.

S_i(α) is the largest sum over y of P_x(y)^α·P_x′(y)^(1-α) over the ordered pairs, so that the Rényi
divergence is ρ_i = log S_i / (α - 1).  Both conversions to (ε, δ)-DP are tests of one form,

    S_1·...·S_t  <=  δ · factor(α) · e^((α-1)ε),

with factor 1 (Mironov; the paper's) or α^α/(α-1)^(α-1) (Canonne, Kamath and Steinke).  For an
integer α both sides are rational but for the exponential.  For α = m/n the left side is a sum of
n-th roots; against a transcendental right side it never ties, and against an algebraic one it
ties only if both are one root (see `radicals`), so every test is decided.

Accepting if *some* of several orders fits is a *known-bad specimen* with either conversion:
an adversary steers one branch towards one order and the other branch towards another.  It is
repaired by sharing δ out among the orders (`RenyiWeighted`): the play ends where some order fits,
and each order bounds what is lost on the plays that end within its own share.  Mironov's
conversion is the case of the weights (α-1)^(α-1)/α^α, so it needs no change where these add up to
at most 1.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from filterproof.exact import Epsilon, exceeds, sign_by_enclosure
from filterproof.filter import Decision
from filterproof.filters.common import (
    Open,
    check_budget,
    continue_if,
    multiple,
    per_mechanism,
    real,
)
from filterproof.filters.parameters import ParameterError
from filterproof.game import Mechanism, Step
from filterproof.privacy import checked_order, largest_renyi_sum
from filterproof.radicals import RadicalSum

Product = RadicalSum | None | Open
"""The product of the Rényi sums so far; None if it is infinite."""


@dataclass(frozen=True)
class RenyiMironov:
    """Runs M_i iff the sum of ρ_j(α) over j <= i, plus log(1/δ)/(α-1), is at most ε."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    order: Fraction | int = Fraction(2)

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        checked_order(self.order)

    def factor(self) -> RadicalSum:
        """Return the constant of the conversion: 1."""
        return RadicalSum.root(Fraction(1), self.order.denominator)

    def start(self) -> Product:
        """Return the empty product."""
        return RadicalSum.root(Fraction(1), self.order.denominator)

    def decide(self, state: Product, step: Step) -> tuple[Decision, Product]:
        """Run M_i iff the test passes with its Rényi sum multiplied in; round 0 is free."""
        if step.index == 0:
            return Decision.CONTINUE, state
        cost = renyi_cost(step.mechanism, Fraction(self.order))
        if isinstance(state, Open) or state is None or cost is None:
            return Decision.HALT, state if isinstance(state, Open) else None
        product = state * cost
        return continue_if(lambda: self.fits(product), product)

    def fits(self, product: RadicalSum) -> bool:
        """Whether the product is at most δ·factor(α)·e^((α-1)ε)."""
        return within(product, self.factor(), self.delta, Fraction(self.order), self.epsilon)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer a small, a middle, a large and a fractional order."""
        return ({"order": Fraction(order)} for order in (2, 4, 16, Fraction(3, 2)))


@dataclass(frozen=True)
class RenyiTight(RenyiMironov):
    """The same with the conversion ε = ρ + log((α-1)/α) - (log δ + log α)/(α-1)."""

    def factor(self) -> RadicalSum:
        """Return α^α/(α-1)^(α-1), which for α = m/n is an n-th root."""
        return tight_factor(Fraction(self.order))


@dataclass(frozen=True)
class RenyiMisconverted(RenyiMironov):
    """The same with ε = ρ + log((α-1)/α) - log(δ·(α-1))/α: a *known-bad specimen*.

    That divides by α where the conversion divides by α - 1.  The order is whole.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if Fraction(self.order).denominator != 1:
            raise ParameterError(f"need a whole order; got {self.order}")

    def fits(self, product: RadicalSum) -> bool:
        """Whether that ε is within the budget, both sides to the power α·(α-1)."""
        total, a = product.rational(), int(self.order)
        room = (self.delta * (a - 1)) ** (a - 1) * Fraction(a, a - 1) ** (a * (a - 1))
        budget = multiple(self.epsilon, a * (a - 1))
        return total is not None and not exceeds(total**a, room, budget)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer a small, a middle and a large order."""
        return ({"order": Fraction(order)} for order in (2, 4, 16))


@dataclass(frozen=True)
class RenyiSomeOrder:
    """Runs M_i iff *some* of several orders fits, tighter conversion: a *known-bad specimen*."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    orders: tuple[Fraction | int, ...] = (Fraction(3), Fraction(20))

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.orders:
            raise ParameterError("need at least one Rényi order; got none")
        self.rules()

    def rules(self) -> tuple[RenyiMironov, ...]:
        """Return the filter of each order, sound on its own."""
        return tuple(RenyiTight(self.epsilon, self.delta, order=order) for order in self.orders)

    def start(self) -> tuple[Product, ...]:
        """Return the empty product of each order."""
        return tuple(rule.start() for rule in self.rules())

    def decide(
        self, state: tuple[Product, ...], step: Step
    ) -> tuple[Decision, tuple[Product, ...]]:
        """Run M_i iff one of the filters would, while all products go on."""
        rules = zip(self.rules(), state, strict=True)
        answers = [rule.decide(product, step) for rule, product in rules]
        fits = any(decision is Decision.CONTINUE for decision, _ in answers)
        products = tuple(product for _, product in answers)
        return (Decision.CONTINUE if fits else Decision.HALT), products

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer orders far apart, and a small pair."""
        return ({"orders": (Fraction(low), Fraction(high))} for low, high in ((3, 20), (2, 5)))


@dataclass(frozen=True)
class RenyiSomeOrderMironov(RenyiSomeOrder):
    """The same with Mironov's conversion: a *known-bad specimen* for orders near 1.

    For whole orders it is sound where their (α-1)^(α-1)/α^α add up to at most 1.
    """

    orders: tuple[Fraction | int, ...] = (Fraction(9, 8), Fraction(5, 4))

    def rules(self) -> tuple[RenyiMironov, ...]:
        """Return the filter of each order, sound on its own."""
        return tuple(RenyiMironov(self.epsilon, self.delta, order=order) for order in self.orders)

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer two orders near 1, whose weights add up to 1.21."""
        return iter([{"orders": (Fraction(9, 8), Fraction(5, 4))}])


@dataclass(frozen=True)
class RenyiWeighted(RenyiSomeOrder):
    """Runs M_i iff some order α fits with w_α·δ in place of δ; the weights add up to at most 1.

    Without `weights` all orders get the same.
    """

    weights: tuple[Fraction, ...] = ()

    def rules(self) -> tuple[RenyiMironov, ...]:
        """Return the filter of each order, with its share of δ."""
        weights = self.weights or (Fraction(1, len(self.orders)),) * len(self.orders)
        if len(weights) != len(self.orders) or min(weights) < 0 or sum(weights) > 1:
            raise ParameterError(f"need a weight >= 0 per order, at most 1 in all; got {weights}")
        pairs = zip(self.orders, weights, strict=True)
        return tuple(RenyiTight(self.epsilon, w * self.delta, order=order) for order, w in pairs)


@per_mechanism
def renyi_cost(mechanism: Mechanism, order: Fraction) -> RadicalSum | None:
    """Return S(α) of a mechanism, the largest over its ordered pairs; None if infinite."""
    return largest_renyi_sum(mechanism.law, mechanism.pairs, order)


@lru_cache(maxsize=256)
def tight_factor(order: Fraction) -> RadicalSum:
    """Return α^α/(α-1)^(α-1).

    >>> tight_factor(Fraction(3)).rational(), tight_factor(Fraction(3, 2)).power()
    (Fraction(27, 4), Fraction(27, 4))
    """
    m, n = order.as_integer_ratio()
    return RadicalSum.root(order**m / (order - 1) ** (m - n), n)


def within(
    product: RadicalSum, factor: RadicalSum, delta: Fraction, order: Fraction, epsilon: Epsilon
) -> bool:
    """Return whether product <= δ·factor·e^((α-1)ε).

    Where the product is one root, both sides to the n-th power are rational but for e^ε.
    """
    m, n = order.as_integer_ratio()
    constant = factor.power()
    power = product.power()
    if power is not None and constant is not None:
        return not exceeds(power, delta**n * constant, multiple(epsilon, m - n))
    exponent = multiple(epsilon, m - n)

    def gap(iv: Any) -> Any:
        constants = real(iv, delta) * factor.interval(iv)
        return product.interval(iv) - constants * iv.exp(real(iv, exponent) / n)

    return delta > 0 and sign_by_enclosure(gap) <= 0
