"""Ledgers with a mistake that is on public record, each one line away from the additive filter.

All are *known-bad specimens*; `registry` has the report that each is taken from.  They add up what
mechanisms declare as `Additive` does, and differ in when, where or whether a spend is booked.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.common import check_budget
from filterproof.game import Request, Step
from filterproof.game.law import Declared, Output

FAILS = "fails"
"""The output that stands for "the mechanism touched the data and then raised an exception"."""
MISSING, NAN = "missing", "NaN"
"""What a store has before the first deduction, and what JavaScript makes of missing - spend."""


@dataclass(frozen=True)
class Faulty:
    """What the ledgers share: a budget, and the additive test."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def booked(self, spent: Declared, step: Step) -> Declared | None:
        """Return what is spent with M_i added; None if that does not fit."""
        decision, after = Additive(self.epsilon, self.delta).decide(spent, step)
        return after if decision is Decision.CONTINUE else None


Ledgers = tuple[tuple[str, Declared], ...]


@dataclass(frozen=True)
class PerAnalyst(Faulty):
    """A ledger for each analyst, whose name stands before the colon of a request.

    Each may spend all of (ε, δ): that is sound for one of them, and not for two that talk.
    """

    def start(self) -> Ledgers:
        """Return that nobody has asked yet."""
        return ()

    def decide(self, state: Ledgers, step: Step) -> tuple[Decision, Ledgers]:
        """Run M_i iff it fits the ledger of whoever asks for it."""
        ledgers, name = dict(state), self.analyst(step.request)
        after = self.booked(ledgers.get(name, NOTHING), step)
        if after is None:
            return Decision.REFUSE, state
        return Decision.CONTINUE, tuple(sorted({**ledgers, name: after}.items()))

    def analyst(self, request: Request) -> str:
        """Return who asks."""
        return request.partition(":")[0]


@dataclass(frozen=True)
class RefundOnFailure(Faulty):
    """The additive filter that pays back what a mechanism has cost that failed.

    It had seen the data before, and whether it fails may depend on them.
    """

    def start(self) -> tuple[Declared, Declared]:
        """Return that nothing is spent, now and before the last round."""
        return NOTHING, NOTHING

    def decide(
        self, state: tuple[Declared, Declared], step: Step
    ) -> tuple[Decision, tuple[Declared, Declared]]:
        """Run M_i iff it fits, and remember what was spent before it."""
        spent, _ = state
        after = self.booked(spent, step)
        return (Decision.HALT, state) if after is None else (Decision.CONTINUE, (after, spent))

    def observe(
        self, state: tuple[Declared, Declared], step: Step, output: Output
    ) -> tuple[Declared, Declared]:
        """Go back to what was spent before if the mechanism has failed."""
        _, before = state
        return (before, before) if self.failed(output) else state

    def failed(self, output: Output) -> bool:
        """Whether the mechanism has failed."""
        return output == FAILS


@dataclass(frozen=True)
class MissingKey(Faulty):
    """The additive filter whose store has no entry when the first spend is deducted from it.

    The first request is compared with the whole budget.  Then NaN is stored, and whatever is
    compared with NaN is not too much.
    """

    def start(self) -> Declared | str:
        """Return that the store has no entry."""
        return MISSING

    def decide(self, state: Declared | str, step: Step) -> tuple[Decision, Declared | str]:
        """Run M_i unless it is more than what is left; nothing is deducted in the opening round."""
        if state == NAN or not step.index:
            return Decision.CONTINUE, state
        after = self.booked(state if isinstance(state, Declared) else NOTHING, step)
        if after is None:
            return Decision.HALT, state
        return Decision.CONTINUE, self.deducted(state, after)

    def deducted(self, state: Declared | str, after: Declared) -> Declared | str:
        """Return the entry after a deduction."""
        return NAN if state == MISSING else after


@dataclass(frozen=True)
class ClampedCharge(Faulty):
    """The additive filter that charges what is left where more is asked for, and runs M_i as it is.

    To charge less is right where the mechanism is made to say less, too.
    """

    def start(self) -> Declared | None:
        """Return that nothing is spent yet; None is all."""
        return NOTHING

    def decide(self, state: Declared | None, step: Step) -> tuple[Decision, Declared | None]:
        """Run M_i unless all is spent, and charge the smaller one of its cost and what is left."""
        if state is None:
            return Decision.HALT, None
        return Decision.CONTINUE, self.booked(state, step)


@dataclass(frozen=True)
class StaleRemaining(Faulty):
    """The additive filter that is asked about a copy of the ledger, which lags by one round."""

    def start(self) -> tuple[Declared, Declared]:
        """Return that nothing is spent, in the ledger and in the copy."""
        return NOTHING, NOTHING

    def decide(
        self, state: tuple[Declared, Declared], step: Step
    ) -> tuple[Decision, tuple[Declared, Declared]]:
        """Run M_i iff it fits the copy; book it in the ledger."""
        spent, copy = state
        if self.booked(copy, step) is None:
            return Decision.HALT, state
        asked = step.mechanism.declared
        after = Declared(spent.odds * asked.odds, spent.delta + asked.delta)
        return Decision.CONTINUE, (after, self.copied(spent, after))

    def copied(self, before: Declared, after: Declared) -> Declared:
        """Return what the next request is compared with."""
        return before


@dataclass(frozen=True)
class TwoLedgers(Faulty):
    """One ledger for pure mechanisms and one for the others, each with all of (ε, δ).

    Both are about the same data, and nobody adds them up.
    """

    def start(self) -> tuple[Declared, Declared]:
        """Return that nothing is spent in either ledger."""
        return NOTHING, NOTHING

    def decide(
        self, state: tuple[Declared, Declared], step: Step
    ) -> tuple[Decision, tuple[Declared, Declared]]:
        """Run M_i iff it fits its own ledger."""
        pure, other = state
        mine = self.is_pure(step)
        after = self.booked(pure if mine else other, step)
        if after is None:
            return Decision.REFUSE, state
        return Decision.CONTINUE, ((after, other) if mine else (pure, after))

    def is_pure(self, step: Step) -> bool:
        """Whether M_i belongs into the first ledger."""
        return not step.mechanism.declared.delta
