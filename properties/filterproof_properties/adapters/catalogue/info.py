"""What an adapter says of itself: what is promised, what is assumed, whose fault a violation is."""

from dataclasses import dataclass
from typing import Literal

from filterproof_properties.adapters.support.library import version

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


ROUNDED = "declared pairs are rounded up to doubles, the budget down"
READ = (
    "after every round a fresh accountant is asked for its epsilon at delta/2, and log 2 is added, "
    "since an odometer bounds the loss and not H"
)
SAID = (
    "declared pairs are rounded up to doubles; it says (epsilon, delta'), so log 2 is added where "
    "delta' > 0, and where 2 delta' > delta nothing is claimed, since an odometer bounds the loss"
)
WRAPPER = "a wrapper of ours runs a mechanism iff the accountant says that the total still fits"
MARGIN = "with a margin of 2^-40 for the doubles it sums"
