"""Exact numbers as doubles, rounded to the side that favours the library.

What a mechanism costs is rounded *up* and the budget is rounded *down*: a library is never told
less than the truth, so a violation that is found is not an artefact of handing numbers over.
"""

from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter

from mpmath.ctx_iv import MPIntervalContext

from filterproof.exact import Epsilon, Log, interval_ends

GUARD_BITS = 192


def double_up(value: Fraction) -> float:
    """Return the smallest double that is at least `value`.

    >>> double_up(Fraction(1, 3)), float(Fraction(1, 3))
    (0.33333333333333337, 0.3333333333333333)
    """
    nearest = _nearest(value)
    return nextafter(nearest, inf) if nearest == -inf or nearest < value else nearest


def double_down(value: Fraction) -> float:
    """Return the largest double that is at most `value`.

    >>> double_down(Fraction(1, 10))
    0.09999999999999999
    """
    return 0.0 - double_up(-value)


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def log_up(q: Fraction) -> float:
    """Return a double of at least log(q): the smallest one, but for ties beyond 192 bits.

    >>> log_up(Fraction(3)), log_down(Fraction(3))
    (1.0986122886681098, 1.0986122886681096)
    """
    return double_up(_log_ends(q)[1])


def log_down(q: Fraction) -> float:
    """Return a double of at most log(q)."""
    return double_down(_log_ends(q)[0])


def epsilon_down(epsilon: Epsilon) -> float:
    """Return a double of at most ε."""
    return log_down(epsilon.argument) if isinstance(epsilon, Log) else double_down(epsilon)


@lru_cache(maxsize=4096)
def _log_ends(q: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose log(q); the precision covers the digits of q, so that q near 1 loses none."""
    if q == 1:
        return Fraction(0), Fraction(0)
    context = MPIntervalContext()
    context.prec = GUARD_BITS + q.numerator.bit_length() + q.denominator.bit_length()
    logarithm = context.log(context.mpf(q.numerator) / context.mpf(q.denominator))
    return interval_ends(logarithm)
