"""Which mechanisms the filter can vouch for, and what has to be acknowledged by hand.

The filter believes what a mechanism says about itself.  What it says is right by construction for
the classes here, on noise that is drawn exactly.  Noise on the real line is drawn by no
program, and of a class from elsewhere nothing is known: whoever uses them takes that on.
"""

from typing import Any

from filterproof.runtime.added_noise import AddedNoise, Bounded, Pure
from filterproof.runtime.finite import Table
from filterproof.runtime.integer_noise import DiscreteGaussian, Geometric
from filterproof.runtime.misuse import FilterMisuse
from filterproof.runtime.noise import Gaussian, Laplace

DRAWN = (DiscreteGaussian, Geometric)
IDEAL = (Gaussian, Laplace)
NOISY = (AddedNoise, Bounded)


def built_in(mechanism: Any) -> bool:
    """Return whether all that a mechanism says comes from here."""
    noise = mechanism.noise if type(mechanism) in NOISY else None
    return type(mechanism) in (Table, Pure) or type(noise) in DRAWN + IDEAL


def check_known(mechanism: Any, allow_ideal: bool, allow_own: bool) -> None:
    """Refuse what is not built in, or cannot be drawn, unless that was acknowledged."""
    noise = mechanism.noise if type(mechanism) in NOISY else None
    if type(noise) in IDEAL and not allow_ideal:
        raise FilterMisuse(
            f"no sampler delivers {type(noise).__name__} noise on the real line, and its gaps can "
            "give the data away; use DiscreteGaussian or Geometric, or say allow_ideal_noise=True"
        )
    if not built_in(mechanism) and not allow_own:
        raise FilterMisuse(
            f"{type(mechanism if noise is None else noise).__name__} is a mechanism of your own; "
            "check its profile and its losses, and say allow_own_mechanisms=True"
        )
