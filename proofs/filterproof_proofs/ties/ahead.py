"""Rules that look one round ahead: which outputs are good, and how likely they are.

Menus are blind here, as in the theorems: the same requests after every output.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import z3

from filterproof.filter import Decision
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.ties.contracts import POWER
from filterproof_proofs.ties.losses import cost, entries, for_live, per_pair
from filterproof_proofs.ties.rules import TRUE, Plain
from filterproof_proofs.ties.states import State, alive_states
from filterproof_proofs.ties.tie import Tied
from filterproof_proofs.ties.world import Moment, Round


def good(now: Round, pair: tuple[str, str], y: str, most: Any) -> Any:
    """Return that every request after y is safe: it overshoots with probability `most` at most."""
    return z3.And(*(cost(now, "risk", pair, f" {y} {r}") <= most for r in now.ahead[y]))


def chance_of_good(now: Round, pair: tuple[str, str], most: Any) -> Any:
    """Return P_x(the output is good): pgood in Coq."""
    zero = z3.RealVal(0)
    law = now.law.items()
    return z3.Sum([z3.If(good(now, pair, y, most), value(row[pair[0]]), zero) for y, row in law])


@dataclass(frozen=True)
class AheadRule(Plain):
    """What look-ahead rules share: a first menu that is safe, and delta below 1.

    At delta = 1 there is nothing to prove: every filter is (eps, 1)-DP.
    """

    def first_safe(self, now: Round) -> Any:
        """Return that every request of the first menu is safe for every pair."""
        return z3.And(*(good(now, p, y, self.most(now)) for p in now.pairs for y in now.law))

    def most(self, now: Round) -> Any:
        """Return delta-tilde."""
        return z3.Real("delta_tilde")

    def numbers(self, now: Round, *names: str) -> dict[str, Any]:
        """Return unknown parameters."""
        now.run.assume(now.delta.term < 1)
        return {name: now.run.unknown(name) for name in names}

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Ask for a safe first menu; to go on, for the test of the round."""
        if decision is not Decision.CONTINUE:
            return TRUE
        return self.first_safe(now) if now.opening else self.test(now, before)

    def test(self, now: Round, before: Moment) -> Any:
        """Return where a round may be followed by another one."""
        raise NotImplementedError


@dataclass(frozen=True)
class RepairedRule(AheadRule):
    """theta_kept: fewer than N rounds, and P_x(good) >= 1 - theta for every live pair."""

    coq: ClassVar[str] = "theta_kept"

    sharp: bool

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any N, theta and delta-tilde."""
        many = now.run.unknown("N", python_type=int)
        return {"N": many, **self.numbers(now, "theta", "delta_tilde")}

    def accepted(self, now: Round) -> Any:
        """Ask for the constraint of Algorithm 1, or for the sharp one."""
        tilde, theta, many = z3.Reals("delta_tilde theta N")
        delta = now.delta.term
        ranges = [many >= 1, theta >= 0, theta <= 1, tilde >= 0, tilde <= delta, tilde <= 1]
        if self.sharp:
            return z3.And(*ranges, (1 - tilde) * POWER(1 - theta, many - 1) >= 1 - delta)
        return z3.And(*ranges, tilde + theta * (1 - tilde) * many <= delta)

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return that there is no state."""
        return [(TRUE, None)]

    def test(self, now: Round, before: Moment) -> Any:
        """Return where a round may be followed by another one."""
        theta, many = z3.Reals("theta N")
        likely = for_live(
            before, lambda pair: chance_of_good(now, pair, self.most(now)) >= 1 - theta
        )
        return z3.And(value(now.index) + 1 <= many, likely)


@dataclass(frozen=True)
class ProductRule(AheadRule):
    """product_kept: (1-delta_tilde) times the product of P_x(good) >= 1-delta, for live pairs."""

    coq: ClassVar[str] = "product_kept"

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return any delta-tilde."""
        return self.numbers(now, "delta_tilde")

    def accepted(self, now: Round) -> Any:
        """Ask for 0 <= delta_tilde <= delta."""
        return z3.And(self.most(now) >= 0, self.most(now) <= now.delta.term)

    def first(self, now: Round) -> dict[str, Any]:
        """Return products of 1."""
        return per_pair(now, "product", z3.RealVal(1))

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Multiply how likely a good output was."""
        return {
            name: kept * chance_of_good(now, pair, self.most(now))
            for (name, kept), pair in zip(before.counts.items(), now.pairs, strict=True)
        }

    def states(self, machine: Tied, now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the products of the pairs that are possible."""
        return alive_states(
            moment,
            lambda kept: entries(now, kept, moment.counts, "product", lambda c: Term(now.run, c)),
        )

    def test(self, now: Round, before: Moment) -> Any:
        """Return where a round may be followed by another one."""
        then = self.after(now, before, "")
        return for_live(
            before,
            lambda p: (1 - self.most(now)) * then[f"product {p[0]}{p[1]}"] >= 1 - now.delta.term,
        )
