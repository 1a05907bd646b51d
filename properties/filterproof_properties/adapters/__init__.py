"""Real third-party libraries as filters, each imported only when it is named.

Five kinds are kept apart in every report, because they promise different things: a library that
claims to be a filter or an odometer, one that enforces a budget, and an accountant that only our
wrapper uses as a filter ("run it if the books still balance") or reads as an odometer.

>>> ADAPTERS["dp-accounting-pld"].kind
'accountant used as a filter'
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import Literal

from filterproof.filter import Target
from filterproof_properties.adapters.support.library import MissingLibrary as MissingLibrary
from filterproof_properties.adapters.support.library import require, version

Kind = Literal[
    "claims to be a filter",
    "claims to be an odometer",
    "enforces a budget",
    "accountant used as a filter",
    "accountant read as an odometer",
]

CLAIMS: Kind = "claims to be a filter"
ENFORCES: Kind = "enforces a budget"
USED_AS: Kind = "accountant used as a filter"
ODOMETER: Kind = "claims to be an odometer"
READ_AS: Kind = "accountant read as an odometer"


@dataclass(frozen=True)
class AdapterInfo:
    """What is audited under a name, what its library promises, and what the adapter assumes.

    `fault` says whose a violation is: the library's, or that of using an accountant as a filter.
    """

    name: str
    library: str
    extra: str
    kind: Kind
    promise: str
    assumption: str
    module: str
    imports: str
    attribute: str = "target"
    fault: Literal["the library", "the use"] = "the library"

    @property
    def version(self) -> str:
        """The installed version of the library."""
        return version(self.library)


class UnknownAdapter(KeyError):
    """A name that no adapter has."""

    def __str__(self) -> str:
        return str(self.args[0])


ROUNDED = "declared pairs are rounded up to doubles, the budget down"
READ = (
    "after every round a fresh accountant is asked for its epsilon at delta/2, and log 2 is added, "
    "since an odometer bounds the loss and not H"
)
WRAPPER = "a wrapper of ours runs a mechanism iff the accountant says that the total still fits"
MARGIN = "with a margin of 2^-40 for the doubles it sums"

_ALL = (
    AdapterInfo(
        "opendp",
        "opendp",
        "opendp",
        CLAIMS,
        "make_privacy_filter bounds the loss of all answers by d_out, for adaptively chosen "
        "measurements whose privacy maps are true and whose functions do not fail",
        f"mechanisms are user-defined measurements (honest-but-curious); {ROUNDED}; an output "
        "named 'fails' is a measurement that raises",
        "opendp_filter",
        "opendp.prelude",
    ),
    AdapterInfo(
        "diffprivlib",
        "diffprivlib",
        "diffprivlib",
        ENFORCES,
        "BudgetAccountant raises BudgetError if a spend would exceed its ceiling (epsilon, delta)",
        f"check, run, spend, as the library's tools do; {ROUNDED}; silent mechanisms are not asked "
        "about, since check(0, 0) raises; an output named 'fails' is a run that raises unspent",
        "diffprivlib_budget",
        "diffprivlib",
    ),
    AdapterInfo(
        "diffprivlib-slack",
        "diffprivlib",
        "diffprivlib",
        ENFORCES,
        "the same ceiling, with slack > 0: the composition theorem of Kairouz, Oh and Viswanath, "
        "which is stated for privacy parameters fixed in advance",
        f"as for diffprivlib; the spends are chosen adaptively; {ROUNDED}, {MARGIN}",
        "diffprivlib_budget",
        "diffprivlib",
        "TARGET_WITH_SLACK",
    ),
    AdapterInfo(
        "dp-accounting-pld",
        "dp-accounting",
        "dp-accounting",
        USED_AS,
        "an upper bound on delta for mechanisms fixed in advance; no filter is claimed",
        f"{WRAPPER}, {MARGIN}; mechanisms are handed over as probability mass functions, one loss "
        "distribution per ordered pair, rounded outward",
        "dp_accounting_pld",
        "dp_accounting.pld.privacy_loss_distribution",
        fault="the use",
    ),
    AdapterInfo(
        "dp-accounting-rdp",
        "dp-accounting",
        "dp-accounting",
        USED_AS,
        "an upper bound on delta by the best of many Renyi orders, for mechanisms fixed in advance",
        f"{WRAPPER}, {MARGIN}; the default orders, the best one taken afterwards; randomised "
        "response is its own event, any other mechanism the binary one that dominates it",
        "dp_accounting_rdp",
        "dp_accounting",
        fault="the use",
    ),
    AdapterInfo(
        "dp-accounting-rdp-one-order",
        "dp-accounting",
        "dp-accounting",
        USED_AS,
        "as dp-accounting-rdp; with one order fixed in advance the wrapper is a Renyi filter",
        f"{WRAPPER}, {MARGIN}; one order, fixed before the first request",
        "dp_accounting_rdp",
        "dp_accounting",
        "TARGET_ONE_ORDER",
        "the use",
    ),
    AdapterInfo(
        "dp-accounting-rdp-gaussian",
        "dp-accounting",
        "dp-accounting",
        USED_AS,
        "an upper bound on delta for Gaussian events under the neighbouring relation it is given; "
        "an event's noise multiplier is the ratio of the noise to a bound C on every record",
        f"{WRAPPER}, {MARGIN}; the relation is REPLACE_ONE, one order; replacing a record moves a "
        "sum by up to 2C; a mechanism is handed over as the Gaussian event that dominates it",
        "dp_accounting_gaussian",
        "dp_accounting",
    ),
    AdapterInfo(
        "tmlt",
        "tmlt.core",
        "tmlt",
        ENFORCES,
        "SequentialQueryable refuses a measurement whose privacy loss exceeds what remains",
        "mechanisms are measurements with a true privacy function; nothing is rounded: epsilon is "
        "handed over as a rational or as the logarithm of one; no Spark session is started",
        "tmlt_budget",
        "tmlt.core.measures",
    ),
    AdapterInfo(
        "smartnoise",
        "smartnoise-sql",
        "smartnoise",
        USED_AS,
        "Odometer reports the privacy spent by k equal queries (Kairouz, Oh and Viswanath, "
        "theorem 3.4); no budget is enforced",
        f"{WRAPPER}; the first request fixes the pair, a request with another pair is refused; "
        f"{ROUNDED}",
        "smartnoise_odometer",
        "snsql.sql.odometer",
    ),
    AdapterInfo(
        "smartnoise-heterogeneous",
        "smartnoise-sql",
        "smartnoise",
        USED_AS,
        "OdometerHeterogeneous reports the privacy spent by different queries (theorem 3.5)",
        f"{WRAPPER}; {ROUNDED}",
        "smartnoise_odometer",
        "snsql.sql.odometer",
        "heterogeneous",
    ),
    AdapterInfo(
        "opacus",
        "opacus",
        "opacus",
        USED_AS,
        "GaussianAccountant reports epsilon for a run of equal Gaussian steps, and raises "
        "ValueError where a step differs; it warns that it is experimental",
        "step() is called to book a step before it runs: a ValueError means that the step is not "
        "run, an epsilon above the budget that everything stops; a mechanism is handed over as "
        "the Gaussian step whose thresholded output it is a post-processing of",
        "opacus_steps",
        "opacus.accountants",
    ),
    AdapterInfo(
        "opendp-odometer",
        "opendp",
        "opendp",
        ODOMETER,
        "make_fully_adaptive_composition is an odometer: privacy_loss bounds the loss of all "
        "answers so far, for measurements whose privacy maps are true and whose functions do not "
        "fail",
        "as for opendp; where mechanisms have a delta, log 2 is added and twice their sum must "
        "fit, since an odometer bounds the loss and not H",
        "opendp_odometer",
        "opendp.prelude",
    ),
    AdapterInfo(
        "dp-accounting-pld-odometer",
        "dp-accounting",
        "dp-accounting",
        READ_AS,
        "an upper bound on epsilon for mechanisms fixed in advance; no odometer is claimed",
        f"{READ}; mechanisms are handed over as for dp-accounting-pld",
        "dp_accounting_odometers",
        "dp_accounting.pld.privacy_loss_distribution",
        "pld",
        "the use",
    ),
    AdapterInfo(
        "dp-accounting-rdp-odometer",
        "dp-accounting",
        "dp-accounting",
        READ_AS,
        "an upper bound on epsilon by the best of many Renyi orders, for mechanisms fixed in "
        "advance; no odometer is claimed",
        f"{READ}; the default orders, the best one taken after every round; mechanisms are handed "
        "over as for dp-accounting-rdp",
        "dp_accounting_odometers",
        "dp_accounting",
        "rdp",
        "the use",
    ),
    AdapterInfo(
        "dp-accounting-rdp-one-order-odometer",
        "dp-accounting",
        "dp-accounting",
        READ_AS,
        "as dp-accounting-rdp-odometer; with one order fixed in advance the report holds at all "
        "times at once",
        f"{READ}; one order, fixed before the first request",
        "dp_accounting_odometers",
        "dp_accounting",
        "TARGET_ONE_ORDER",
        "the use",
    ),
)

ADAPTERS: Mapping[str, AdapterInfo] = MappingProxyType({info.name: info for info in _ALL})


def info_of(name: str) -> AdapterInfo:
    """Return the adapter of that name, or an error that lists near names."""
    if name in ADAPTERS:
        return ADAPTERS[name]
    near = get_close_matches(name, ADAPTERS, n=3, cutoff=0.4) or sorted(ADAPTERS)
    raise UnknownAdapter(f"no adapter {name!r}; near: {', '.join(near)}")


def load(name: str) -> Target:
    """Return the target `(epsilon, delta) -> Filter`; raise MissingLibrary if it cannot be had."""
    info = info_of(name)
    require(info.imports, info.extra)
    target: Target = getattr(import_module(f"{__name__}.{info.module}"), info.attribute)
    return target
