"""Every built-in filter: where it comes from, what it promises, and whether it keeps that.

>>> entry("compensator").sound, entry("naive").sound
(True, False)
>>> entry("compensater")
Traceback (most recent call last):
filterproof.filters.registry.UnknownFilter: no filter 'compensater'; near: compensator, ...
"""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from filterproof.filter import Filter
from filterproof.filters.additive import Additive, PerRoundDelta
from filterproof.filters.advanced import AdvancedPrinted, BasicOrAdvanced, Rogers, Whitehouse
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.bounds import CompensatorLower, RepairedLower, RepairedUpper
from filterproof.filters.common import Wrapped
from filterproof.filters.compensator import Capped, Compensator, Recycling
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.filters.composition import ExactComposition, ExactCompositionPure
from filterproof.filters.floor import Floored, FloorFresh, UpsideDown, floor_double
from filterproof.filters.gdp import GaussianDP
from filterproof.filters.gdp_residue import GaussianResidue
from filterproof.filters.individual import IndividualActual, IndividualSupremum
from filterproof.filters.joint import JointCapped
from filterproof.filters.ledger_bugs import (
    ChargedAfterwards,
    ClampedCharge,
    DividedByRatio,
    EqualCharges,
    InMigration,
    MissingKey,
    PerAnalyst,
    RefundOnFailure,
    RelativeTolerance,
    StaleRemaining,
    TwoLedgers,
)
from filterproof.filters.naive import Naive, NaiveOverN, NaiveProduct
from filterproof.filters.pan import Bayesian, Hybrid, HybridCharge
from filterproof.filters.personal import AdditivePerPair, LargestPromise
from filterproof.filters.product import ProductRule
from filterproof.filters.rdp import (
    RenyiMironov,
    RenyiMisconverted,
    RenyiSomeOrder,
    RenyiSomeOrderMironov,
    RenyiTight,
    RenyiWeighted,
)
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.filters.restricted import Restricted
from filterproof.filters.sessions import PayFirstRound, PayLargest, PayOnce
from filterproof.filters.sessions_delta import PayLargestDelta, PayOnceDelta, PayUnchecked
from filterproof.filters.tilted import Tilted

PAPER = "the paper"
PROJECT = "this project"
DP = "(eps, delta)-DP"


@dataclass(frozen=True)
class Entry:
    """One filter: `target(epsilon, delta, **parameters)` makes it.

    `sound` is the expected verdict, and `why` says for a known-bad specimen what breaks it; `link`
    is the public report that the mistake is taken from, where there is one.
    """

    name: str
    target: Callable[..., Filter[Any]]
    family: str
    source: str
    promise: str
    sound: bool
    why: str = ""
    claims: tuple[str, ...] = ("dp",)
    link: str = ""


class UnknownFilter(KeyError):
    """A name that no built-in filter has."""

    def __str__(self) -> str:
        return str(self.args[0])


def _sound(
    name: str, target: Callable[..., Filter[Any]], family: str, source: str, promise: str = DP
) -> Entry:
    return Entry(name, target, family, source, promise, sound=True)


def _bad(
    name: str,
    target: Callable[..., Filter[Any]],
    family: str,
    source: str,
    why: str,
    link: str = "",
) -> Entry:
    return Entry(name, target, family, source, DP, sound=False, why=why, link=link)


_MECHANISM, _AHEAD = "mechanism-level", "look-ahead"
_REALISED, _COMPENSATOR = "realisation-level", "compensator"
_LEDGER = "faulty ledger"
_PAN = "Pan, Bayesian privacy filters"
_GITHUB = "https://github.com"

REGISTRY: tuple[Entry, ...] = (
    _sound("additive", Additive, _MECHANISM, "Rogers et al.; basic composition"),
    _sound("advanced-rogers", Rogers, _MECHANISM, "Rogers et al., Theorem 5.1"),
    _sound("rdp-mironov", RenyiMironov, _MECHANISM, f"Mironov's conversion; {PAPER}, II-A"),
    _sound("rdp-tight", RenyiTight, _MECHANISM, "Canonne, Kamath and Steinke's conversion"),
    _sound("rdp-weighted", RenyiWeighted, _MECHANISM, f"{PROJECT}, delta shared among the orders"),
    _sound("whitehouse", Whitehouse, _MECHANISM, "Whitehouse et al., fully adaptive composition"),
    _sound("gdp", GaussianDP, _MECHANISM, "Smith and Thakurta; Koskela et al."),
    _sound("gdp-residue", GaussianResidue, _MECHANISM, "Regehr et al., residues; our reading"),
    _sound("additive-per-pair", AdditivePerPair, _MECHANISM, f"{PROJECT}, a promise per pair"),
    _sound(
        "individual-supremum",
        IndividualSupremum,
        _MECHANISM,
        "Feldman and Zrnic, individual accounting, pure budgets and threshold queries",
    ),
    _sound("pay-once", PayOnce, _MECHANISM, f"{PROJECT}, interactive mechanisms", "(eps, 0)-DP"),
    _sound("pay-once-delta", PayOnceDelta, _MECHANISM, f"{PROJECT}, interactive mechanisms"),
    _sound("bayesian", Bayesian, _REALISED, _PAN, "(eps, 0)-DP"),
    _sound("hybrid", Wrapped(Hybrid, Additive), _REALISED, f"{_PAN}, over additive"),
    _sound("hybrid-whitehouse", Wrapped(Hybrid, Whitehouse), _REALISED, f"{_PAN}, over whitehouse"),
    _sound("hybrid-charge", Wrapped(HybridCharge, Additive), _REALISED, PROJECT),
    _sound("naive-over-n", NaiveOverN, _REALISED, f"{PROJECT}, union bound"),
    _sound("naive-product", NaiveProduct, _REALISED, PROJECT),
    _sound("repaired", Repaired, _AHEAD, f"{PROJECT}, the paper's constraint"),
    _sound("repaired-sharp", RepairedSharp, _AHEAD, f"{PROJECT}, sharp constraint"),
    _sound("repaired-upper-bound", RepairedUpper, _AHEAD, PROJECT),
    _sound("product", ProductRule, _AHEAD, PROJECT),
    _sound("restricted", Wrapped(Restricted, RepairedSharp), _AHEAD, f"{PAPER}, discussion"),
    _sound("restricted-product", Wrapped(Restricted, ProductRule), _AHEAD, PROJECT),
    _sound("compensator", Compensator, _COMPENSATOR, PROJECT),
    _sound("compensator-recycling", Recycling, _COMPENSATOR, PROJECT),
    _sound("compensator-capped", Capped, _COMPENSATOR, PROJECT),
    _sound("joint-capped", JointCapped, _COMPENSATOR, f"{PROJECT}, caps of both directions"),
    _sound("tilted", Tilted, _COMPENSATOR, f"{PROJECT}, budgets follow Renyi tilts"),
    _sound("compensator-upper-bound", CompensatorGrid, _COMPENSATOR, PROJECT),
    _sound("floor-additive", Floored(Additive), _COMPENSATOR, f"{PROJECT}, over additive"),
    _sound("floor-gdp", Floored(GaussianDP), _COMPENSATOR, f"{PROJECT}, over gdp"),
    _sound("floor-rdp", Floored(RenyiTight), _COMPENSATOR, f"{PROJECT}, over rdp-tight"),
    _bad(
        "naive",
        Naive,
        _REALISED,
        f"{PAPER}, II-B",
        "every round may risk delta anew, and the risks add up",
    ),
    _bad(
        "algorithm1",
        Algorithm1,
        _AHEAD,
        f"{PAPER}, Algorithm 1",
        "the next request is chosen after y_i, so the bad outputs of several requests add up",
    ),
    _bad(
        "repaired-lower-bound",
        RepairedLower,
        _AHEAD,
        PROJECT,
        "risks below the grid count as none",
    ),
    _bad(
        "advanced-printed",
        AdvancedPrinted,
        _MECHANISM,
        f"{PAPER}, II-A",
        "delta_i is divided by eps_i*e^eps_i, so declaring a larger eps_i makes it vanish",
    ),
    _bad(
        "rdp-some-order",
        RenyiSomeOrder,
        _MECHANISM,
        PROJECT,
        "each branch may fit another order, and no single order bounds the whole play",
    ),
    _bad(
        "rdp-some-order-mironov",
        RenyiSomeOrderMironov,
        _MECHANISM,
        PROJECT,
        "orders near 1 have no slack, and each branch may fit another one",
        f"{_GITHUB}/m-lecuyer/adaptive_rdp/blob/641b3f348f1c198dd4fcba9c0b9f28c699edfd9f/"
        "adaptive_privacy_engine.py",
    ),
    _bad(
        "rdp-wrong-conversion",
        RenyiMisconverted,
        _MECHANISM,
        "Apache SystemDS, DPBudgetAccountant",
        "log(delta*(alpha-1)) is divided by alpha where alpha - 1 is due",
        f"{_GITHUB}/apache/systemds/blob/025f9bbdf5a9096083a9faaaa20fc1fffff2c757/src/main/java/"
        "org/apache/sysds/runtime/privacy/dp/DPBudgetAccountant.java",
    ),
    _bad(
        "basic-or-advanced",
        BasicOrAdvanced,
        _MECHANISM,
        "Sherpa.ai Federated Learning, AdaptiveDifferentialPrivacy",
        "which of two theorems is used depends on the outputs, and each is given all of delta",
        f"{_GITHUB}/zhangzhizheng/Sherpa.ai-Federated-Learning-Framework/blob/"
        "03e660b8efbbb86f482af11ef5c7c448bb0f92b8/shfl/differential_privacy/composition_dp.py",
    ),
    _bad(
        "exact-composition",
        ExactComposition,
        _MECHANISM,
        "privacy-loss-distribution accountants used as filters",
        "which mechanisms are composed depends on the outputs",
    ),
    _bad(
        "exact-composition-pure",
        ExactCompositionPure,
        _MECHANISM,
        "optimal composition (Kairouz et al.; Murtagh and Vadhan) used as a filter",
        "which eps_i are composed depends on the outputs",
    ),
    _bad(
        "per-round-delta",
        PerRoundDelta,
        _MECHANISM,
        PROJECT,
        "each delta_i is compared with delta alone, so they never add up",
    ),
    _bad(
        "largest-promise",
        LargestPromise,
        _MECHANISM,
        PROJECT,
        "every pair is compared with the largest promise of all, also those promised less",
    ),
    _bad(
        "individual-actual-data",
        IndividualActual,
        _MECHANISM,
        f"{PROJECT}, individual accounting on the data at hand",
        "whether a person pays depends on the others, and who is left out later tells about these",
    ),
    _bad(
        "pay-first-round",
        PayFirstRound,
        _MECHANISM,
        PROJECT,
        "the first round of a session is charged, and the others run for nothing",
    ),
    _bad(
        "pay-largest",
        PayLargest,
        _MECHANISM,
        PROJECT,
        "of interleaved sessions only the dearest is charged, and all of them answer",
    ),
    _bad(
        "pay-unchecked", PayUnchecked, _MECHANISM, PROJECT, "a session's first request is believed"
    ),
    _bad(
        "pay-largest-delta", PayLargestDelta, _MECHANISM, PROJECT, "only the largest delta counts"
    ),
    _bad(
        "compensator-lower-bound",
        CompensatorLower,
        _COMPENSATOR,
        PROJECT,
        "charges below the grid count as none",
    ),
    _bad(
        "floor-upside-down",
        UpsideDown,
        _COMPENSATOR,
        PROJECT,
        "additive accounting starts at the losses that the compensator has let grow to eps",
    ),
    _bad(
        "floor-fresh-losses",
        Floored(Additive, FloorFresh),
        _COMPENSATOR,
        PROJECT,
        "the second phase charges as if nothing had been released before",
    ),
    _bad("floor-double", floor_double, _COMPENSATOR, PROJECT, "both phases get the whole delta"),
    _bad(
        "budget-per-analyst",
        PerAnalyst,
        _LEDGER,
        "Tholoniat et al., Big Bird",
        "each analyst may spend the whole budget, and analysts talk",
        "https://arxiv.org/abs/2506.05290",
    ),
    _bad(
        "refund-on-failure",
        RefundOnFailure,
        _LEDGER,
        "BigQuery's documentation",
        "a mechanism that fails has seen the data, and is paid back",
        "https://pub.dev/documentation/googleapis/latest/bigquery_v2/DifferentialPrivacyPolicy/"
        "epsilonBudget.html",
    ),
    _bad(
        "missing-key",
        MissingKey,
        _LEDGER,
        "w3c/attribution#466",
        "the first deduction stores NaN, and nothing is more than NaN",
        f"{_GITHUB}/w3c/attribution/pull/466",
    ),
    _bad(
        "clamped-charge",
        ClampedCharge,
        _LEDGER,
        "w3c/attribution#16, one half of it",
        "a request that costs too much is charged what is left, and runs",
        f"{_GITHUB}/w3c/attribution/issues/16",
    ),
    _bad(
        "stale-remaining",
        StaleRemaining,
        _LEDGER,
        "private-attribution/ipa#14",
        "a request is compared with what was left before the last one was booked",
        f"{_GITHUB}/private-attribution/ipa/pull/14",
    ),
    _bad(
        "two-ledgers",
        TwoLedgers,
        _LEDGER,
        "BigQuery's documentation, views",
        "two ledgers about the same data are each compared with the budget, and never added up",
        "https://googleapis.dev/dotnet/Google.Apis.Bigquery.v2/latest/api/"
        "Google.Apis.Bigquery.v2.Data.DifferentialPrivacyPolicy.html",
    ),
    _bad(
        "ledger-in-migration",
        InMigration,
        _LEDGER,
        "Google confidential-federated-compute, Budget",
        "requests of the new kind are charged to a ledger that does not know what the old one is",
        f"{_GITHUB}/google-parfait/confidential-federated-compute/blob/"
        "6cc4783c88045b19d905c62d06d69f71ef95aa25/containers/fed_sql/budget.h",
    ),
    _bad(
        "divided-by-ratio",
        DividedByRatio,
        _LEDGER,
        "DDUO, AdvEDFilterObj.partition",
        "a part of ratio 1/2 gets twice the budget where half of it is due",
        f"{_GITHUB}/uvm-plaid/dduo-python/blob/57d60afb52db8106fdb76e0a12ec2b33068595b6/duet/"
        "duet_core.py",
    ),
    _bad(
        "charged-afterwards",
        ChargedAfterwards,
        _LEDGER,
        "DDUO, EDFilter; training loops that stop at epsilon",
        "the last mechanism has run before its cost is compared with the budget",
        f"{_GITHUB}/uvm-plaid/dduo-python/blob/57d60afb52db8106fdb76e0a12ec2b33068595b6/duet/"
        "duet_core.py",
    ),
    _bad(
        "equal-charges",
        EqualCharges,
        _LEDGER,
        "WFA cross-media-measurement, PrivacyBudgetLedger",
        "charges are elements of a set, and equal ones are one element",
        f"{_GITHUB}/world-federation-of-advertisers/cross-media-measurement/blob/"
        "ffaf7726972312a8ee75a38a7b5232567bd9f582/src/main/kotlin/org/wfanet/measurement/"
        "eventdataprovider/privacybudgetmanagement/PrivacyBudgetLedger.kt",
    ),
    _bad(
        "relative-tolerance",
        RelativeTolerance,
        _LEDGER,
        "Google PipelineDP4j, NaiveBudgetAccountant",
        "sums may exceed the budget by one part in 10^9",
        f"{_GITHUB}/google/differential-privacy/blob/1f1af3d4eb154a161f7b4bfedd1f714aa9dfb455/"
        "pipelinedp4j/main/com/google/privacy/differentialprivacy/pipelinedp4j/core/budget/"
        "BudgetAccountant.kt",
    ),
)

_BY_NAME = {one.name: one for one in REGISTRY}


def entry(name: str) -> Entry:
    """Return the filter of that name, or an error that lists near names."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = get_close_matches(name, _BY_NAME, n=3, cutoff=0.4) or sorted(_BY_NAME)
    raise UnknownFilter(f"no filter {name!r}; near: {', '.join(near)}")
