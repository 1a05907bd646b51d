"""Liveness: a budget of 1 in k slices of 1/k, for k = 2..200; never mixed with privacy.

`python -m conformance.liveness [FROM TO]` prints one line per k.
diffprivlib and our additive filter are given the double that a user writes as 1/k.  It may
lie above or below the rational, so the yardstick is exact: allowed is the number of such
doubles whose exact sum is at most 1.  OpenDP is given the mechanism itself, Laplace noise of scale
k, whose cost is 1/k, so that k are allowed.  Granting fewer is a lack of liveness; granting more
is a matter of privacy and is only counted here.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import exp_enclosure
from filterproof.filter import Decision, ask, start
from filterproof.filters.additive import Additive
from filterproof.game import Mechanism, opening
from filterproof.palette import game, repeated, response
from filterproof_properties.adapters import diffprivlib_budget, opendp_filter
from filterproof_properties.adapters.support.ledger import Spend

ONE = Fraction(1)


@dataclass(frozen=True)
class Slices:
    """How many of k slices are allowed exactly, and how many each filter grants."""

    k: int
    allowed: dict[str, int]
    granted: dict[str, int]

    def verdict(self, name: str) -> str:
        """Return "early", "exact" or "late", for granting fewer, as many or more."""
        return {-1: "early", 0: "exact", 1: "late"}[_sign(self.granted[name] - self.allowed[name])]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def slices(k: int, names: Iterable[str] = ("filterproof", "diffprivlib", "opendp")) -> Slices:
    """Ask the filters for k slices.

    >>> slices(10).granted
    {'filterproof': 9, 'diffprivlib': 10, 'opendp': 9}
    >>> slices(10).allowed
    {'filterproof': 9, 'diffprivlib': 9, 'opendp': 10}
    """
    asked = [*names]
    doubles = min(k, int(ONE / Fraction(1 / k)))
    allowed = {name: k if name == "opendp" else doubles for name in asked}
    return Slices(k, allowed, {name: COUNTERS[name](1 / k, k) for name in asked})


def ours(size: float, k: int) -> int:
    """Count the slices that the exact additive filter runs.

    Each is randomised response with ε below the double by less than 2^-190, so that the sum of k
    of them is above 1 whenever the sum of the doubles is.
    """
    low = exp_enclosure(Fraction(size), 256)[0]
    odds = Fraction(int(low * 2**200), 2**200)
    rule, step = Additive(ONE, Fraction(0)), opening(game(_line(odds, k)))
    decision, state = ask(rule, start(rule), step)
    for count in range(k):
        step = step.next(next(iter(step.mechanism.law)), "ask")
        decision, state = ask(rule, state, step)
        if decision is not Decision.CONTINUE:
            return count
    return k


def _line(odds: Fraction, k: int) -> Mechanism:
    return repeated(response(odds / (1 + odds)), k)


def diffprivlib(size: float, k: int) -> int:
    """Count the slices that a BudgetAccountant lets be spent."""
    accountant = diffprivlib_budget.opened(diffprivlib_budget.Budget(1.0, 0.0))
    return sum(diffprivlib_budget.runs(accountant, Spend(size, 0.0)) for _ in range(k))


def opendp(size: float, k: int) -> int:
    """Count the Laplace measurements of ε = 1/k that OpenDP's pure-DP filter answers."""
    dp = opendp_filter.library()
    domain, metric = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    composition = dp.c.make_fully_adaptive_composition(domain, metric, dp.max_divergence())
    queryable = dp.c.make_privacy_filter(composition, d_in=1, d_out=1.0)(0)
    laplace = dp.m.make_laplace(domain, metric, scale=float(k))
    return _answered(queryable, laplace, k, dp.OpenDPException)


def _answered(queryable: Any, query: Any, k: int, refusal: type[Exception]) -> int:
    for count in range(k):
        try:
            queryable(query)
        except refusal:
            return count
    return k


COUNTERS: dict[str, Callable[[float, int], int]] = {
    "filterproof": ours,
    "diffprivlib": diffprivlib,
    "opendp": opendp,
}


def totals(table: list[Slices]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each filter over a table."""
    verdicts = ("early", "exact", "late")
    return {
        name: {v: sum(row.verdict(name) == v for row in table) for v in verdicts}
        for name in table[0].granted
    }


def line(row: Slices) -> str:
    """Return one row of the table as text."""
    shown = (f"{name} {row.granted[name]} of {row.allowed[name]}" for name in row.granted)
    return f"k = {row.k:3}  {'  '.join(shown)}"


def main(arguments: list[str]) -> int:
    """Print the table from the first to the last k, then the totals."""
    first, last = map(int, arguments) if arguments else (2, 200)
    table = []
    for k in range(first, last + 1):
        table.append(slices(k))
        sys.stdout.write(line(table[-1]) + "\n")
    for name, found in totals(table).items():
        sys.stdout.write(f"{name}: {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
