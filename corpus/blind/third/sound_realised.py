"""Sound filters of realised losses that look generous: each says why nothing is lost by it."""

from fractions import Fraction

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, answer, covers, plus, within
from corpus.blind.third.ahead import Prepaid
from corpus.blind.third.base import HALF, ZERO, nothing
from corpus.blind.third.databases import Anchored
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair, profile
from filterproof.privacy import charge, risk

Risks = tuple[Fraction, ...]


class DonePairsDropped(Compensator):
    """Drops a pair for good when its x′ is ruled out, however much is left of its budget."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        return super().charge(step, pair) if step.mass[pair[1]] else nothing(self.epsilon)


class ClippedLoss(Compensator):
    """Takes a loss below 0 for 0, and one above epsilon for epsilon."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        w, w_ = (step.mass[x] for x in pair)
        law = step.mechanism.law
        if exceeds(w, w_, self.epsilon):
            return ExpLinear(profile(law, pair, ONE), 0, self.epsilon)
        return charge(law, pair, step.mass if w >= w_ else dict.fromkeys(pair, ONE), self.epsilon)


class RiskProduct(Rule):
    """Multiplies, for each pair, the chances that a round takes no loss above epsilon."""

    def start(self) -> Risks:
        return ()

    def decide(self, state: Risks, step: Step) -> Answer:
        before = state or (ONE,) * len(step.game.pairs)
        pairs = zip(before, step.game.pairs, strict=True)
        after = tuple(kept * (1 - self.risk(step, pair)) for kept, pair in pairs)
        return answer(all(kept >= 1 - self.delta for kept in after), after, before)

    def risk(self, step: Step, pair: Pair) -> Fraction:
        """Return P_x(the loss is above ε after this round); 0 if x is ruled out."""
        possible = step.mass[pair[0]]
        return risk(step.mechanism.law, pair, step.mass, self.epsilon) if possible else ZERO


class FreeOnceAbove(RiskProduct):
    """Asks nothing of a pair whose loss is above epsilon: every round is free for it then."""

    def risk(self, step: Step, pair: Pair) -> Fraction:
        above = exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon)
        return ZERO if above else super().risk(step, pair)


class AnchoredAtHalf(Anchored):
    """Keeps every database within half of epsilon of the first one, up and down."""

    def decide(self, state: None, step: Step) -> Answer:
        first, *others = step.game.databases
        found = [step.released(y) for y in step.mechanism.law]
        return answer(all(self.near(m[first], m[x]) for m in found for x in others), None, None)

    def near(self, w: Fraction, w_: Fraction) -> bool:
        low, high = sorted((w, w_))
        return low > 0 and within(high / low, self.epsilon, HALF)


class TiltedEvenly(Compensator):
    """Gives outputs that x′ favours more of what is left, and others less, by half each."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        row = step.mechanism.law[output]
        kept = zip(super().observe(state, step, output), step.game.pairs, strict=True)
        return tuple(
            left if left is None else left * (row[x] + row[x_]) / (2 * row[x])
            for left, (x, x_) in kept
        )


class RecycledFromTheBad(Compensator):
    """Leaves nothing to outputs above epsilon and shares it out among the others."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        good = 1 - risk(step.mechanism.law, pair, step.mass, self.epsilon)
        return rest / good if good else rest * 0

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        after = step.released(output)
        kept = zip(super().observe(state, step, output), step.game.pairs, strict=True)
        return tuple(
            left if left is None or not exceeds(after[x], after[x_], self.epsilon) else left * 0
            for left, (x, x_) in kept
        )


class BothAtOnce(Rule):
    """Keeps one number for all pairs: the sum of each round's largest charge."""

    def start(self) -> ExpLinear:
        return nothing(self.epsilon)

    def decide(self, state: ExpLinear, step: Step) -> Answer:
        law, mass = step.mechanism.law, step.mass
        total = state + max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        return (Decision.CONTINUE, total) if total <= self.delta else (Decision.REFUSE, state)


class BetterOfBoth(Rule):
    """Adds its epsilon to what was declared or to the largest realised loss, whichever is less."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> Answer:
        asked = step.mechanism.declared
        total = plus(state, asked)
        fits = total.delta <= self.delta and self.after_losses(step, asked.odds)
        return answer(fits or covers(total, self.epsilon, self.delta), total, state)

    def after_losses(self, step: Step, odds: Fraction) -> bool:
        """Return whether no loss is above ε after a request that tells so much."""
        mass = step.mass
        return not any(exceeds(mass[x] * odds, mass[x_], self.epsilon) for x, x_ in step.pairs)


SOUND = {
    "done-pairs-dropped": Sound(
        DonePairsDropped, "once x′ is ruled out all is lost, and no round can be charged any more"
    ),
    "clipped-loss": Sound(
        ClippedLoss, "the charge grows up to a loss of epsilon and falls beyond: it is overcharged"
    ),
    "risk-product": Sound(
        RiskProduct,
        "the loss is above epsilon at the end with probability 1 less the product at most",
    ),
    "free-once-above": Sound(
        FreeOnceAbove,
        "the paths that ever go above epsilon have probability delta at most, and none loses more "
        "than 1",
    ),
    "anchored-at-half": Sound(AnchoredAtHalf, "two halves: neighbours are within epsilon"),
    "tilted-evenly": Sound(TiltedEvenly, "the factors have mean 1 under x"),
    "recycled-from-the-bad": Sound(
        RecycledFromTheBad, "the mean under x of what the outputs get is what is left"
    ),
    "both-at-once": Sound(BothAtOnce, "the largest charge is above the one of every pair"),
    "better-of-both": Sound(
        BetterOfBoth,
        "a round that fits only by its losses ends the declared phase for good, and costs its "
        "delta at most, as no loss is above epsilon less its own epsilon",
    ),
    "prepaid": Sound(
        Prepaid,
        "what is paid is the mean over this round's outputs of the largest charge that may follow",
    ),
}
