"""Tumult Core's SequentialComposition with an approximate-DP budget, asked one query at a time.

Tumult Core computes with exact (sympy) numbers and refuses floats, so nothing is rounded here: ε_i
is handed over as log(odds), a budget as it is.  The cost is subtracted before the measurement runs,
and a refusal is not final.  Measurements act on one numpy integer: no Spark session is needed.
"""

from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple

from filterproof.exact import Epsilon, Log
from filterproof.game import Step
from filterproof_properties.adapters.support.ledger import MEMO, At, Watched
from filterproof_properties.adapters.support.library import require

Budget = tuple[Epsilon, Fraction]


class ExactSpend(NamedTuple):
    """A declared pair, not rounded; `failed` if the mechanism raised after it ran."""

    odds: Fraction
    delta: Fraction
    failed: bool = False


def library(module: str) -> Any:
    """Return one module of Tumult Core."""
    return require(f"tmlt.core.{module}", "tmlt")


def target(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return Tumult Core's sequential composition for the budget."""
    library("measures")
    return Watched(At(admits, ((epsilon, delta),)), declared)


def declared(step: Step) -> ExactSpend | None:
    """Return what a mechanism declares; None where it says nothing at all."""
    odds, delta = step.mechanism.declared
    return ExactSpend(odds, delta) if odds > 1 or delta else None


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[ExactSpend, ...], asked: ExactSpend) -> bool:
    """Replay the spends on a fresh queryable, then ask."""
    queryable = opened((exact(budget[0]), exact(budget[1])))
    for spend in spent:
        with suppress(MechanismFailed):
            runs(queryable, spend)
    return runs(queryable, asked)


def opened(budget: tuple[Any, Any]) -> Any:
    """Return a fresh queryable with this budget on the data set "one"."""
    compose = library("measurements.interactive_measurements").SequentialComposition
    number = library("utils.exact_number").ExactNumber
    domain, metric, measure = _space()
    one = require("numpy", "tmlt").int64(1)
    return compose(domain, metric, measure, number(1), budget)(one)


def runs(queryable: Any, spend: ExactSpend) -> bool:
    """Send one measurement with the cost of `spend`; return whether it was answered."""
    return sends(queryable, (exact(Log(spend.odds)), exact(spend.delta)), spend.failed)


def sends(queryable: Any, cost: tuple[Any, Any], fails: bool = False) -> bool:
    """Send one measurement with an exact cost; False where the library does not run it.

    It refuses with `InsufficientBudgetError`, a `ValueError`; where sympy cannot compare two
    numbers it raises another `ValueError` or a `TypeError`, which is a refusal as well.
    """
    try:
        answer(queryable, cost, fails)
    except (ValueError, TypeError):
        return False
    return True


def answer(queryable: Any, cost: tuple[Any, Any], fails: bool = False) -> Any:
    """Send one measurement with an exact cost and return its answer."""
    interactive = library("measurements.interactive_measurements")
    query = interactive.MeasurementQuery(
        interactive.MakeInteractive(_measurement_class()(cost, fails))
    )
    return queryable(query)(None)


def exact(value: Epsilon) -> Any:
    """Return a rational, or the logarithm of one, as Tumult's exact number."""
    sympy = require("sympy", "tmlt")
    ratio = value.argument if isinstance(value, Log) else value
    number = sympy.Rational(ratio.numerator, ratio.denominator)
    if isinstance(value, Log):
        number = sympy.log(number)
    return library("utils.exact_number").ExactNumber(number)


class MechanismFailed(RuntimeError):
    """The mechanism raised after touching the data."""


@cache
def _space() -> tuple[Any, Any, Any]:
    domain = library("domains.numpy_domains").NumpyIntegerDomain()
    return domain, library("metrics").AbsoluteDifference(), library("measures").ApproxDP()


@cache
def _measurement_class() -> Any:
    """Return the class of measurements that state a cost and answer 0, or fail."""
    base: Any = library("measurements.base").Measurement

    class Stated(base):  # type: ignore[misc]
        def __init__(self, cost: tuple[Any, Any], fails: bool) -> None:
            super().__init__(*_space(), False)
            self.cost, self.fails = cost, fails

        def privacy_function(self, d_in: Any) -> tuple[Any, Any]:
            return self.cost

        def __call__(self, data: Any) -> int:
            if self.fails:
                raise MechanismFailed("the mechanism fails after touching the data")
            return 0

    return Stated
