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

At a whole order the tilt is a rational.  At any other one it is rounded to a rational (relative
2^-64): the filter is private all the same, and runs where the Rényi filter does up to that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from filterproof.exact import Epsilon, ExpLinear, exceeds, rational
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    matches_possible_pairs,
    possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.radicals import floor_root

BITS = 64
"""How exactly the tilt of an order that is not whole is rounded, relative to itself."""


class Purse(NamedTuple):
    """What a pair has: before a round its budget b, after it the factor k; and the orders' weights.

    The factor is None where every output may have all that it can lose.
    """

    amount: ExpLinear | None
    weights: tuple[Fraction, ...]


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

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        if not self.orders or any(rational(order) < 1 for order in self.orders):
            raise ParameterError(f"need orders of 1 or more; got {self.orders}")
        weights = self.first_weights()
        if len(weights) != len(self.orders) or min(weights) < 0 or sum(weights) != 1:
            raise ParameterError(f"need a weight >= 0 per order, 1 in all; got {weights}")

    def first_weights(self) -> tuple[Fraction, ...]:
        """Return the weights of the orders before the first round: equal ones unless given."""
        return self.weights or (Fraction(1, len(self.orders)),) * len(self.orders)

    def start(self) -> PerPair[Purse]:
        """Return no purses; the opening round makes them."""
        return ()

    def decide(self, state: PerPair[Purse], step: Step) -> tuple[Decision, PerPair[Purse]]:
        """Run M_i iff every live pair's budget covers what is lost after it, on average."""
        whole = Purse(ExpLinear(self.delta, 0, self.epsilon), self.first_weights())
        before = state or same_for_each_pair(step, whole)
        left: list[Purse | None] = [None] * len(before)
        for i, pair, purse in possible_pairs(before, step):
            rows = self.rows(step, pair)
            assert purse.amount is not None  # before a round it is a budget
            if expected_loss(rows, self.epsilon) > purse.amount:
                return Decision.HALT, before
            parts = mixture_parts(rows, purse.weights)
            left[i] = Purse(factor(purse.amount, rows, parts, self.epsilon), purse.weights)
        return Decision.CONTINUE, tuple(left)

    def observe(self, state: PerPair[Purse], step: Step, output: Output) -> PerPair[Purse]:
        """Give every pair that is still live its share after this output."""
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            None if purse is None else self.share(purse, step, pair, output) for purse, pair in kept
        )

    def share(self, purse: Purse, step: Step, pair: Pair, output: Output) -> Purse:
        """Return b_y = min(1, max(h(l_y), k·T_y)) and the weights after y."""
        one, row = ExpLinear(1, 0, self.epsilon), self.row(step, pair, output)
        if row.tilts is None or purse.amount is None:
            return Purse(one, purse.weights)
        part = mixture_part(row, means(self.rows(step, pair)), purse.weights)
        tilt = sum(part, Fraction(0))
        weights = tuple(each / tilt for each in part) if tilt else purse.weights
        return Purse(min(one, max(row.lost, purse.amount * tilt)), weights)

    def rows(self, step: Step, pair: Pair) -> list[Row]:
        """Return the outputs that are possible under x."""
        rows = (self.row(step, pair, y) for y in step.mechanism.law)
        return [row for row in rows if row.chance]

    def row(self, step: Step, pair: Pair, y: Output) -> Row:
        """Return what is needed of one output for one pair."""
        x, x_ = pair
        p, q = (step.mechanism.law[y][one] for one in pair)
        if not p:
            return Row(p, ExpLinear(0, 0, self.epsilon), None)
        mass = step.released(y)
        tilts = tuple(tilt(p / q, order) for order in self.orders) if mass[x_] else None
        if exceeds(mass[x], mass[x_], self.epsilon):
            return Row(p, ExpLinear(1, -mass[x_] / mass[x], self.epsilon), tilts)
        return Row(p, ExpLinear(0, 0, self.epsilon), tilts)

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
        """Offer a mixture with the uniform tilt, one order alone, and one that is not whole."""
        for orders in ((1, 2), (2,), (1, 4), (Fraction(3, 2),)):
            yield {"orders": tuple(map(Fraction, orders))}


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
