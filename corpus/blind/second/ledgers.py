"""Ledgers of declared pairs, each with one slip in what is booked or when."""

from fractions import Fraction
from math import sqrt
from typing import Any

from corpus.blind.second.base import (
    NONE,
    ONE,
    Answer,
    Ledger,
    Rule,
    Witness,
    Wrong,
    loss,
    nats,
    run_if,
    within,
)
from filterproof import Declared, Mechanism, Step
from filterproof.exact import Epsilon, Log
from filterproof.palette import erasure, game, repeated, response, reveal
from filterproof.privacy import delta_at


class RoundsToCents(Rule):
    """Books each epsilon rounded to two decimals, as the dashboard shows it.

    What declares less than half a cent is booked as nothing.
    """

    def start(self) -> Any:
        """Return cents and delta spent."""
        return 0, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the rounded sum fits."""
        odds, delta = step.mechanism.declared
        after = state[0] + round(100 * loss(odds)), state[1] + delta
        fits = after[0] <= 100 * nats(self.epsilon) and after[1] <= self.delta
        return run_if(fits, after, state)


class OneDecimalEpsilon(Ledger):
    """Keeps the budget itself rounded to one decimal: log 2 = 0.693 is stored as 0.7."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(Fraction(round(10 * nats(epsilon)), 10), delta)


class NegligibleDelta(Ledger):
    """Treats a declared delta below one in a million as zero, whatever the budget's delta is."""

    def book(self, state: Any, step: Step) -> Any:
        """Add the odds, and the delta unless it is 'negligible'."""
        odds, delta = step.mechanism.declared
        counted = delta if delta >= Fraction(1, 10**6) else NONE
        return Declared(state[0] * odds, state[1] + counted)


class ToleranceOnEpsilon(Ledger):
    """Compares doubles with a tolerance of 1e-6, so that 0.1 + 0.2 fits into 0.3."""

    def fits(self, spent: Any) -> bool:
        """Whether the sum is at most epsilon, nearly."""
        return loss(spent[0]) <= nats(self.epsilon) + 1e-6 and spent[1] <= self.delta


class DefaultDelta(Ledger):
    """Writes `delta or 1e-5`: an explicit budget of delta = 0 becomes the default."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta or Fraction(1, 10**5))


class ChecksBeforeBooking(Ledger):
    """Asks whether anything is left before the request is added, and books it afterwards."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while what was spent before is within the budget."""
        return run_if(self.fits(state), self.book(state, step), state)


class BothMustExceed(Ledger):
    """Refuses only if epsilon *and* delta are exceeded."""

    def fits(self, spent: Any) -> bool:
        """Whether one of the two sums is within the budget."""
        return within(spent[0], self.epsilon) or spent[1] <= self.delta


class OneRoundTooMany(Rule):
    """Allows a tenth of epsilon a round while at most ten were answered: that is eleven rounds."""

    def start(self) -> Any:
        """Return that no request was answered."""
        return 0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run what takes a tenth at most, while the counter is at most ten."""
        odds, delta = step.mechanism.declared
        fits = state <= 10 and delta == 0 and within(odds**10, self.epsilon)
        return run_if(fits, state + (step.index > 0), state)


class Decays(Rule):
    """Lets old losses fade: what was spent counts nine tenths one round later."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the faded sum fits."""
        odds, delta = step.mechanism.declared
        after = 0.9 * state[0] + loss(odds), state[1] + delta
        return run_if(after[0] <= nats(self.epsilon) and after[1] <= self.delta, after, state)


class BestOfBothDeclarations(Ledger):
    """Combines the declared epsilon with the delta of another true statement.

    (0, TV) and (eps, 0) are both true of randomised response; (0, 0) is not.
    """

    def book(self, state: Any, step: Step) -> Any:
        """Add the declared odds, and the mass that is impossible under a neighbour."""
        law = step.mechanism.law.values()
        impossible = max(
            sum((row[x] for row in law if not row[x_]), NONE) for x, x_ in step.game.pairs
        )
        return Declared(state[0] * step.mechanism.declared.odds, state[1] + impossible)


class Subsampled(Rule):
    """Books log(1 + (e^eps - 1)/2), 'because every query sees half of the rows'.

    The declared epsilon is already that of the mechanism that runs.
    """

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the amplified sum fits."""
        odds, delta = step.mechanism.declared
        after = state[0] + loss((1 + odds) / 2), state[1] + delta / 2
        return run_if(after[0] <= nats(self.epsilon) and after[1] <= self.delta, after, state)


class Shuffled(Rule):
    """Divides the n-th epsilon by the root of n: as if shuffling hid one person's answers."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the amplified sum fits."""
        odds, delta = step.mechanism.declared
        after = state[0] + loss(odds) / sqrt(max(1, step.index)), state[1] + delta
        return run_if(after[0] <= nats(self.epsilon) and after[1] <= self.delta, after, state)


class ProfileAtTheBudget(Rule):
    """Adds up each mechanism's delta at the *whole* epsilon; a pure one that fits alone is free."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the deltas add up to at most delta."""
        law = step.mechanism.law
        after = max(state + delta_at(law, pair, self.epsilon) for pair in step.game.pairs)
        return run_if(after <= self.delta, after, state)


F = Fraction
LOG2 = Log(F(2))


WRONG = {
    "rounds-to-cents": Wrong(
        RoundsToCents,
        "an epsilon below half a cent is booked as zero",
        Witness(game(repeated(response(F(1004, 2004)), 30)), F(1, 10), NONE),
    ),
    "one-decimal-epsilon": Wrong(
        OneDecimalEpsilon,
        "the budget is rounded to one decimal, which may be upwards",
        Witness(game(response(F(2013, 3013))), LOG2, NONE),
    ),
    "negligible-delta": Wrong(
        NegligibleDelta,
        "deltas below 1e-6 are dropped, also where the budget is smaller than that",
        Witness(game(erasure(F(1, 2 * 10**6))), F(1), F(1, 10**9)),
    ),
    "tolerance-on-epsilon": Wrong(
        ToleranceOnEpsilon,
        "a tolerance of 1e-6 is added to epsilon",
        Witness(game(response(F(2000001, 3000001))), LOG2, NONE),
    ),
    "default-delta": Wrong(
        DefaultDelta,
        "delta = 0 is taken for 'not given' and replaced by 1e-5",
        Witness(game(erasure(F(1, 10**5))), F(1), NONE),
    ),
    "checks-before-booking": Wrong(
        ChecksBeforeBooking,
        "the request that crosses the limit is still answered",
        Witness(game(reveal()), F(1), F(1, 10**6)),
    ),
    "both-must-exceed": Wrong(
        BothMustExceed,
        "and where or is meant",
        Witness(game(erasure(F(1, 2))), F(1), F(1, 100)),
    ),
    "one-round-too-many": Wrong(
        OneRoundTooMany,
        "ten shares are handed out eleven times",
        Witness(game(repeated(response(F(100, 190)), 11)), F(107, 100), NONE),
    ),
    "decays": Wrong(
        Decays,
        "past losses fade with time",
        Witness(game(repeated(response(F(21, 41)), 40)), F(1, 2), F(1, 1000)),
    ),
    "best-of-both-declarations": Wrong(
        BestOfBothDeclarations,
        "epsilon is read off one true statement and delta off another",
        Witness(
            game(Mechanism(response(F(3, 4)).law, {}, Declared(ONE, F(1, 2)))), F(1, 2), F(1, 100)
        ),
    ),
    "subsampled": Wrong(
        Subsampled,
        "amplification by sampling is claimed for a mechanism that runs on everything",
        Witness(game(response(F(4, 5))), F(1), F(1, 100)),
    ),
    "shuffled": Wrong(
        Shuffled,
        "amplification by shuffling is claimed for repeated answers about one person",
        Witness(game(repeated(response(F(3, 5)), 4)), F(6, 5), F(1, 1000)),
    ),
    "profile-at-the-budget": Wrong(
        ProfileAtTheBudget,
        "every mechanism is measured at the whole epsilon",
        Witness(game(repeated(response(F(13, 18)), 3)), F(1), F(1, 100)),
    ),
}
