"""One counter per library at which odd numbers are handed in, with room for just one unit."""

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from types import MappingProxyType
from typing import Any

from filterproof.exact import Log
from filterproof_properties.adapters import diffpriv_pure_budget as diffpriv_pure
from filterproof_properties.adapters import diffprivlib_budget as diffprivlib
from filterproof_properties.adapters import flower_rdp as flower
from filterproof_properties.adapters import lomas_querier as lomas
from filterproof_properties.adapters import opacus_steps as opacus
from filterproof_properties.adapters import opendp_filter as opendp
from filterproof_properties.adapters import openmed_budgets as openmed
from filterproof_properties.adapters import smartnoise_odometer as smartnoise
from filterproof_properties.adapters import tmlt_budget as tmlt
from filterproof_properties.adapters.support.ledger import Spend
from filterproof_properties.adapters.support.library import require
from filterproof_properties.failopen.desk import DELTA, EPSILON, ONE, PAIRS, Desk, Seen

SIGMA = 5.0
"""One Gaussian step with this noise multiplier fits the budget, two do not."""

Pair = tuple[Any, Any]


# --- libraries that take (ε, δ) -------------------------------------------------------------


def opendp_desk() -> Desk:
    """OpenDP's filter under approximate DP."""
    dp = opendp.library()

    def opened(epsilon: float) -> Any:
        return opendp.opened((epsilon, DELTA))

    def ask(queryable: Any, pair: Pair, failed: bool = False) -> bool:
        queryable(opendp.measurement(Spend(*pair, failed)))
        return True

    def renyi() -> Seen:
        space = dp.atom_domain(T=bool), dp.discrete_distance(), dp.renyi_divergence()
        composition = dp.c.make_fully_adaptive_composition(*space)
        dp.c.make_privacy_filter(composition, d_in=1, d_out=lambda order: order)(True)
        return Seen("opens", False)

    return Desk(
        opened,
        ask,
        ONE,
        PAIRS,
        "privacy_map",
        lambda q: ask(q, ONE, True),
        {"a Renyi budget": renyi},
    )


def diffprivlib_desk() -> Desk:
    """diffprivlib's accountant without slack."""

    def opened(epsilon: float) -> Any:
        return diffprivlib.opened(diffprivlib.Budget(epsilon, DELTA))

    def ask(accountant: Any, pair: Pair) -> bool:
        accountant.spend(*pair)
        return True

    def fail(accountant: Any) -> None:
        accountant.check(*ONE)
        raise RuntimeError("the mechanism fails after touching the data")

    return Desk(opened, ask, ONE, PAIRS, "check", fail)


def tmlt_desk() -> Desk:
    """Tumult Core's sequential composition; finite numbers go in as exact ones."""

    def number(value: float) -> Any:
        if value != value or abs(value) == inf:
            return tmlt.library("utils.exact_number").ExactNumber(value)
        return tmlt.exact(Fraction(value))

    def opened(epsilon: float, delta: float = DELTA) -> Any:
        return tmlt.opened((number(epsilon), number(delta)))

    def ask(queryable: Any, pair: Pair, fails: bool = False) -> bool:
        tmlt.answer(queryable, (number(pair[0]), number(pair[1])), fails)
        return True

    def infinite() -> Seen:
        queryable = opened(inf, 0.5)
        granted = sum(ask(queryable, (0.0, 0.5)) for _ in range(3))
        return Seen(f"(inf, 1/2) grants {granted} times (0, 1/2)", granted > 1)

    def half() -> Seen:
        budget, cost = (tmlt.exact(Log(1 + Fraction(1, n * 10**10))) for n in (1, 2))
        granted = tmlt.sends(tmlt.opened((budget, tmlt.exact(Fraction(0)))), (cost, number(0.0)))
        said = "granted" if granted else "refused"
        return Seen(f"log(1 + 5e-11) of log(1 + 1e-10) is {said}", False)

    special = {"infinite budget": infinite, "half of a log budget": half}
    checks = "subtract"  # which checks again, so that only what it returns is final
    return Desk(opened, ask, ONE, PAIRS, checks, lambda q: ask(q, ONE, True), special)


def openmed_desk(book: openmed.Book, checks: str) -> Desk:
    """One of openmed's budgets, which are spent before anything runs."""

    def ask(live: Any, pair: Pair) -> bool:
        book.spend(live, Spend(*pair))
        return True

    def fail(live: Any) -> None:
        ask(live, ONE)
        raise RuntimeError("the mechanism fails after touching the data")

    return Desk(lambda epsilon: book.open((epsilon, DELTA)), ask, ONE, PAIRS, checks, fail)


def diffpriv_pure_desk() -> Desk:
    """diffpriv-pure's budget, which is spent before anything runs."""

    def ask(budget: Any, pair: Pair) -> bool:
        budget.spend(*pair)
        return True

    def fail(budget: Any) -> None:
        ask(budget, ONE)
        raise RuntimeError("the mechanism fails after touching the data")

    def opened(epsilon: float) -> Any:
        return diffpriv_pure.opened(epsilon, DELTA)

    return Desk(opened, ask, ONE, PAIRS, "", fail)


def lomas_desk() -> Desk:
    """Lomas' querier, which has one query of a user run at a time."""

    def ask(querier: Any, pair: Pair, failed: bool = False) -> bool:
        lomas.answer(querier, Spend(*pair, failed))
        return True

    def opened(epsilon: float) -> Any:
        return lomas.opened((epsilon, DELTA))

    checks = "get_remaining_budget"
    return Desk(opened, ask, ONE, PAIRS, checks, lambda q: ask(q, ONE, True))


# --- accountants that are asked before each booking -----------------------------------------


@dataclass
class Booked:
    """A live accountant and the ε that it may reach."""

    live: Any
    epsilon: float


def balanced(booked: Booked, book: Callable[[Any], Any], report: Callable[[Any], Any]) -> bool:
    """Book on a copy, let it report ε, and book on the live accountant if that fits."""
    trial = deepcopy(booked.live)
    book(trial)
    if not report(trial) <= booked.epsilon:
        return False
    book(booked.live)
    return True


def smartnoise_desk() -> Desk:
    """SmartNoise's heterogeneous odometer; the homogeneous one where a count is asked for."""
    sn = smartnoise.library()

    def opened(epsilon: float) -> Booked:
        return Booked(sn.OdometerHeterogeneous(sn.Privacy(epsilon=EPSILON, delta=0.0)), epsilon)

    def ask(booked: Booked, pair: Pair) -> bool:
        privacy = sn.Privacy(epsilon=pair[0], delta=pair[1])
        return balanced(booked, lambda o: o.spend(privacy), lambda o: o.spent[0])

    def refunded() -> Seen:
        odometer = sn.Odometer(sn.Privacy(epsilon=EPSILON, delta=DELTA))
        odometer.spend(1)
        odometer.spend(-1)
        return Seen(f"after spend(1), spend(-1) reports {odometer.spent}", odometer.spent[0] == 0)

    def hundred() -> Seen:
        odometer = sn.Odometer(sn.Privacy(epsilon=0.1, delta=0.01))
        odometer.spend(100)
        delta = float(odometer.spent[1])
        leaks = 1 - Fraction(99, 100) ** 100
        return Seen(f"delta = {delta:.4g}; some leak: {float(leaks):.4g}", delta < leaks)

    special = {"negative count": refunded, "count of 100": hundred}
    return Desk(opened, ask, ONE, PAIRS, "spent", None, special)


NOISE = MappingProxyType(
    {
        "NaN": nan,
        "infinite cost": 0.0,
        "minus infinity": -inf,
        "negative": -1.0,
        "zero": inf,
    }
)


def accounting_desk(make: Callable[[Any], Any]) -> Desk:
    """One of dp-accounting's accountants, asked by ε."""
    dp = require("dp_accounting", "dp-accounting")

    def opened(epsilon: float) -> Booked:
        return Booked(make(dp), epsilon)

    def report(accountant: Any) -> Any:
        return accountant.get_epsilon(DELTA)

    def ask(booked: Booked, noise: float) -> bool:
        event = dp.GaussianDpEvent(noise)
        return balanced(booked, lambda a: a.compose(event), report)

    def refunded() -> Seen:
        accountant = make(dp).compose(dp.GaussianDpEvent(SIGMA))
        back = dp.SelfComposedDpEvent(dp.GaussianDpEvent(SIGMA), -1)
        accountant.compose(dp.ComposedDpEvent([back]))
        epsilon = float(report(accountant))
        return Seen(f"nested count -1 after one step: eps = {epsilon:.3g}", epsilon < 0.5)

    def hundred() -> Seen:
        event = dp.RandomizedResponseDpEvent(0.5, 2)
        at_once, one_by_one = make(dp).compose(event, 100), make(dp)
        for _ in range(100):
            one_by_one.compose(event)
        short, full = float(report(at_once)), float(report(one_by_one))
        return Seen(f"count=100: eps = {short:.4g}; in a loop: {full:.4g}", short < full / 2)

    special = {"negative count": refunded, "count of 100": hundred}
    return Desk(opened, ask, SIGMA, NOISE, "get_epsilon", None, special)


def pld_desk() -> Desk:
    """dp-accounting's PLD accountant."""
    return accounting_desk(lambda dp: dp.pld.PLDAccountant(dp.NeighboringRelation.REPLACE_SPECIAL))


def rdp_desk() -> Desk:
    """dp-accounting's Renyi accountant with its default orders."""
    relation = "REPLACE_SPECIAL"
    return accounting_desk(lambda dp: dp.rdp.RdpAccountant(None, dp.NeighboringRelation[relation]))


def flower_desk() -> Desk:
    """Flower's accountant for one client more or less."""

    def opened(epsilon: float) -> Any:
        return flower.opened(flower.Model.ADDED, epsilon, DELTA)

    def ask(accountant: Any, noise: float) -> bool:
        if accountant.would_exceed(flower.event(noise)):
            return False
        accountant.compose(flower.event(noise))
        return True

    return Desk(opened, ask, SIGMA, NOISE, "would_exceed")


def opacus_desk() -> Desk:
    """Opacus' GaussianAccountant."""

    def opened(epsilon: float) -> Booked:
        return Booked(opacus.accountant(()), epsilon)

    def ask(booked: Booked, noise: float) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return balanced(booked, lambda a: step(a, noise), lambda a: a.get_epsilon(DELTA))

    def step(accountant: Any, noise: float) -> None:
        accountant.step(noise_multiplier=noise, sample_rate=1.0)

    def refused() -> Seen:
        live = opacus.accountant((SIGMA,) * 1000)
        before = live.get_epsilon(DELTA)
        step(opacus_after(live), SIGMA)
        after = live.get_epsilon(DELTA)
        return Seen(f"1000 steps: eps {before:.3g}; refused step, one more: {after:.3g}", True)

    def opacus_after(live: Any) -> Any:
        try:
            step(live, SIGMA / 2)
        except ValueError:
            return live
        raise AssertionError("a step with another noise multiplier was taken")

    return Desk(opened, ask, SIGMA, NOISE, "get_epsilon", None, {"a refused step": refused})


DESKS: Mapping[str, Callable[[], Desk]] = MappingProxyType(
    {
        "opendp": opendp_desk,
        "diffprivlib": diffprivlib_desk,
        "dp-accounting-pld": pld_desk,
        "dp-accounting-rdp": rdp_desk,
        "tmlt": tmlt_desk,
        "smartnoise": smartnoise_desk,
        "opacus": opacus_desk,
        "flower": flower_desk,
        "openmed-aggregates": lambda: openmed_desk(openmed.AGGREGATES, "spent_delta"),
        "openmed-releases": lambda: openmed_desk(openmed.RELEASES, "_check_unlocked"),
        "lomas": lomas_desk,
        "diffpriv-pure": diffpriv_pure_desk,
    }
)
