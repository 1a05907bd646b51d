"""`python -m benchmarks.wide`: rounds until refusal on narrow and on wide domains, as a table.

One count is asked again and again with discrete Gaussian noise.  The accountant is Gaussian DP for
Gaussian noise with the whole of δ, which depends on no answer.  The other columns are means over
simulated plays, with the half-width of a 99% confidence interval (normal approximation, seeded).
"""

import sys
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from random import Random
from statistics import mean, stdev

from filterproof.runtime import (
    AddedNoise,
    BudgetExceeded,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
)
from filterproof.runtime.budget import squares

TWO, WIDE = Domain.of([30, 31], [(30, 31)]), Domain.counts(60)
SHARES = (Fraction(0), Fraction(1, 2), Fraction(9, 10))
RUNS = 40


@dataclass(frozen=True)
class Setting:
    """One row: the noise, the budget, the domain and a number of rounds that ends a play."""

    sigma: int
    epsilon: int
    delta: Fraction
    domain: Domain
    most: int = 10**6

    def accountant(self) -> int:
        """Return how many rounds of Gaussian noise fit with the whole of δ: μ² is 1/sigma²."""
        found = squares(float(self.epsilon), float(self.delta)) * self.sigma**2
        return min(self.most, int(found))

    def rounds(self, share: Fraction, seed: int) -> int:
        """Return how many rounds one play runs before it is refused."""
        noise, rng = DiscreteGaussian(self.sigma**2), Random(seed)
        guard = CompensatorFilter(self.epsilon, self.delta, domain=self.domain, share=share)
        try:
            while guard.rounds < self.most:
                guard.release(AddedNoise(noise), lambda: noise.sample(30, rng))
        except BudgetExceeded:
            pass
        return guard.rounds

    def __str__(self) -> str:
        domain = "two databases" if self.domain is TWO else "counts 0..60"
        most = f", at most {self.most}" if self.most < 10**6 else ""
        return f"sigma {self.sigma}, ({self.epsilon}, {float(self.delta):g}), {domain}{most}"


SETTINGS = tuple(
    Setting(sigma, epsilon, delta, domain, most)
    for sigma, epsilon, delta, most in (
        (2, 10, Fraction(1, 1000), 48),
        (6, 1, Fraction(1, 10**4), 10**6),
        (20, 1, Fraction(1, 10**4), 10**6),
    )
    for domain in (TWO, WIDE)
)


def cell(found: list[int]) -> str:
    """Return mean and half-width; no half-width where all plays are alike."""
    spread = 2.576 * stdev(found) / sqrt(len(found))
    return f"{mean(found):.1f} ± {spread:.1f}" if spread else f"{mean(found):g}"


def table(runs: int = RUNS) -> str:
    """Return the table in Markdown."""
    lines = ["| setting | accountant | compensator | floor, a = 1/2 | floor, a = 9/10 |"]
    lines.append("|---|---|---|---|---|")
    for setting in SETTINGS:
        cells = [cell([setting.rounds(share, seed) for seed in range(runs)]) for share in SHARES]
        lines.append(f"| {setting} | {setting.accountant()} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
