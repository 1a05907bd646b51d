"""The paper's comparison of utility, with the baselines it leaves out: one call, all curves."""

from collections.abc import Iterator

from filterproof.curves.compensator import compensator, naive_product
from filterproof.curves.gaussian import Setting
from filterproof.curves.optimum import optimum
from filterproof.curves.stopping import FILTERS, longest
from filterproof.curves.survival import Curve, algorithm1, fixed_stop, naive

REALISED = "realisation-level filter"
MECHANISM = "mechanism-level filter"
BOUND = "no filter does better"
KNOWN_BAD = "mechanism-level filter, unsound in general"


def curves(setting: Setting) -> Iterator[tuple[str, Curve]]:
    """Yield (kind, curve) for every filter of the figure, the quick ones first.

    >>> quick = [curve.name for _, curve in curves(Setting(epsilon=1, rounds=2))][:4]
    >>> quick
    ['additive', 'advanced (printed)', 'advanced (original)', 'RDP']
    """
    for name, fits in FILTERS.items():
        kind = KNOWN_BAD if name == "advanced (printed)" else MECHANISM
        yield kind, fixed_stop(name, longest(fits, setting), setting.rounds)
    yield REALISED, algorithm1(setting)
    yield REALISED, naive(setting)
    yield REALISED, naive_product(setting)
    yield REALISED, compensator(setting)
    yield BOUND, optimum(setting)
