"""dp-accounting's Renyi accountant with Gaussian events, where records are replaced.

A `GaussianDpEvent` has the noise multiplier s/C, with C a bound on the norm of every record.  If
one record is *replaced* the sum moves by up to 2C, so that a mechanism that is a post-processing
of a Gaussian step of sensitivity 1 and noise σ (see `thresholded`) is the event with multiplier 2σ.
One order is fixed in advance: what this shows is not a matter of adaptive choice.
"""

from fractions import Fraction
from functools import lru_cache

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters.dp_accounting_rdp import library
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, within
from filterproof_properties.adapters.support.thresholded import LARGEST_ODDS, sigma

ORDER = 2.0


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[float]:
    """Return the wrapper: run iff the accountant's δ at ε still fits."""
    library()
    return Ledger(At(admits, (epsilon_down(epsilon), double_down(delta))), multiplier)


def multiplier(step: Step) -> float | None:
    """Return the noise multiplier of the event; 0, which is no privacy, where none dominates."""
    odds, delta = step.mechanism.declared
    if odds == 1 and not delta:
        return None
    return 0.0 if delta or odds > LARGEST_ODDS else 2 * sigma(odds)


@lru_cache(maxsize=MEMO)
def admits(epsilon: float, delta: float, spent: tuple[float, ...], asked: float) -> bool:
    """Whether a fresh accountant with all these events reports a δ that fits."""
    dp = library()
    accountant = dp.rdp.RdpAccountant([ORDER], dp.NeighboringRelation.REPLACE_ONE)
    for noise in (*spent, asked):
        accountant.compose(dp.GaussianDpEvent(noise))
    try:
        return within(float(accountant.get_delta(epsilon)), delta)
    except ValueError:  # a divergence too small for its formula
        return False
