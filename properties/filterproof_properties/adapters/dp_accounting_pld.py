"""dp-accounting's privacy loss distributions, used as a filter.

Every mechanism is handed over itself, as two probability mass functions, one loss distribution
per ordered pair: the upper one rounded up, the lower one rounded down.  The wrapper composes
what was run with what is asked and runs it iff the δ at ε still fits, for every pair.
"""

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters.ledger import MEMO, Ledger
from filterproof_properties.adapters.library import require
from filterproof_properties.adapters.rounding import double_down, epsilon_down, log_down, log_up

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
    return Ledger(partial(admits, epsilon_down(epsilon), double_down(delta)), laws)


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
    return all(delta_of(tuple(one[i] for one in run), epsilon) <= delta for i in pairs)


@lru_cache(maxsize=MEMO)
def delta_of(run: tuple[Rows, ...], epsilon: float) -> float:
    """Return the library's δ at ε for one ordered pair."""
    return float(composed(run).get_delta_for_epsilon(epsilon))


@lru_cache(maxsize=4096)
def composed(run: tuple[Rows, ...]) -> Any:
    """Return the library's loss distribution of a sequence of mechanisms."""
    if len(run) == 1:
        return single(run[0])
    return composed(run[:-1]).compose(single(run[-1]))


@lru_cache(maxsize=4096)
def single(rows: Rows) -> Any:
    """Return the library's loss distribution of one mechanism in one direction."""
    upper = {y: log_up(p) for y, (p, _) in enumerate(rows) if p}
    lower = {y: log_down(q) for y, (_, q) in enumerate(rows) if q}
    return library().from_two_probability_mass_functions(lower, upper)
