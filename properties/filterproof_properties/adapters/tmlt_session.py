"""Tumult Analytics' Session, asked for one count after the other on a table of one row.

The budget is that of Tumult Core beneath, exact; what a Session adds is in front of it.  A request
that is slightly above what remains is *cut down* to it, and answered with more noise: another
mechanism than that of the game, so it counts as refused here.

To answer takes Spark seconds.  So a path is replayed with the library's own way to spend without
executing, which compiles the query and asks the accountant as `evaluate` does; that the two agree
is compared on samples (`conformance.equivalence`).
"""

import os
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache, partial
from tempfile import TemporaryDirectory
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof_properties.adapters.support.ledger import (
    MEMO,
    At,
    Ledger,
    Spend,
    Tips,
    declared_up,
)
from filterproof_properties.adapters.support.library import require

Budget = tuple[float, float]


def library() -> Any:
    """Return Tumult Analytics."""
    return require("tmlt.analytics", "tmlt-analytics")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[Spend]:
    """Return an approximate-DP session for the budget, rounded down to doubles."""
    library()
    budget = (epsilon_down(epsilon), double_down(delta))
    return Ledger(At(admits, (budget,)), declared_up)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Book one more count, on a live session on which just these were booked."""
    return TIPS.admits(budget, spent, asked)


def opened(budget: Budget) -> Any:
    """Return a fresh session over the table."""
    analytics = library()
    builder = analytics.Session.Builder().with_privacy_budget(exact(budget))
    change = analytics.AddOneRow()
    return builder.with_private_dataframe("table", _table(), protected_change=change).build()


def runs(session: Any, spend: Spend, how: Callable[[Any, Any], Any]) -> bool:
    """Ask for a count at that cost; return whether it was granted, and charged in full."""
    before = session.remaining_privacy_budget.value
    asked = exact(spend[:2])
    try:
        how(session, asked)
    except (RuntimeError, ValueError):
        return False
    after = session.remaining_privacy_budget.value
    return all(b - a >= cost for b, a, cost in zip(before, after, asked.value, strict=True))


def answered(session: Any, budget: Any) -> Any:
    """Return a count of the table."""
    return session.evaluate(library().QueryBuilder("table").count(), budget)


def booked(session: Any, budget: Any) -> None:
    """Spend what a count would cost, without executing it."""
    query = library().QueryBuilder("table").count()
    session._spend_budget_without_executing(query._query_expr, budget)


TIPS = Tips(opened, partial(runs, how=booked))


def exact(pair: Budget) -> Any:
    """Return a pair of doubles as the budget of the rationals that they are."""
    number = require("tmlt.core.utils.exact_number", "tmlt-analytics").ExactNumber
    sympy = require("sympy", "tmlt-analytics")
    ratios = (value.as_integer_ratio() for value in pair)
    return library().ApproxDPBudget(*(number(sympy.Rational(*ratio)) for ratio in ratios))


@cache
def _table() -> Any:
    """Return a table of one row, in a Spark that lives on this machine only."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    settings = {
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
        "sql.shuffle.partitions": "1",
        "sql.warehouse.dir": _warehouse().name,
    }
    builder = require("pyspark.sql", "tmlt-analytics").SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark.createDataFrame([(1,)], ["x"])


@cache
def _warehouse() -> TemporaryDirectory[str]:
    """Return where Spark keeps tables, for as long as this process lives."""
    return TemporaryDirectory(prefix="spark-")
