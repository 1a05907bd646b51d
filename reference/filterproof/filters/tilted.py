"""The tilted filter: realised losses, and a budget that follows them as Rényi accounting would.

For each ordered pair keep a number b, b_0 = δ, that always covers what is already lost:
b >= h(l), with h(l) = max(0, 1 - e^(ε-l)).  A round may run iff E_x[h(l_y)] <= b.  After y

    b_y = min(1, max(h(l_y), k·T_y)),        k such that E_x[b_y] = b (all are 1 if none is),

where the *tilt* T_y says how much more y should get than other outputs.  Whatever the tilt is, b is
a supermartingale under P_x that covers h, so H <= δ for every adversary and any number of rounds.

Here T_y is a mixture over orders α of (P_x(y)/P_x′(y))^(α-1), each divided by its own mean.  With
one order the filter runs wherever Rényi accounting at that order runs with the tight conversion and
all of δ, because h(l) <= (α-1)^(α-1)/α^α·e^((α-1)(l-ε)).  Order 1 is a uniform tilt: what is left
over goes to all outputs alike, as in the compensator.  After y each order's weight is multiplied by
its own part of T_y, so that the mixture turns to the order that fits the answers so far.

With `gaussian` there is one purse more, tilted by the curve of Gaussian DP at what is left of ε: it
follows Gaussian accounting for its part of δ, as long as that has room, and is uniform afterwards.

At a whole order the tilt is a rational.  At any other one, and for the curve, it is rounded to a
rational: the filter is private all the same, and runs where the Rényi filter does up to 2^-64.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, ClassVar, NamedTuple

from filterproof.exact import (
    Epsilon,
    ExpLinear,
    exceeds,
    exp_enclosure,
    interval_context,
    interval_ends,
    rational,
)
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    matches_possible_pairs,
    possible_pairs,
    real,
    same_for_each_pair,
    survivors,
)
from filterproof.filters.gdp import budget_mu, mechanism_mu, normal_cdf
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.radicals import floor_root

BITS = 64
"""How exactly the tilt of an order that is not whole is rounded, relative to itself."""


COARSE = 2**32
"""What a Gaussian tilt is rounded to multiples of 1/COARSE."""


class Purse(NamedTuple):
    """What a pair has: before a round its budget b, after it the factor k; and the orders' weights.

    The factor is None where every output may have all that it can lose.  `square` is what Gaussian
    accounting has left of μ², 0 where there is no such purse.
    """

    amount: ExpLinear | None
    weights: tuple[Fraction, ...]
    square: Fraction


class Row(NamedTuple):
    """One output for one pair: P_x(y), what is lost by it, h(l_y), and each order's tilt.

    There are no tilts where y rules x′ out: there all is lost.
    """

    chance: Fraction
    lost: ExpLinear
    tilts: tuple[Fraction, ...] | None


@dataclass(frozen=True)
class Tilted:
    """Runs M_i iff E_x[h(l_y)] <= b for every live pair; shares b out by tilts of these orders."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    orders: tuple[Fraction | int, ...] = (1, 2)
    weights: tuple[Fraction, ...] = ()
    gaussian: bool = False

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        if not self.orders or any(rational(order) < 1 for order in self.orders):
            raise ParameterError(f"need orders of 1 or more; got {self.orders}")
        if not isinstance(self.gaussian, bool):
            raise ParameterError(f"need gaussian=True or False; got {self.gaussian!r}")
        weights = tuple(map(rational, self.first_weights()))
        if len(weights) != self.purses() or min(weights) < 0 or sum(weights) != 1:
            raise ParameterError(f"need a weight >= 0 per purse, 1 in all; got {weights}")

    def first_weights(self) -> tuple[Fraction, ...]:
        """Return the weights of the purses before the first round: equal ones unless given."""
        return self.weights or (Fraction(1, self.purses()),) * self.purses()

    def purses(self) -> int:
        """Return how many purses there are: one for each order, and the Gaussian one at the end."""
        return len(self.orders) + self.gaussian

    def first_square(self) -> Fraction:
        """Return μ² of Gaussian accounting at the Gaussian purse's part of δ."""
        part = self.delta * self.first_weights()[-1]
        return budget_mu(self.epsilon, part) ** 2 if self.gaussian else Fraction(0)

    def start(self) -> PerPair[Purse]:
        """Return no purses; the opening round makes them."""
        return ()

    def decide(self, state: PerPair[Purse], step: Step) -> tuple[Decision, PerPair[Purse]]:
        """Run M_i iff every live pair's budget covers what is lost after it, on average."""
        whole = ExpLinear(self.delta, 0, self.epsilon)
        before = state or same_for_each_pair(
            step, Purse(whole, self.first_weights(), self.first_square())
        )
        left: list[Purse | None] = [None] * len(before)
        for i, pair, purse in possible_pairs(before, step):
            square = square_left(purse.square, step)
            rows = self.rows(step, pair, square)
            assert purse.amount is not None  # before a round it is a budget
            if expected_loss(rows, self.epsilon) > purse.amount:
                return Decision.HALT, before
            parts = mixture_parts(rows, purse.weights)
            left[i] = Purse(factor(purse.amount, rows, parts, self.epsilon), purse.weights, square)
        return Decision.CONTINUE, tuple(left)

    def observe(self, state: PerPair[Purse], step: Step, output: Output) -> PerPair[Purse]:
        """Give every pair that is still live its share after this output."""
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            None if purse is None else self.share(purse, step, pair, output) for purse, pair in kept
        )

    def share(self, purse: Purse, step: Step, pair: Pair, output: Output) -> Purse:
        """Return b_y = min(1, max(h(l_y), k·T_y)) and the weights after y."""
        one, row = ExpLinear(1, 0, self.epsilon), self.row(step, pair, output, purse.square)
        if row.tilts is None or purse.amount is None:
            return Purse(one, purse.weights, purse.square)
        mean = means(self.rows(step, pair, purse.square))
        part = mixture_part(row, mean, purse.weights)
        tilt = sum(part, Fraction(0))
        weights = tuple(each / tilt for each in part) if tilt else purse.weights
        return Purse(min(one, max(row.lost, purse.amount * tilt)), weights, purse.square)

    def rows(self, step: Step, pair: Pair, square: Fraction) -> list[Row]:
        """Return the outputs that are possible under x."""
        rows = (self.row(step, pair, y, square) for y in step.mechanism.law)
        return [row for row in rows if row.chance]

    def row(self, step: Step, pair: Pair, y: Output, square: Fraction) -> Row:
        """Return what is needed of one output for one pair; `square` is what is left of μ²."""
        x, x_ = pair
        p, q = (step.mechanism.law[y][one] for one in pair)
        if not p:
            return Row(p, ExpLinear(0, 0, self.epsilon), None)
        mass = step.released(y)
        tilts = self.tilts(p / q, mass[x_] / mass[x], square) if mass[x_] else None
        if exceeds(mass[x], mass[x_], self.epsilon):
            return Row(p, ExpLinear(1, -mass[x_] / mass[x], self.epsilon), tilts)
        return Row(p, ExpLinear(0, 0, self.epsilon), tilts)

    def tilts(self, ratio: Fraction, rest: Fraction, square: Fraction) -> tuple[Fraction, ...]:
        """Return every purse's tilt, where P_x(y)/P_x′(y) is `ratio` and e^-l after it `rest`."""
        powers = tuple(tilt(ratio, order) for order in self.orders)
        if not self.gaussian:
            return powers
        return (*powers, curve_tilt(square, exp_enclosure(self.epsilon, BITS)[0] * rest))

    # --- for the search and for proofs ------------------------------------------------------

    def remaining(self, state: PerPair[Purse], step: Step, pair: Pair) -> ExpLinear:
        """Return b - h(l): a potential, it pays for every round."""
        purse = state[step.game.pairs.index(pair)] if state else None
        if purse is None or purse.amount is None:
            return ExpLinear(self.delta, 0, self.epsilon)
        w, w_ = (step.mass[one] for one in pair)
        if exceeds(w, w_, self.epsilon):
            return purse.amount - ExpLinear(1, -w_ / w, self.epsilon)
        return purse.amount

    def invariant(self, state: PerPair[Purse], step: Step) -> bool:
        """Whether there is a purse for exactly the pairs under whose x the history is possible."""
        return matches_possible_pairs(state, step) if state else step.index == 0

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer a mixture with the uniform tilt, orders alone, and one beside a Gaussian purse."""
        for orders in ((1, 2), (2,), (Fraction(3, 2),)):
            yield {"orders": tuple(map(Fraction, orders))}
        yield {"orders": (Fraction(2),), "gaussian": True}


def tilt(ratio: Fraction, order: Fraction | int) -> Fraction:
    """Return ratio^(order-1); a root is rounded down, by less than 2^-64 of itself.

    >>> tilt(Fraction(3, 2), 3), abs(float(tilt(Fraction(2), Fraction(3, 2)) ** 2) - 2) < 1e-12
    (Fraction(9, 4), True)
    """
    m, n = (Fraction(order) - 1).as_integer_ratio()
    return ratio**m if n == 1 else root_down(ratio**m, n)


@lru_cache(maxsize=4096)
def root_down(power: Fraction, degree: int) -> Fraction:
    """Return the root of a rational, rounded down by less than 2^-64 of itself."""
    above, below = power.as_integer_ratio()
    scale = BITS + max(0, below.bit_length() - above.bit_length()) // degree + 2
    return Fraction(floor_root((above << (scale * degree)) // below, degree), 1 << scale)


def square_left(square: Fraction, step: Step) -> Fraction:
    """Return what Gaussian accounting has left of μ² after M_i; 0 once it has no room for it."""
    mu = mechanism_mu(step.mechanism, None) if square else None
    return Fraction(0) if mu is None else max(Fraction(0), square - mu**2)


@lru_cache(maxsize=4096)
def curve_tilt(square: Fraction, odds: Fraction) -> Fraction:
    """Return the curve of √square-GDP at these odds, roughly; 1 where nothing is left of it.

    It is a multiple of 2^-32 and at least that: no more than a shape in which to share out.

    >>> float(curve_tilt(Fraction(1), Fraction(1)))
    0.3829249...
    """
    if not square:
        return Fraction(1)
    iv = interval_context(BITS)
    mu = root_down(square, 2)
    log_odds = interval_ends(iv.log(real(iv, odds)))[0] / mu
    above, below = (normal_cdf(_coarse(sign * mu / 2 - log_odds))[0] for sign in (1, -1))
    return max(_coarse(above - odds * below), Fraction(1, COARSE))


def _coarse(value: Fraction) -> Fraction:
    return Fraction(floor(value * COARSE), COARSE)


def expected_loss(rows: Sequence[Row], epsilon: Epsilon) -> ExpLinear:
    """Return E_x[h(l_y)]."""
    return sum((row.lost * row.chance for row in rows), ExpLinear(0, 0, epsilon))


def means(rows: Sequence[Row]) -> tuple[Fraction, ...]:
    """Return every order's mean tilt under P_x, over the outputs that have one."""
    tilted = [(row.chance, row.tilts) for row in rows if row.tilts is not None]
    if not tilted:
        return ()
    count = len(tilted[0][1])
    return tuple(sum((p * tilts[a] for p, tilts in tilted), Fraction(0)) for a in range(count))


def mixture_part(
    row: Row, mean: tuple[Fraction, ...], weights: tuple[Fraction, ...]
) -> tuple[Fraction, ...]:
    """Return each order's part of T_y: its weight times its tilt over the mean tilt."""
    assert row.tilts is not None
    parts = zip(weights, row.tilts, mean, strict=True)
    return tuple(weight * one / total for weight, one, total in parts)


def mixture_parts(rows: Sequence[Row], weights: tuple[Fraction, ...]) -> list[Fraction | None]:
    """Return T_y of every output; None where y rules x′ out."""
    mean = means(rows)
    return [
        None if row.tilts is None else sum(mixture_part(row, mean, weights), Fraction(0))
        for row in rows
    ]


def factor(
    budget: ExpLinear, rows: Sequence[Row], tilts: Sequence[Fraction | None], epsilon: Epsilon
) -> ExpLinear | None:
    """Return k with E_x[min(1, max(h, k·T))] = b; None if b covers all that can be lost.

    The left side is linear in k between the points at which some output leaves its loss h/T
    behind, or reaches 1/T; they are gone through from the left.
    """
    one, zero = ExpLinear(1, 0, epsilon), ExpLinear(0, 0, epsilon)
    open_rows = [(row, t) for row, t in zip(rows, tilts, strict=True) if t]
    fixed = sum((row.chance for row, t in zip(rows, tilts, strict=True) if t is None), Fraction(0))
    rest = budget - one * fixed - expected_loss([row for row, _ in open_rows], epsilon)
    events = [(row.lost / t, row.chance * t) for row, t in open_rows]
    events += [(one / t, -row.chance * t) for row, t in open_rows]
    at, slope = zero, Fraction(0)
    for point, change in sorted(events, key=lambda event: event[0]):
        gain = (point - at) * slope
        if slope and gain >= rest:
            return at + rest / slope
        at, slope, rest = point, slope + change, rest - gain
    return None
