"""Rules of odometers: what may be reported after each round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import z3

from filterproof.filter import Decision
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.ties.contracts import MOMENT, POWER
from filterproof_proofs.ties.losses import per_pair
from filterproof_proofs.ties.rules import TRUE, AdditiveRule, Plain
from filterproof_proofs.ties.states import State
from filterproof_proofs.ties.tie import Tied
from filterproof_proofs.ties.world import Moment, Round


def odds_of(report: Any) -> Any:
    """Return the odds that are reported; an epsilon of 0 has odds 1."""
    if isinstance(report, Fraction):
        return z3.RealVal(1) if report == 0 else z3.Real("an epsilon that is no logarithm")
    return report


@dataclass(frozen=True)
class AdditiveReport(AdditiveRule):
    """additive_report: the product of the odds while the deltas add up to delta at most."""

    coq: ClassVar[str] = "additive_report"

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Let every round run."""
        return TRUE

    def told(self, now: Round, moment: Moment, report: Any) -> Any:
        """Ask for the product, or for no bound at all."""
        if report is None:
            return TRUE
        counts = moment.counts
        return z3.And(odds_of(report) == counts["odds"], counts["delta"] <= now.delta.term)


@dataclass(frozen=True)
class RealisedReport(Plain):
    """covers_losses: no realised loss exceeds the report."""

    coq: ClassVar[str] = "covers_losses"

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Let every round run."""
        return TRUE

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return any ratio that covers every loss, or none."""
        kept = actual if isinstance(actual, Fraction) else now.run.unknown("ratio")
        return [(self.covered(moment, value(kept)), kept), (TRUE, None)]

    def covered(self, moment: Moment, odds: Any) -> Any:
        """Return that no loss that counts exceeds log(odds)."""
        found = [
            z3.Implies(self.watched(moment, (x, x_)), moment.mass[x] <= odds * moment.mass[x_])
            for x, x_ in moment.pairs
        ]
        return z3.And(odds >= 1, *found)

    def watched(self, moment: Moment, pair: tuple[str, str]) -> Any:
        """Return which pairs count: all."""
        return TRUE

    def told(self, now: Round, moment: Moment, report: Any) -> Any:
        """Ask that the report covers every loss, or is infinite."""
        return TRUE if report is None else self.covered(moment, odds_of(report))


@dataclass(frozen=True)
class ForgivingReport(RealisedReport):
    """The same but for pairs that were forgiven an infinite loss: forgiveness in Coq."""

    coq: ClassVar[str] = "forgiveness"

    def first(self, now: Round) -> dict[str, Any]:
        """Return that every pair has delta to be wrong with, and counts."""
        return per_pair(now, "left", now.delta.term) | per_pair(now, "counts", z3.RealVal(1))

    def known(self, now: Round, counts: Any) -> Any:
        """Say that a pair counts or not, and that what is left is a probability."""
        flags = [one for name, one in counts.items() if name.startswith("counts")]
        left = [one for name, one in counts.items() if name.startswith("left")]
        return z3.And(
            *(z3.Or(one == 0, one == 1) for one in flags),
            *(z3.And(one >= 0, one <= 1) for one in left),
        )

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Forgive the outputs of infinite loss of this round, where they fit."""
        if now.opening:
            return dict(before.counts)
        found = {}
        for x, x_ in now.pairs:
            left, flag = (before.counts[f"{name} {x}{x_}"] for name in ("left", "counts"))
            both = z3.And(before.mass[x] > 0, before.mass[x_] > 0)
            risk = z3.If(both, z3.Real(f"exposure {x}{x_}"), z3.RealVal(0))
            forgives = z3.And(flag == 1, risk > 0, risk <= left)
            lost = value(now.law[y][x_]) <= 0
            rest = now.run.quotient(left - risk, 1 - risk)
            found[f"left {x}{x_}"] = z3.If(z3.And(forgives, z3.Not(lost)), rest, left)
            found[f"counts {x}{x_}"] = z3.If(z3.And(forgives, lost), z3.RealVal(0), flag)
        return found

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return what is left for the pairs that count, and a ratio that covers these."""
        ratio = actual[1] if actual is not None else None
        found = []
        for kept in range(2 ** len(now.pairs)):
            budgets, conditions = [], []
            for place, (x, x_) in enumerate(now.pairs):
                counts = bool(kept >> place & 1)
                left = Term(now.run, moment.counts[f"left {x}{x_}"])
                budgets.append(left if counts else None)
                conditions.append(moment.counts[f"counts {x}{x_}"] == int(counts))
            for condition, one in super().states(machine, now, moment, ratio):
                found.append((z3.And(condition, *conditions), (tuple(budgets), one)))
        return found

    def watched(self, moment: Moment, pair: tuple[str, str]) -> Any:
        """Return which pairs count."""
        return moment.counts[f"counts {pair[0]}{pair[1]}"] == 1


@dataclass(frozen=True)
class RenyiReport(Plain):
    """order_report: some order's product <= its share of delta times e^((order-1)*eps)."""

    coq: ClassVar[str] = "order_report"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any whole orders."""
        many = range(now.size.orders)
        return {"orders": tuple(now.run.unknown(f"order {i}", python_type=int) for i in many)}

    def orders(self, now: Round) -> list[Any]:
        """Return the orders for the solver."""
        return [z3.Real(f"order {i}") for i in range(now.size.orders)]

    def accepted(self, now: Round) -> Any:
        """Ask for orders above 1."""
        return z3.And(*(one > 1 for one in self.orders(now)))

    def first(self, now: Round) -> dict[str, Any]:
        """Return products of 1, all finite."""
        products = {f"product {i}": z3.RealVal(1) for i in range(now.size.orders)}
        return {"finite": z3.RealVal(1)} | products

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply the round's sums in."""
        if now.opening:
            return dict(before.counts)
        finite, *products = before.counts.values()
        costs = zip(products, self.orders(now), strict=True)
        then = {f"product {i}": p * MOMENT(at) for i, (p, at) in enumerate(costs)}
        return {"finite": z3.If(z3.Real("finite") > 0, finite, z3.RealVal(0))} | then

    def known(self, now: Round, counts: Any) -> Any:
        """Say that the sums were finite or not, and products are at least 1 where they were."""
        finite, *products = counts.values()
        large = z3.And(*(one >= 1 for one in products))
        return z3.And(z3.Or(finite == 0, finite == 1), z3.Implies(finite == 1, large))

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the products, or that they are infinite."""
        finite, *products = moment.counts.values()
        kept = tuple(Term(now.run, one) for one in products)
        return [(finite == 1, kept), (finite == 0, (None,) * len(kept))]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Let every round run."""
        return TRUE

    def told(self, now: Round, moment: Moment, report: Any) -> Any:
        """Ask that some order fits with its share, or that nothing was said."""
        if report is None:
            return TRUE
        odds = odds_of(report)
        finite, *products = moment.counts.values()
        share = now.delta.term / now.size.orders
        some = [
            z3.Or(product <= share * POWER(odds, at - 1), product <= 1)
            for product, at in zip(products, self.orders(now), strict=True)
        ]
        return z3.And(odds >= 1, finite == 1, z3.Or(*some))
