"""Wrong filters whose violation the outsider took to be easy to find."""

from fractions import Fraction
from typing import Any

from corpus.outsider.base import ONE, ZERO, Basic, Budgeted, Watching
from corpus.zoo.base import Specimen
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import PerPair, possible_pairs, same_for_each_pair, survivors
from filterproof.filters.naive import Naive
from filterproof.filters.product import ProductRule
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import delta_at, risk, tight_odds

FAMILY = "easy"


class MaxEpsilon(Basic):
    """Keeps the largest ε_i, as parallel composition does, and adds up the δ_i.

    Wrong: every mechanism reads the same record, so the ε_i add up.
    """

    def spend(self, spent: Declared, step: Step) -> Declared:
        asked = self.price(step)
        return Declared(max(spent.odds, asked.odds), spent.delta + asked.delta)


class CheckThenAdd(Basic):
    """Compares what was spent before this request with the budget, then books the request.

    Wrong: the request that crosses the line is answered.
    """

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        decision = Decision.CONTINUE if self.fits(state) else Decision.HALT
        return decision, self.spend(state, step)


class ApproximateChargesDelta(Basic):
    """Charges a pure mechanism its ε_i and an approximate one its δ_i only.

    Wrong: an (ε_i, δ_i)-DP mechanism costs both.
    """

    def price(self, step: Step) -> Declared:
        asked = step.mechanism.declared
        return Declared(ONE, asked.delta) if asked.delta else asked


class SkipZeroDenominator(Naive):
    """Runs M_i iff no output takes a loss above ε; skips P_x′(y) = 0, not to divide by it.

    Wrong: those are the outputs of infinite loss.
    """

    def fits(self, step: Step) -> bool:
        return not any(
            step.mass[x_] * row[x_]
            and exceeds(step.mass[x] * row[x], step.mass[x_] * row[x_], self.epsilon)
            for x, x_ in step.pairs
            for row in step.mechanism.law.values()
        )


class OneDirection(Watching):
    """Charges (x, x′) only where x comes before x′: "the other direction is symmetric".

    Wrong: both directions count, and a mechanism need not be symmetric.
    """

    def watched(self, step: Step, pair: Pair) -> bool:
        order = step.game.databases
        return order.index(pair[0]) < order.index(pair[1])


class DeltaRefund(Basic):
    """Gives δ_i back after an output that every database can give: nothing was revealed.

    Wrong: δ pays for the risk, whether or not the bad event occurs.
    """

    def observe(self, state: Declared, step: Step, output: Output) -> Declared:
        if not all(step.mechanism.law[output].values()):
            return state
        return Declared(state.odds, max(ZERO, state.delta - step.mechanism.declared.delta))


Cache = frozenset[tuple[Declared, ExpLinear]]


class CachedByDeclared(Budgeted):
    """Books the largest exact charge, which is looked up by the mechanism's declared pair.

    Wrong: the charge depends on the realised losses and on the law as well.
    """

    def start(self) -> tuple[ExpLinear, Cache]:
        return self.number(self.delta), frozenset()

    def decide(
        self, state: tuple[ExpLinear, Cache], step: Step
    ) -> tuple[Decision, tuple[ExpLinear, Cache]]:
        if step.index == 0:
            return Decision.CONTINUE, state
        left, cache = state
        key, known = step.mechanism.declared, dict(cache)
        cost = known[key] if key in known else self.dearest(step)
        if left < cost:
            return Decision.HALT, state
        return Decision.CONTINUE, (left - cost, cache | {(key, cost)})


class NoneIsFree(Budgeted):
    """Adds up each law's own pure ε_i.

    Wrong: there may be no finite ε_i; that is told by None, and `or` makes it free.
    """

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> tuple[Decision, Fraction]:
        odds = state * (tight_odds(step.mechanism.law, step.game.pairs, ZERO) or ONE)
        return (Decision.HALT, state) if self.above(odds) else (Decision.CONTINUE, odds)


class ProfileAtFullEpsilon(Budgeted):
    """Adds up δ_i(ε), each mechanism's own profile at the whole budget ε.

    Wrong: δ_1(ε) + δ_2(ε) bounds the composition at 2ε, not at ε.
    """

    def start(self) -> ExpLinear:
        return self.number()

    def decide(self, state: ExpLinear, step: Step) -> tuple[Decision, ExpLinear]:
        law = step.mechanism.law
        spent = state + max(delta_at(law, pair, self.epsilon) for pair in step.game.pairs)
        return (Decision.CONTINUE, spent) if spent <= self.delta else (Decision.HALT, state)


Path = PerPair[tuple[Fraction, ExpLinear]]
"""Per ordered pair: the likelihood of the history under x, and what is left of δ."""


class AbsoluteRiskPerPath(Budgeted):
    """Charges a round its unconditional part of H, P_x(history)·c, and adds up along the path.

    Wrong: the parts of different histories add up too, and each path sees only its own.
    """

    def start(self) -> Path:
        return ()

    def decide(self, state: Path, step: Step) -> tuple[Decision, Path]:
        before = state or same_for_each_pair(step, (ONE, self.number(self.delta)))
        after = list(before)
        for i, pair, (likelihood, left) in possible_pairs(before, step):
            rest = left - self.charge(step, pair) * likelihood
            if rest.sign() < 0:
                return Decision.HALT, before
            after[i] = likelihood, rest
        return Decision.CONTINUE, tuple(after)

    def observe(self, state: Path, step: Step, output: Output) -> Path:
        row = step.mechanism.law[output]
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            None if entry is None else (entry[0] * row[x], entry[1]) for entry, (x, _) in kept
        )


class OptimisticLookahead(ProductRule):
    """The product rule, where an output is safe if some request after it keeps losses below ε.

    Wrong: it must be every request.  With one request per round it is the sound product rule.
    """

    def safe(self, step: Step, y: Output, pair: Pair) -> bool:
        mass, ahead = step.released(y), step.mechanism.after[y].values()
        return not ahead or not all(risk(m.law, pair, mass, self.epsilon) for m in ahead)


def optimistic_lookahead(epsilon: Epsilon, delta: Fraction) -> OptimisticLookahead:
    return OptimisticLookahead(epsilon, delta, delta_tilde=ZERO)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("max-epsilon", MaxEpsilon, "the largest eps_i for their sum"),
    _wrong("check-then-add", CheckThenAdd, "tests the budget before the request is booked"),
    _wrong("approximate-charges-delta", ApproximateChargesDelta, "eps_i is free if delta_i > 0"),
    _wrong("skip-zero-denominator", SkipZeroDenominator, "outputs of infinite loss are skipped"),
    _wrong("one-direction", OneDirection, "only the pairs with x before x'"),
    _wrong("delta-refund", DeltaRefund, "delta_i comes back if nothing was revealed"),
    _wrong("cached-by-declared", CachedByDeclared, "one charge for equal declared pairs"),
    _wrong("none-is-free", NoneIsFree, "no finite eps_i counts as eps_i = 0"),
    _wrong("profile-at-full-epsilon", ProfileAtFullEpsilon, "adds up the profiles at all of eps"),
    _wrong("absolute-risk-per-path", AbsoluteRiskPerPath, "each history only sees its own part"),
    _wrong("optimistic-lookahead", optimistic_lookahead, "safe if some request is, not all"),
)
