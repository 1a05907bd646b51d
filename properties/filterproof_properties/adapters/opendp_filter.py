"""OpenDP's privacy filter over fully adaptive composition, asked one measurement at a time.

Each mechanism is a user-defined measurement whose privacy map states the declared pair.  OpenDP
refuses by raising, and from then on refuses everything: refusal is final.  Every query evaluates
the maps of all queries before it, so a path is not replayed from the start at each of its rounds.
"""

import os
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
    library()
    budget = (epsilon_down(epsilon), double_down(delta))
    return Watched(At(admits, (budget,)), declared_up, Decision.HALT)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Ask a live filter on which just these spends were made, or else a replayed one."""
    return TIPS.admits(budget, spent, asked)


def opened(budget: Budget) -> Any:
    """Return a fresh filter of OpenDP's on a data set of one bit."""
    return _filter(budget)(True)


@lru_cache(maxsize=256)
def _filter(budget: Budget) -> Any:
    dp = library()
    composition = dp.c.make_fully_adaptive_composition(*space())
    return dp.c.make_privacy_filter(composition, d_in=1, d_out=budget)


def runs(queryable: Any, spend: Spend) -> bool:
    """Send one measurement; return whether an answer came back."""
    dp = library()
    try:
        queryable(measurement(spend))
    except dp.OpenDPException:
        return False
    return True


TIPS = Tips(opened, runs)


@lru_cache(maxsize=4096)
def measurement(spend: Spend) -> Any:
    """Return a measurement with the stated cost, which answers 0 or, if it is to fail, raises."""
    dp = library()

    def function(_: bool) -> int:
        if spend.failed:
            raise RuntimeError("the mechanism fails after touching the data")
        return 0

    def privacy_map(_: int) -> Budget:
        return spend.epsilon, spend.delta

    return dp.m.make_user_measurement(*space(), function, privacy_map, TO=int)


@cache
def space() -> tuple[Any, Any, Any]:
    """Return a domain of one bit, its metric, and approximate DP."""
    dp = library()
    return dp.atom_domain(T=bool), dp.discrete_distance(), dp.approximate(dp.max_divergence())
