"""The smallest rho for which a mechanism is rho-zCDP, from its law, rounded up."""

from fractions import Fraction
from typing import Any

import numpy as np

from filterproof.directed_columns import product_up
from filterproof.directed_rounding import log_up
from filterproof.filters.common import per_mechanism
from filterproof.game import Mechanism
from filterproof.game.law import Law, Pair
from filterproof.privacy import tight_odds

ORDERS = 2.0 ** (np.arange(-10 * 16, 14 * 16 + 1) / 16)
"""alpha - 1 of the orders between which a rho is bounded: sixteen in every octave."""
ERROR, WIDER = 2.0**-44, 1 + 2.0**-40
"""More than the rounding of a logarithm of a sum, for terms of size 1, and of what follows."""


@per_mechanism
def smallest_rho(mechanism: Mechanism, key: None) -> float | None:
    """Return a rho for which the mechanism is rho-zCDP, close to the smallest; None if none is.

    It is the supremum of D(alpha)/alpha over alpha > 1, at most epsilon^2/2.
    """
    odds = tight_odds(mechanism.law, mechanism.pairs, Fraction(0))
    if odds is None:
        return None
    epsilon = log_up(odds)
    bounds = [_largest_quotient(mechanism.law, pair, epsilon) for pair in mechanism.pairs]
    return min(max(bounds), product_up(epsilon, epsilon) / 2)


def _largest_quotient(law: Law, pair: Pair, epsilon: float) -> float:
    """Return an upper bound of log S(alpha) / (alpha (alpha-1)) over alpha > 1.

    log S is convex and 0 at alpha = 1, so between two orders it lies below a line m*u + c in
    u = alpha - 1, and the quotient below m/alpha + c/(alpha*u).  For c <= 0 that has one maximum,
    where m*u^2 = |c|*(2u + 1).
    """
    u, top = ORDERS, _log_sums(law, pair)
    slope = np.maximum(np.diff(top) / np.diff(u), np.finfo(float).tiny)
    constant = top[:-1] - slope * u[:-1]
    below, above = np.maximum(-constant, 0.0), np.maximum(constant, 0.0)
    best = (below + np.sqrt(below * below + slope * below)) / slope
    at = np.clip(best, u[:-1], u[1:])
    between = (slope - below / at) / (1 + at) + above / (u[:-1] * (1 + u[:-1]))
    first, last = top[0] / u[0], epsilon / (1 + u[-1])  # D grows with alpha, up to epsilon
    return float(max(first, last, between.max())) * WIDER


def _log_sums(law: Law, pair: Pair) -> Any:
    """Return upper bounds of log S at all orders."""
    rows = [(row[pair[0]], row[pair[1]]) for row in law.values() if row[pair[0]]]
    logs = np.array([[log_up(p), log_up(q)] for p, q in rows])
    terms = np.outer(1 + ORDERS, logs[:, 0]) - np.outer(ORDERS, logs[:, 1])
    peak = terms.max(axis=1)
    sums = peak + np.log(np.exp(terms - peak[:, None]).sum(axis=1))
    return np.maximum(sums, 0.0) + ERROR * (1 + np.abs(terms).max(axis=1))
