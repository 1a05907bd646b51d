"""jax-privacy's configuration of a private Keras model, asked whether a run of equal steps fits.

The configuration checks, when it is made with a noise multiplier, that `train_steps` steps of that
noise stay within epsilon, and `fit` raises once that many steps have been made.  Here every record
is in every batch, so that a step is a Gaussian release that one record more moves by the clipping
norm.  One noise multiplier is all that a configuration has: a step with another one is not run.
"""

import os
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import Epsilon
from filterproof_properties.adapters.flower_rdp import added
from filterproof_properties.adapters.support.ledger import MEMO, At, Ledger
from filterproof_properties.adapters.support.library import require


def library() -> Any:
    """Return jax-privacy's Keras API; it needs Keras to compute with jax."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    return require("jax_privacy.keras_api", "jax-privacy")


def target(epsilon: Epsilon, delta: Fraction) -> Ledger[float]:
    """Return the filter that runs a step iff a configuration with one step more is accepted."""
    library()
    return Ledger(At(admits, (epsilon_down(epsilon), double_down(delta))), added)


@lru_cache(maxsize=MEMO)
def admits(epsilon: float, delta: float, spent: tuple[float, ...], asked: float) -> bool:
    """Whether a configuration for all of these steps, which have equal noise, is accepted."""
    if any(noise != asked for noise in spent):
        return False
    try:
        configured(epsilon, delta, asked, len(spent) + 1)
    except ValueError:  # what it raises for a budget that would be exceeded, and for odd numbers
        return False
    return True


def configured(epsilon: float, delta: float, noise: float, steps: int) -> Any:
    """Return the configuration of a run over a training set of one batch."""
    return library().DPKerasConfig(
        epsilon=epsilon,
        delta=delta,
        clipping_norm=1.0,
        batch_size=1,
        gradient_accumulation_steps=1,
        train_steps=steps,
        train_size=1,
        noise_multiplier=noise,
    )
