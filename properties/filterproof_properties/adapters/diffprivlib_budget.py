"""diffprivlib's BudgetAccountant, asked the way diffprivlib's own tools ask it.

They call `check`, run the mechanism, and `spend` afterwards.  A refusal is a `BudgetError` and the
accountant goes on, so it maps to REFUSE.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof_properties.adapters.support.ledger import (
    MEMO,
    At,
    Spend,
    Watched,
    declared_up,
    lowered,
)
from filterproof_properties.adapters.support.library import require


@dataclass(frozen=True)
class Budget:
    """The arguments of a BudgetAccountant."""

    epsilon: float
    delta: float
    slack: float = 0.0


def library() -> Any:
    """Return diffprivlib."""
    return require("diffprivlib", "diffprivlib")


def target(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return the accountant without slack: plain addition of ε."""
    library()
    return _watch_budget(Budget(epsilon_down(epsilon), double_down(delta)))


class WithSlack:
    """The accountant with slack > 0: its optimal-composition formula, used adaptively.

    The ceiling is lowered by a margin, so that what is found here is the formula's doing; the last
    places of doubles are the business of the target without slack.
    """

    def __call__(self, epsilon: Epsilon, delta: Fraction, slack: Fraction | None = None) -> Watched:
        """Return the accountant that keeps `slack` (half of δ unless told) for composition."""
        library()
        kept = double_down(delta / 2 if slack is None else slack)
        handed = (epsilon_down(epsilon), double_down(delta), kept)
        return _watch_budget(Budget(*map(lowered, handed)))

    def parameters(
        self, epsilon: Epsilon, delta: Fraction, depth: int
    ) -> Iterator[dict[str, Fraction]]:
        """Offer half of δ and all but nothing of it as slack."""
        for share in (Fraction(1, 2), Fraction(9, 10)):
            yield {"slack": delta * share}


TARGET_WITH_SLACK = WithSlack()


def _watch_budget(budget: Budget) -> Watched:
    return Watched(At(admits, (budget,)), declared_up)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Replay the spends on a fresh accountant, then check; a budget it rejects grants nothing."""
    try:
        accountant = opened(budget)
    except ValueError:
        return False
    for spend in spent:
        runs(accountant, spend)
    return runs(accountant, asked)


def opened(budget: Budget) -> Any:
    """Return a fresh BudgetAccountant."""
    return library().BudgetAccountant(budget.epsilon, budget.delta, budget.slack)


def runs(accountant: Any, spend: Spend) -> bool:
    """Check, run, spend: a mechanism that fails in between is not charged."""
    try:
        accountant.check(spend.epsilon, spend.delta)
    except ValueError:  # BudgetError is one; so is a spend below the accountant's resolution
        return False
    if not spend.failed:
        accountant.spend(spend.epsilon, spend.delta)
    return True
