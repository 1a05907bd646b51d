"""What one mechanism costs: risk, charge, privacy profile, tight parameters and Rényi sums.

Everything is asked for one ordered pair (x, x′) and answered exactly.  The two directions of a
pair are two questions.  A quantity that no finite number answers is `None`.

The two functions that realisation-level filters use take the *masses* of the history, so that
the answer is about the budget that is left, ε - l with l = log(mass[x] / mass[x′]).
"""

from collections.abc import Mapping
from fractions import Fraction

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.law import Database, Law, Pair

Masses = Mapping[Database, Fraction]


def risk(law: Law, pair: Pair, mass: Masses, epsilon: Epsilon) -> Fraction:
    """Return P_x(L > ε - l): how likely one more output takes the realised loss above ε.

    >>> half = {"0": {"a": Fraction(1, 2), "b": Fraction(0)},
    ...         "?": {"a": Fraction(1, 2), "b": Fraction(1)}}
    >>> even = {"a": Fraction(1), "b": Fraction(1)}
    >>> risk(half, ("a", "b"), even, Fraction(1)), risk(half, ("b", "a"), even, Fraction(1))
    (Fraction(1, 2), Fraction(0, 1))
    """
    x, x_ = pair
    w, w_ = mass[x], mass[x_]
    return sum(
        (row[x] for row in law.values() if exceeds(w * row[x], w_ * row[x_], epsilon)), Fraction(0)
    )


def charge(law: Law, pair: Pair, mass: Masses, epsilon: Epsilon) -> ExpLinear:
    """Return c = E_x[h(l + L)] - h(l) with h(l) = max(0, 1 - e^(ε-l)), what one round adds to H.

    This is the mechanism's own privacy profile at the budget that is left, less what was lost
    before.  It is never negative.  The history must be possible under x.

    >>> coin = {"h": {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    ...         "t": {"a": Fraction(1, 4), "b": Fraction(3, 4)}}
    >>> str(charge(coin, ("a", "b"), {"a": Fraction(1), "b": Fraction(1)}, Fraction(1)))
    '3/4 + -1/4*e^eps'
    """
    x, x_ = pair
    w, w_ = mass[x], mass[x_]
    gained, gained_ = (-w, -w_) if exceeds(w, w_, epsilon) else (Fraction(0), Fraction(0))
    for row in law.values():
        p, q = w * row[x], w_ * row[x_]
        if exceeds(p, q, epsilon):
            gained, gained_ = gained + p, gained_ + q
    return ExpLinear(gained / w, -gained_ / w, epsilon)
