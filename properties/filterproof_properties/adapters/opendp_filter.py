"""OpenDP's privacy filter over fully adaptive composition, asked one measurement at a time.

Each mechanism is a user-defined measurement whose privacy map states the declared pair.  OpenDP
refuses by raising, and from then on refuses everything: refusal is final.  Every query evaluates
the maps of all queries before it, so a path is not replayed from the start at each of its rounds.

`target` is the filter itself under approximate DP, `in_context` the same filter behind the Context
API.  `opendp_zcdp` has the filters of the other two measures.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof_properties.adapters.support.ledger import (
    MEMO,
    At,
    Spend,
    Tips,
    Watched,
    declared_up,
)
from filterproof_properties.adapters.support.library import require

Budget = tuple[float, float]


@dataclass(frozen=True)
class Accounting:
    """A measure of privacy of the library's, and what a spend costs in it."""

    measure: Callable[[Any], Any]
    cost: Callable[[Spend], Any]


APPROXIMATE = Accounting(
    lambda dp: dp.approximate(dp.max_divergence()), lambda spend: (spend.epsilon, spend.delta)
)


@cache
def library() -> Any:
    """Return OpenDP with the features on that a user-defined measurement needs.

    It refuses by an error with a backtrace, and to resolve one takes a hundred times as long as to
    answer; nobody reads them here.
    """
    os.environ.setdefault("RUST_LIB_BACKTRACE", "0")
    dp = require("opendp.prelude", "opendp")
    dp.enable_features("contrib", "honest-but-curious")
    return dp


def target(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return OpenDP's filter for the budget, rounded down to doubles."""
    return _target(admits, epsilon, delta)


def in_context(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return the same filter as a context opens it."""
    return _target(context_admits, epsilon, delta)


def _target(asks: Callable[..., bool], epsilon: Epsilon, delta: Fraction) -> Watched:
    library()
    budget = (epsilon_down(epsilon), double_down(delta))
    return Watched(At(asks, (budget,)), declared_up, Decision.HALT)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Ask a live filter on which just these spends were made, or else a replayed one."""
    return TIPS.admits(budget, spent, asked)


@lru_cache(maxsize=MEMO)
def context_admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Ask a context in the same way."""
    return CONTEXTS.admits(budget, spent, asked)


def opened(budget: Any, how: Accounting = APPROXIMATE) -> Any:
    """Return a fresh filter of OpenDP's on a data set of one bit."""
    return _filter(budget, how)(True)


def context(budget: Budget) -> Any:
    """Return a fresh context whose queries state their own loss."""
    domain, metric, measure = space()
    unit, loss = (metric, 1), (measure, budget)
    return library().Context.compositor(
        data=True, privacy_unit=unit, privacy_loss=loss, domain=domain
    )


@lru_cache(maxsize=256)
def _filter(budget: Any, how: Accounting) -> Any:
    dp = library()
    composition = dp.c.make_fully_adaptive_composition(*space(how))
    return dp.c.make_privacy_filter(composition, d_in=1, d_out=budget)


def runs(queryable: Any, spend: Spend, how: Accounting = APPROXIMATE) -> bool:
    """Send one measurement; return whether an answer came back."""
    dp = library()
    try:
        queryable(measurement(spend, how))
    except dp.OpenDPException:
        return False
    return True


TIPS, CONTEXTS = Tips(opened, runs), Tips(context, runs)


@lru_cache(maxsize=4096)
def measurement(spend: Spend, how: Accounting = APPROXIMATE) -> Any:
    """Return a measurement with the stated cost, which answers 0 or, if it is to fail, raises."""
    dp = library()

    def function(_: bool) -> int:
        if spend.failed:
            raise RuntimeError("the mechanism fails after touching the data")
        return 0

    def privacy_map(_: int) -> Any:
        return how.cost(spend)

    return dp.m.make_user_measurement(*space(how), function, privacy_map, TO=int)


@cache
def space(how: Accounting = APPROXIMATE) -> tuple[Any, Any, Any]:
    """Return a domain of one bit, its metric, and the measure of privacy."""
    dp = library()
    return dp.atom_domain(T=bool), dp.discrete_distance(), how.measure(dp)
