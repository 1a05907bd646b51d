"""Sound filters that look wrong: ledgers and conversions."""

from math import log, sqrt
from typing import Any

from corpus.blind.second.base import (
    NONE,
    NOTHING,
    ONE,
    Answer,
    Ledger,
    Rule,
    Sound,
    loss,
    nats,
    run_if,
    within,
)
from filterproof import Decision, Declared, Step
from filterproof.exact import exceeds
from filterproof.privacy import largest_renyi_sum

UP = 1 + 1e-9
"""More than the relative error of the few operations on doubles below."""

TINY = 1e-12
"""More than the absolute error of a logarithm below."""


class MultipliesDeltas(Ledger):
    """Books 1 - (1 - delta_1)...(1 - delta_k), which is less than the sum of the deltas."""

    def book(self, state: Any, step: Step) -> Any:
        """Multiply the odds, and the probabilities that nothing was given away."""
        odds, delta = step.mechanism.declared
        return Declared(state[0] * odds, 1 - (1 - state[1]) * (1 - delta))


class TenShares(Rule):
    """Allows a tenth of epsilon and a tenth of delta in each of ten rounds, and keeps no sums."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if a tenth covers it and at most ten requests have come, counting this one."""
        odds, delta = step.mechanism.declared
        fits = step.index <= 10 and within(odds**10, self.epsilon) and 10 * delta <= self.delta
        return run_if(fits, None, state)


class EmptiedByOverdraft(Ledger):
    """Refuses what does not fit and goes on; the refusal empties the account."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run what fits; after a refusal only what costs nothing fits."""
        if state is not None and self.fits(self.book(state, step)):
            return Decision.CONTINUE, self.book(state, step)
        free = step.mechanism.declared == NOTHING
        return (Decision.CONTINUE if free else Decision.REFUSE), None


class ChargesRefusals(Ledger):
    """Books every request, also the refused ones, and goes on after a refusal."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Book first; run if the sums fit with this request and all refused ones."""
        after = self.book(state, step)
        return (Decision.CONTINUE if self.fits(after) else Decision.REFUSE), after


class HalfOfTheRest(Ledger):
    """Lets a request use at most half of what is left, and never runs out."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run what fits twice; refuse the rest and go on."""
        once = self.book(state, step)
        fits = self.fits(self.book(once, step))
        return (Decision.CONTINUE, once) if fits else (Decision.REFUSE, state)


class BasicOrAdvanced(Rule):
    """Runs a pure mechanism if the sum of epsilons fits *or* the advanced bound does.

    Choosing the better of two bounds after the fact is what breaks Renyi accountants.
    """

    def start(self) -> Any:
        """Return the product of the odds and the sum of squares."""
        return ONE, 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while one of the two bounds fits."""
        odds, delta = step.mechanism.declared
        after = state[0] * odds, state[1] + (loss(odds) + TINY) ** 2 * UP if odds > 1 else state[1]
        fits = within(after[0], self.epsilon) or self.advanced(after[1])
        return run_if(delta == 0 and fits, after, state)

    def advanced(self, squares: float) -> bool:
        """Whether sqrt(2 log(1/delta) V) + V/2 <= epsilon, rounded against the filter."""
        if not self.delta:
            return False
        spread = sqrt(2 * log(1 / self.delta) * squares)
        return (spread + squares / 2) * UP + TINY <= nats(self.epsilon)


class SmallDivergenceIsFree(Rule):
    """Does not look at epsilon at all: runs while 1 - e^(-rho) <= delta^2, rho of order 2.

    An accountant that reports epsilon = 0 in this case was taken for a bug.
    """

    def start(self) -> Any:
        """Return the empty product of Renyi sums."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the product S satisfies S*(1 - delta^2) <= 1."""
        cost = largest_renyi_sum(step.mechanism.law, step.game.pairs, 2)
        if cost is None or cost.rational() is None:
            return run_if(False, state, state)
        after = state * (cost.rational() or ONE)
        return run_if(after * (1 - self.delta**2) <= 1, after, state)


class PaysWhatWasRealised(Rule):
    """Asks for the declared epsilon before a round and books only what the output really cost."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run a pure mechanism whose declared epsilon fits."""
        odds, delta = step.mechanism.declared
        return run_if(delta == 0 and within(state * odds, self.epsilon), state, state)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Book the largest realised loss of a pair, in either direction."""
        row = step.mechanism.law[output]
        ratios = [row[x] / row[x_] for x, x_ in step.game.pairs if row[x] and row[x_]]
        return state * max(ratios, default=ONE)


class OneOrderManyDeltas(Rule):
    """Multiplies Renyi sums of order 2 and lets them reach four times delta*e^eps."""

    def start(self) -> Any:
        """Return the empty product."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the product is at most 4*delta*e^eps."""
        if not step.index:
            return run_if(True, state, state)
        cost = largest_renyi_sum(step.mechanism.law, step.game.pairs, 2)
        if cost is None or cost.rational() is None:
            return run_if(False, state, state)
        after = state * (cost.rational() or ONE)
        return run_if(not exceeds(after, 4 * self.delta, self.epsilon), after, state)


class CheaperOfTwoStatements(Ledger):
    """Books for each mechanism the declared pair, or its exact pure epsilon if that still fits.

    Which of the two is booked may differ from round to round and from branch to branch.
    """

    def book(self, state: Any, step: Step) -> Any:
        """Book the pure statement where there is one that fits, else the declared one."""
        rows = step.mechanism.law.values()
        pairs = step.game.pairs
        if all(row[x_] or not row[x] for row in rows for x, x_ in pairs):
            worst = max(row[x] / row[x_] for row in rows for x, x_ in pairs if row[x])
            pure = Declared(state[0] * worst, state[1])
            if self.fits(pure):
                return pure
        return super().book(state, step)


class SplitsTheBudgetByName(Rule):
    """Gives request names budgets of their own: half of all, a quarter, an eighth ..."""

    def start(self) -> Any:
        """Return that no name was used."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the budget of this name covers it."""
        if not step.index:
            return Decision.CONTINUE, state
        names = [name for name, _, _ in state]
        at = names.index(step.request) if step.request in names else len(names)
        odds, delta = state[at][1:] if at < len(names) else (ONE, NONE)
        asked = step.mechanism.declared
        entry = step.request, odds * asked.odds, delta + asked.delta
        part = 2 ** (at + 1)
        fits = at < 8 and within(entry[1] ** part, self.epsilon) and entry[2] * part <= self.delta
        after = (*state[:at], entry, *state[at + 1 :])
        return (Decision.CONTINUE, after) if fits else (Decision.REFUSE, state)


SOUND = {
    "multiplies-deltas": Sound(
        MultipliesDeltas,
        "an (eps, delta)-DP mechanism gives all away with probability delta and is eps-DP "
        "otherwise, so the chance that none of them did is the product on every path",
    ),
    "ten-shares": Sound(TenShares, "ten tenths make one; step.index counts the requests from 1"),
    "emptied-by-overdraft": Sound(
        EmptiedByOverdraft, "what runs is always within basic composition; a refusal adds nothing"
    ),
    "charges-refusals": Sound(
        ChargesRefusals, "the sums that are compared are at least those of what has run"
    ),
    "half-of-the-rest": Sound(HalfOfTheRest, "the sums of what has run never exceed the budget"),
    "basic-or-advanced": Sound(
        BasicOrAdvanced,
        "where only the sum fits no loss exceeds epsilon at all, and the other paths are within "
        "one supermartingale, that of the advanced bound",
    ),
    "small-divergence-is-free": Sound(
        SmallDivergenceIsFree,
        "the order-2 sum bounds the KL divergence of the transcript, and total variation is at "
        "most sqrt(1 - e^-KL) (Bretagnolle and Huber), so it is (0, delta)-DP",
    ),
    "pays-what-was-realised": Sound(
        PaysWhatWasRealised,
        "before each round the realised losses and the largest possible next one fit together",
    ),
    "one-order-four-deltas": Sound(
        OneOrderManyDeltas, "the tight conversion at order 2 has the factor a^a/(a-1)^(a-1) = 4"
    ),
    "cheaper-of-two-statements": Sound(
        CheaperOfTwoStatements,
        "each booking is a true statement about the mechanism, chosen before its output",
    ),
    "splits-by-name": Sound(
        SplitsTheBudgetByName, "the halves, quarters and so on of all names add up to one budget"
    ),
}
