"""Which theorem in Coq stands behind each filter and odometer that is called sound.

A theorem about one filter inside another (the hybrids, the floor) is conditional on the inner one,
so the inner one's theorem stands beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Backing:
    """The theorems that say that a filter is private, and what they leave to the search."""

    theorems: tuple[str, ...]
    gap: str = ""


def _by(*theorems: str) -> Backing:
    return Backing(theorems)


PROVED: Mapping[str, Backing] = MappingProxyType(
    {
        "additive": _by("additive_private"),
        "advanced-rogers": _by("advanced_rogers_private"),
        "rdp-mironov": _by("rdp_mironov_private"),
        "rdp-tight": _by("rdp_tight_private"),
        "rdp-weighted": _by("rdp_weighted_private"),
        "whitehouse": _by("whitehouse_private"),
        "gdp": _by("gdp_private"),
        "gdp-residue": _by("gdp_residue_private"),
        "additive-per-pair": _by("additive_pairs_private"),
        "individual-supremum": _by("additive_pairs_private"),
        "pay-once": _by("bayesian_private"),
        "pay-once-delta": _by("sessions_private"),
        "bayesian": _by("bayesian_private"),
        "hybrid": _by("hybrid_private", "additive_private"),
        "hybrid-whitehouse": _by("hybrid_private", "whitehouse_private"),
        "hybrid-charge": _by("hybrid_charge_private", "additive_private"),
        "floor-additive": _by("floor_private", "additive_private"),
        "floor-rdp": _by("floor_private", "rdp_tight_private", "rdp_mironov_private"),
        "floor-gdp": _by("floor_private", "gdp_private"),
        "naive-over-n": _by("naive_over_n_private"),
        "naive-product": _by("naive_product_private"),
        "repaired": _by("repaired_live_private_paper"),
        "repaired-sharp": _by("repaired_live_private"),
        "repaired-upper-bound": _by("repaired_live_private_paper"),
        "product": _by("product_private"),
        "restricted": _by("restricted_private"),
        "restricted-product": _by("restricted_product_private"),
        "compensator": _by("compensator_private"),
        "compensator-recycling": _by("recycling_private"),
        "compensator-capped": _by("capped_private"),
        "joint-capped": _by("joint_private"),
        "tilted": _by("tilted_private"),
        "compensator-upper-bound": _by("compensator_upper_bound_private"),
        "runtime": Backing(
            ("runtime_private",), "runtime_private covers its rule, not its doubles"
        ),
        "odometer-additive": _by("odometer_additive_keeps"),
        "odometer-realised": _by("odometer_realised_keeps"),
        "odometer-forgiving": _by("odometer_forgiving_keeps"),
        "odometer-renyi": _by("odometer_renyi_keeps"),
        "odometer-renyi-orders": _by("odometer_renyi_orders_keeps"),
        "odometer-guesses": _by("odometer_guesses_keeps"),
    }
)
"""What stands behind each; one without a theorem would say so in its gap."""
