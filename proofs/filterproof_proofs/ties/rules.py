"""Rules that count what mechanisms declare or cost, for each filter: counts, states, where it runs.

Each class here is the hypothesis of a theorem in `proofs/coq`, written once more for the solver.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import z3

from filterproof.filter import Decision
from filterproof.filters.common import Open
from filterproof.game.law import Declared
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.ties.contracts import (
    DRIFT,
    EULER,
    GAUSS,
    MOMENT,
    ROGERS,
    SQUARE,
    TIGHT,
    WHITEHOUSE,
    Books,
    Order,
    fits,
)
from filterproof_proofs.ties.states import State
from filterproof_proofs.ties.tie import Tied
from filterproof_proofs.ties.world import Moment, Round

TRUE = z3.BoolVal(True)
Counts = Mapping[str, Any]


@dataclass(frozen=True)
class Plain:
    """What most rules have in common: no parameters, no reports, no counts."""

    coq: ClassVar[str]
    answers_all: ClassVar[bool] = False

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return none."""
        return {}

    def accepted(self, now: Round) -> Any:
        """Ask nothing of them."""
        return TRUE

    def counts(self, now: Round) -> dict[str, Any]:
        """Return an unknown number for each count."""
        return {name: z3.Real(f"count {name}") for name in self.first(now)}

    def known(self, now: Round, counts: Counts) -> Any:
        """Say nothing of them."""
        return TRUE

    def first(self, now: Round) -> dict[str, Any]:
        """Count nothing."""
        return {}

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Count nothing."""
        return {}

    def told(self, now: Round, moment: Moment, report: Any) -> Any:
        """Say that nothing is reported by a filter."""
        return z3.BoolVal(False)


def zero() -> Any:
    """Return 0 for the solver."""
    return z3.RealVal(0)


# --- what is declared ---------------------------------------------------------------------------


@dataclass(frozen=True)
class AdditiveRule(Plain):
    """additive_fits: product of odds <= e^eps, sum of deltas <= delta."""

    coq: ClassVar[str] = "additive_fits"

    def first(self, now: Round) -> dict[str, Any]:
        """Return a product of 1 and a sum of 0."""
        return {"odds": z3.RealVal(1), "delta": zero()}

    def known(self, now: Round, counts: Counts) -> Any:
        """Say that odds are at least 1."""
        return z3.And(counts["odds"] >= 1, counts["delta"] >= 0)

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply and add what the round declares."""
        asked, counts = now.mechanism.declared, before.counts
        return {
            "odds": counts["odds"] * value(asked.odds),
            "delta": counts["delta"] + value(asked.delta),
        }

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the pair that was spent."""
        spent = (Term(now.run, moment.counts[name]) for name in ("odds", "delta"))
        return [(TRUE, Declared(*spent))]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that both fit with the round."""
        then = self.after(now, before, "")
        return z3.And(then["odds"] <= now.odds.term, then["delta"] <= now.delta.term)


@dataclass(frozen=True)
class WhitehouseRule(Plain):
    """whitehouse_fits: root and half of the sum of squares <= eps, sum of deltas <= d - d'."""

    coq: ClassVar[str] = "whitehouse_fits"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any part of delta."""
        return {"delta_prime": now.run.unknown("delta_prime")}

    def first(self, now: Round) -> dict[str, Any]:
        """Return sums of 0."""
        return {"deltas": zero(), "squares": zero(), "drifts": zero()}

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Add what the round declares; the opening round is not counted."""
        if now.opening:
            return dict(before.counts)
        asked, counts = now.mechanism.declared, before.counts
        odds = value(asked.odds)
        return {
            "deltas": counts["deltas"] + value(asked.delta),
            "squares": counts["squares"] + SQUARE(odds),
            "drifts": counts["drifts"] + DRIFT(odds),
        }

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return what `spend` keeps."""
        return [(TRUE, Books(**moment.counts))]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that both fit with the round; the opening round says nothing."""
        if now.opening:
            return TRUE
        then, part = self.after(now, before, ""), z3.Real("delta_prime")
        return z3.And(
            part > 0,
            part <= now.delta.term,
            WHITEHOUSE(then["squares"], part, now.odds.term),
            then["deltas"] <= now.delta.term - part,
        )


@dataclass(frozen=True)
class RogersRule(WhitehouseRule):
    """rogers_fits: 0 < d < 1/e, eps > 0, twice the sum of deltas <= d, and the bound."""

    coq: ClassVar[str] = "rogers_fits"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return none."""
        return {}

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that all of them fit with the round."""
        if now.opening:
            return TRUE
        then, delta, odds = self.after(now, before, ""), now.delta.term, now.odds.term
        return z3.And(
            delta > 0,
            delta * EULER < 1,
            odds > 1,
            2 * then["deltas"] <= delta,
            ROGERS(then["squares"], then["drifts"], delta, odds),
        )


# --- what mechanisms cost -----------------------------------------------------------------------


@dataclass(frozen=True)
class GaussianRule(Plain):
    """family_fits for Gaussian curves: sum of mu_i^2 <= mu^2."""

    coq: ClassVar[str] = "family_fits"

    def first(self, now: Round) -> dict[str, Any]:
        """Return a sum of 0."""
        return {"squares": zero()}

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Add the square of the round's mu."""
        mu = zero() if now.opening else z3.Real("mu")
        return {"squares": before.counts["squares"] + mu * mu}

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the sum."""
        return [(TRUE, Term(now.run, moment.counts["squares"]))]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that the round has a mu, and that it fits."""
        most = GAUSS(now.odds.term, now.delta.term)
        finite = TRUE if now.opening else z3.Real("finite") > 0
        return z3.And(finite, self.after(now, before, "")["squares"] <= most * most)


def order(now: Round, place: int) -> Any:
    """Return an unknown order."""
    return Order(now.run, z3.Real(f"order {place}"))


@dataclass(frozen=True)
class RenyiRule(Plain):
    """order_fits: finite sums, product of S(order) <= factor*delta*e^((order-1)*eps)."""

    coq: ClassVar[str] = "order_fits"

    tight: bool

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any order."""
        return {"order": order(now, 0)}

    def accepted(self, now: Round) -> Any:
        """Ask for an order above 1."""
        return z3.Real("order 0") > 1

    def first(self, now: Round) -> dict[str, Any]:
        """Return a product of 1."""
        return {"product": z3.RealVal(1)}

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply the round's sum in."""
        cost = z3.RealVal(1) if now.opening else MOMENT(z3.Real("order 0"))
        return {"product": before.counts["product"] * cost}

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the product."""
        return [(TRUE, Term(now.run, moment.counts["product"]))]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that the sums are finite and the product fits; the opening round says nothing."""
        if now.opening:
            return TRUE
        at = z3.Real("order 0")
        factor = TIGHT(at) if self.tight else z3.RealVal(1)
        product = self.after(now, before, "")["product"]
        return z3.And(z3.Real("finite") > 0, fits(now, product, factor, now.delta.term, at))


@dataclass(frozen=True)
class WeightedRule(Plain):
    """weighted_fits: finite sums, and some order fits with its weight; weights sum to <= 1."""

    coq: ClassVar[str] = "weighted_fits"

    equal_weights: bool = False

    def orders(self, now: Round) -> list[Any]:
        """Return the orders for the solver."""
        return [z3.Real(f"order {i}") for i in range(now.size.orders)]

    def weights(self, now: Round) -> list[Any]:
        """Return the weights for the solver."""
        many = now.size.orders
        if self.equal_weights:
            return [z3.RealVal(f"1/{many}")] * many
        return [z3.Real(f"weight {i}") for i in range(many)]

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any orders, and any weights or none."""
        orders = tuple(order(now, i) for i in range(now.size.orders))
        if self.equal_weights:
            return {"orders": orders}
        return {"orders": orders, "weights": tuple(Term(now.run, w) for w in self.weights(now))}

    def accepted(self, now: Round) -> Any:
        """Ask for orders above 1 and weights >= 0 that add up to 1 at most."""
        weights = self.weights(now)
        above = [one > 1 for one in self.orders(now)]
        return z3.And(*above, *(one >= 0 for one in weights), z3.Sum(weights) <= 1)

    def first(self, now: Round) -> dict[str, Any]:
        """Return products of 1."""
        return {f"product {i}": z3.RealVal(1) for i in range(now.size.orders)}

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply the round's sums in."""
        costs = [z3.RealVal(1) if now.opening else MOMENT(one) for one in self.orders(now)]
        return {n: before.counts[n] * cost for n, cost in zip(before.counts, costs, strict=True)}

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the products; an order whose comparison stayed open has none."""
        found: list[tuple[Any, ...]] = [()]
        for product in moment.counts.values():
            either = (Term(now.run, product), Open("undecided"))
            found = [(*before, one) for before in found for one in either]
        return [(TRUE, state) for state in found]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that some order fits; the opening round says nothing."""
        if now.opening:
            return TRUE
        then = self.after(now, before, "").values()
        parts = zip(then, self.orders(now), self.weights(now), strict=True)
        some = [fits(now, p, w * TIGHT(at), now.delta.term, at) for p, at, w in parts]
        return z3.And(z3.Real("finite") > 0, z3.Or(*some))
