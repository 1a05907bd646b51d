"""dp-accounting's accountants read as odometers: loss distributions, many Renyi orders, one order.

What is handed over is what the adapters hand over that use them as filters.  After every round a
fresh accountant is asked for its ε at δ/2.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from filterproof.directed_rounding import double_down
from filterproof.exact import Epsilon
from filterproof.odometer import INFINITE, Reported
from filterproof_properties.adapters import dp_accounting_pld, dp_accounting_rdp
from filterproof_properties.adapters.dp_accounting_pld import Laws
from filterproof_properties.adapters.dp_accounting_rdp import Orders, Response
from filterproof_properties.adapters.support.ledger import MEMO
from filterproof_properties.adapters.support.metered import Metered, Told, always, fairly


def pld(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return the odometer that composes privacy loss distributions."""
    dp_accounting_pld.library()
    told = Told(pld_report, (double_down(delta / 2),))
    return Metered(always, dp_accounting_pld.laws, report=told)


@lru_cache(maxsize=MEMO)
def pld_report(delta: float, spent: tuple[Laws, ...]) -> Reported:
    """Return the largest ε at δ over the ordered pairs.

    The library raises IndexError when it composes distributions without any finite loss.
    """
    runs = [tuple(one[i] for one in spent) for i in range(len(spent[0]))]
    try:
        found = [dp_accounting_pld.composed(run).get_epsilon_for_delta(delta) for run in runs]
    except IndexError:
        return INFINITE
    return fairly(max(map(float, found)), delta)


def rdp(epsilon: Epsilon, delta: Fraction) -> Metered:
    """Return the odometer that takes the best of the library's own orders."""
    return _of_orders(None, delta)


class OneOrder:
    """The same with a single order, fixed in advance."""

    def __call__(self, epsilon: Epsilon, delta: Fraction, order: int = 8) -> Metered:
        """Return the odometer of one Renyi order."""
        return _of_orders((float(order),), delta)

    def parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, int]]:
        """Offer a small order and a large one."""
        for order in (2, 16):
            yield {"order": order}


TARGET_ONE_ORDER = OneOrder()


def _of_orders(orders: Orders, delta: Fraction) -> Metered:
    dp_accounting_rdp.library()
    told = Told(rdp_report, (orders, double_down(delta / 2)))
    return Metered(always, dp_accounting_rdp.event, report=told)


@lru_cache(maxsize=MEMO)
def rdp_report(orders: Orders, delta: float, spent: tuple[Response, ...]) -> Reported:
    """Return ε at δ, the best over the orders.

    Where a divergence is too small for its formula it raises ValueError: then nothing is claimed.
    """
    accountant = dp_accounting_rdp.composed(orders, spent)
    try:
        return fairly(float(accountant.get_epsilon(delta)), delta)
    except ValueError:
        return INFINITE
