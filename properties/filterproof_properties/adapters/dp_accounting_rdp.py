"""dp-accounting's Renyi accountant, used as a filter: with many orders, and with one.

The accountant takes events.  Randomised response over k symbols is handed over as its own event;
any other mechanism with finite odds as the binary randomised response that it is a
post-processing of (every (ε, 0)-DP pair is one of RR(e^ε/(1+e^ε))); one with an output that only
one database can produce as noise 0, which the accountant takes for no privacy.
"""

from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, within
from filterproof_properties.adapters.support.library import require

Orders = tuple[float, ...] | None
"""Renyi orders; None for the library's own list."""


class Response(NamedTuple):
    """Randomised response: with probability `noise` a uniform one of `buckets` symbols."""

    noise: float
    buckets: int


EXPOSED = Response(0.0, 2)


def library() -> Any:
    """Return dp_accounting; its warnings about tiny negative divergences are not shown."""
    logging = require("absl.logging", "dp-accounting")
    logging.set_verbosity(logging.ERROR)
    return require("dp_accounting", "dp-accounting")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Response]:
    """Return the wrapper around the library's default orders, the best taken afterwards."""
    return _rdp_ledger(None, epsilon, delta)


class OneOrder:
    """The same wrapper with a single order fixed in advance."""

    def __call__(self, epsilon: Epsilon, delta: Fraction, order: int = 8) -> Ledger[Response]:
        """Return the wrapper around one Renyi order."""
        return _rdp_ledger((float(order),), epsilon, delta)

    def parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, int]]:
        """Offer small, middling and large orders."""
        for order in (2, 8, 32):
            yield {"order": order}


TARGET_ONE_ORDER = OneOrder()


def _rdp_ledger(orders: Orders, epsilon: Epsilon, delta: Fraction) -> Ledger[Response]:
    library()
    return Ledger(At(admits, (orders, epsilon_down(epsilon), double_down(delta))), event)


def event(step: Step) -> Response | None:
    """Return the event that stands for a mechanism; None if it says nothing."""
    odds, delta = step.mechanism.declared
    if delta:
        return EXPOSED
    if odds == 1:
        return None
    return k_ary(step) or Response(double_down(2 / (1 + odds)), 2)


def k_ary(step: Step) -> Response | None:
    """Recognise randomised response over k symbols, of which those that tell nothing are merged."""
    if len(step.game.pairs) > 2:
        return None
    x, x_ = step.game.pairs[0]
    told = sorted((row[x], row[x_]) for row in step.mechanism.law.values() if row[x] != row[x_])
    if len(told) != 2 or told[0] != told[1][::-1]:
        return None
    low, high = told[0]
    buckets = 2 + (1 - low - high) / low
    if buckets.denominator != 1:
        return None
    return Response(double_down(low * buckets), int(buckets))


@lru_cache(maxsize=MEMO)
def admits(
    orders: Orders,
    epsilon: float,
    delta: float,
    spent: tuple[Response, ...],
    asked: Response,
) -> bool:
    """Whether the accountant's δ at ε, the best over its orders, is at most δ.

    Where a divergence is too small for its formula it raises ValueError: that grants nothing.
    """
    accountant = composed(orders, (*spent, asked))
    try:
        return within(float(accountant.get_delta(epsilon)), delta)
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def composed(orders: Orders, run: tuple[Response, ...]) -> Any:
    """Return the accountant after a sequence of events, as a copy of its prefix's."""
    dp = library()
    if not run:
        relation = dp.NeighboringRelation.REPLACE_ONE
        return dp.rdp.RdpAccountant(orders and list(orders), relation)
    accountant = deepcopy(composed(orders, run[:-1]))
    return accountant.compose(dp.RandomizedResponseDpEvent(*run[-1]))
