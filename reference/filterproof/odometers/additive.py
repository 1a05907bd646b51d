"""Odometers that add up the largest loss that each mechanism can have, and five broken cousins.

A round's loss is at most ε_i = log odds_i, but for outputs that x′ can never produce, which have
probability at most δ_i under x.  So with ε_t the sum of the ε_i the loss exceeds ε_t only after
such an output; while the sum of the δ_i, which is known before each round runs, is at most δ, that
has probability at most δ.  Above δ nothing is claimed any more: the report is infinite.
"""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.common import check_budget, per_mechanism
from filterproof.filters.parameters import ParameterError
from filterproof.game import Mechanism, Step
from filterproof.game.law import Declared
from filterproof.odometer import INFINITE, Reported


@per_mechanism
def surely(mechanism: Mechanism, key: None) -> Declared:
    """Return (odds, δ): a loss above log(odds) is infinite, and as likely as δ at most."""
    rows = [(row[x], row[x_]) for row in mechanism.law.values() for x, x_ in mechanism.pairs]
    odds = max((p / q for p, q in rows if q), default=Fraction(1))
    exposed = (
        sum((row[x] for row in mechanism.law.values() if not row[x_]), Fraction(0))
        for x, x_ in mechanism.pairs
    )
    return Declared(max(odds, Fraction(1)), max(exposed))


@dataclass(frozen=True)
class AdditiveOdometer:
    """Reports ε_1 + ... + ε_t, the largest losses of the rounds; infinite where Σδ_i > δ."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Declared:
        """Return that nothing is spent yet: odds 1, δ 0."""
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        """Let it run, and add what it can lose."""
        return Decision.CONTINUE, self.spend(state, self.cost(step.mechanism))

    def cost(self, mechanism: Mechanism) -> Declared:
        """Return what a round can lose."""
        return surely(mechanism, None)

    def spend(self, spent: Declared, asked: Declared) -> Declared:
        """Add a round to the rounds before it."""
        return Declared(spent.odds * asked.odds, spent.delta + asked.delta)

    def reported(self, state: Declared) -> Reported:
        """Return the sum of the ε_i, if the δ_i still fit."""
        return INFINITE if state.delta > self.delta else Log(self.told(state.odds))

    def told(self, odds: Fraction) -> Fraction:
        """Return the odds as they are reported."""
        return odds


@dataclass(frozen=True)
class DeclaredOdometer(AdditiveOdometer):
    """Adds the (ε_i, δ_i) that mechanisms declare: a *known-bad specimen*.

    (ε_i, δ_i)-DP bounds H by δ_i, not the probability of a loss above ε_i: randomised response with
    odds a little above e^ε_i has a small δ_i and exceeds ε_i more often than not.
    """

    def cost(self, mechanism: Mechanism) -> Declared:
        """Return what the mechanism declares."""
        return mechanism.declared


@dataclass(frozen=True)
class PerRoundOdometer(AdditiveOdometer):
    """Compares each δ_i with δ on its own: a *known-bad specimen*."""

    def spend(self, spent: Declared, asked: Declared) -> Declared:
        """Add the ε; keep the larger δ where the sum is due."""
        return Declared(spent.odds * asked.odds, max(spent.delta, asked.delta))


@dataclass(frozen=True)
class RoundedDown(AdditiveOdometer):
    """Reports odds rounded down to a multiple of 1/8: a *known-bad specimen*."""

    def told(self, odds: Fraction) -> Fraction:
        """Return the odds on the grid."""
        return Fraction(odds * 8 // 1, 8)


@dataclass(frozen=True)
class Late(AdditiveOdometer):
    """Reports what was spent *before* the last round: a *known-bad specimen*.

    It books a round when the next one is asked for, as a ledger does that charges afterwards.
    """

    def start(self) -> tuple[Declared, Declared]:  # type: ignore[override]
        """Return that nothing is booked and nothing is due."""
        return NOTHING, NOTHING

    def decide(  # type: ignore[override]
        self, state: tuple[Declared, Declared], step: Step
    ) -> tuple[Decision, tuple[Declared, Declared]]:
        """Book the round before; this one is due next time."""
        return Decision.CONTINUE, (self.spend(*state), self.cost(step.mechanism))

    def reported(self, state: tuple[Declared, Declared]) -> Reported:  # type: ignore[override]
        """Return what is booked."""
        return super().reported(state[0])


@dataclass(frozen=True)
class Resets(AdditiveOdometer):
    """Begins anew after `period` rounds, as a budget per day does: a *known-bad specimen*."""

    _: KW_ONLY
    period: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period < 1:
            raise ParameterError(f"need a period of one round or more; got {self.period}")

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        """Forget everything at the first round of a period."""
        new = step.index and (step.index - 1) % self.period == 0
        return super().decide(NOTHING if new else state, step)
