"""Mechanisms with finitely many outputs, given by their exact probabilities."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import inf
from typing import Any, NamedTuple

from filterproof.directed_columns import (
    exp_down,
    quantile_down,
    quantile_up,
    up,
)
from filterproof.directed_rounding import (
    Interval,
    ball,
    ball_ends,
    double_down,
    double_up,
    log_interval,
)
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.runtime.domain import Database
from filterproof.runtime.exact_account import Loss
from filterproof.runtime.mechanism import NO_COST, Cost, MechanismError, PerKey, itself

Law = Mapping[Any, Mapping[Any, Fraction]]


class _Direction(NamedTuple):
    """One ordered pair: odds in falling order, negated, and the masses up to each."""

    negated_odds: list[Any]
    mass: list[Fraction]
    mass_: list[Fraction]


@dataclass(frozen=True, eq=False)
class Table:
    """A mechanism with `law[y][x]` = P_x(y), all rational.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> Table({"h": {0: half, 1: third}, "t": {0: half, 1: 1 - third}}).profile(0, 1, 0.0)
    0.16666666666666669
    """

    law: Law
    _directions: dict[tuple[Any, Any], _Direction] = field(default_factory=dict, repr=False)
    _losses: dict[tuple[Any, Any, Any], Interval | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        rows = [*self.law.values()]
        databases = set(rows[0]) if rows else set()
        if not databases or any(set(row) != databases for row in rows):
            raise MechanismError("a law needs outputs, with one probability per database each")
        if any(type(p) is not Fraction or p < 0 for row in rows for p in row.values()):
            raise MechanismError("probabilities must be Fractions >= 0")
        for x in databases:
            if (total := sum(row[x] for row in rows)) != 1:
                raise MechanismError(f"P_{x!r} must sum to 1; got {total}")

    def profile(self, x: Database, x_: Database, epsilon: float) -> float:
        """Return the sum of p - e·q over the outputs with p > e·q, where e <= e^ε is a double.

        Rounding e downwards only adds to the sum; the sum itself is exact and rounded up once.
        """
        direction = self._direction(x, x_)
        growth = Fraction(exp_down(epsilon))
        place = bisect_left(direction.negated_odds, -growth)
        return double_up(direction.mass[place] - growth * direction.mass_[place])

    def mu(self, x: Database, x_: Database) -> Cost:
        """Return the μ of Gaussian DP, computed once."""
        found: Cost = self._costs[x, x_]
        return found

    def renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return the Rényi divergence, computed once."""
        found: Cost = self._costs[x, x_, order]
        return found

    @cached_property
    def _costs(self) -> PerKey:
        return PerKey(lambda x, x_, *order: (self._renyi if order else self._mu)(x, x_, *order))

    def _mu(self, x: Database, x_: Database) -> Cost:
        """Return the most that a vertex (a, b) of the trade-off curve needs.

        That is z(a) + z(b), where Φ(-z(a)) = a, for the errors of the best tests.
        """
        rows, slack = self._masses_by_odds(x, x_)
        a, b = Fraction(0), Fraction(1)
        needed = 0.0
        for p, q in rows[:-1]:
            a, b = a + p, b - q
            if a + b < 1 and not (double_down(a) > 0 and double_down(b) > 0):
                return NO_COST
            needed = max(needed, up(_quantile(a) + _quantile(b)) if a + b < 1 else 0.0)
        return Cost(needed, slack)

    def _renyi(self, x: Database, x_: Database, order: float) -> Cost:
        """Return log(sum of p^α·q^(1-α))/(α-1)."""
        rows, slack = self._masses_by_odds(x, x_)
        if any(p and not q for p, q in rows):
            return NO_COST

        def divergence() -> Any:
            alpha = ball(order)
            terms = [ball(p) ** alpha * ball(q) ** (1 - alpha) for p, q in rows if p]
            return sum(terms, ball(0)).log() / (alpha - 1)

        return Cost(double_up(max(Fraction(0), ball_ends(divergence)[1])), slack)

    def _masses_by_odds(
        self, x: Database, x_: Database
    ) -> tuple[list[tuple[Fraction, Fraction]], float]:
        """Return (p, q) of the outputs in rising order of odds p/q, and the slack.

        Outputs that rule x or x′ out are taken together; their probability is the slack.
        """
        try:
            both = [(row[x], row[x_]) for row in self.law.values() if row[x] or row[x_]]
        except KeyError as error:
            raise MechanismError(f"the law says nothing about database {error}") from None
        rows = [one for one in both if min(one) > 0]
        certain = [one for one in both if min(one) == 0]
        p, q = (sum((one[i] for one in certain), Fraction(0)) for i in (0, 1))
        if certain:
            rows.append((p, q))
        rows.sort(key=lambda row: row[0] / (row[0] + row[1]))
        return rows, double_up(p)

    def loss(self, x: Database, x_: Database, output: Any) -> Interval | None:
        """Return doubles around log P_x(y)/P_x′(y)."""
        key = (x, x_, output)
        if key not in self._losses:
            self._losses[key] = self._loss(x, x_, output)
        return self._losses[key]

    def largest(self, x: Database, x_: Database) -> Loss | None:
        """Return the largest loss, exactly; None if some output rules x′ out."""
        odds = -self._direction(x, x_).negated_odds[0]
        return None if odds == inf else Loss(odds=odds)

    def exact_loss(self, x: Database, x_: Database, output: Any) -> Loss | None:
        """Return log P_x(y)/P_x′(y), exactly; None where one of them is 0."""
        p, q = self.law[output][x], self.law[output][x_]
        return Loss(odds=p / q) if p and q else None

    def exact_charge(
        self, x: Database, x_: Database, loss: Loss, epsilon: Epsilon
    ) -> ExpLinear | None:
        """Return E_x[h(l + L)] - h(l) after the loss l = log s, as a + b·e^ε.

        h(l) is max(0, 1 - e^(ε-l)).  The charge rises with l up to ε, so there an upper bound of l
        is enough; None where l is not of this form.
        """
        if loss.plain or not (loss.sharp or loss.within(epsilon)):
            return None
        rows = [(row[x] * loss.odds, row[x_]) for row in self.law.values()]
        over = [(p, q) for p, q in rows if exceeds(p, q, epsilon)]
        a, b = (sum((row[i] for row in over), Fraction(0)) for i in (0, 1))
        if exceeds(loss.odds, Fraction(1), epsilon):
            a, b = a - loss.odds, b - 1
        return ExpLinear(a / loss.odds, -b / loss.odds, epsilon)

    def plausible(self, x: Database, output: Any) -> bool:
        """Return whether P_x(y) > 0."""
        return output in self.law and self.law[output][x] > 0

    def _loss(self, x: Database, x_: Database, output: Any) -> Interval | None:
        if output not in self.law:
            raise MechanismError(f"{output!r} is no output of this mechanism")
        p, q = self.law[output][x], self.law[output][x_]
        if not p:
            return None
        return log_interval(p / q) if q else (inf, inf)

    def _direction(self, x: Database, x_: Database) -> _Direction:
        if (x, x_) not in self._directions:
            self._directions[x, x_] = _sorted(self.law, x, x_)
        return self._directions[x, x_]


def _sorted(law: Law, x: Database, x_: Database) -> _Direction:
    try:
        rows = [(row[x], row[x_]) for row in law.values() if row[x]]
    except KeyError as error:
        raise MechanismError(f"the law says nothing about database {error}") from None
    rows.sort(key=_negated_odds)
    mass = [*accumulate((p for p, _ in rows), initial=Fraction(0))]
    mass_ = [*accumulate((q for _, q in rows), initial=Fraction(0))]
    return _Direction([_negated_odds(row) for row in rows], mass, mass_)


def _quantile(tail: Fraction) -> float:
    """Return z, rounded up, with Φ(-z) = tail; tails near 1 are looked at from the other side."""
    if 2 * tail <= 1:
        return quantile_up(double_down(tail))
    return -quantile_down(double_up(1 - tail)) if tail < 1 else -inf


def _negated_odds(row: tuple[Fraction, Fraction]) -> Fraction | float:
    return -row[0] / row[1] if row[1] else -inf


def randomised_response(
    truth: Fraction,
    values: Iterable[Hashable],
    databases: Iterable[Database] | None = None,
    query: Callable[[Any], Any] = itself,
) -> Table:
    """Return the mechanism that tells the query's answer with probability `truth`.

    Otherwise it names one of the other values, each equally likely.

    >>> randomised_response(Fraction(3, 4), ["no", "yes"]).law["no"]["yes"]
    Fraction(1, 4)
    """
    names = [*values]
    known = [*databases] if databases is not None else names
    if type(truth) is not Fraction or not 0 <= truth <= 1:
        raise MechanismError(f"need a Fraction 0 <= truth <= 1; got {truth!r}")
    if len(set(names)) != len(names) or len(names) < 2:
        raise MechanismError(f"need two or more different values; got {names!r}")
    if unknown := {query(x) for x in known} - set(names):
        raise MechanismError(f"the query answers {unknown!r}, which is no value")
    lie = (1 - truth) / (len(names) - 1)
    return Table({y: {x: truth if query(x) == y else lie for x in known} for y in names})
