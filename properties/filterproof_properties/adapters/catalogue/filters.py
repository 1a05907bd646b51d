"""Filters, enforcers of a budget, and accountants used as filters."""

from filterproof_properties.adapters.catalogue.info import (
    CLAIMS,
    ENFORCES,
    MARGIN,
    ROUNDED,
    USED_AS,
    WRAPPER,
    AdapterInfo,
)

FILTERS = (
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
        "opendp-context",
        "opendp",
        "opendp",
        CLAIMS,
        "Context.compositor without a split answers queries, each of which states its own loss, as "
        "long as privacy_loss bounds all of them together",
        "as for opendp, one context per play",
        "opendp_filter",
        "opendp.prelude",
        "in_context",
    ),
    AdapterInfo(
        "opendp-zcdp",
        "opendp",
        "opendp",
        CLAIMS,
        "make_privacy_filter bounds the zCDP of all answers by rho, for measurements whose privacy "
        "maps are true and whose functions do not fail",
        "a mechanism with delta = 0 is epsilon^2/2-zCDP, and no other one is zCDP; the budget is a "
        "rho that OpenDP itself converts to (epsilon, delta); all is rounded outward",
        "opendp_zcdp",
        "opendp.prelude",
        "zcdp",
    ),
    AdapterInfo(
        "opendp-approximate-zcdp",
        "opendp",
        "opendp",
        CLAIMS,
        "the same for approximate zCDP, as pairs of rho and delta",
        "a mechanism is delta-approximately epsilon^2/2-zCDP; one half of delta is for mechanisms, "
        "the other for OpenDP's own conversion of rho; all is rounded outward",
        "opendp_zcdp",
        "opendp.prelude",
        "approximate",
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
        "flower",
        "flwr",
        "flower",
        ENFORCES,
        "RdpAccountant.would_exceed says whether one more release takes epsilon at target_delta "
        "above max_epsilon, and the strategies then raise PrivacyBudgetExhausted; Gaussian "
        "releases without amplification, one client more or less",
        "would_exceed, and compose if not; the default orders, the best one taken afterwards; any "
        "noise in any round, where a shipped strategy keeps one; a mechanism is handed over as the "
        f"Gaussian release that dominates it; the budget is rounded down, {MARGIN}",
        "flower_rdp",
        "flwr.supercore.privacy_accounting.rdp_accountant",
    ),
    AdapterInfo(
        "flower-replace-one",
        "flwr",
        "flower",
        ENFORCES,
        "the same for one client replaced and sampling without replacement, which PrivacyConfig "
        "accepts and no shipped strategy does",
        "as for flower; the sample is the whole population, so that nothing is amplified; "
        "replacing a client moves the sum by up to twice the clipping norm, which the noise "
        "multiplier is relative to",
        "flower_rdp",
        "flwr.supercore.privacy_accounting.rdp_accountant",
        "replaced",
    ),
    AdapterInfo(
        "jax-privacy",
        "jax-privacy",
        "jax-privacy",
        ENFORCES,
        "DPKerasConfig raises ValueError where train_steps steps with the given noise_multiplier "
        "exceed epsilon, and fit fails after that many steps; Gaussian steps, one record more",
        "a run of n equal steps is a configuration with train_steps=n and every record in every "
        "batch; a mechanism is handed over as the Gaussian step that dominates it; the budget is "
        "rounded down",
        "jax_privacy_config",
        "jax_privacy",
    ),
    AdapterInfo(
        "diffpriv-pure",
        "diffpriv-pure",
        "diffpriv-pure",
        ENFORCES,
        "PrivacyBudget.spend raises PrivacyBudgetExhausted, and adds nothing, where a sum would "
        "exceed the total (epsilon, delta)",
        f"a spend is asked for before the mechanism runs; {ROUNDED}; it takes no epsilon of 0, "
        "so 5e-324 is handed over",
        "diffpriv_pure_budget",
        "diffpriv_pure",
    ),
    AdapterInfo(
        "openmed-aggregates",
        "openmed",
        "openmed",
        ENFORCES,
        "AggregateDPBudgetLedger commits a spend or raises without a change, by basic composition",
        f"spend, then run, as release_aggregate does; {ROUNDED}; an epsilon of 0, which it does "
        "not take, is handed over as 5e-324",
        "openmed_budgets",
        "openmed.risk.aggregate_dp",
        "aggregates",
    ),
    AdapterInfo(
        "openmed-releases",
        "openmed",
        "openmed",
        ENFORCES,
        "PrivacyBudgetLedger records a release of a named context or raises before a change, "
        "atomically; budgets of different contexts are not added up",
        "one context; record, then run; doubles whose shortest decimals, which it adds up exactly, "
        "are above the declared pair and below the budget",
        "openmed_budgets",
        "openmed.risk.privacy_budget",
        "releases",
    ),
    AdapterInfo(
        "openmed-surrogates",
        "openmed",
        "openmed",
        ENFORCES,
        "DPSurrogateBudget records a draw or raises before a change, by the largest of basic, zCDP "
        "and Renyi composition",
        f"spend, then run; {ROUNDED}",
        "openmed_budgets",
        "openmed.risk.budget",
        "surrogates",
    ),
    AdapterInfo(
        "openmed-generation",
        "openmed",
        "openmed",
        ENFORCES,
        "DPGenerationBudgetAccountant gates a request by the policy of its scope; with advanced "
        "composition by the formula of Dwork, Rothblum and Vadhan, over unequal requests",
        f"guard_generation, then run; one scope; the requests are chosen adaptively; {ROUNDED}, "
        f"{MARGIN}",
        "openmed_budgets",
        "openmed.risk.budget",
        "TARGET_GENERATION",
    ),
    AdapterInfo(
        "lomas",
        "lomas-server",
        "lomas",
        ENFORCES,
        "DPQuerier.handle_query refuses a query whose cost exceeds what is left of the user's "
        "budget on the data set, and deducts the cost of the others",
        "the abstract querier with a cost and a query of ours, on the YAML administration "
        f"database: no server, no MongoDB; one user; {ROUNDED}; an output named 'fails' is a query "
        "that raises",
        "lomas_querier",
        "lomas_server.dp_queries.dp_querier",
    ),
    AdapterInfo(
        "tmlt-analytics",
        "tmlt.analytics",
        "tmlt-analytics",
        ENFORCES,
        "Session.evaluate answers a query with the budget it is given, or raises if that exceeds "
        "what remains",
        "one approximate-DP session over a table of one row, a count per request, its noise drawn "
        "in Spark; costs are rationals rounded up, the budget is rounded down; a request that is "
        "cut down to what remains, and then has more noise, counts as refused",
        "tmlt_session",
        "tmlt.analytics",
    ),
)
