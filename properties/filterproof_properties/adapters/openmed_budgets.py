"""openmed's four budgets: for aggregates, for named releases, for surrogates, for generation.

All raise before they record anything, and go on after a refusal.  Three add up in doubles; the
one for named releases adds the shortest decimals of the doubles it is given, exactly, so what is
handed to it are doubles whose *decimals* are on the safe side.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters.support.ledger import (
    MEMO,
    At,
    Ledger,
    Spend,
    declared_up,
    lowered,
)
from filterproof_properties.adapters.support.library import require

SMALLEST = 5e-324
Budget = tuple[float, ...]


def library(module: str) -> Any:
    """Return one of openmed's modules on risk."""
    return require(f"openmed.risk.{module}", "openmed")


@dataclass(frozen=True)
class Book:
    """How one kind of budget is opened, and how a pair is spent on it."""

    module: str
    opened: Callable[[Any, Budget], Any]
    spend: Callable[[Any, Spend], Any]

    def open(self, budget: Budget) -> Any:
        """Return a fresh budget of this kind."""
        return self.opened(library(self.module), budget)

    def runs(self, live: Any, spend: Spend) -> bool:
        """Spend; return whether that was granted."""
        try:
            self.spend(live, spend)
        except ValueError:  # all of openmed's refusals are
            return False
        return True


AGGREGATES = Book(
    "aggregate_dp",
    lambda risk, budget: risk.AggregateDPBudgetLedger(*budget),
    lambda live, spend: live.spend(spend.epsilon, spend.delta),
)
RELEASES = Book(
    "privacy_budget",
    lambda risk, budget: risk.PrivacyBudgetLedger(
        {"release": {"epsilon": budget[0], "delta": budget[1]}}
    ),
    lambda live, spend: live.spend("release", spend.epsilon, spend.delta),
)
SURROGATES = Book(
    "budget",
    lambda risk, budget: risk.DPSurrogateBudget(*budget),
    lambda live, spend: live.spend(
        label="PERSON",
        draw_kind="categorical",
        mechanism="response",
        epsilon=spend.epsilon,
        delta=spend.delta,
    ),
)
GENERATION = Book(
    "budget",
    lambda risk, budget: risk.DPGenerationBudgetAccountant(
        {"scope": risk.EpsilonPolicy("scope", *budget[:2], "advanced", budget[2])}
    ),
    lambda live, spend: live.guard_generation(spend.epsilon, spend.delta, "scope"),
)


@lru_cache(maxsize=MEMO)
def admits(book: Book, budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Replay the spends on a fresh budget, then ask; a budget that is rejected grants nothing."""
    try:
        live = book.open(budget)
    except ValueError:
        return False
    for spend in spent:
        book.runs(live, spend)
    return book.runs(live, asked)


def aggregates(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the ledger of aggregate queries, which takes no ε = 0: it is handed 5e-324."""
    return _ledger(AGGREGATES, (epsilon_down(epsilon), double_down(delta)), positive)


def releases(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the ledger of one named release context."""
    budget = decimal_down(epsilon_down(epsilon)), decimal_down(double_down(delta))
    return _ledger(RELEASES, budget, decimals)


def surrogates(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return the budget of surrogate draws, the largest of three compositions."""
    return _ledger(SURROGATES, (epsilon_down(epsilon), double_down(delta)), declared_up)


class Generation:
    """The accountant of synthetic data with advanced composition, its limits lowered by a margin.

    What is found is then the formula's doing, and not that of the last places of doubles.
    """

    def __call__(
        self, epsilon: Epsilon, delta: Fraction, slack: Fraction | None = None
    ) -> Ledger[Spend]:
        """Return the accountant that keeps `slack` (half of δ unless told) for composition."""
        kept = double_down(delta / 2 if slack is None else slack)
        handed = (epsilon_down(epsilon), double_down(delta), kept)
        return _ledger(GENERATION, tuple(map(lowered, handed)), declared_up)

    def parameters(
        self, epsilon: Epsilon, delta: Fraction, depth: int
    ) -> Iterator[dict[str, Fraction]]:
        """Offer half of δ and most of it as slack."""
        for share in (Fraction(1, 2), Fraction(9, 10)):
            yield {"slack": delta * share}


TARGET_GENERATION = Generation()


def _ledger(book: Book, budget: Budget, asked: Callable[[Step], Spend | None]) -> Ledger[Spend]:
    library(book.module)
    return Ledger(At(admits, (book, budget)), asked)


def positive(step: Step) -> Spend | None:
    """Return what a mechanism declares, with an ε above 0."""
    spend = declared_up(step)
    return spend and spend._replace(epsilon=max(spend.epsilon, SMALLEST))


def decimals(step: Step) -> Spend | None:
    """Return what a mechanism declares, as doubles whose shortest decimals are no less."""
    spend = declared_up(step)
    return spend and Spend(decimal_up(spend.epsilon), decimal_up(spend.delta))


def decimal_up(value: float) -> float:
    """Return the next double, upwards, whose shortest decimal is not below `value`.

    >>> decimal_up(0.1), decimal_up(0.7)
    (0.10000000000000002, 0.7)
    """
    return value if Fraction(repr(value)) >= Fraction(value) else nextafter(value, inf)


def decimal_down(value: float) -> float:
    """Return the next double, downwards, whose shortest decimal is not above `value`.

    >>> decimal_down(0.1), decimal_down(0.7)
    (0.1, 0.6999999999999998)
    """
    return value if Fraction(repr(value)) <= Fraction(value) else nextafter(value, 0.0)
