"""Odometers, and accountants read as odometers."""

from filterproof_properties.adapters.catalogue.info import (
    ODOMETER,
    READ,
    READ_AS,
    SAID,
    AdapterInfo,
)

ODOMETERS = (
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
    AdapterInfo(
        "smartnoise-odometer",
        "smartnoise-sql",
        "smartnoise",
        ODOMETER,
        "Odometer.spent is the privacy spent so far by equal queries (Kairouz, Oh and Viswanath, "
        "theorem 3.4)",
        f"the first request fixes the pair; after one with another pair nothing is claimed; {SAID}",
        "smartnoise_odometer",
        "snsql.sql.odometer",
        "equal_report",
    ),
    AdapterInfo(
        "smartnoise-heterogeneous-odometer",
        "smartnoise-sql",
        "smartnoise",
        ODOMETER,
        "OdometerHeterogeneous.spent is the privacy spent so far by different queries (theorem "
        "3.5), which is stated for parameters fixed in advance",
        SAID,
        "smartnoise_odometer",
        "snsql.sql.odometer",
        "listed_report",
    ),
    AdapterInfo(
        "opacus-gaussian-odometer",
        "opacus",
        "opacus",
        READ_AS,
        "GaussianAccountant reports epsilon for a run of equal Gaussian steps, and raises "
        "ValueError where a step differs; it warns that it is experimental",
        f"step() books a step before it runs, and where it raises the step is not run; {READ}; a "
        "mechanism is handed over as for opacus, one that no Gaussian step dominates as a loss "
        "without a bound",
        "opacus_odometers",
        "opacus.accountants",
        "gaussian",
    ),
    AdapterInfo(
        "opacus-rdp-odometer",
        "opacus",
        "opacus",
        READ_AS,
        "RDPAccountant reports epsilon for Gaussian steps fixed in advance, by the best of many "
        "Renyi orders; no odometer is claimed",
        f"{READ}; the default orders; a mechanism is handed over as for opacus",
        "opacus_odometers",
        "opacus.accountants",
        "rdp",
        "the use",
    ),
)
