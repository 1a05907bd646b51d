"""Ledgers with a mistake that is on public record, each one line away from the additive filter.

All are *known-bad specimens*; `registry` has the report, or the file, that each is taken from.
They add up what mechanisms declare as `Additive` does, and differ in when, where or whether a spend
is booked.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, exceeds, sign_by_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.common import Open, check_budget, continue_if, multiple, real
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
        first, other = state
        mine = self.in_first(step)
        after = self.booked(first if mine else other, step)
        if after is None:
            return Decision.REFUSE, state
        return Decision.CONTINUE, ((after, other) if mine else (first, after))

    def in_first(self, step: Step) -> bool:
        """Whether M_i belongs into the first ledger."""
        return not step.mechanism.declared.delta


@dataclass(frozen=True)
class InMigration(TwoLedgers):
    """An old and a new ledger during a migration, each opened with all of (ε, δ).

    A request whose name begins with "new" is booked in the new one, and the others in the old one.
    """

    def in_first(self, step: Step) -> bool:
        """Whether the new ledger books M_i."""
        return step.request.startswith("new")


@dataclass(frozen=True)
class DividedByRatio(TwoLedgers):
    """A budget partitioned in two halves, each of which gets ε and δ *divided* by its ratio 1/2.

    A request whose name begins with "left" belongs to the left half, and the others to the right.
    """

    share: ClassVar[Fraction] = 1 / Fraction(1, 2)

    def in_first(self, step: Step) -> bool:
        """Whether the left half pays for M_i."""
        return step.request.startswith("left")

    def booked(self, spent: Declared, step: Step) -> Declared | None:
        """Return what a half has spent with M_i added; None if that is more than its share."""
        asked, (n, d) = step.mechanism.declared, self.share.as_integer_ratio()
        after = Declared(spent.odds * asked.odds, spent.delta + asked.delta)
        over = exceeds(after.odds**d, Fraction(1), multiple(self.epsilon, n))
        return None if over or after.delta > self.share * self.delta else after


Charges = tuple[Declared, ...]


@dataclass(frozen=True)
class EqualCharges(Faulty):
    """The additive filter whose ledger is a *set* of charges, in which equal ones collapse."""

    def start(self) -> Charges:
        """Return that nothing is charged yet."""
        return ()

    def decide(self, state: Charges, step: Step) -> tuple[Decision, Charges]:
        """Run M_i iff the sums over the ledger fit with its charge put in."""
        after, total = self.entered(state, step.mechanism.declared), NOTHING
        for charge in after:
            total = Declared(total.odds * charge.odds, total.delta + charge.delta)
        over = exceeds(total.odds, Fraction(1), self.epsilon) or total.delta > self.delta
        return (Decision.HALT, state) if over else (Decision.CONTINUE, after)

    def entered(self, charges: Charges, asked: Declared) -> Charges:
        """Return the ledger with one more charge."""
        return tuple(sorted({*charges, asked}))


@dataclass(frozen=True)
class ChargedAfterwards(Faulty):
    """The additive filter that runs M_i, books it, and only then compares with the budget.

    So the last mechanism overspends: in a training loop the last step, in a block that is checked
    when it is left everything inside.
    """

    def start(self) -> Declared:
        """Return that nothing is spent yet."""
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        """Run M_i; end the play if it did not fit."""
        after = self.booked(state, step)
        return (self.too_much(), state) if after is None else (Decision.CONTINUE, after)

    def too_much(self) -> Decision:
        """Return the answer to what does not fit."""
        return Decision.LAST


@dataclass(frozen=True)
class RelativeTolerance(Faulty):
    """The additive filter that lets the sums exceed ε and δ by one part in 10⁹ each."""

    tolerance: ClassVar[Fraction] = Fraction(1, 10**9)

    def start(self) -> Declared:
        """Return that nothing is spent yet."""
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared | Open]:
        """Run M_i iff the sums are at most 1 + tolerance times the budget."""
        asked = step.mechanism.declared
        after = Declared(state.odds * asked.odds, state.delta + asked.delta)
        return continue_if(lambda: self.fits(after), after)

    def fits(self, spent: Declared) -> bool:
        """Whether what is spent is within the budget, or just above it."""
        above = 1 + self.tolerance

        def gap(iv: Any) -> Any:
            return iv.log(real(iv, spent.odds)) - real(iv, above) * real(iv, self.epsilon)

        return spent.delta <= above * self.delta and sign_by_enclosure(gap) <= 0
