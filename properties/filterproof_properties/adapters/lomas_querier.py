"""Lomas' budget enforcer, `DPQuerier.handle_query`, with its YAML administration database.

It is the method that every query of a Lomas server goes through; what differs between libraries,
`cost` and `query`, is ours here.  Server, MongoDB and data stores are not needed.  A query is
charged after it has run, so that one that raises is not charged.  Refusals are not final.
"""

from fractions import Fraction
from functools import cache, lru_cache
from os import devnull
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof_properties.adapters.support.ledger import MEMO, At, Spend, Watched, declared_up
from filterproof_properties.adapters.support.library import require

Budget = tuple[float, float]
USER, DATA = "analyst", "table"


def library(module: str) -> Any:
    """Return a module of Lomas."""
    return require(f"lomas_{module}", "lomas")


def target(epsilon: Epsilon, delta: Fraction) -> Watched:
    """Return the enforcer for one user's budget on one data set."""
    library("server.dp_queries.dp_querier")
    budget = (epsilon_down(epsilon), double_down(delta))
    return Watched(At(admits, (budget,)), declared_up)


@lru_cache(maxsize=MEMO)
def admits(budget: Budget, spent: tuple[Spend, ...], asked: Spend) -> bool:
    """Replay the queries on a fresh database, then ask."""
    querier = opened(budget)
    for spend in spent:
        runs(querier, spend)
    return runs(querier, asked)


def opened(budget: Budget) -> Any:
    """Return a querier on a fresh database with one user."""
    database = library("server.admin_database.yaml_database").AdminYamlDatabase(devnull)
    spent = {"total_spent_epsilon": 0.0, "total_spent_delta": 0.0}
    granted = {"initial_epsilon": budget[0], "initial_delta": budget[1]}
    access = {"dataset_name": DATA, **granted, **spent}
    user = {"user_name": USER, "may_query": True, "datasets_list": [access]}
    database.database = {"users": [user], "datasets": [{"dataset_name": DATA}], "queries": []}
    return _querier_class()(None, database)


def runs(querier: Any, spend: Spend) -> bool:
    """Send one query with the cost of `spend`; return whether it was run."""
    try:
        answer(querier, spend)
    except library("core.error_handler").InvalidQueryException:
        return False
    except library("core.error_handler").InternalServerException:
        return True  # it ran and failed
    return True


def answer(querier: Any, spend: Spend) -> Any:
    """Send one query with the cost of `spend` and return the response."""
    querier.asked = spend
    model = library("core.models.requests").OpenDPQueryModel
    request = model.model_construct(dataset_name=DATA, opendp_json="", fixed_delta=None)
    return querier.handle_query(request, USER)


@cache
def _querier_class() -> Any:
    """Return the class of queriers whose queries cost what they state and answer 0, or fail."""
    base: Any = library("server.dp_queries.dp_querier").DPQuerier
    result = library("core.models.responses").OpenDPQueryResult

    class Stated(base):  # type: ignore[misc]
        def cost(self, query_json: Any) -> Budget:
            return self.asked.epsilon, self.asked.delta

        def query(self, query_json: Any) -> Any:
            if self.asked.failed:
                raise RuntimeError("the query fails after touching the data")
            return result(value=0)

    return Stated
