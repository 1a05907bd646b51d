"""The residue filter for Gaussian DP: after a round it keeps the largest μ² that may still follow.

Gaussian accounting takes μ_i² off, where M_i is μ_i-GDP.  But M_i followed by a v′-GDP rest may
stay below the curve of √v-GDP for a v′ above v - μ_i²: randomised response touches its Gaussian
curve in a single point.  Such a v′ is a *residue* of v after M_i.  What is kept is a
supermartingale, so the filter is private (`gdp_residue_private` in `proofs/coq/Residues.v`), and it
runs wherever `gdp` runs.

The name is that of "Privacy Filters are Captured by Residues" (arXiv 2602.15815), whose abstract
announces a residue filter that improves on Gaussian accounting; the rule is our reading of it.

How a residue is decided.  With t = e^l the curve of μ is F(t) = Φ(μ/2 - l/μ) - t·Φ(-μ/2 - l/μ), and
what M_i and a rest of curve f give is the sum of p_y·f(t·q_y/p_y).  Both are convex and fall.  On a
short interval the sum lies below its chord and F above its tangent; far out the sum falls more
slowly than F, and both fall to 0, so F is the larger; and l < 0 is the other direction at -l.
All of it is compared in Arb's balls: what is not certain is no residue, and v - μ_i² always is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.filters.gdp import budget_mu, mechanism_mu
from filterproof.game import Mechanism, Step

STEPS = 16
"""A residue is looked for among so many values between v - μ_i² and v, evenly spaced."""
GRID = 2**32
"""Residues are multiples of 1/2^32, rounded down: so are the squares that `gdp` adds up."""
WEAKEST = 32
"""After a round that takes less than this part of v none is looked for: there the two curves are so
close that the intervals below, as many as they are, prove nothing."""
_POINTS = 12  # where a candidate is tried before it is proved
_CELLS = 192  # so many intervals are looked at, then a candidate is given up
_BITS = 128

Outcomes = tuple[tuple[Fraction, Fraction], ...]
"""(p, q) of every output with p > 0, for one ordered pair; every q is positive."""


@dataclass(frozen=True)
class Left:
    """What was left of μ² before the last round, and what this round was; nothing if it took none.

    Its residue is looked for when the next round is asked for: most questions have no next round.
    """

    before: Fraction
    taken: Fraction = Fraction(0)
    directions: tuple[Outcomes, ...] = ()


@dataclass(frozen=True)
class GaussianResidue:
    """Runs M_i iff it is √v-GDP, v what is left of μ², and keeps a residue of v after it."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Left:
        """Return μ², where μ-GDP implies (ε, δ)-DP."""
        return Left(budget_mu(self.epsilon, self.delta) ** 2)

    def decide(self, state: Left, step: Step) -> tuple[Decision, Left]:
        """Run M_i iff its own μ² is at most what is left."""
        left, mu = residue(state), mechanism_mu(step.mechanism, None)
        if mu is None or mu**2 > left:
            return Decision.HALT, state
        return Decision.CONTINUE, after(step.mechanism, left, mu**2)


def after(mechanism: Mechanism, left: Fraction, taken: Fraction) -> Left:
    """Return the state after a mechanism that is √taken-GDP."""
    if not taken:
        return Left(left)
    return Left(left, taken, tuple(sorted({outcomes(mechanism, *one) for one in mechanism.pairs})))


@lru_cache(maxsize=4096)
def residue(state: Left) -> Fraction:
    """Return what is left after the last round: its residue.

    >>> from filterproof.palette import game, response
    >>> [mechanism] = game(response(Fraction(3, 5))).menu.values()
    >>> taken = mechanism_mu(mechanism, None) ** 2
    >>> residue(after(mechanism, Fraction(1), taken)) > 1 - taken
    True
    """
    left, certain = state.before, state.before - state.taken
    if state.taken * WEAKEST < left:
        return certain
    found = _candidate(certain, left, _largest_candidate(state.directions, certain, left))
    if all(is_residue(one, found, left) for one in state.directions):
        return max(found, certain)
    return certain


def outcomes(mechanism: Mechanism, x: str, x_: str) -> Outcomes:
    """Return the outputs' probabilities under both databases, equal ratios taken together."""
    sums: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for row in mechanism.law.values():
        if row[x]:
            p, q = sums.get(row[x_] / row[x], (Fraction(0), Fraction(0)))
            sums[row[x_] / row[x]] = p + row[x], q + row[x_]
    return tuple(sorted(sums.values()))


def _candidate(certain: Fraction, left: Fraction, k: int) -> Fraction:
    """Return the k-th of the values between v - μ_i² and v, rounded down."""
    return Fraction((certain + (left - certain) * Fraction(k, STEPS)) * GRID // 1, GRID)


def _largest_candidate(directions: Sequence[Outcomes], certain: Fraction, left: Fraction) -> int:
    """Return the largest k whose candidate is not refuted at a few points; 0 if there is none."""
    low, high = 0, STEPS
    while high - low > 1:
        k = (low + high) // 2
        found = _candidate(certain, left, k)
        refuted = any(_is_refuted(one, found, left) for one in directions)
        low, high = (low, k) if refuted else (k, high)
    return low


# --- curves, in balls -----------------------------------------------------------------------


def is_residue(one: Outcomes, rest: Fraction, left: Fraction) -> bool:
    """Return whether this direction, followed by √rest-GDP, is below √left-GDP at l >= 0, for sure.

    >>> coin = ((Fraction(2, 5), Fraction(3, 5)), (Fraction(3, 5), Fraction(2, 5)))
    >>> [is_residue(coin, Fraction(k, 10), Fraction(1)) for k in (8, 9)]
    [True, False]
    """
    return 0 < rest < left and _in_balls(one, rest, left, _in_order_everywhere)


def _is_refuted(one: Outcomes, rest: Fraction, left: Fraction) -> bool:
    """Return whether some point shows that it is no residue (or nothing can be said)."""
    return not 0 < rest < left or not _in_balls(one, rest, left, _in_order_at_points)


@lru_cache(maxsize=8192)
def _in_balls(one: Outcomes, rest: Fraction, left: Fraction, test: Any) -> bool:
    """Return what a test says of the two curves, at a precision that is set back afterwards."""
    import flint  # here, because a list of filters needs none of it

    before, flint.ctx.prec = flint.ctx.prec, _BITS
    try:
        return bool(test(Curves(one, rest, left, flint)))
    finally:
        flint.ctx.prec = before


class Curves:
    """Both curves at l: what the round and the rest give together, and what was left."""

    def __init__(self, one: Outcomes, rest: Fraction, left: Fraction, flint: Any) -> None:
        def ball(value: Fraction) -> Any:
            return flint.arb(flint.fmpq(*value.as_integer_ratio()))

        self.ball = ball
        self.rest, self.left = ball(rest).sqrt(), ball(left).sqrt()
        self.rows = [(ball(p), ball(q), (ball(p) / ball(q)).log()) for p, q in one]
        self.largest = ball(max(p / q for p, q in one)).log()
        self.root = ball(Fraction(2)).sqrt()

    def normal(self, z: Any) -> Any:
        """Return Φ(z)."""
        return (-z / self.root).erfc() / 2

    def parts(self, mu: Any, at: Any) -> tuple[Any, Any]:
        """Return Φ(μ/2 - l/μ) and Φ(-μ/2 - l/μ): the curve is the first less t times the second."""
        return self.normal(mu / 2 - at / mu), self.normal(-mu / 2 - at / mu)

    def together(self, at: Any) -> Any:
        """Return the sum over y of p·f(t·q/p), with t = e^l."""
        t, total = at.exp(), self.ball(Fraction(0))
        for p, q, loss in self.rows:
            above, below = self.parts(self.rest, at - loss)
            total += p * above - t * q * below
        return total

    def tangent(self, at: Any) -> tuple[Any, Any]:
        """Return the two numbers a, b of F's tangent a - b·t at l."""
        return self.parts(self.left, at)

    def reach(self) -> Any:
        """Return an l from which on what the two give together falls more slowly than F.

        There μ/2 + l/μ <= μ′/2 + (l - L_y)/μ′ for every output.
        """
        rise = 1 / self.rest - 1 / self.left
        return (self.left / 2 - self.rest / 2 + self.largest / self.rest) / rise


def _in_order_everywhere(curves: Curves) -> bool:
    """Return whether the curves are in order from l = 0 to where it is clear, and there."""
    reach = curves.reach()
    if not reach.is_finite():
        return False
    ends = curves.ball(Fraction(0)), curves.ball(Fraction(*_rational(reach.abs_upper())))
    cells, looked = [(*ends, *(_there(curves, end) for end in ends))], 0
    while cells:
        low, high, at_low, at_high = cells.pop()
        looked += 1
        middle = (low + high) / 2
        a, b = curves.tangent(middle)
        if all(value <= a - b * t for t, value in (at_low, at_high)):
            continue
        at_middle = _there(curves, middle)
        if looked > _CELLS or not at_middle[1] <= a - b * at_middle[0]:
            return False
        cells += [(low, middle, at_low, at_middle), (middle, high, at_middle, at_high)]
    return True


def _there(curves: Curves, at: Any) -> tuple[Any, Any]:
    """Return t = e^l and the value of both together there."""
    return at.exp(), curves.together(at)


def _in_order_at_points(curves: Curves) -> bool:
    """Return whether the curves are in order at a few points."""
    reach = curves.reach()
    points = [reach * k / _POINTS for k in range(_POINTS + 1)]
    tangents = ((at, *curves.tangent(at)) for at in points)
    return all(curves.together(at) <= a - b * at.exp() for at, a, b in tangents)


def _rational(ball: Any) -> tuple[int, int]:
    """Return a ball without a radius as a quotient of integers."""
    mantissa, exponent = ball.mid().man_exp()
    m, e = int(mantissa), int(exponent)
    return (m << e, 1) if e >= 0 else (m, 1 << -e)
