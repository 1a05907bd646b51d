"""OpenDP's privacy filter under zero-concentrated DP, and under approximate zCDP.

An (ε, δ)-DP mechanism is δ-approximately ε²/2-zCDP, and so much its measurement states, rounded up.
The budget is the largest ρ that is found of which OpenDP's own conversion says that it is
(ε, δ)-DP.  Under approximate zCDP the conversion gets one half of δ, and mechanisms the other.
Without that half a mechanism with δ > 0 is not zCDP at all, and states an infinite loss.
"""

from fractions import Fraction
from functools import cache, lru_cache, partial
from math import inf
from typing import Any

from filterproof.directed_rounding import double_down, double_up, epsilon_down
from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof_properties.adapters.opendp_filter import Accounting, library, opened, runs
from filterproof_properties.adapters.support.ledger import (
    MEMO,
    At,
    Spend,
    Tips,
    Watched,
    declared_up,
)

SMALLEST, LARGEST, NEAR = 1e-12, 1000.0, 2.0**-20
"""Between which ρ a budget is looked for (below, the conversion overflows), and how closely."""

ZCDP = Accounting(lambda dp: dp.zero_concentrated_divergence(), lambda spend: spend.epsilon)
APPROXIMATE_ZCDP = Accounting(
    lambda dp: dp.approximate(dp.zero_concentrated_divergence()),
    lambda spend: (spend.epsilon, spend.delta),
)
TIPS = {
    one: Tips(partial(opened, how=one), partial(runs, how=one)) for one in (ZCDP, APPROXIMATE_ZCDP)
}


def zcdp(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return the filter that counts ρ alone."""
    rho = budget(epsilon_down(epsilon), double_down(delta))
    return Watched(At(admits, (ZCDP, rho)), pure, Decision.HALT)


def approximate(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return the filter that counts ρ, and δ for one half of what there is."""
    half = double_down(delta / 2)
    pair = budget(epsilon_down(epsilon), half), half
    return Watched(At(admits, (APPROXIMATE_ZCDP, pair)), concentrated, Decision.HALT)


def concentrated(step: Step) -> Spend | None:
    """Return what a mechanism costs as (ρ, δ), rounded up; None where it says nothing at all."""
    declared = declared_up(step)
    if declared is None or declared.epsilon == inf:
        return declared
    return Spend(double_up(Fraction(declared.epsilon) ** 2 / 2), declared.delta)


def pure(step: Step) -> Spend | None:
    """Return the same as ρ alone, which is infinite where δ > 0."""
    spend = concentrated(step)
    return Spend(inf, 0.0) if spend and spend.delta else spend


@lru_cache(maxsize=MEMO)
def admits(how: Accounting, bound: Any, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Ask a live filter on which just these spends were made, or else a replayed one."""
    return TIPS[how].admits(bound, spent, asked)


@cache
def budget(epsilon: float, delta: float) -> float:
    """Return a ρ that OpenDP converts to (ε, δ), the largest that bisection finds, or 0."""
    low, high = SMALLEST, LARGEST
    if implied(low, epsilon) > delta:
        return 0.0
    while high - low > low * NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if implied(middle, epsilon) <= delta else (low, middle)
    return low


def implied(rho: float, epsilon: float) -> float:
    """Return the δ at ε of a ρ-zCDP measurement, as OpenDP converts it."""
    return float(conversion().map(rho).delta(epsilon))


@cache
def conversion() -> Any:
    """Return a measurement whose ρ is the distance that it is asked about, as approximate DP."""
    dp = library()
    numbers = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    measure = dp.zero_concentrated_divergence()
    stated = dp.m.make_user_measurement(*numbers, measure, lambda _: 0, lambda rho: rho, TO=int)
    return dp.c.make_zCDP_to_approxDP(stated)
