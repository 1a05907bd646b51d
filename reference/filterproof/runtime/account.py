"""What has been spent on each hypothetical pair: plain data and pure functions.

For an ordered pair (x, x′) the entry holds an upper bound of the charges so far and an interval
that holds the realised loss.  A round at loss l is charged δ(ε - l) below ε; above ε it is
charged e^{ε-l}·δ(l - ε) of the opposite direction, which is the same difference
E_x[h(l + L)] - h(l) written without cancellation.  The charge rises up to l = ε and falls from
there, so over an interval of losses it is largest at the point nearest to ε.
"""

from math import inf
from typing import Any, NamedTuple

from filterproof.runtime.domain import Domain, Pair
from filterproof.runtime.mechanism import Mechanism, MechanismError
from filterproof.runtime.rounding import Interval, add_down, add_up, down, exp_up, product_up


class Entry(NamedTuple):
    """One ordered pair: charges so far (rounded up) and the realised loss (enclosed)."""

    spent: float
    low: float
    high: float


Account = tuple[Entry | None, ...]
"""An entry per ordered pair; None once x cannot have produced the transcript."""


class UndeclaredOutput(ValueError):
    """An output that no declared database explains: the declared domain is wrong."""


def opened(domain: Domain) -> Account:
    """Return the account before the first round: nothing spent, no loss."""
    return (Entry(0.0, 0.0, 0.0),) * len(domain.pairs)


def charge(mechanism: Mechanism, pair: Pair, entry: Entry, epsilon: Interval) -> float:
    """Return an upper bound of this round's charge for one pair."""
    x, x_ = pair
    if entry.low == inf:
        return 0.0  # everything is lost already
    if entry.high <= epsilon[0]:
        return mechanism.profile(x, x_, max(0.0, add_down(epsilon[0], -entry.high)))
    if entry.low >= epsilon[1]:
        beyond = max(0.0, add_down(entry.low, -epsilon[1]))
        return product_up(exp_up(-beyond), mechanism.profile(x_, x, beyond))
    return mechanism.profile(x, x_, 0.0)


def charged(account: Account, domain: Domain, mechanism: Mechanism, epsilon: Interval) -> Account:
    """Return the account after paying for a round whose output is not known yet.

    Until `settled` says otherwise the losses may be anything: this is the account to fall back
    on if nothing more is ever heard of the round.
    """
    return tuple(
        _paid(entry, charge(mechanism, pair, entry, epsilon)) if entry else None
        for pair, entry in zip(domain.pairs, account, strict=True)
    )


def _paid(entry: Entry, amount: float) -> Entry:
    if not amount >= 0:
        raise MechanismError(f"a profile must return a number >= 0; got {amount!r}")
    low = inf if entry.low == inf else -inf
    return Entry(add_up(entry.spent, amount), low, inf)


def settled(
    before: Account, paid: Account, domain: Domain, mechanism: Mechanism, output: Any
) -> Account:
    """Return the account once the output is known: losses from `before`, charges from `paid`."""
    if not any(mechanism.plausible(x, output) for x in domain.databases):
        raise UndeclaredOutput(f"no declared database explains the output {output!r}")
    return tuple(
        _moved(was, now.spent, mechanism.loss(*pair, output)) if was and now else None
        for pair, was, now in zip(domain.pairs, before, paid, strict=True)
    )


def _moved(entry: Entry, spent: float, loss: Interval | None) -> Entry | None:
    if loss is None:
        return None
    if not loss[0] <= loss[1]:
        raise MechanismError(f"a loss must be an interval low <= high; got {loss!r}")
    if inf in (entry.low, loss[0]):
        return Entry(spent, inf, inf)
    return Entry(spent, add_down(entry.low, loss[0]), add_up(entry.high, loss[1]))


def worst(account: Account) -> float:
    """Return the most that any live pair has spent."""
    return max((entry.spent for entry in account if entry), default=0.0)


def left(delta: float, account: Account) -> float:
    """Return a lower bound of what every live pair has left."""
    spent = worst(account)
    return max(0.0, down(delta - spent)) if spent else delta
