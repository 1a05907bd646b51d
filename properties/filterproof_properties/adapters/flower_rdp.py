"""Flower's RdpAccountant, asked as its strategies ask it: `would_exceed`, and `compose` if not.

It is dp-accounting's Renyi accountant, the best order taken afterwards, with Gaussian events only.
Without sampling all of these lie in one order: what was spent is the number Σ 1/σ², and whatever
order is best where that number reaches the budget could have been fixed before the first request.
So the rule is a Renyi filter, although it does not look like one; with sampled events it is not.

Two of the models that `PrivacyConfig` accepts are asked, both without amplification: one client
more or less, which is what the shipped strategies take, and one client *replaced* (sampled without
replacement, with the whole population as the sample), where the sum moves by twice the clipping
norm.  Mechanisms are handed over as in `dp_accounting_gaussian`.
"""

from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof.game import Step
from filterproof_properties.adapters import dp_accounting_gaussian, dp_accounting_rdp
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger, lowered
from filterproof_properties.adapters.support.library import require


class Model(Enum):
    """A sampling method and a neighbouring relation, by Flower's names."""

    ADDED = ("NO_AMPLIFICATION", "ADD_OR_REMOVE_ONE")
    REPLACED = ("WITHOUT_REPLACEMENT", "REPLACE_ONE")


def library(module: str = "") -> Any:
    """Return Flower's accounting, or a module of it."""
    dp_accounting_rdp.library()  # whose warnings are not shown
    return require(f"flwr.supercore.privacy_accounting{module}", "flower")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[float]:
    """Return the accountant for one client more or less."""
    return _ledger(Model.ADDED, epsilon, delta)


def replaced(epsilon: Epsilon, delta: Fraction) -> Ledger[float]:
    """Return the accountant for one client replaced."""
    return _ledger(Model.REPLACED, epsilon, delta)


def _ledger(model: Model, epsilon: Epsilon, delta: Fraction) -> Ledger[float]:
    library()
    budget = (model, lowered(epsilon_down(epsilon)), double_down(delta))
    asked = added if model is Model.ADDED else dp_accounting_gaussian.multiplier
    return Ledger(At(admits, budget), asked)


def added(step: Step) -> float | None:
    """Return the noise multiplier where a client more moves the sum by the clipping norm."""
    doubled = dp_accounting_gaussian.multiplier(step)
    return None if doubled is None else doubled / 2


@lru_cache(maxsize=MEMO)
def admits(
    model: Model, epsilon: float, delta: float, spent: tuple[float, ...], asked: float
) -> bool:
    """Replay the releases on a fresh accountant, then ask; what it rejects is not run."""
    try:
        accountant = opened(model, epsilon, delta)
        for noise in spent:
            accountant.compose(event(noise))
        return runs(accountant, asked)
    except ValueError:  # a budget of 0; a divergence too small for its formula
        return False


def opened(model: Model, epsilon: float, delta: float) -> Any:
    """Return a fresh accountant for a population of one client."""
    flower, (sampling, relation) = library(), model.value
    config = flower.PrivacyConfig(
        target_delta=delta,
        population_size=1,
        neighboring_relation=flower.NeighboringRelation[relation],
        sampling_method=flower.SamplingMethod[sampling],
        max_epsilon=epsilon,
    )
    return library(".rdp_accountant").RdpAccountant(config)


def runs(accountant: Any, noise: float) -> bool:
    """Ask whether a release would exceed the budget; book it if not."""
    if not noise or accountant.would_exceed(event(noise)):
        return False
    accountant.compose(event(noise))
    return True


def event(noise: float) -> Any:
    """Return one release with that noise, in units of the clipping norm."""
    return library().GaussianPrivacyEvent(noise, sample_size=1, population_size=1)
