"""What was seen of a library beside its verdict, each observed again by its own calls.

Each observation returns what it saw in words, or "" where the library does otherwise.
"""

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from filterproof_properties.adapters import diffpriv_pure_budget as diffpriv_pure
from filterproof_properties.adapters import flower_rdp as flower
from filterproof_properties.adapters import jax_privacy_config as jax_privacy
from filterproof_properties.adapters import lomas_querier as lomas
from filterproof_properties.adapters import opendp_filter as opendp
from filterproof_properties.adapters import openmed_budgets as openmed
from filterproof_properties.adapters import tmlt_session as tmlt
from filterproof_properties.adapters.support.ledger import Spend
from filterproof_properties.adapters.support.library import require

Observation = Callable[[], str]


# --- OpenDP ---------------------------------------------------------------------------------


def what_remains_is_too_much() -> str:
    """What a context says remains is refused when it is asked for, and the context is closed."""
    context = opendp.context((1.0, 0.0))
    opendp.runs(context, Spend(0.1, 0.0))
    left = context.remaining_privacy_loss()[0]
    answered = [opendp.runs(context, Spend(one, 0.0)) for one in (left, 0.1)]
    return f"{left} of 1.0 after 0.1; a query for it closes the context" * (not any(answered))


def a_child_is_paid_for_when_it_is_born() -> str:
    """Two children that take turns are charged in full before either has answered."""
    dp, context = opendp.library(), opendp.context((1.0, 0.0))
    compose = dp.c.make_adaptive_composition(*opendp.space(), d_in=1, d_mids=[(0.25, 0.0)] * 2)
    children = [context(compose), context(compose)]
    third = Spend(0.125, 0.0)
    turns = [opendp.runs(one, Spend(0.25, 0.0)) for one in (*children, *children, *children)]
    done = turns == [True] * 4 + [False] * 2 and not opendp.runs(context, third)
    return "two children of 0.5 answer twice each in turn, and nothing else fits" * done


# --- Flower ---------------------------------------------------------------------------------


def replacing_costs_no_more() -> str:
    """One release with noise 1 is reported alike for one client more and for one replaced."""
    told = [_after_one_release(model) for model in flower.Model]
    dp = require("dp_accounting", "flower")
    losses = dp.pld.PLDAccountant(dp.NeighboringRelation.REPLACE_ONE)
    due = losses.compose(dp.GaussianDpEvent(1.0)).get_epsilon(1e-5)
    text = f"epsilon {told[0]:.3f} and {told[1]:.3f}, by loss distributions {due:.3f}"
    return text if told[0] == told[1] < due / 2 else ""


def _after_one_release(model: flower.Model) -> float:
    accountant = flower.opened(model, 100.0, 1e-5)
    accountant.compose(flower.event(1.0))
    return float(accountant.get_epsilon(1e-5))


# --- openmed --------------------------------------------------------------------------------


def fifty_counts_for_one() -> str:
    """A mapping of 50 counts is released with the noise, and at the price, of one."""
    risk = openmed.library("aggregate_dp")
    ledger = risk.AggregateDPBudgetLedger(1.0, 0.0)
    counts = {f"count {i}": 1.0 for i in range(50)}
    released = risk.release_aggregate(counts, ledger=ledger, epsilon=1.0)
    text = (
        f"{len(released.value)} counts at the default sensitivity, epsilon {ledger.spent_epsilon}"
    )
    return text if len(released.value) == 50 and ledger.spent_epsilon == 1.0 else ""


# --- Lomas ----------------------------------------------------------------------------------


def other_users_vanish() -> str:
    """After one user's query the YAML database has forgotten every other user."""
    querier = lomas.opened((1.0, 0.0))
    database = querier.admin_database
    database.database["users"].append({**database.database["users"][0], "user_name": "other"})
    lomas.runs(querier, Spend(0.5, 0.0))
    return "" if database.does_user_exist("other") else "a second user no longer exists"


def cost_tells_tables_apart() -> str:
    """The cost estimate of a regression fails on 20 equal labels, and not if one differs."""
    said = [_estimated([0] * 19 + [last]) for last in (0, 1)]
    free = "only one class" in said[0] and said[1] == "(1.0, 0.0)"
    return f"{said[0]!r} or {said[1]}, before any budget is looked at" if free else ""


def _estimated(labels: list[int]) -> str:
    """Return the cost of a private regression on such a table, or why there is none."""
    logging.disable()  # it logs every error with its traceback
    models = require("diffprivlib.models", "lomas")
    model = models.LogisticRegression(epsilon=1.0, data_norm=2.0)
    pipeline = require("sklearn.pipeline", "lomas").Pipeline([("model", model)])
    frame = require("pandas", "lomas").DataFrame({"x": [0.5] * len(labels), "y": labels})
    query = lomas.library("core.models.requests").DiffPrivLibQueryModel(
        dataset_name=lomas.DATA,
        diffprivlib_json=require("diffprivlib_logger", "lomas").serialise_pipeline(pipeline),
        feature_columns=["x"],
        target_columns=["y"],
        test_size=0.05,
        test_train_split_seed=0,
        imputer_strategy="drop",
    )
    shipped = lomas.library("server.dp_queries.dp_libraries.diffprivlib").DiffPrivLibQuerier
    database = lomas.opened((0.0, 0.0)).admin_database
    try:
        return str(shipped(SimpleNamespace(get_pandas_df=frame.copy), database).cost(query))
    except lomas.library("core.error_handler").ExternalLibraryException as error:
        return str(error.error_message)
    finally:
        logging.disable(logging.NOTSET)


# --- Tumult Analytics -----------------------------------------------------------------------


def cut_down_to_what_remains() -> str:
    """A request that is slightly above what remains is granted, at the price of what remains."""
    session = tmlt.opened((1.0, 0.0))
    tmlt.answered(session, tmlt.exact((1.0 + 2.0**-40, 0.0)))
    left: Any = session.remaining_privacy_budget.value[0]
    return "1 + 2^-40 of 1 is granted, and nothing remains" if left == 0 else ""


# --- jax-privacy ------------------------------------------------------------------------------


def more_steps_than_configured() -> str:
    """`fit` runs over the data that it is given, whatever `train_size` says, in one call."""
    jax_privacy.library()
    keras, numpy = (require(one, "jax-privacy") for one in ("keras", "numpy"))
    config = jax_privacy.configured(1.0, 1e-5, 100.0, 2)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model = jax_privacy.library().make_private(model, config)
    model.compile(optimizer="sgd", loss="mse")
    model.fit(numpy.zeros((20, 3)), numpy.zeros((20, 1)), batch_size=1, epochs=1, verbose=0)
    (steps,) = [int(one.numpy()[0]) for one in model.weights if one.name == "_optimizer_steps"]
    return f"train_size 1, train_steps 2, 20 rows: {steps} steps" if steps > 2 else ""


# --- diffpriv-pure ----------------------------------------------------------------------------


def a_count_never_falls() -> str:
    """Noise of one sign: a noisy count below the true one never comes, so the smallest tells it."""
    pure = diffpriv_pure.library()
    least = min(pure.private_count(5, 0.5) for _ in range(2000))
    return "no noisy count of 2000 is below the true one" if least >= 5 else ""


OBSERVATIONS: Mapping[str, Mapping[str, Observation]] = MappingProxyType(
    {
        "opendp-context": {
            "what remains": what_remains_is_too_much,
            "children in turn": a_child_is_paid_for_when_it_is_born,
        },
        "flower-replace-one": {"a client replaced": replacing_costs_no_more},
        "openmed-aggregates": {"a mapping of counts": fifty_counts_for_one},
        "lomas": {
            "the cost of a regression": cost_tells_tables_apart,
            "another user": other_users_vanish,
        },
        "jax-privacy": {"more data than configured": more_steps_than_configured},
        "diffpriv-pure": {"a noisy count": a_count_never_falls},
        "tmlt-analytics": {"slightly too much": cut_down_to_what_remains},
    }
)
