"""What has been spent on each hypothetical pair: plain columns and pure functions.

A round is paid for in one of two ways, pair by pair (x, x′).

*On the floor*: at mechanism level, whatever was released.  Two books are kept, the sum of the μ² of
Gaussian DP and the sum of the Rényi divergences at one order, and both of them take down *every*
round that runs.  A pair is on the floor as long as one of the books has room.  Either book
alone is a sound filter at its own share δ_k of δ.  A play that ends while book k has room is a
play of that filter, so that what it loses is at most δ_k in expectation, and all together at most
the sum: no need to say in advance which of the books a play will end with.  An event of
probability `slack` may be left out of a book, and is paid for on its own.

*By charge*: once no book has room, at the realised loss l.  The charge is δ(ε - l) below ε; above
ε it is e^{ε-l}·δ(l - ε) of the opposite direction, which is the same difference
E_x[h(l + L)] - h(l) written without cancellation.  The charge rises up to l = ε and falls from
there, so over an interval of losses it is largest at the point nearest to ε.

For every pair H is the expected sum of the charges of all rounds; the first ones are bounded by the
floor, the later ones by the rest of δ.  The floor comes first and never returns, because its
sums never fall (`filterproof.filters.floor` has the exact filter and what breaks otherwise).

All of this is in doubles, rounded outward.  Where a charge is 0, or rational, and a double cannot
say so, the `exact` account beside the columns decides (`exact_account`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from filterproof.directed_columns import (
    Column,
    add_down,
    add_up,
    down,
    exp_up,
    product_up,
)
from filterproof.directed_rounding import (
    Interval,
)
from filterproof.exact import ExpLinear
from filterproof.runtime.added_noise import AddedNoise
from filterproof.runtime.budget import Budget
from filterproof.runtime.domain import Domain
from filterproof.runtime.exact_account import ExactAccount, Places, nothing_lost
from filterproof.runtime.mechanism import DescribedMechanism
from filterproof.runtime.per_pair import Columns, Mask, PairByPair
from filterproof.runtime.trusted import built_in

Profile = Callable[[Places, Column, Mask], Column]
NAMES = ("spent", "low", "high", "squares", "renyi", "slack", "live")


class UndeclaredOutput(ValueError):
    """An output that no declared database explains: the declared domain is wrong."""


@dataclass(frozen=True, eq=False)
class Account:
    """One column per quantity, one entry per ordered pair.

    Charges, sums and slack are rounded up; the loss is enclosed by `low` and `high`; `live` is 1,
    or 0 once x cannot have produced the transcript.  `exact` is what is known exactly, if anything.
    """

    spent: Column
    low: Column
    high: Column
    squares: Column
    renyi: Column
    slack: Column
    live: Column
    exact: ExactAccount | None = None

    def columns(self) -> tuple[Column, ...]:
        """Return the columns in the order of `NAMES`."""
        return tuple(getattr(self, name) for name in NAMES)

    def _key(self) -> tuple[Any, ...]:
        exact = None if self.exact is None else self.exact.key()
        return *(column.tobytes() for column in self.columns()), exact

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Account) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def new_account(domain: Domain, budget: Budget) -> Account:
    """Return the account before the first round: nothing spent, no loss."""
    pairs = len(domain.pairs)
    exact = nothing_lost(pairs, budget.exact_epsilon)
    return Account(*(np.zeros(pairs),) * 6, live=np.ones(pairs), exact=exact)


def columns(mechanism: DescribedMechanism, domain: Domain) -> Columns:
    """Return the mechanism on all pairs: the quick way, or one by one and checked."""
    found: Columns | None = None
    if isinstance(mechanism, AddedNoise) and built_in(mechanism):
        found = mechanism.columns(domain)
    return PairByPair(mechanism, domain, built_in(mechanism)) if found is None else found


# --- paying ---------------------------------------------------------------------------------


def charge_round(account: Account, mechanism: Columns, budget: Budget) -> Account:
    """Return the account after paying for a round whose output is not known yet.

    Until `settled` says otherwise the losses may be anything: this is the account to fall back
    on if nothing more is ever heard of the round.
    """
    booked = _book_round(account, mechanism, budget)
    (due,) = np.nonzero((account.live > 0) & ~on_floor(booked, budget) & (account.low < inf))
    if len(due):
        booked = _charge_pairs(account, booked, due, mechanism, budget)
    low = np.where(account.low == inf, inf, -inf)
    exact = None if booked.exact is None else booked.exact.reserved(mechanism)
    return replace(booked, low=low, high=np.full_like(low, inf), exact=exact)


def _charge_pairs(
    account: Account, booked: Account, due: Places, mechanism: Columns, budget: Budget
) -> Account:
    """Return the account with the round's charges for the pairs that are due."""
    amounts = charge(account, due, mechanism.profile, budget.epsilon)
    spent, exact, costly = account.spent.copy(), account.exact, due[amounts > 0]
    spent[due] = add_up(spent[due], amounts)
    if exact is not None and budget.exact_epsilon is not None and len(costly):
        exact = exact.charged(costly, mechanism, budget.exact_epsilon)
        if exact is not None:
            spent[costly] = exact.upper_spent(costly, otherwise=spent[costly])
    return replace(booked, spent=spent, exact=exact)


def _book_round(account: Account, mechanism: Columns, budget: Budget) -> Account:
    """Return the account with the round in both books; a book that is closed is left alone."""
    if not on_floor(account, budget).any():
        return account
    mu, slack = mechanism.mu()
    divergence, slack_ = mechanism.renyi(budget.order)
    return replace(
        account,
        squares=add_up(account.squares, product_up(mu, mu)),
        renyi=add_up(account.renyi, divergence),
        slack=add_up(account.slack, np.maximum(slack, slack_)),
    )


def on_floor(account: Account, budget: Budget) -> Mask:
    """Return where one of the books has room, or had for all that was booked."""
    room = (account.squares <= budget.squares) | (account.renyi <= budget.renyi)
    found: Mask = room & (account.slack <= budget.slack)
    return found


def charge(account: Account, at: Places, profile: Profile, epsilon: Interval) -> Column:
    """Return an upper bound of this round's charge for the pairs at some places."""
    low, high = account.low[at], account.high[at]
    below = high <= epsilon[0]
    above = (low >= epsilon[1]) & ~below
    margin = np.where(above, _less(low, epsilon[1]), _less(epsilon[0], high))
    rest = np.where(above | below, np.maximum(0.0, margin), 0.0)
    amount = profile(at, rest, above)
    return np.where(above, product_up(exp_up(-rest), amount), amount)


def _less(one: Any, other: Any) -> Column:
    """Return a lower bound of a difference."""
    return np.asarray(add_down(one + np.zeros_like(other), -other + np.zeros_like(one)))


# --- settling -------------------------------------------------------------------------------


def settle_output(before: Account, paid: Account, mechanism: Columns, output: Any) -> Account:
    """Return the account once the output is known: losses from `before`, the rest from `paid`."""
    if not mechanism.plausible(output):
        raise UndeclaredOutput(f"no declared database explains the output {output!r}")
    low, high, possible = mechanism.loss(output)
    lost = (before.low == inf) | (low == inf)
    exact = None
    if before.exact is not None and paid.exact is not None:
        exact = paid.exact.settled(before.exact, *mechanism.exact_losses(output))
    return replace(
        paid,
        exact=exact,
        low=np.where(lost, inf, add_down(np.where(lost, 0.0, before.low), low)),
        high=np.where(lost, inf, add_up(np.where(lost, 0.0, before.high), high)),
        live=before.live * possible,
    )


# --- reading --------------------------------------------------------------------------------


def worst(account: Account) -> float:
    """Return the most that any live pair has been charged."""
    return float(np.max(account.spent, where=account.live > 0, initial=0.0))


def within_budget(account: Account, budget: Budget) -> bool:
    """Return whether every live pair was charged what may be charged: exactly, where known."""
    (over,) = np.nonzero((account.live > 0) & (account.spent > budget.rest))
    if not len(over) or account.exact is None:
        return not len(over)
    return all(_at_most(account.exact.spent(at), budget.exact_rest) for at in over.tolist())


def _at_most(spent: ExpLinear | None, rest: Fraction) -> bool:
    return spent is not None and spent <= rest


def left(budget: Budget, spent: float) -> float:
    """Return a lower bound of what is left to be charged."""
    return max(0.0, down(budget.rest - spent)) if spent else budget.rest


def floor_left(account: Account, budget: Budget) -> float:
    """Return which part of the floor every live pair has left, in the better of its books.

    A number to look at, from 0 to 1; what is decided does not depend on it.
    """
    books = ((account.squares, budget.squares), (account.renyi, budget.renyi))
    parts = [1 - used / allowed for used, allowed in books if allowed > 0]
    if not parts:
        return 0.0
    best = np.where(on_floor(account, budget), np.maximum.reduce(parts), 0.0)
    return float(np.min(best, where=account.live > 0, initial=1.0))
