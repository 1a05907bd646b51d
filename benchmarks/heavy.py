"""One heavy audit in a process of its own, so that its peak memory is its own: JSON on stdout."""

import json
import resource
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.games import gaussian, responses
from filterproof import fast
from filterproof.filter import Filter
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.filters.gdp import GaussianDP
from filterproof.filters.rdp import RenyiTight
from filterproof.filters.repaired import Repaired
from filterproof.game import Game

EIGHT, TWO = Fraction(8), Fraction(2)
PAPER = {"N": 48, "theta": Fraction(917, 10**8), "delta_tilde": Fraction(56, 10**5)}
"""The paper's parameters at δ = 1/1000."""

PER_MILLE, PER_CENT = Fraction(1, 1000), Fraction(1, 100)
LONG = {"N": 500, "theta": Fraction(1, 100_000), "delta_tilde": Fraction(1, 200)}

Case = tuple[str, Callable[[], Game], Fraction, Fraction, Callable[[], Filter[Any]]]


def _gaussian(rounds: int) -> Callable[[], Game]:
    return lambda: gaussian(rounds)


CASES: dict[str, Case] = {
    one[0]: one
    for one in (
        (
            "48 x 61 Gaussian, Algorithm 1",
            _gaussian(48),
            EIGHT,
            PER_MILLE,
            lambda: Algorithm1(EIGHT, PER_MILLE, **PAPER),  # type: ignore[arg-type]
        ),
        (
            "48 x 61 Gaussian, repaired",
            _gaussian(48),
            EIGHT,
            PER_MILLE,
            lambda: Repaired(EIGHT, PER_MILLE, **PAPER),  # type: ignore[arg-type]
        ),
        (
            "48 x 61 Gaussian, RDP (order 3)",
            _gaussian(48),
            EIGHT,
            PER_MILLE,
            lambda: RenyiTight(EIGHT, PER_MILLE, order=3),
        ),
        (
            "48 x 61 Gaussian, GDP",
            _gaussian(48),
            EIGHT,
            PER_MILLE,
            lambda: GaussianDP(EIGHT, PER_MILLE),
        ),
        (
            "48 x 61 Gaussian, compensator on a grid of delta/2",
            _gaussian(48),
            EIGHT,
            PER_MILLE,
            lambda: CompensatorGrid(EIGHT, PER_MILLE, grid=PER_MILLE / 2),
        ),
        (
            "500 x RR(11/20), repaired",
            lambda: responses(500),
            TWO,
            PER_CENT,
            lambda: Repaired(TWO, PER_CENT, **LONG),  # type: ignore[arg-type]
        ),
        (
            "500 x RR(11/20), compensator",
            lambda: responses(500),
            TWO,
            PER_CENT,
            lambda: Compensator(TWO, PER_CENT),
        ),
    )
}


def peak_mib() -> float:
    """Return the peak memory of this process; `getrusage` counts the parent's before exec too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str) -> None:
    """Run one case and print what it took."""
    _, build, epsilon, delta, make = CASES[name]
    play, rule = build(), make()
    begun = perf_counter()
    worst = fast.worst_case(rule, play, epsilon)
    seconds = perf_counter() - begun
    peak = peak_mib()
    found = {"name": name, "seconds": seconds, "peak_mib": peak, "turns": len(worst.turns)}
    found |= {"h": float(worst.value), "delta": float(delta), "holds": worst.value <= delta}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
