"""Sound filters that look wrong: charges, realised losses, look-ahead, two phases."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.ahead import Ahead
from corpus.blind.second.base import NONE, Answer, Rule, Sound, run_if
from corpus.blind.second.charges import Charges
from corpus.blind.second.phases import TwoPhases
from filterproof import Decision, ExpLinear, Step
from filterproof.exact import exceeds
from filterproof.filters.compensator import Capped, level, room
from filterproof.game.law import Pair
from filterproof.privacy import charge, risk


class TailWithRefunds(Charges):
    """Charges the change of the indicator that the loss is above epsilon, and so gives refunds.

    A round that may bring a loss back below epsilon has a negative charge.
    """

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return P_x(loss above epsilon after the round), less 1 if it is above already."""
        if not step.mass[pair[0]]:
            return ExpLinear(0, 0, self.epsilon)
        above = exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon)
        after = risk(step.mechanism.law, pair, step.mass, self.epsilon)
        return ExpLinear(after - above, 0, self.epsilon)


class ForgetsLostPairs(Charges):
    """Stops looking at a pair once x' is impossible, however much is asked afterwards."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return nothing where x' is ruled out."""
        if not step.mass[pair[1]]:
            return ExpLinear(0, 0, self.epsilon)
        return super().charge(step, pair)


class NoCredit(Charges):
    """Judges a pair with a negative loss as if it were zero."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge at the loss, or at 0 if that is larger."""
        x, x_ = pair
        if step.mass[x] and step.mass[x] < step.mass[x_]:
            even = {x: Fraction(1), x_: Fraction(1)}
            return charge(step.mechanism.law, pair, even, self.epsilon)
        return super().charge(step, pair)


class OneAccountForAll(Rule):
    """Keeps a single account and takes from it the largest charge of each round."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the largest charges add up to at most delta."""
        law, mass = step.mechanism.law, step.mass
        after = max(state + charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        return run_if(after <= self.delta, after, state)


class HalvingRisks(Rule):
    """The naive rule, with delta/2 for the first round, delta/4 for the second, and so on."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no pair's risk is above this round's share; any number of rounds."""
        share = self.delta / 2**step.index
        law, mass = step.mechanism.law, step.mass
        fits = all(risk(law, pair, mass, self.epsilon) <= share for pair in step.pairs)
        return run_if(fits, None, state)


class TiltedByMixture(Charges):
    """Raises budgets after outputs that speak for x' and lowers them after the others.

    The factors are the mixture (p + p')/2 divided by p.
    """

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Multiply what is left by (1 + p'(y)/p(y))/2."""
        row = step.mechanism.law[output]
        return tuple(
            left * (1 + row[x_] / row[x]) / 2 if row[x] else left
            for left, (x, x_) in zip(state, step.game.pairs, strict=True)
        )


class CapsUnderTheOther(Capped):
    """The capped compensator, with a level that is computed from the probabilities of x'."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        """Return the level at which the rest is used up in expectation under x'."""
        law = step.mechanism.law
        possible = [y for y in law if law[y][pair[0]]]
        rooms = [(room(step, pair, y, self.epsilon), law[y][pair[1]]) for y in possible]
        return level(rest, rooms)


class RefusesAndGoesOn(Charges):
    """Refuses what a pair cannot pay, and takes the next request as if nothing had been asked."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Answer like the compensator, with a refusal for a halt."""
        decision, after = super().decide(state, step)
        return (Decision.REFUSE if decision == Decision.HALT else decision), after


class HalfVersusReference(Rule):
    """Compares every database with the first one only, neighbours or not."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a loss to or from the first above epsilon/2."""
        first, *others = step.game.databases
        for y in step.mechanism.law:
            mass = step.released(y)
            for x in others:
                w, w_ = mass[first] ** 2, mass[x] ** 2
                if exceeds(w, w_, self.epsilon) or exceeds(w_, w, self.epsilon):
                    return run_if(False, None, state)
        return run_if(True, None, state)


class ExpectedOvershoot(Ahead):
    """Looks at the mean overshoot of the next round, not at how likely a bad output is."""

    def foreseen(self, step: Step) -> bool:
        """Whether the expected largest overshoot is at most a fifth of delta for every pair."""
        law = step.mechanism.law
        return all(
            sum((law[y][pair[0]] * self.worst(step, y, pair) for y in law), NONE) <= self.delta / 5
            for pair in step.pairs
        )


class LedgerThenCharges(TwoPhases):
    """A ledger with half of delta, then full charges against the other half, per pair."""


SOUND = {
    "tail-with-refunds": Sound(
        TailWithRefunds,
        "the charges telescope to the indicator of a loss above epsilon at the end, which bounds "
        "h, and their sum is at most delta on every path",
    ),
    "forgets-lost-pairs": Sound(
        ForgetsLostPairs, "where x' is impossible all is lost already and every charge is zero"
    ),
    "no-credit": Sound(
        NoCredit, "below epsilon the charge grows with the loss, so this is an upper bound"
    ),
    "one-account-for-all": Sound(
        OneAccountForAll, "the largest charge is at least that of each pair in each round"
    ),
    "halving-risks": Sound(HalvingRisks, "the risks of all rounds add up to at most delta"),
    "tilted-by-mixture": Sound(
        TiltedByMixture, "under x the factors average to at most 1, so the mean budget never grows"
    ),
    "caps-under-the-other": Sound(
        CapsUnderTheOther,
        "what an output may be given falls with p/p', so its mean under x is at most that under x'",
    ),
    "refuses-and-goes-on": Sound(
        RefusesAndGoesOn, "a refusal changes nothing and releases nothing"
    ),
    "half-versus-reference": Sound(
        HalfVersusReference, "two losses of at most epsilon/2 add up to at most epsilon"
    ),
    "expected-overshoot": Sound(
        ExpectedOvershoot,
        "in each of five rounds the chance to end above epsilon is at most delta/5, for the "
        "request that is worst after each output",
    ),
    "ledger-then-charges": Sound(
        LedgerThenCharges,
        "the ledger's rounds add at most delta/2 to H and the charges of the rest at most delta/2",
    ),
}
