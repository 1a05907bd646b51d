"""Replaying a library per path gives the same answers as one live object: shown on samples.

An adapter answers for a path by replaying its spends on a fresh object, or by copying the object of
a prefix.  Here the same random requests are also sent to one object that lives through them all,
and the two lists of answers must be equal.  (The loss distributions of `dp_accounting_pld` are
immutable, so that there is nothing to replay.)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any

from filterproof_properties.adapters import diffpriv_pure_budget as diffpriv_pure
from filterproof_properties.adapters import diffprivlib_budget as diffprivlib
from filterproof_properties.adapters import dp_accounting_rdp as rdp
from filterproof_properties.adapters import flower_rdp as flower
from filterproof_properties.adapters import lomas_querier as lomas
from filterproof_properties.adapters import opacus_steps as opacus
from filterproof_properties.adapters import opendp_filter as opendp
from filterproof_properties.adapters import opendp_zcdp as zcdp
from filterproof_properties.adapters import openmed_budgets as openmed
from filterproof_properties.adapters import smartnoise_odometer as smartnoise
from filterproof_properties.adapters import tmlt_budget as tmlt
from filterproof_properties.adapters import tmlt_session as analytics
from filterproof_properties.adapters.support.ledger import Spend

Requests = list[Any]
Answers = list[Any]
BUDGET = (1.0, 0.25)
EXACT = (Fraction(1), Fraction(1, 4))
SLACK = diffprivlib.Budget(1.0, 0.25, 0.1)
PLAIN = diffprivlib.Budget(1.0, 0.25)
RELEASES = (4.0, 0.01)


@dataclass(frozen=True)
class Comparison:
    """How to draw a request, and the answers to a list of them: one live object, and replays."""

    draw: Callable[[Random], Any]
    live: Callable[[Requests], Answers]
    replayed: Callable[[Requests], Answers]
    samples: int = 50


def disagreement(
    comparison: Comparison, samples: int | None = None
) -> tuple[Answers, Answers] | None:
    """Return both lists of answers of the first sample on which they differ, or None."""
    samples = samples or comparison.samples
    rng = Random(samples)
    for _ in range(samples):
        requests = [comparison.draw(rng) for _ in range(rng.randrange(1, 8))]
        live, replayed = comparison.live(requests), comparison.replayed(requests)
        if live != replayed:
            return live, replayed
    return None


# --- libraries that grant or refuse ----------------------------------------------------------


def spend(rng: Random) -> Spend:
    """Draw a declared pair."""
    return Spend(rng.choice([0.1, 0.25, 0.3, 1.0]), rng.choice([0.0, 0.0, 0.1]))


def exact_spend(rng: Random) -> tmlt.ExactSpend:
    """Draw a declared pair of rationals."""
    odds = rng.choice([Fraction(11, 10), Fraction(3, 2), Fraction(2)])
    return tmlt.ExactSpend(odds, rng.choice([Fraction(0), Fraction(1, 10)]))


def granted_live(opened: Callable[[], Any], runs: Any, requests: Requests) -> Answers:
    """Send all requests to one object."""
    live = opened()
    return [runs(live, request) for request in requests]


def granted_by_path(admits: Any, final: bool, requests: Requests) -> Answers:
    """Ask about each request after those granted before it; a final refusal ends the path."""
    spent: tuple[Any, ...] = ()
    granted: Answers = []
    for request in requests:
        granted.append(not (final and False in granted) and admits(spent, request))
        spent = (*spent, request) if granted[-1] else spent
    return granted


def booked(book: openmed.Book, budget: openmed.Budget = BUDGET) -> Comparison:
    """Compare one of openmed's budgets."""
    opened = partial(book.open, budget)
    return granting(spend, opened, book.runs, partial(openmed.admits, book, budget))


def releasing(model: flower.Model) -> Comparison:
    """Compare Flower's accountant."""
    opened = partial(flower.opened, model, *RELEASES)
    admits = partial(flower.admits, model, *RELEASES)
    return granting(lambda rng: rng.choice([1.0, 2.0, 5.0]), opened, flower.runs, admits)


def concentrated(how: opendp.Accounting, budget: Any) -> Comparison:
    """Compare OpenDP's filter in a measure of zCDP."""
    opened, runs = partial(opendp.opened, budget, how), partial(opendp.runs, how=how)
    return granting(spend, opened, runs, partial(zcdp.admits, how, budget), final=True)


def granting(
    draw: Any, opened: Any, runs: Any, admits: Any, final: bool = False, samples: int = 50
) -> Comparison:
    """Compare a library that grants or refuses."""
    live, replayed = partial(granted_live, opened, runs), partial(granted_by_path, admits, final)
    return Comparison(draw, live, replayed, samples)


# --- accountants that report -------------------------------------------------------------------


def reports(one: Callable[[Any], Any], requests: Requests) -> Answers:
    """Return the report after every prefix, each made afresh."""
    return [one(tuple(requests[:n])) for n in range(1, len(requests) + 1)]


def odometer_live(requests: Requests) -> Answers:
    """Return what one heterogeneous odometer reports after every query."""
    live = smartnoise.library().OdometerHeterogeneous(smartnoise.privacy(requests[0]))
    told = []
    for request in requests:
        live.spend(smartnoise.privacy(request))
        told.append(live.spent)
    return told


def odometer_afresh(requests: tuple[Spend, ...]) -> Any:
    """Return what a fresh heterogeneous odometer reports after these queries."""
    return smartnoise.listed_queries(requests).spent


def rdp_live(requests: Requests) -> Answers:
    """Return what one Renyi accountant reports after every event."""
    dp = rdp.library()
    live = dp.rdp.RdpAccountant(None, dp.NeighboringRelation.REPLACE_ONE)
    return [
        live.compose(dp.RandomizedResponseDpEvent(*request)).get_delta(1.0) for request in requests
    ]


def rdp_copied(requests: tuple[rdp.Response, ...]) -> Any:
    """Return what a copied Renyi accountant reports after these events."""
    return rdp.composed(None, requests).get_delta(1.0)


def opacus_live(requests: Requests) -> Answers:
    """Return whether one accountant takes each step, and what it remembers afterwards."""
    live, told = opacus.accountant(()), []
    for noise in requests:
        told.append((opacus.taken(live, noise), list(live.history)))
    return told


def opacus_replayed(calls: tuple[float, ...]) -> Any:
    """Return whether a replayed accountant takes the last step, and what it remembers."""
    return opacus.booked(calls), opacus.accountant(calls).history


COMPARISONS: Mapping[str, Comparison] = MappingProxyType(
    {
        "opendp": granting(
            spend,
            partial(opendp.opened, BUDGET),
            opendp.runs,
            partial(opendp.admits, BUDGET),
            final=True,
        ),
        "opendp-context": granting(
            spend,
            partial(opendp.context, BUDGET),
            opendp.runs,
            partial(opendp.context_admits, BUDGET),
            final=True,
        ),
        "opendp-zcdp": concentrated(zcdp.ZCDP, 1.0),
        "opendp-approximate-zcdp": concentrated(zcdp.APPROXIMATE_ZCDP, BUDGET),
        "diffprivlib": granting(
            spend,
            partial(diffprivlib.opened, PLAIN),
            diffprivlib.runs,
            partial(diffprivlib.admits, PLAIN),
        ),
        "diffprivlib-slack": granting(
            spend,
            partial(diffprivlib.opened, SLACK),
            diffprivlib.runs,
            partial(diffprivlib.admits, SLACK),
        ),
        "tmlt": granting(
            exact_spend,
            lambda: tmlt.opened((tmlt.exact(EXACT[0]), tmlt.exact(EXACT[1]))),
            tmlt.runs,
            partial(tmlt.admits, EXACT),
        ),
        "smartnoise-heterogeneous": Comparison(
            lambda rng: Spend(rng.choice([0.1, 1.0]), rng.choice([0.01, 0.1])),
            odometer_live,
            partial(reports, odometer_afresh),
        ),
        "dp-accounting-rdp": Comparison(
            lambda rng: rdp.Response(rng.choice([0.5, 0.75, 0.9]), rng.choice([2, 16])),
            rdp_live,
            partial(reports, rdp_copied),
        ),
        "flower": releasing(flower.Model.ADDED),
        "flower-replace-one": releasing(flower.Model.REPLACED),
        "openmed-aggregates": booked(openmed.AGGREGATES),
        "openmed-releases": booked(openmed.RELEASES),
        "openmed-surrogates": booked(openmed.SURROGATES),
        "openmed-generation": booked(openmed.GENERATION, (*BUDGET, 0.1)),
        "lomas": granting(
            spend, partial(lomas.opened, BUDGET), lomas.runs, partial(lomas.admits, BUDGET)
        ),
        "diffpriv-pure": granting(
            spend,
            partial(diffpriv_pure.opened, *BUDGET),
            diffpriv_pure.runs,
            partial(diffpriv_pure.admits, *BUDGET),
        ),
        "tmlt-analytics": granting(
            spend,
            partial(analytics.opened, BUDGET),
            partial(analytics.runs, how=analytics.answered),
            partial(analytics.admits, BUDGET),
            samples=4,
        ),
        "opacus": Comparison(
            lambda rng: rng.choice([2.0, 2.0, 3.0]), opacus_live, partial(reports, opacus_replayed)
        ),
    }
)
