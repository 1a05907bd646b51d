"""Rules that look at realised losses: what a round risks, and what it is charged, for each pair."""

from dataclasses import dataclass
from typing import Any, ClassVar

import z3

from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.ties.contracts import CEILING
from filterproof_proofs.ties.rules import TRUE, Counts, Plain, zero
from filterproof_proofs.ties.states import State, alive_states
from filterproof_proofs.ties.tie import Tied
from filterproof_proofs.ties.world import Moment, Round


def cost(now: Round, kind: str, pair: tuple[str, str], tag: str = "") -> Any:
    """Return a round's risk or charge for the solver."""
    return zero() if now.opening and not tag else z3.Real(f"{kind}{tag} {pair[0]}{pair[1]}")


def for_live(before: Moment, test: Any) -> Any:
    """Return that a test holds for every pair whose x is possible."""
    return z3.And(*(z3.Implies(before.alive(pair[0]), test(pair)) for pair in before.pairs))


@dataclass(frozen=True)
class BayesianRule(Plain):
    """bayesian_allows: no output that x can give takes a live pair's loss above eps."""

    coq: ClassVar[str] = "bayesian_allows"

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return that there is no state."""
        return [(TRUE, None)]

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask for no risk."""
        return for_live(before, lambda pair: cost(now, "risk", pair) == 0)


@dataclass(frozen=True)
class NaiveRule(BayesianRule):
    """naive_fits: a round is left of N, and every live pair risks delta/N at most."""

    coq: ClassVar[str] = "naive_fits"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any N."""
        return {"N": now.run.unknown("N", python_type=int)}

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask for both; the index of the step is the number of this round."""
        many = z3.Real("N")
        risks = for_live(before, lambda pair: cost(now, "risk", pair) * many <= now.delta.term)
        return z3.And(many >= 1, value(now.index) <= many, risks)


def per_pair(now: Round, name: str, start: Any) -> dict[str, Any]:
    """Return a count for each pair."""
    return {f"{name} {x}{x_}": start for x, x_ in now.pairs}


def entries(
    now: Round, kept: tuple[str, ...], counts: Counts, name: str, make: Any
) -> tuple[Any, ...]:
    """Return one entry per pair, None where x is impossible."""
    return tuple(make(counts[f"{name} {x}{x_}"]) if x in kept else None for x, x_ in now.pairs)


@dataclass(frozen=True)
class NaiveProductRule(Plain):
    """naive_product_fits: (1-b_1)...(1-b_i) >= 1-delta for every live pair."""

    coq: ClassVar[str] = "naive_product_fits"

    def first(self, now: Round) -> dict[str, Any]:
        """Return products of 1."""
        return per_pair(now, "product", z3.RealVal(1))

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply what the round spares."""
        return {
            f"product {x}{x_}": before.counts[f"product {x}{x_}"] * (1 - cost(now, "risk", (x, x_)))
            for x, x_ in now.pairs
        }

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the products of the pairs that are possible."""
        return alive_states(
            moment,
            lambda kept: entries(now, kept, moment.counts, "product", lambda c: Term(now.run, c)),
        )

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that the products are large enough with the round."""
        then = self.after(now, before, "")
        return for_live(before, lambda p: then[f"product {p[0]}{p[1]}"] >= 1 - now.delta.term)


@dataclass(frozen=True)
class CompensatorRule(Plain):
    """affordable: the charges so far and this round's add up to delta at most, for live pairs."""

    coq: ClassVar[str] = "affordable"

    def first(self, now: Round) -> dict[str, Any]:
        """Return sums of 0."""
        return per_pair(now, "spent", zero())

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Add the round's charges."""
        return {
            f"spent {x}{x_}": before.counts[f"spent {x}{x_}"] + cost(now, "charge", (x, x_))
            for x, x_ in now.pairs
        }

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return what is left of delta for the pairs that are possible."""
        return alive_states(
            moment, lambda kept: self.left(now, kept, moment.counts, now.delta.term)
        )

    def left(
        self, now: Round, kept: tuple[str, ...], counts: Counts, whole: Any
    ) -> tuple[Any, ...]:
        """Return what is left of a budget per pair."""
        return entries(
            now,
            kept,
            counts,
            "spent",
            lambda c: ExpLinear(Term(now.run, whole - c), 0, now.epsilon),
        )

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask that the charges fit with the round."""
        then = self.after(now, before, "")
        return for_live(before, lambda p: then[f"spent {p[0]}{p[1]}"] <= now.delta.term)


@dataclass(frozen=True)
class GridRule(CompensatorRule):
    """over_fits: upper bounds of the charges add up to delta at most, for live pairs."""

    coq: ClassVar[str] = "over_fits"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any grid."""
        return {"grid": now.run.unknown("grid")}

    def over(self, now: Round, pair: tuple[str, str]) -> Any:
        """Return the charge rounded up to the grid."""
        if now.opening:
            return zero()
        grid = z3.Real("grid")
        return CEILING(now.run.quotient(cost(now, "charge", pair), grid)) * grid

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Add the upper bounds."""
        pairs = zip(before.counts.items(), now.pairs, strict=True)
        return {name: spent + self.over(now, pair) for (name, spent), pair in pairs}

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask, too, that they are upper bounds."""
        above = for_live(before, lambda p: cost(now, "charge", p) <= self.over(now, p))
        return z3.And(above, super().allowed(now, before, decision))
