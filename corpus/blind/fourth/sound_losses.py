"""Sound filters by losses and divergences that look generous: each says why nothing is lost."""

from fractions import Fraction
from math import sqrt, tanh

from corpus.blind.base import ONE, Answer, Rule, Sound, answer, nats, size
from corpus.blind.fourth.losses import risk_of
from corpus.blind.third.base import ZERO, nothing
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.gdp import budget_mu, vertex_mu, vertices
from filterproof.game import Step
from filterproof.game.law import Law, Output, Pair, profile
from filterproof.privacy import charge

ROUNDING = 1e-9
"""More than what a loss can be off by as a float."""


class Concentrated(Rule):
    """Adds up eps_i tanh(eps_i/2) of pure requests, as zero-concentrated privacy."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        most = size(epsilon)
        if not delta or most < 1e-6:
            raise ValueError("need delta > 0 and epsilon >= 1e-6")
        tail = -nats(delta)
        self.rho = (most / (sqrt(most + tail) + sqrt(tail))) ** 2 * (1 - 1e-9)

    def start(self) -> float:
        return 0.0

    def decide(self, state: float, step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        cost = self.cost(step)
        if cost is None:
            return Decision.HALT, state
        return answer(state + cost <= self.rho, state + cost, state)

    def cost(self, step: Step) -> float | None:
        """Return rho of a request; None if it has none."""
        odds, delta = step.mechanism.declared
        loss = nats(odds) + ROUNDING if odds > 1 else 0.0
        return None if delta else loss * tanh(loss / 2)


class MeasuredRange(Concentrated):
    """Adds up an eighth of the squared range of each request's losses."""

    def cost(self, step: Step) -> float | None:
        found = [self.spread(step.mechanism.law, pair) for pair in step.game.pairs]
        return None if None in found else max(one for one in found if one is not None) ** 2 / 8

    def spread(self, law: Law, pair: Pair) -> float | None:
        rows = [(row[pair[0]], row[pair[1]]) for row in law.values()]
        if any(bool(p) != bool(q) for p, q in rows):
            return None
        ratios = {p / q for p, q in rows if p}
        return nats(max(ratios) / min(ratios)) + ROUNDING if len(ratios) > 1 else 0.0


class HalfThePairs(Rule):
    """Adds up the squares of mu_i of Gaussian privacy, of each pair in one direction only."""

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        law, pairs = step.mechanism.law, step.game.pairs
        needs = [vertex_mu(a, b) for x, x_ in pairs if x < x_ for a, b in vertices(law, (x, x_))]
        found = [need for need in needs if need is not None]
        total = state + max(found, default=ZERO) ** 2
        fits = len(found) == len(needs) and total <= budget_mu(self.epsilon, self.delta) ** 2
        return answer(fits, total, state)


class NoLeak(Rule):
    """Compares likelihoods given that nothing was leaked; leaks have delta for themselves."""

    def start(self) -> tuple[Fraction, ...]:
        return ()

    def decide(self, state: tuple[Fraction, ...], step: Step) -> Answer:
        pairs, rows = step.game.pairs, step.mechanism.law.values()
        before = dict(zip(pairs, state or (ONE,) * len(pairs), strict=True))
        kept = {
            (x, x_): one * sum((row[x] for row in rows if row[x_]), ZERO)
            for (x, x_), one in before.items()
        }
        open_pairs = [(x, x_) for x, x_ in step.pairs if step.mass[x_]]
        fits = all(kept[pair] >= 1 - self.delta for pair in open_pairs) and not any(
            exceeds(step.mass[x] * row[x] * kept[x_, x], step.mass[x_] * row[x_] * kept[x, x_], e)
            for e in (self.epsilon,)
            for x, x_ in open_pairs
            for row in rows
            if row[x_]
        )
        return answer(fits, tuple(kept.values()), tuple(before.values()))


class AllOnTheLast(Rule):
    """Goes on while no loss can pass epsilon; the last request may risk all of delta."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        here = risk_of(step, self)
        if not here:
            return Decision.CONTINUE, None
        return (Decision.LAST if here <= self.delta else Decision.REFUSE), None


class SpentByProgress(Rule):
    """Lets the risks add up to delta times the squared share of epsilon that is lost by now."""

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        total = state + risk_of(step, self)
        mass, epsilon = step.mass, size(self.epsilon)
        live = [pair for pair in step.pairs if mass[pair[1]]]
        lost = max((abs(nats(mass[x] / mass[x_])) for x, x_ in live), default=epsilon)
        share = min(1.0, lost / epsilon) ** 2 if epsilon else 1.0
        fits = total <= self.delta and float(total) <= share * self.delta
        return (Decision.CONTINUE, total) if fits else (Decision.REFUSE, state)


class LeastLikely(Rule):
    """Charges every database against the least likely one, output by output."""

    def start(self) -> tuple[tuple[ExpLinear, Fraction] | None, ...]:
        return ()

    def decide(self, state: tuple[tuple[ExpLinear, Fraction] | None, ...], step: Step) -> Answer:
        before = state or ((nothing(self.epsilon), ONE),) * len(step.mass)
        rows = step.mechanism.law.items()
        after: list[tuple[ExpLinear, Fraction] | None] = []
        for x, one in zip(step.mass, before, strict=True):
            if one is None:
                after.append(None)
                continue
            law = {y: {"x": row[x], "least": min(row.values())} for y, row in rows}
            cost = charge(law, ("x", "least"), {"x": ONE, "least": one[1]}, self.epsilon)
            after.append((one[0] + cost, one[1]))
        fits = all(one is None or one[0] <= self.delta for one in after)
        return answer(fits, tuple(after), before)

    def observe(
        self, state: tuple[tuple[ExpLinear, Fraction] | None, ...], step: Step, output: Output
    ) -> tuple[tuple[ExpLinear, Fraction] | None, ...]:
        row = step.mechanism.law[output]
        least = min(row.values())
        return tuple(
            None if one is None or not row[x] else (one[0], one[1] * least / row[x])
            for x, one in zip(step.mass, state, strict=True)
        )


class LargestLossFirst(Rule):
    """Adds up the deltas that the laws have at what the largest finite losses leave of epsilon."""

    def start(self) -> tuple[Fraction, ExpLinear]:
        return ONE, nothing(self.epsilon)

    def decide(self, state: tuple[Fraction, ExpLinear], step: Step) -> Answer:
        most, spent = state
        law, pairs = step.mechanism.law, step.game.pairs
        total = spent + max(self.delta_left(law, pair, most) for pair in pairs)
        ratios = [row[x] / row[x_] for row in law.values() for x, x_ in pairs if row[x_]]
        return answer(total <= self.delta, (most * max(ONE, *ratios), total), state)

    def delta_left(self, law: Law, pair: Pair, most: Fraction) -> ExpLinear:
        """Return the delta at epsilon less the largest loss, and at 0 if that is below 0."""
        if exceeds(most, ONE, self.epsilon):
            return nothing(self.epsilon) + profile(law, pair, ONE)
        return charge(law, pair, {pair[0]: most, pair[1]: ONE}, self.epsilon)


SOUND = {
    "concentrated": Sound(
        Concentrated,
        "the loss of randomised response is sub-Gaussian with variance 2 eps tanh(eps/2) around "
        "its mean eps tanh(eps/2) (Kearns and Saul), so that is a rho of every eps-DP request",
    ),
    "measured-range": Sound(
        MeasuredRange,
        "log E_Q e^(aL) is 0 at a = 0 and 1 and its second derivative is at most range²/4 "
        "(Hoeffding), so range²/8 is a rho; rho and so the order are fixed before",
    ),
    "half-the-pairs": Sound(
        HalfThePairs, "a trade-off curve is above the Gaussian one iff its inverse is"
    ),
    "no-leak": Sound(
        NoLeak,
        "with A and B the chances of no leak under x and x' and the ratio of the rest at most "
        "e^eps, H is at most (1 - A) + max(0, A - B) = 1 - min(A, B) in the mean over the paths",
    ),
    "all-on-the-last": Sound(
        AllOnTheLast, "no loss is above epsilon before the last round, and then by delta at most"
    ),
    "spent-by-progress": Sound(
        SpentByProgress, "on every path the risks add up to delta at most, whatever the share"
    ),
    "least-likely": Sound(
        LeastLikely,
        "the products of the least probabilities are below the likelihood of every database, so "
        "the charges against them bound those against each neighbour",
    ),
    "largest-loss-first": Sound(
        LargestLossFirst,
        "a finite loss is at most the product of the largest ratios; the charge grows with it up "
        "to epsilon, is never above total variation, and is 0 after a leak",
    ),
}
