"""dp-accounting's privacy loss distributions, used as a filter.

Every mechanism is handed over itself, as two probability mass functions, one loss distribution
per ordered pair: the upper one rounded up, the lower one rounded down, and so that the loss which
the library computes from them is not below the true one.  The wrapper composes what was run with
what is asked and runs it iff the δ at ε still fits, for every pair.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import exp, ulp
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down, log_down, log_up
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, within
from filterproof_properties.adapters.support.library import require

Rows = tuple[tuple[Fraction, Fraction], ...]
"""One mechanism seen by one ordered pair: (P_x(y), P_x′(y)) over the outputs y."""

Laws = tuple[Rows, ...]
"""One mechanism: its rows for each ordered pair of the game."""


def library() -> Any:
    """Return the module of privacy loss distributions."""
    return require("dp_accounting.pld.privacy_loss_distribution", "dp-accounting")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Laws]:
    """Return the wrapper: run iff the composed loss distribution has δ(ε) <= δ."""
    library()
    return Ledger(At(admits, (epsilon_down(epsilon), double_down(delta))), laws)


def laws(step: Step) -> Laws | None:
    """Return the mechanism as the library is told it; None if it says nothing."""
    table = step.mechanism.law.values()
    if all(row[x] == row[x_] for row in table for x, x_ in step.game.pairs):
        return None
    return tuple(tuple(sorted((row[x], row[x_]) for row in table)) for x, x_ in step.game.pairs)


def admits(epsilon: float, delta: float, spent: tuple[Laws, ...], asked: Laws) -> bool:
    """Whether the composition of all mechanisms has δ(ε) <= δ for every ordered pair."""
    run = (*spent, asked)
    pairs = range(len(asked))
    return all(within(delta_of(tuple(one[i] for one in run), epsilon), delta) for i in pairs)


@lru_cache(maxsize=MEMO)
def delta_of(run: tuple[Rows, ...], epsilon: float) -> float:
    """Return the library's δ at ε for one ordered pair.

    Where every output tells the databases apart no loss is finite, and the library raises
    IndexError when it composes that: δ is then 1.
    """
    try:
        return float(composed(run).get_delta_for_epsilon(epsilon))
    except IndexError:
        return 1.0


@lru_cache(maxsize=4096)
def composed(run: tuple[Rows, ...]) -> Any:
    """Return the library's loss distribution of a sequence of mechanisms."""
    if len(run) == 1:
        return single(run[0])
    return composed(run[:-1]).compose(single(run[-1]))


@lru_cache(maxsize=4096)
def single(rows: Rows) -> Any:
    """Return the library's loss distribution of one mechanism in one direction."""
    upper, lower = logarithms(rows)
    return library().from_two_probability_mass_functions(lower, upper)


def logarithms(rows: Rows) -> tuple[dict[int, float], dict[int, float]]:
    """Return what the library is told of one direction: the upper masses, and the lower ones."""
    upper, lower = {}, {}
    for y, (p, q) in enumerate(rows):
        if p:
            upper[y] = raised(p)
        if q:
            lower[y] = lowered(p, q) if p else log_down(q)
    return upper, lower


def raised(p: Fraction) -> float:
    """Return a double above log(p) whose exponential, as the library takes it, is not below p.

    >>> p = Fraction(1, 2) + Fraction(1, 2**61)
    >>> exp(log_up(p)) >= p, exp(raised(p)) >= p
    (False, True)
    """
    return moved(log_up(p), 1, lambda upper: exp(upper) >= p)


def lowered(p: Fraction, q: Fraction) -> float:
    """Return a double below log(q), so low that the loss which the library subtracts is no less.

    >>> raised(Fraction(3, 4)) - lowered(Fraction(3, 4), Fraction(1, 4)) >= log_up(Fraction(3))
    True
    """
    upper, loss = raised(p), log_up(p / q)
    return moved(log_down(q), -1, lambda lower: upper - lower >= loss)


def moved(value: float, way: int, far_enough: Callable[[float], bool]) -> float:
    """Move a double up or down until that is far enough, in steps that double.

    Near 0 the doubles are so close that one at a time would take for ever.
    """
    step = ulp(value)
    while not far_enough(value):
        value, step = value + way * step, 2 * step
    return value
