"""What one mechanism costs: risk, charge, privacy profile, tight parameters and Rényi sums.

Everything is asked for one ordered pair (x, x′) and answered exactly.  The two directions of a
pair are two questions.  A quantity that no finite number answers is `None`.

The two functions that realisation-level filters use take the *masses* of the history, so that
the answer is about the budget that is left, ε - l with l = log(mass[x] / mass[x′]).
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from filterproof.exact import (
    Epsilon,
    ExactError,
    ExpLinear,
    exceeds,
    rational,
)
from filterproof.game.law import Database, Law, Pair, odds_at, profile
from filterproof.radicals import RadicalSum
from filterproof.unknown import Chances, unknown_answers

Masses = Mapping[Database, Fraction]
_ZERO = Fraction(0)
_CERTAIN = Fraction(1), Fraction(1)  # what has already been released


def risk(law: Law, pair: Pair, mass: Masses, epsilon: Epsilon) -> Fraction:
    """Return P_x(L > ε - l): how likely one more output takes the realised loss above ε.

    >>> half = {"0": {"a": Fraction(1, 2), "b": Fraction(0)},
    ...         "?": {"a": Fraction(1, 2), "b": Fraction(1)}}
    >>> even = {"a": Fraction(1), "b": Fraction(1)}
    >>> risk(half, ("a", "b"), even, Fraction(1)), risk(half, ("b", "a"), even, Fraction(1))
    (Fraction(1, 2), Fraction(0, 1))
    """
    return sum((p for p, _ in _masses_beyond(law, pair, mass, epsilon)), _ZERO)


def charge(law: Law, pair: Pair, mass: Masses, epsilon: Epsilon) -> ExpLinear:
    """Return c = E_x[h(l + L)] - h(l) with h(l) = max(0, 1 - e^(ε-l)), what one round adds to H.

    This is the mechanism's own privacy profile at the budget that is left, less what was lost
    before.  It is never negative.  The history must be possible under x.

    >>> coin = {"h": {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    ...         "t": {"a": Fraction(1, 4), "b": Fraction(3, 4)}}
    >>> str(charge(coin, ("a", "b"), {"a": Fraction(1), "b": Fraction(1)}, Fraction(1)))
    '3/4 - 1/4*e^eps'
    """
    w, w_ = mass[pair[0]], mass[pair[1]]
    won = _masses_beyond(law, pair, mass, epsilon)
    p = sum((p for p, _ in won), _ZERO)
    q = sum((q for _, q in won), _ZERO)
    for lost, lost_ in exceeding([_CERTAIN], w, w_, epsilon):  # h(l): what was won before
        p, q = p - lost, q - lost_
    return ExpLinear(p, -q * w_ / w, epsilon)


def _masses_beyond(law: Law, pair: Pair, mass: Masses, epsilon: Epsilon) -> list[Chances]:
    """Return (P_x(y), P_x′(y)) for every y that takes the loss above ε."""
    x, x_ = pair
    return exceeding([(row[x], row[x_]) for row in law.values()], mass[x], mass[x_], epsilon)


@unknown_answers(3)
def exceeding(rows: list[Chances], w: Fraction, w_: Fraction, epsilon: Epsilon) -> list[Chances]:
    """Return the rows (p, q) with w·p > e^ε·w′·q.

    Where ε is unknown every row is returned, as zeros where it would be left out.

    >>> exceeding([(Fraction(1), Fraction(1)), (Fraction(2), Fraction(1))],
    ...           Fraction(1), Fraction(1), Fraction(1, 2))
    [(Fraction(2, 1), Fraction(1, 1))]
    """
    return [(p, q) for p, q in rows if exceeds(w * p, w_ * q, epsilon)]


# --- a mechanism on its own -----------------------------------------------------------------


class BadOrder(ExactError):
    """A Rényi order that is not a rational number above 1."""


def delta_at(law: Law, pair: Pair, epsilon: Epsilon) -> ExpLinear:
    """Return δ(ε), the privacy profile, at a budget ε >= 0."""
    p, q = best_event(law, pair, epsilon)
    return ExpLinear(p, -q, epsilon)


def best_event(law: Law, pair: Pair, epsilon: Epsilon) -> tuple[Fraction, Fraction]:
    """Return (P_x(S), P_x′(S)) of the event S that attains δ(ε) = P_x(S) - e^ε·P_x′(S).

    A rational ε may be negative: then p > e^ε·q is asked as: not q >= e^-ε·p.

    >>> coin = {"h": {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    ...         "t": {"a": Fraction(1, 4), "b": Fraction(3, 4)}}
    >>> best_event(coin, ("a", "b"), Fraction(1)), best_event(coin, ("a", "b"), Fraction(-2))
    ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 1), Fraction(1, 1)))
    """
    x, x_ = pair
    won = [row for row in law.values() if _beats(row[x], row[x_], epsilon)]
    return sum((row[x] for row in won), Fraction(0)), sum((row[x_] for row in won), Fraction(0))


def _beats(p: Fraction, q: Fraction, epsilon: Epsilon) -> bool:
    """Whether p >= e^ε·q (an equality adds nothing to δ), for ε of either sign."""
    if isinstance(epsilon, Fraction) and epsilon < 0:
        return not exceeds(q, p, -epsilon)
    return exceeds(p, q, epsilon)


def tight_delta(law: Law, pairs: Iterable[Pair], odds: Fraction) -> Fraction:
    """Return the smallest δ for which the mechanism is (log odds, δ)-DP, over all the pairs."""
    return max(profile(law, pair, odds) for pair in pairs)


def tight_odds(law: Law, pairs: Iterable[Pair], delta: Fraction) -> Fraction | None:
    """Return the smallest odds >= 1 for which it is (log odds, δ)-DP; None if no finite ones do."""
    found = [odds_at(law, pair, delta) for pair in pairs]
    return None if None in found else max(odds for odds in found if odds is not None)


def renyi_sum(law: Law, pair: Pair, order: Fraction | int) -> RadicalSum | None:
    """Return the sum over y of P_x(y)^α·P_x′(y)^(1-α) for a rational α > 1; None if infinite.

    At an integer order the sum is rational; the Rényi divergence is its logarithm over α - 1.

    >>> coin = {"h": {"a": Fraction(4, 5), "b": Fraction(1, 5)},
    ...         "t": {"a": Fraction(1, 5), "b": Fraction(4, 5)}}
    >>> [renyi_sum(coin, ("a", "b"), a).rational() for a in (2, Fraction(3, 2))]
    [Fraction(13, 4), Fraction(17, 10)]
    """
    m, n = checked_order(order).as_integer_ratio()
    total = RadicalSum(n, ())
    for row in law.values():
        p, q = row[pair[0]], row[pair[1]]
        if p and not q:
            return None
        if p:
            total += RadicalSum.root(p**m / q ** (m - n), n)
    return total


def largest_renyi_sum(law: Law, pairs: Iterable[Pair], order: Fraction | int) -> RadicalSum | None:
    """Return the largest Rényi sum over the pairs; None if one is infinite."""
    largest: RadicalSum | None = None
    for pair in pairs:
        here = renyi_sum(law, pair, order)
        if here is None:
            return None
        if largest is None or (here != largest and (here - largest).sign() > 0):
            largest = here
    return largest


def checked_order(order: object) -> Fraction:
    """Return a Rényi order as a Fraction above 1, or say what is wrong with it."""
    value = rational(order)
    if value <= 1:
        raise BadOrder(f"need a Rényi order above 1; got {value}")
    return value
