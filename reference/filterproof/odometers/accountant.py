"""An accountant's ε read as an odometer: a *known-bad specimen*.

Composing the mechanisms that were run, exactly, gives the smallest ε with δ(ε) <= δ/2 for them as
a list that was fixed in advance.  (ε, δ/2)-DP gives P_x(L > ε + log 2) <= δ, so ε + log 2 is a
report that holds after any *one* fixed list.  It does not hold for some t at once: the adversary
tries for a large loss with probability δ, and if that fails, for a much larger one.
"""

from dataclasses import dataclass
from fractions import Fraction

from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.filters.composition import NO_LOSS, ExactComposition, Losses
from filterproof.game import Step
from filterproof.odometer import INFINITE, Reported


@dataclass(frozen=True)
class Accountant(ExactComposition):
    """Reports ε + log 2, where the rounds so far, as a fixed list, are (ε, δ/2)-DP."""

    def decide(self, state: tuple[Losses, ...], step: Step) -> tuple[Decision, tuple[Losses, ...]]:
        """Let it run, and compose it with the rounds before."""
        return Decision.CONTINUE, self.extended(state, step)[1]

    def reported(self, state: tuple[Losses, ...]) -> Reported:
        """Return ε + log 2; 0 before anything was said."""
        if all(losses == NO_LOSS for losses in state):
            return Fraction(0)
        found = [smallest_odds(losses, self.delta / 2) for losses in state]
        known = [odds for odds in found if odds is not None]
        return Log(2 * max(known)) if len(known) == len(found) else INFINITE


def smallest_odds(losses: Losses, delta: Fraction) -> Fraction | None:
    """Return the smallest odds >= 1 at which δ(log odds) <= δ; None if no finite ones do.

    Between two ratios δ(·) is a line in the odds: the probability above less odds·Σ p/ratio.

    >>> coin = ((Fraction(1, 3), Fraction(1, 4)), (Fraction(3), Fraction(3, 4)))
    >>> [str(smallest_odds(coin, Fraction(d, 4))) for d in (0, 1, 2)]
    ['3', '2', '1']
    """
    above = 1 - sum((p for _, p in losses), Fraction(0))
    if above > delta:
        return None
    slope, best = Fraction(0), Fraction(0)
    for ratio, p in reversed(losses):  # all larger ratios are above the odds that are tried
        above, slope = above + p, slope + p / ratio
        best = max(best, (above - delta) / slope)
    return max(best, Fraction(1))
