"""The smallest change that mends a finding, where it was tried on a patched copy of the library.

A patched copy is not kept.  What is said of each was seen: the finding's game does not exceed the
budget any more, and an audit of the patched copy found nothing in so many plays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Mend:
    """What to change, in words; on which version it was tried, and the plays of the audit."""

    change: str
    version: str
    plays: int

    def text(self, library: str) -> str:
        """Return the section of a finding's page."""
        return (
            f"\n## The smallest change\n\n{self.change}\n\nTried on a patched copy of {library} "
            f"{self.version}: the game above stays within the budget, and the audit finds nothing "
            f"in {self.plays} plays.\n"
        )


HISTORY = Mend(
    "In `GaussianAccountant.step`, read the last entry where it is taken out: "
    "`self.history[-1]` for `self.history.pop()`. The list is replaced as a whole anyway.",
    "1.6.0",
    706,
)
EXACT_SUMS = Mend(
    "In `BudgetAccountant.total` and `__total_delta_safe`, add up `Fraction(epsilon)`, "
    "`Fraction(slack)` and `Fraction(delta)` for the doubles; with the holds of "
    "[diffprivlib-failure-not-charged](diffprivlib-failure-not-charged.md) in the audit.",
    "0.6.6",
    711,
)
HOLDS = Mend(
    "Let `BudgetAccountant.check` put what it grants into a list of holds, which it counts as "
    "spent, and let `spend` turn a hold into a spend. A run that raises stays held. (The sums are "
    "exact here, as for [diffprivlib-absorbed-epsilon](diffprivlib-absorbed-epsilon.md).)",
    "0.6.6",
    711,
)
PRODUCT = Mend(
    "In `Odometer.spent`: `delta = 1 - (1 - self.tol) * (1 - delta)`, which never falls, for "
    "`delta * (1 - delta) + self.tol`, and `np.exp(1)` for the first `epsilon` in the logarithm of "
    "`optimal_a`, as theorem 3.4 has it.",
    "1.0.10",
    925,
)
BOOKED_FIRST = Mend(
    "In `DPQuerier.handle_query`, call `update_budget` before `self.query`. (The sums are exact "
    "here, as for [lomas-ten-tenths](lomas-ten-tenths.md).)",
    "0.4.1",
    781,
)
EXACT_REST = Mend(
    "Add up `Fraction(...)` of the costs in the YAML database's `update_epsilon_or_delta`, and "
    "subtract fractions in `get_remaining_budget`. (A query is booked before it runs here, as for "
    "[lomas-failure-not-charged](lomas-failure-not-charged.md).)",
    "0.4.1",
    781,
)
MENDS: Mapping[str, Mend] = MappingProxyType(
    {
        "jax-privacy-tolerance": Mend(
            "In `DPKerasConfig._validate_params`: `tolerance = 0.0` for `1e-1`, or a part of "
            "`self.epsilon`. (The audit is slow at this library, and ends as inconclusive.)",
            "2.0.0",
            150,
        ),
        "dp-accounting-rdp-replace-one": Mend(
            "In `RdpAccountant._maybe_compose`, where the event is a `GaussianDpEvent`: "
            "`noise_multiplier=event.noise_multiplier / 2` under `NeighborRel.REPLACE_ONE`, "
            "since a record replaced moves the sum by twice its norm.",
            "0.6.0",
            279,
        ),
        "opacus-forgets-after-refusal": HISTORY,
        "diffprivlib-absorbed-epsilon": EXACT_SUMS,
        "diffprivlib-absorbed-delta": EXACT_SUMS,
        "diffprivlib-failure-not-charged": HOLDS,
        "smartnoise-odometer-under-reports": PRODUCT,
        "lomas-failure-not-charged": BOOKED_FIRST,
        "lomas-ten-tenths": EXACT_REST,
        "openmed-absorbed-epsilon": Mend(
            "In `AggregateDPBudgetLedger.spend`: compare "
            "`sum(Fraction(one.epsilon) for one in [*self._spends, spend])`, and the same of "
            "delta, for the two sums by `math.fsum`.",
            "3.1.0",
            443,
        ),
        "diffpriv-pure-absorbed-epsilon": Mend(
            "At the top of `PrivacyBudget.spend`: "
            "`epsilon, delta = Fraction(epsilon), Fraction(delta)`, and `Fraction(0)` for the two "
            "`0.0` that sums begin with (and `float(...)` in the message). NaN is refused then, "
            "too.",
            "0.1.0",
            204,
        ),
    }
)
"""By the name of the finding."""
